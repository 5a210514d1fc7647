/** What becomes of notes: kept, found again, shared between programs, never lost. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import type { NoteDraft } from '../../shared/notes.ts';
import { ask, refusal } from './ask.ts';
import { nastyByu, scratch } from './traces.ts';

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

test('a note is kept beside the trace and found again by a new program', async () => {
  const file = place.file('run.byu', nastyByu(5000, 1));
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

test('who changes a note that somebody else changed since is told, and nothing is done', async () => {
  const file = place.file('run.byu', nastyByu(5000, 1));
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

describe('a trace that was moved', () => {
  test('is known again with its notebook under any name', async () => {
    const file = place.file('run.byu', nastyByu(5000, 1));
    const first = start();
    await ask(first, 'changeNotebook', { trace: await open(first, file), put: [draft(3)] });
    await first.close();
    const folder = path.join(place.folder, 'moved');
    fs.mkdirSync(folder);
    fs.renameSync(file, path.join(folder, 'renamed'));
    fs.renameSync(`${file}.notebook`, path.join(folder, 'other.notebook'));
    const second = start();
    const found = await ask(second, 'notebook', { trace: await open(second, path.join(folder, 'renamed')) });
    expect(found).toMatchObject({ path: path.join(folder, 'other.notebook'), notes: [{ id: 'note-3' }] });
  });
});

test('watching tells of what another program changes', async () => {
  const file = place.file('run.byu', nastyByu(5000, 1));
  const [one, two] = [start(), start()];
  const [mine, theirs] = [await open(one, file), await open(two, file)];
  const stop = new AbortController();
  const versions: number[] = [];
  const watching = one.call(
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
