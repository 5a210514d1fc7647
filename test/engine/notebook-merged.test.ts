/** The preview of an import is what the import then does. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Held } from '../../electron/engine/notebook/notebook.ts';
import type { Note, View } from '../../shared/requests/notes.ts';
import { createRandom } from '../laws/random.ts';
import { notebookOn } from './notebook-on.ts';
import { scratch } from './traces.ts';

test('a preview writes nothing, and the import does what it says', async () => {
  const place = scratch();
  const trace = path.join(place.folder, 'run.bin');
  fs.writeFileSync(trace, 'a trace');
  const notebook = notebookOn(trace, path.join(place.folder, 'data'));
  const random = createRandom(5);
  const time = (): string => new Date(Date.UTC(2026, 0, 1 + random.below(4))).toISOString();
  // Few ids and texts, so that versions meet.
  const noteOf = (): Note => ({
    id: `note-${String(random.below(6))}`,
    title: `title ${String(random.below(3))}`,
    text: '',
    colour: 'red',
    tags: [],
    place: { n: 1, offset: 0, reading: 'test' },
    order: random.below(9),
    created: '2026-01-01T00:00:00.000Z',
    changed: time(),
    revision: 1,
  });
  const viewOf = (): View => ({
    id: `view-${String(random.below(4))}`,
    name: `view ${String(random.below(2))}`,
    content: '{}',
    changed: time(),
    revision: 1,
  });
  const plain = ({ notes, views }: Pick<Held, 'notes' | 'views'>): unknown =>
    JSON.parse(JSON.stringify({ notes, views }, (key, value: unknown) => (key === 'revision' ? 0 : value)));
  for (let round = 0; round < 12; round++) {
    const notes = Array.from({ length: 1 + random.below(4) }, noteOf);
    const views = Array.from({ length: random.below(3) }, viewOf);
    const before = plain(notebook.held());
    const preview = await notebook.merged(notes, views);
    expect(plain(notebook.held())).toEqual(before);
    expect(fs.existsSync(`${trace}.notebook`)).toBe(round > 0);
    const done = await notebook.merge(notes, views);
    if (!preview.ok || !done.ok) throw new Error('an import failed');
    expect(done.value).toEqual(preview.value.taken);
    expect(plain(notebook.held())).toEqual(plain(preview.value.held));
  }
  notebook.close();
  place.dispose();
});
