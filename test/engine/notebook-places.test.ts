/** Where notebooks are found and created, and the notices for read-only ones. */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRandom } from '../laws/random.ts';
import { notebookOn, type OpenNotebook } from './notebook-on.ts';
import { scratch } from './traces.ts';

let place: ReturnType<typeof scratch>;
const opened: OpenNotebook[] = [];

beforeEach(() => {
  place = scratch();
  fs.mkdirSync(path.join(place.folder, 'a'));
  fs.mkdirSync(path.join(place.folder, 'b'));
});

afterEach(() => {
  for (const notebook of opened.splice(0)) notebook.close();
  place.dispose();
});

const at = (name: string): string => path.join(place.folder, name);

function openNotebook(name: string, named?: string): OpenNotebook {
  const notebook = notebookOn(at(name), at('data'), named);
  opened.push(notebook);
  return notebook;
}

/** Bytes whose start and end are equal for every seed. */
function bytes(length: number, seed: number): Buffer {
  const random = createRandom(seed);
  const content = Buffer.from(Array.from({ length }, () => random.below(256)));
  content.fill(0, 0, 65_536).fill(0, length - 65_536);
  return content;
}

async function keepNote(name: string, id: string): Promise<void> {
  const notebook = openNotebook(name);
  expect(await notebook.note(id)).toBe('kept');
  notebook.close();
}

const ids = (notebook: OpenNotebook): readonly string[] => notebook.held().notes.map(({ id }) => id);

describe('a trace and its notebook', () => {
  test.each([
    ['both renamed', 'a/new.trace', 'a/new.trace.notebook'],
    ['the trace renamed', 'a/new.trace', 'a/run.trace.notebook'],
    ['both moved, with unrelated names', 'b/x', 'b/y.notebook'],
    ['the trace moved, the notebook left behind', 'b/run.trace', 'a/run.trace.notebook'],
    ['the notebook moved into the data folder', 'a/run.trace', 'data/notebooks/its'],
  ])('stay together: %s', async (_, trace, notebook) => {
    fs.writeFileSync(at('a/run.trace'), bytes(200_000, 1));
    await keepNote('a/run.trace', 'mine');
    fs.renameSync(at('a/run.trace'), at(trace));
    const place = notebook.endsWith('its') ? ownPlace(openNotebook(trace)) : at(notebook);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.renameSync(at('a/run.trace.notebook'), place);
    fs.utimesSync(at(trace), 1, 1);
    const found = openNotebook(trace);
    expect(found.held()).toMatchObject({ path: place, exists: true, notices: [], notes: [{ id: 'mine' }] });
    expect(await found.note('more')).toBe('kept');
    expect(fs.existsSync(place)).toBe(true);
  });

  test('finds all notebooks but moved ones without the list of known places', async () => {
    fs.writeFileSync(at('a/run.trace'), bytes(200_000, 1));
    await keepNote('a/run.trace', 'mine');
    fs.rmSync(at('data'), { recursive: true });
    expect(ids(openNotebook('a/run.trace'))).toEqual(['mine']);
    fs.rmSync(at('data'), { recursive: true });
    fs.renameSync(at('a/run.trace'), at('b/run.trace'));
    expect(openNotebook('b/run.trace').held()).toMatchObject({ exists: false, notes: [] });
  });

  test('distinguishes traces that differ in one byte in the middle', async () => {
    const content = bytes(2_000_000, 1);
    fs.writeFileSync(at('a/run.trace'), content);
    await keepNote('a/run.trace', 'mine');
    const notebook = fs.readFileSync(at('a/run.trace.notebook'));
    // A probe reads the start of the middle bytes.
    content[65_536] = content[65_536]! ^ 1;
    fs.writeFileSync(at('a/run.trace'), content);
    const other = openNotebook('a/run.trace');
    expect(other.held()).toMatchObject({
      exists: false,
      notes: [],
      notices: [`${at('a/run.trace.notebook')} belongs to another trace and is not used`],
    });
    expect(await other.note('theirs')).toBe('kept');
    expect(ids(other)).toEqual(['theirs']);
    expect(other.held().path).not.toBe(at('a/run.trace.notebook'));
    expect(fs.readFileSync(at('a/run.trace.notebook'))).toEqual(notebook);
    expect(ids(openNotebook('a/run.trace'))).toEqual(['theirs']);
  });

  test('keeps the notes of a trace that has grown, but not of a longer one with another beginning', async () => {
    const content = bytes(300_000, 1);
    fs.writeFileSync(at('a/run.trace'), content.subarray(0, 200_000));
    await keepNote('a/run.trace', 'early');
    fs.writeFileSync(at('a/run.trace'), content);
    await keepNote('a/run.trace', 'late');
    fs.renameSync(at('a/run.trace'), at('a/renamed'));
    expect(ids(openNotebook('a/renamed')), 'found by its new size').toEqual(['early', 'late']);
    fs.appendFileSync(at('a/renamed'), 'more');
    fs.renameSync(at('a/renamed'), at('b/grown'));
    expect(ids(openNotebook('b/grown')), 'grown and moved away from it').toEqual(['early', 'late']);
    fs.writeFileSync(at('a/run.trace'), bytes(300_001, 2));
    expect(openNotebook('a/run.trace').held()).toMatchObject({ exists: false, notes: [] });
  });

  test('uses a notebook named by the user, and refuses one of another trace or kind', async () => {
    fs.writeFileSync(at('a/run.trace'), bytes(200_000, 1));
    fs.writeFileSync(at('a/other.trace'), bytes(200_000, 2));
    await keepNote('a/other.trace', 'theirs');
    const named = openNotebook('a/run.trace', at('b/named'));
    expect(await named.note('mine')).toBe('kept');
    expect(named.held()).toMatchObject({ path: at('b/named'), notes: [{ id: 'mine' }] });
    expect(ids(openNotebook('a/run.trace')), 'the notebook is known afterwards').toEqual(['mine']);
    place.file('text', 'not a notebook');
    const before = fs.readFileSync(at('a/other.trace.notebook'));
    for (const [file, sentence] of [
      [at('a/other.trace.notebook'), 'belongs to another trace'],
      [at('text'), 'this is not a notebook'],
      [at('a'), 'this is not a notebook'],
    ] as const) {
      expect(() => openNotebook('a/run.trace', file).held()).toThrow(sentence);
      expect(await openNotebook('a/run.trace', file).note('x')).toContain(sentence);
    }
    expect(fs.readFileSync(at('text'), 'utf8')).toBe('not a notebook');
    expect(fs.readFileSync(at('a/other.trace.notebook'))).toEqual(before);
  });

  test("puts the notebook into the data folder if the trace's name is as long as names may be", async () => {
    const name = path.join('a', 'n'.repeat(250));
    fs.writeFileSync(at(name), bytes(200_000, 1));
    await keepNote(name, 'one');
    expect(path.dirname(openNotebook(name).held().path)).toBe(path.join(at('data'), 'notebooks'));
    expect(
      openNotebook(name)
        .held()
        .notes.map(({ id }) => id),
    ).toEqual(['one']);
  });

  test('refuses a name that SQLite would change', async () => {
    fs.writeFileSync(at('a/run'), bytes(200_000, 1));
    const notebook = openNotebook('a/run', at('a/named '));
    expect(await notebook.note('one')).toContain("a notebook's name may not end with blanks");
    expect(fs.readdirSync(at('a'))).toEqual(['run']);
  });

  test('lists other notebooks of the same trace and ignores other SQLite files', async () => {
    fs.writeFileSync(at('a/run.trace'), bytes(200_000, 1));
    await keepNote('a/run.trace', 'mine');
    fs.renameSync(at('a/run.trace.notebook'), at('a/one.notebook'));
    fs.copyFileSync(at('a/one.notebook'), at('a/two.notebook'));
    const { path: chosen, notices } = openNotebook('a/run.trace').held();
    expect(chosen).toBe(at('a/one.notebook'));
    expect(notices).toEqual([
      `${at('a/two.notebook')} also belongs to this trace; to use its notes here, export and import them`,
    ]);
    const foreign = new Database(at('a/run.trace.notebook'));
    foreign.exec('CREATE TABLE note (id TEXT)');
    foreign.close();
    const before = fs.readFileSync(at('a/run.trace.notebook'));
    expect(openNotebook('a/run.trace').held().problem).toContain('this is not a notebook');
    expect(await openNotebook('a/run.trace').note('x')).toContain('this is not a notebook');
    expect(fs.readFileSync(at('a/run.trace.notebook'))).toEqual(before);
  });

  test('creates the notebook again with the next note if it was removed', async () => {
    fs.writeFileSync(at('a/run.trace'), bytes(200_000, 1));
    const notebook = openNotebook('a/run.trace');
    await notebook.note('one');
    for (const name of fs.readdirSync(at('a'))) if (name !== 'run.trace') fs.rmSync(at(`a/${name}`));
    expect(notebook.held()).toMatchObject({ exists: false, notes: [] });
    expect(await notebook.note('two')).toBe('kept');
    expect(ids(openNotebook('a/run.trace'))).toEqual(['two']);
  });

  test('shows a notebook of a later version but does not write to it', async () => {
    fs.writeFileSync(at('a/run.trace'), bytes(200_000, 1));
    await keepNote('a/run.trace', 'mine');
    const later = new Database(at('a/run.trace.notebook'));
    later.pragma('user_version = 2');
    later.close();
    const notebook = openNotebook('a/run.trace');
    expect(notebook.held()).toMatchObject({
      problem: expect.stringContaining('written by a newer Tracebench') as string,
      notes: [{ id: 'mine' }],
    });
    expect(await notebook.note('x')).toContain('written by a newer Tracebench');
  });
});

function ownPlace(notebook: OpenNotebook): string {
  const identity = notebook.identity();
  if (!identity.ok) throw new Error(identity.error.message);
  return at(`data/notebooks/${String(identity.value.bytes)}-${identity.value.probe.slice(0, 32)}.notebook`);
}
