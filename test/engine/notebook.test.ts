/** Notes are saved, found again, shared between programs, and never lost. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import type { Arguments } from '../../shared/requests/requests.ts';
import type { Note, NoteDraft } from '../../shared/requests/notes.ts';
import { ask, refusal } from './ask.ts';
import { scratch } from './traces.ts';

let place: ReturnType<typeof scratch>;
let dataDirectory: string;
const engines: Engine[] = [];

beforeEach(() => {
  place = scratch();
  dataDirectory = path.join(place.folder, 'data');
});

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  place.dispose();
});

function start(): Engine {
  const engine = startEngine({ indexDirectory: path.join(place.folder, 'index'), dataDirectory, jobs: 1 });
  engines.push(engine);
  return engine;
}

async function open(engine: Engine, file: string, more: { notebook?: string; options?: Record<string, string> } = {}) {
  const { trace } = await ask(engine, 'open', { path: file, format: 'byu6', ...more });
  await ask(engine, 'index', { trace });
  return trace;
}

/** Record n of a byu6 trace begins at byte 6 * n. */
function draft(n: number, more: Partial<NoteDraft> = {}): NoteDraft {
  return {
    id: `note-${String(n)}`,
    title: `at ${String(n)}`,
    text: '',
    colour: 'blue',
    tags: [],
    place: { n },
    ...more,
  };
}

test('changes a note that has the latest possible time', async () => {
  const file = place.file('run.byu', plainByu(5000));
  const engine = start();
  const trace = await open(engine, file);
  await ask(engine, 'changeNotebook', { trace, put: [draft(7)] });
  const { text } = await ask(engine, 'exportNotes', { trace });
  const last = '8999-12-31T23:59:59.999Z';
  const taken = await ask(engine, 'importNotes', {
    trace,
    text: text.replace(/"changed": "[^"]*"/, `"changed": "${last}"`),
  });
  const [note] = taken.notebook.notes;
  const put = [{ ...draft(7, { title: 'changed' }), revision: note!.revision }];
  const { notes, notices } = await ask(engine, 'changeNotebook', { trace, put });
  expect([notes.map(({ title, changed }) => [title, changed]), notices]).toEqual([[['changed', last]], undefined]);
});

test('saves a note next to the trace, and another process finds it', async () => {
  const file = place.file('run.byu', plainByu(5000));
  const first = start();
  const trace = await open(first, file);
  const empty = await ask(first, 'notebook', { trace });
  expect(empty).toEqual({ path: `${file}.notebook`, exists: false, notes: [], views: [], version: 0 });
  expect(fs.existsSync(`${file}.notebook`), 'no file before the first note').toBe(false);
  const put = [draft(7, { text: '*why*', tags: ['a', 'b'], place: { n: 7, to: 9, address: '0x8000', length: 16 } })];
  const kept = await ask(first, 'changeNotebook', { trace, put });
  expect(kept).toMatchObject({ exists: true, version: 1 });
  await first.close();
  expect(fs.readdirSync(place.folder).filter((name) => name.startsWith('run.'))).toEqual([
    'run.byu',
    'run.byu.notebook',
  ]);
  const second = start();
  const { notes } = await ask(second, 'notebook', { trace: await open(second, file) });
  expect(notes).toEqual(kept.notes);
  expect(notes[0]).toMatchObject({
    ...put[0],
    place: {
      n: 7,
      to: 9,
      address: '0x8000',
      length: 16,
      offset: 42,
      reading: expect.stringContaining('byu6') as string,
    },
    order: 1,
    revision: 1,
  });
});

test('refuses a change of a note that another writer has changed since', async () => {
  const file = place.file('run.byu', plainByu(5000));
  const [one, two] = [start(), start()];
  const [mine, theirs] = [await open(one, file), await open(two, file)];
  await ask(one, 'changeNotebook', { trace: mine, put: [draft(1), draft(2)] });
  await ask(two, 'changeNotebook', { trace: theirs, put: [draft(1, { title: 'theirs', revision: 1 })] });
  const change = {
    trace: mine,
    put: [draft(2, { title: 'mine', revision: 1 }), draft(1, { title: 'mine', revision: 1 })],
  };
  expect(await refusal(one, 'changeNotebook', change)).toMatchObject({ code: 'note-changed' });
  const { notes } = await ask(one, 'notebook', { trace: mine });
  expect(notes.map(({ title, revision }) => [title, revision])).toEqual([
    ['theirs', 2],
    ['at 2', 1],
  ]);
  await ask(two, 'changeNotebook', { trace: theirs, remove: [{ id: 'note-1', revision: 2 }] });
  const late = { trace: mine, put: [draft(1, { revision: 2 })] };
  expect(await refusal(one, 'changeNotebook', late)).toMatchObject({ code: 'note-changed' });
});

test('changes, removes and restores notes and views in the given order', async () => {
  const file = place.file('run.byu', plainByu(5000));
  const engine = start();
  const trace = await open(engine, file);
  const change = (more: Omit<Arguments<'changeNotebook'>, 'trace'>) =>
    ask(engine, 'changeNotebook', { trace, ...more });
  const putViews = [{ id: 'v', name: 'mine', content: '{"a":1}' }];
  await change({ put: [draft(1), draft(2), draft(3)], putViews });
  const moved = await change({
    put: [draft(3, { order: 1.5, revision: 1 }), draft(1, { title: 'two\nlines', revision: 1 })],
  });
  expect(moved.notes.map(({ id, order, title }) => [id, order, title])).toEqual([
    ['note-1', 1, 'two lines'],
    ['note-3', 1.5, 'at 3'],
    ['note-2', 2, 'at 2'],
  ]);
  const [first] = moved.notes;
  expect(Date.parse(first!.changed)).toBeGreaterThan(Date.parse(first!.created));
  expect((await change({ remove: [{ id: 'note-1', revision: 2 }, { id: 'never-there' }] })).notes).toHaveLength(2);
  const back = await change({ put: [draft(1, { title: 'two lines', order: 1, created: first!.created })] });
  expect(back.notes[0]).toMatchObject({ id: 'note-1', created: first!.created });
  expect(back.notes[0]!.revision, 'the revision was never used before').toBeGreaterThan(2);
  expect(back.views).toMatchObject([{ id: 'v', name: 'mine', content: '{"a":1}', revision: 1 }]);
  expect(await refusal(engine, 'changeNotebook', { trace, putViews })).toMatchObject({ code: 'note-changed' });
  expect((await change({ removeViews: [{ id: 'v', revision: 1 }] })).views).toEqual([]);
  expect((await change({})).version, 'nothing changed').toBe(5);
});

test('refuses a note beyond the records or the index with a sentence', async () => {
  const file = place.file('run.byu', plainByu(400_000));
  const engine = startEngine({
    indexDirectory: path.join(place.folder, 'index'),
    dataDirectory,
    jobs: 1,
    blockBytes: 6000,
  });
  engines.push(engine);
  const { trace } = await ask(engine, 'open', { path: file, format: 'byu6' });
  const put = (note: NoteDraft) => refusal(engine, 'changeNotebook', { trace, put: [note] });
  expect((await put(draft(300_000))).code).toBe('beyond-index');
  await ask(engine, 'changeNotebook', { trace, put: [draft(999, { place: { n: 999, to: 1000 } })] });
  await ask(engine, 'index', { trace });
  expect((await put(draft(400_000))).message).toContain('there is no record 400,000; the trace has 400,000');
  expect((await put(draft(5, { place: { n: 5, to: 400_001 } }))).message).toContain('there is no record 400,000');
  expect((await put(draft(5, { place: { n: 5, to: 5 } }))).message).toContain('a range must end after record 5');
  expect((await put(draft(5, { id: 'a b' }))).message).toBe('the note: id must be 1 to 64 letters, digits, - and _');
  const held = await ask(engine, 'changeNotebook', { trace, put: [draft(5, { place: { n: 399_999, to: 400_000 } })] });
  expect(held.notes.map(({ place }) => [place.n, place.to, place.offset])).toEqual([
    [999, 1000, 5994],
    [399_999, 400_000, 2_399_994],
  ]);
});

test('moves notes to the record of their byte for other decoding options, and keeps their own record numbers', async () => {
  const file = place.file('run.byu', plainByu(6000));
  const first = start();
  const six = await open(first, file);
  const put = [draft(1001, { place: { n: 1001, to: 1003, address: '0x10' } }), draft(3)];
  await ask(first, 'changeNotebook', { trace: six, put });
  const before = await ask(first, 'notebook', { trace: six });
  await first.close();
  const engine = startEngine({
    indexDirectory: path.join(place.folder, 'index'),
    dataDirectory,
    jobs: 1,
    blockBytes: 6000,
  });
  engines.push(engine);
  const { trace } = await ask(engine, 'open', { path: file, format: 'byu12' });
  const unread = await ask(engine, 'notebook', { trace });
  expect(unread.notes.map(({ place }) => place.unreached)).toEqual([true, true]);
  await ask(engine, 'index', { trace });
  const { notes } = await ask(engine, 'notebook', { trace });
  // Records of twelve bytes: byte 6006 is in record 500, byte 18 in record 1.
  expect(
    notes.map(({ place: { n, to, address, offset, elsewhere, unreached } }) => ({
      n,
      to,
      address,
      offset,
      elsewhere,
      unreached,
    })),
  ).toEqual([
    { n: 500, to: undefined, address: '0x10', offset: 6006, elsewhere: true, unreached: undefined },
    { n: 1, to: undefined, address: undefined, offset: 18, elsewhere: true, unreached: undefined },
  ]);
  const edits = [
    draft(1001, { title: 'edited', place: { n: 500, address: '0x20' }, revision: 1 }),
    draft(3, { title: 'moved', place: { n: 7 }, revision: 1 }),
  ];
  await ask(engine, 'changeNotebook', { trace, put: edits });
  await engine.close();
  const again = start();
  const after = await ask(again, 'notebook', { trace: await open(again, file) });
  expect(after.notes[0]).toMatchObject({ title: 'edited', place: { ...before.notes[0]!.place, address: '0x20' } });
  expect(after.notes[1]).toMatchObject({ title: 'moved', place: { n: 14, offset: 84, elsewhere: true } });
});

test('saves, reads and finds ten thousand notes', async () => {
  const file = place.file('run.byu', plainByu(50_000));
  const engine = start();
  const trace = await open(engine, file);
  const put = Array.from({ length: 10_000 }, (_, i) => draft(i * 5, { text: `text ${String(i)}` }));
  const { notes } = await ask(engine, 'changeNotebook', { trace, put });
  expect(notes).toHaveLength(10_000);
  expect(notes.every(({ place }, i) => place.n === i * 5 && place.offset === i * 30)).toBe(true);
  const all = put.map(({ id }) => ({ id }));
  expect((await ask(engine, 'changeNotebook', { trace, remove: all })).notes).toEqual([]);
});

describe('export and import', () => {
  test('merge two notebooks without duplicates and keep the newer version of a note', async () => {
    const file = place.file('run.byu', plainByu(5000));
    const engine = start();
    const [mine, theirs] = [
      await open(engine, file),
      await open(engine, file, { notebook: path.join(place.folder, 'theirs') }),
    ];
    await ask(engine, 'changeNotebook', {
      trace: mine,
      put: [draft(1), draft(2)],
      putViews: [{ id: 'v', name: 'n', content: 'x' }],
    });
    const { text } = await ask(engine, 'exportNotes', { trace: mine });
    const taken = await ask(engine, 'importNotes', { trace: theirs, text });
    expect(taken).toMatchObject({ added: 2, updated: 0, same: 0, views: { added: 1, updated: 0, same: 0 } });
    expect(taken.notebook.notes).toEqual((await ask(engine, 'notebook', { trace: mine })).notes);
    const put = [draft(1, { text: 'newer', revision: taken.notebook.notes[0]!.revision }), draft(3)];
    await ask(engine, 'changeNotebook', { trace: theirs, put });
    const back = await ask(engine, 'exportNotes', { trace: theirs });
    const both = await ask(engine, 'importNotes', { trace: mine, text: back.text });
    expect(both).toMatchObject({ added: 1, updated: 1, same: 1, views: { added: 0, updated: 0, same: 1 } });
    expect(both.notebook.notes.map(({ id, text }) => [id, text])).toEqual([
      ['note-1', 'newer'],
      [both.notebook.notes[1]!.id, ''],
      ['note-2', ''],
      ['note-3', ''],
    ]);
    expect(both.notebook.notes[1]).toMatchObject({ conflictOf: 'note-1', title: 'at 1' });
    expect(await ask(engine, 'importNotes', { trace: mine, text: back.text })).toMatchObject({
      added: 0,
      updated: 0,
      same: 3,
      conflicts: 0,
    });
    const old = await ask(engine, 'importNotes', { trace: theirs, text });
    expect(old, 'an old one does not win, but stays').toMatchObject({ added: 0, updated: 0, same: 1, conflicts: 1 });
    expect(old.notebook.notes[0]).toMatchObject({ id: 'note-1', text: 'newer' });
  });

  const spot = { n: 1, to: 4, address: '0x10', length: 8 } as const;
  const EDITS: Readonly<Record<string, (note: Note) => Note>> = {
    text: (note) => ({ ...note, text: 'theirs' }),
    title: (note) => ({ ...note, title: 'theirs' }),
    colour: (note) => ({ ...note, colour: 'red' }),
    tags: (note) => ({ ...note, tags: ['theirs'] }),
    range: (note) => ({ ...note, place: { ...note.place, to: 9 } }),
    address: (note) => ({ ...note, place: { ...note.place, address: '0x18' } }),
  };

  test('keep both versions of a note that differ in any field, once, and none for another order', async () => {
    const engine = start();
    const trace = await open(engine, place.file('run.byu', plainByu(5000)));
    const mine = draft(1, { text: 'mine', place: spot });
    const ids = Object.keys(EDITS).flatMap((id) => [
      `${id}-later`,
      `${id}-earlier`,
      `${id}-${'x'.repeat(57 - id.length)}-later`,
    ]);
    await ask(engine, 'changeNotebook', { trace, put: [...ids, 'order'].map((id) => ({ ...mine, id })) });
    const exported = JSON.parse((await ask(engine, 'exportNotes', { trace })).text) as { notes: Note[] };
    const changed = (id: string) => (id.endsWith('earlier') ? '2001-01-01T00:00:00.000Z' : '2999-01-01T00:00:00.000Z');
    const edited = exported.notes.map((note) => {
      const edit = EDITS[note.id.split('-')[0]!] ?? ((same: Note) => ({ ...same, order: 7 }));
      return { ...edit(note), changed: changed(note.id) };
    });
    const text = JSON.stringify({ ...exported, notes: edited });
    const first = await ask(engine, 'importNotes', { trace, text });
    expect(first).toMatchObject({ added: 0, updated: 13, same: 0, conflicts: 18 });
    const saying = ({ title, text, colour, tags, place }: Note) => ({ title, text, colour, tags, place });
    const { notes } = first.notebook;
    for (const id of ids) {
      const [current] = notes.filter((note) => note.id === id).map(saying);
      const [conflict, ...others] = notes.filter(({ conflictOf }) => conflictOf === id).map(saying);
      const before = saying(exported.notes.find((note) => note.id === id)!);
      const after = saying(edited.find((note) => note.id === id)!);
      expect([current, conflict], id).toEqual(id.endsWith('later') ? [after, before] : [before, after]);
      expect(others).toEqual([]);
    }
    const second = await ask(engine, 'importNotes', { trace, text });
    expect(second).toMatchObject({ added: 0, updated: 0, same: 19, conflicts: 0 });
    expect(second.notebook.notes).toEqual(notes);
    const { id: conflict } = notes.find(({ conflictOf }) => conflictOf === 'text-later')!;
    const without = await ask(engine, 'changeNotebook', { trace, remove: [{ id: 'text-later' }] });
    expect(without.notes.find(({ id }) => id === conflict)?.conflictOf, 'an ordinary note').toBeUndefined();
  });

  test('keep both versions of a view and of a composed report', async () => {
    const engine = start();
    const trace = await open(engine, place.file('run.byu', plainByu(5000)));
    const report = '5b0a6c1e-7d0f-4e55-9c1a-2f6d3e8b4a70';
    const putViews = [
      { id: 'v', name: 'loop', content: '{"n":1}' },
      { id: report, name: 'Report', content: '{"report":1}' },
    ];
    await ask(engine, 'changeNotebook', { trace, putViews });
    const { text } = await ask(engine, 'exportNotes', { trace });
    const theirs = text
      .replaceAll(/"changed": "[^"]*"/g, '"changed": "2999-01-01T00:00:00.000Z"')
      .replaceAll(/("content": "\{\\"\w+\\":)1/g, '$12');
    expect(theirs).not.toBe(text);
    for (const conflicts of [2, 0]) {
      const { views, notebook } = await ask(engine, 'importNotes', { trace, text: theirs });
      expect(views).toEqual({ added: 0, updated: conflicts, same: 2 - conflicts, conflicts });
      expect(notebook.views.map(({ conflictOf, content }) => [conflictOf ?? '', content]).sort()).toEqual([
        ['', '{"n":2}'],
        ['', '{"report":2}'],
        [report, '{"report":1}'],
        ['v', '{"n":1}'],
      ]);
    }
  });

  test('of another trace are refused', async () => {
    const engine = start();
    const mine = await open(engine, place.file('run.byu', plainByu(5000)));
    const other = await open(engine, place.file('other.byu', plainByu(5000, 1)));
    await ask(engine, 'changeNotebook', { trace: mine, put: [draft(1)] });
    const { text } = await ask(engine, 'exportNotes', { trace: mine });
    expect((await refusal(engine, 'importNotes', { trace: other, text })).message).toContain(
      'belong to another trace, of 30,000 bytes',
    );
    expect((await ask(engine, 'notebook', { trace: other })).exists).toBe(false);
  });

  test('that are invalid are refused completely', async () => {
    const engine = start();
    const trace = await open(engine, place.file('run.byu', plainByu(5000)));
    const notebook = await ask(engine, 'changeNotebook', { trace, put: [draft(1), draft(2)] });
    const { text } = await ask(engine, 'exportNotes', { trace });
    const hostile = text.replaceAll('note-1', 'note-9').replace('"id": "note-2"', '"id": "../note"');
    expect(await refusal(engine, 'importNotes', { trace, text: hostile })).toMatchObject({
      code: 'import',
      message: expect.stringContaining('note 2: id must be 1 to 64 letters, digits, - and _') as string,
    });
    expect(await ask(engine, 'notebook', { trace })).toEqual(notebook);
  });
});

test('watching reports changes of another process', async () => {
  const file = place.file('run.byu', plainByu(5000));
  const [one, two] = [start(), start()];
  const [mine, theirs] = [await open(one, file), await open(two, file)];
  const stop = new AbortController();
  const versions: number[] = [];
  const watching = one.request(
    'watchNotebook',
    { trace: mine },
    {
      signal: stop.signal,
      onEvent: ({ version }) => {
        versions.push(version);
        if (version === 0) void ask(two, 'changeNotebook', { trace: theirs, put: [draft(1)] });
        if (version === 1) void ask(two, 'changeNotebook', { trace: theirs, remove: [{ id: 'note-1' }] });
        if (version === 2) stop.abort();
      },
    },
  );
  expect(await watching).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  expect(versions).toEqual([0, 1, 2]);
});

/** Reads of six bytes per record, at consecutive addresses. */
function plainByu(records: number, seed = 0): Buffer {
  const bytes = Buffer.alloc(records * 6);
  for (let n = 0; n < records; n++) {
    bytes.writeUInt32BE(0x8000 + ((n * 8) % 4096) + seed * 8, n * 6);
    bytes.writeUInt16BE(0xfe90, n * 6 + 4);
  }
  return bytes;
}
