/** Errors and notices about notebooks that are damaged, full, locked or read-only. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { notebookOn, type OpenNotebook } from './notebook-on.ts';
import { noProtection, protect, release } from './protect.ts';
import { scratch } from './traces.ts';

let place: ReturnType<typeof scratch>;
let trace: string;
let file: string;
const opened: OpenNotebook[] = [];

beforeEach(() => {
  place = scratch();
  trace = place.file('run.byu', 'any trace');
  file = `${trace}.notebook`;
});

afterEach(() => {
  for (const notebook of opened.splice(0)) notebook.close();
  place.dispose();
});

function openNotebook(named?: string): OpenNotebook {
  const notebook = notebookOn(trace, path.join(place.folder, 'data'), named);
  opened.push(notebook);
  return notebook;
}

const TEXTS = new Map(
  Array.from({ length: 300 }, (_, i) => [`id-${String(i)}`, `text ${String(i)} ${'lorem '.repeat(i % 40)}`]),
);

/** Bytes of a notebook with 300 notes, about twenty pages. */
async function whole(): Promise<Buffer> {
  const notebook = openNotebook();
  const put = Array.from(TEXTS, ([id, text]) => ({
    id,
    title: id,
    text,
    colour: 'teal' as const,
    tags: ['t'],
    place: { n: 1, offset: 0, reading: 'test' },
  }));
  expect(await notebook.change({ put, remove: [], putViews: [], removeViews: [] })).toMatchObject({ ok: true });
  notebook.close();
  return fs.readFileSync(file);
}

test('shows only notes as written, or a warning, for a damaged notebook, and never writes to it', async () => {
  const sound = await whole();
  expect(sound.length).toBeGreaterThan(20 * 4096);
  const damages: readonly Buffer[] = [
    ...Array.from({ length: 60 }, (_, i) =>
      flipped(sound, Math.floor((sound.length * (i + 0.31)) / 60), 1 + (i % 3) * 100),
    ),
    ...Array.from({ length: 20 }, (_, i) => sound.subarray(0, Math.floor((sound.length * (i + 0.5)) / 20))),
    ...Array.from({ length: 20 }, (_, i) => Buffer.from(sound).fill(0, i * 4096 + 4096, i * 4096 + 8192)),
    ...Array.from({ length: 30 }, (_, i) => flipped(sound, i * 4)),
  ];
  const seen = { whole: 0, partly: 0, none: 0 };
  for (const damaged of damages) {
    for (const end of ['-wal', '-shm']) fs.rmSync(file + end, { force: true });
    fs.writeFileSync(file, damaged);
    const notebook = openNotebook();
    const { notes, problem, notices } = notebook.held();
    const wrong = notes.filter(
      ({ id, text, title, colour }) => TEXTS.get(id) !== text || title !== id || colour !== 'teal',
    );
    const warned = notices.some((notice) => notice.includes('altered since'));
    if (!warned) expect(wrong).toEqual([]);
    if (notes.length < TEXTS.size && problem === undefined) expect(notices.join()).toMatch(/cannot be read/);
    seen[notes.length === TEXTS.size ? 'whole' : notes.length > 0 ? 'partly' : 'none']++;
    const outcome = await notebook.note('new');
    if (problem === undefined) expect(outcome).toMatch(/^kept$|damaged/);
    else expect(outcome).toBe(problem);
    notebook.close();
    if (problem !== undefined) expect(fs.readFileSync(file).equals(damaged), 'left as it was').toBe(true);
  }
  expect(seen.partly, 'some damaged notebooks still returned notes').toBeGreaterThan(20);
  expect(seen.whole).toBeGreaterThan(20);
});

test.each([
  [
    'an endless view',
    'DROP TABLE note; CREATE VIEW note AS WITH RECURSIVE x AS (SELECT 1 AS id UNION ALL SELECT 1 FROM x) SELECT * FROM x',
  ],
  ['a trigger', 'CREATE TRIGGER t AFTER INSERT ON note BEGIN DELETE FROM note; END'],
  ['a computed column', 'ALTER TABLE note ADD COLUMN bomb TEXT AS (hex(zeroblob(40)))'],
  ['a computed index', 'CREATE INDEX i ON note (hex(title))'],
  ['an additional table', 'CREATE TABLE other (x)'],
])('does not trust a notebook with %s, and runs nothing in it', async (_, harm) => {
  await whole();
  const database = new Database(file);
  database.exec(harm);
  database.close();
  const before = fs.readFileSync(file);
  const notebook = openNotebook();
  expect(notebook.held()).toMatchObject({
    problem: expect.stringContaining('damaged') as string,
    notes: [],
    exists: true,
  });
  expect(await notebook.note('new')).toContain('damaged');
  notebook.close();
  expect(fs.readFileSync(file).equals(before)).toBe(true);
});

test('reports damage to an open notebook and shows no wrong note', async () => {
  const sound = await whole();
  const notebook = openNotebook();
  expect(notebook.held().notes).toHaveLength(300);
  fs.writeFileSync(file, flipped(sound, 4096 * 3, 4096 * 10));
  const outcome = await notebook.note('new');
  if (outcome !== 'kept') expect(outcome).toContain(file);
  notebook.close();
  const again = openNotebook().held();
  expect(again.problem ?? again.notices.join()).toMatch(/damaged/);
});

test('reports a full disk and keeps earlier notes', async () => {
  const notebook = openNotebook();
  expect(await notebook.note('before')).toBe('kept');
  notebook.close();
  const child = limited(64, ['fill']);
  expect(child.stdout).toMatch(/(the disk is full|cannot be written)/);
  const kept = Number(/kept (\d+)/.exec(child.stdout)?.[1]);
  expect(kept).toBeGreaterThan(0);
  const after = openNotebook();
  expect(after.held()).toMatchObject({ notices: [] });
  expect(after.held().problem).toBeUndefined();
  expect(after.held().notes.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['before', ...Array.from({ length: kept }, (_, i) => `fill-${String(i)}`)]),
  );
  expect(await after.note('after')).toBe('kept');
});

const noDisk =
  process.platform === 'linux' && process.getuid?.() === 0 ? undefined : 'needs root to mount a small disk';
if (noDisk !== undefined) console.log(`not run: opening a notebook on a full disk ${noDisk}`);
test.skipIf(noDisk !== undefined)('shows the notes of a notebook on a full disk with a notice', async (context) => {
  const disk = path.join(place.folder, 'disk');
  fs.mkdirSync(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'tmpfs', disk]);
  if (mounted.status !== 0) context.skip('no disk can be mounted here');
  try {
    trace = path.join(disk, 'run.byu');
    fs.writeFileSync(trace, 'any trace');
    const first = openNotebook();
    expect(await first.note('before')).toBe('kept');
    first.close();
    const filler = path.join(disk, 'filler');
    expect(() => {
      fs.writeFileSync(filler, new Uint8Array(400 * 1024));
    }).toThrow('ENOSPC');

    const notebook = openNotebook();
    const held = notebook.held();
    expect(held.notes.map(({ id }) => id)).toEqual(['before']);
    expect(held.problem).toMatch(/(the disk is full|cannot be written)/);
    expect(await notebook.note('too much')).not.toBe('kept');
    fs.rmSync(filler);
    expect(await notebook.note('after')).toBe('kept');
    expect(notebook.held().problem).toBeUndefined();
    expect(notebook.held().notes.map(({ id }) => id)).toEqual(['before', 'after']);
  } finally {
    // Also while the notebook is still open.
    spawnSync('umount', ['--lazy', disk]);
  }
});

describe('two programs', () => {
  test('one waits while the other holds the lock, and then writes', async () => {
    const notebook = openNotebook();
    await notebook.note('one');
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    const waiting = notebook.note('two');
    expect(
      notebook.held().notes.map(({ id }) => id),
      'reading does not wait',
    ).toEqual(['one']);
    other.exec('COMMIT');
    other.close();
    expect(await waiting).toBe('kept');
  });

  test('that create the notebook at the same moment both keep their notes', async () => {
    const children = ['a', 'b', 'c', 'd'].map((name) =>
      spawn(process.execPath, [fixture('note-once.ts'), trace, path.join(place.folder, 'data'), name]),
    );
    const outputs = await Promise.all(
      children.map(async (child) => {
        let text = '';
        for (const stream of [child.stdout, child.stderr])
          stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
        await once(child, 'close');
        return text;
      }),
    );
    expect(outputs).toEqual(['kept 1\n', 'kept 1\n', 'kept 1\n', 'kept 1\n']);
    expect(
      openNotebook()
        .held()
        .notes.map(({ id }) => id)
        .sort(),
    ).toEqual(['a-0', 'b-0', 'c-0', 'd-0']);
  });
});

describe.skipIf(noProtection !== undefined)('read-only places (needs a user other than root, or chattr +i)', () => {
  test('shows a read-only notebook with a notice', async () => {
    const notebook = openNotebook();
    await notebook.note('one');
    notebook.close();
    protect(file);
    try {
      const shown = openNotebook();
      expect(shown.held()).toMatchObject({
        problem: expect.stringContaining('is read-only') as string,
        notes: [{ id: 'one' }],
      });
      expect(await shown.note('two')).toContain('is read-only');
      release(file);
      fs.utimesSync(file, 1, 1);
      expect(await shown.note('two'), 'as soon as it may be written to').toBe('kept');
    } finally {
      release(file);
    }
  });

  test("uses the data folder if the trace's folder is read-only", async () => {
    const folder = path.join(place.folder, 'fixed');
    fs.mkdirSync(folder);
    const moved = path.join(folder, 'run.byu');
    fs.renameSync(trace, moved);
    trace = moved;
    protect(folder);
    try {
      const notebook = openNotebook();
      expect(await notebook.note('one')).toBe('kept');
      expect(path.dirname(notebook.held().path)).toBe(path.join(place.folder, 'data', 'notebooks'));
      notebook.close();
      expect(
        openNotebook()
          .held()
          .notes.map(({ id }) => id),
      ).toEqual(['one']);
      expect(await openNotebook(path.join(folder, 'named')).note('x')).toMatch(
        /cannot be opened or created there|is read-only/,
      );
    } finally {
      release(folder);
    }
  });

  test('suggests another way if neither folder is writable', async () => {
    const data = path.join(place.folder, 'data');
    fs.mkdirSync(data);
    protect(place.folder);
    protect(data);
    try {
      expect(await openNotebook().note('one')).toMatch(
        /^.*data.notebooks.*: a notebook can be created neither next to the trace nor there; name another place with --notebook$/,
      );
    } finally {
      release(data);
      release(place.folder);
    }
  });

  test('shows a read-only notebook whose log was not merged', async () => {
    const folder = path.join(place.folder, 'fixed');
    fs.mkdirSync(folder);
    const notebook = openNotebook();
    await notebook.note('one');
    // As if the program had been killed before it merged the log into the file.
    const database = new Database(file);
    database.pragma('wal_autocheckpoint = 0');
    database.exec('UPDATE note SET position = 5');
    for (const end of ['', '-wal']) fs.copyFileSync(file + end, path.join(folder, `run.byu.notebook${end}`));
    database.close();
    fs.copyFileSync(trace, path.join(folder, 'run.byu'));
    trace = path.join(folder, 'run.byu');
    protect(folder);
    try {
      const shown = openNotebook().held();
      expect(shown.problem).toContain('is read-only');
      expect(shown.notes.map(({ id, order }) => [id, order])).toEqual([['one', 5]]);
    } finally {
      release(folder);
    }
  });
});

function flipped(bytes: Buffer, from: number, count = 1): Buffer {
  const damaged = Buffer.from(bytes);
  for (let i = from; i < Math.min(from + count, damaged.length); i++) damaged[i] = damaged[i]! ^ 0x55;
  return damaged;
}

function fixture(name: string): string {
  return path.join(import.meta.dirname, 'fixtures', name);
}

/** A program with a file size limit in kilobytes, as on a full disk; it takes notes until one fails. */
function limited(kilobytes: number, names: readonly string[]): { readonly stdout: string } {
  const command = `ulimit -f ${String(kilobytes)}; trap "" XFSZ; exec "$0" "$@"`;
  const args = [
    process.execPath,
    fixture('note-once.ts'),
    trace,
    path.join(place.folder, 'data'),
    ...names,
    'until-full',
  ];
  return { stdout: execFileSync('bash', ['-c', command, ...args], { encoding: 'utf8' }) };
}
