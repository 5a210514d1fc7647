// Notes on the command line, for scripts and people.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runInside, messagesOf } from '../run-cli.ts';
import { BYU, folder, golden } from './driver.ts';

const home = join(folder, 'notes');
const trace = join(home, 'run.byu');

beforeEach(() => {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home);
  copyFileSync(BYU, trace);
});

async function notes(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const env = { XDG_DATA_HOME: join(home, 'data') };
  const { stderr, ...rest } = await runInside(['notes', ...args, '--index-dir', join(folder, 'index')], {
    env,
    cwd: home,
  });
  return { ...rest, stderr: messagesOf(stderr) };
}

async function json(...args: string[]): Promise<unknown> {
  const { code, stdout, stderr } = await notes(...args, '--json', '--quiet');
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

interface Flat {
  readonly id: string;
}

test('notes are added, listed, removed, exported and imported', async () => {
  expect(await json('list', trace)).toEqual([]);
  expect(existsSync(`${trace}.notebook`)).toBe(false);
  const place = ['--at', '1', '--to', '3', '--address', '0x8000', '--length', '16'];
  const words = ['--title', 'two\nlines', '--text', '*why*', '--tag', 'a, b', '--tag', 'c', '--colour', 'red'];
  const made = (await json('add', trace, ...place, ...words)) as Flat;
  expect(made).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/) as string,
    at: 1,
    to: 3,
    address: '0x8000',
    length: 16,
    title: 'two lines',
    text: '*why*',
    colour: 'red',
    tags: ['a', 'b', 'c'],
    created: expect.stringMatching(/^20\d\d-.*Z$/) as string,
    changed: expect.stringMatching(/^20\d\d-.*Z$/) as string,
  });
  expect(existsSync(`${trace}.notebook`)).toBe(true);
  const second = (await json('add', trace, '--at', '0')) as Flat;
  expect(second).toMatchObject({ at: 0, title: '', text: '', colour: 'blue', tags: [] });
  expect(await json('list', trace)).toEqual([made, second]);
  expect(await json('list', trace, '--tag', 'b')).toEqual([made]);
  expect(await json('list', trace, '--text', 'WHY')).toEqual([made]);
  expect((await notes('list', trace)).stdout).toContain(
    `${made.id.slice(0, 8)}   1   3   0x8000      16  red     a, b, c  two lines  *why*`,
  );

  const file = join(home, 'notes.json');
  expect(await json('export', trace, file)).toMatchObject({ path: file, notes: 2 });
  expect((await notes('export', trace)).stdout).toBe(readFileSync(file, 'utf8'));
  expect(await json('remove', trace, made.id.slice(0, 8))).toEqual([second]);
  const copy = join(home, 'copy.byu');
  copyFileSync(BYU, copy);
  const elsewhere = ['--notebook', join(home, 'other')];
  expect(await json('import', copy, file, ...elsewhere)).toEqual({
    added: 2,
    updated: 0,
    same: 0,
    conflicts: 0,
    views: { added: 0, updated: 0, same: 0, conflicts: 0 },
    notes: [made, second],
  });
  expect((await notes('import', copy, file, ...elsewhere)).stdout).toBe(
    'notes: 0 added, 0 changed, 2 already there; 2 notes now\n',
  );
  expect(await json('import', trace, file)).toMatchObject({ added: 1, updated: 0, same: 1 });
});

test('an import keeps the earlier version of a note, and the list marks it', async () => {
  const { id } = (await json('add', trace, '--at', '1', '--title', 'mine')) as Flat;
  const file = join(home, 'theirs.json');
  await notes('export', trace, file);
  const theirs = readFileSync(file, 'utf8')
    .replace('"mine"', '"theirs"')
    .replace(/"changed": "[^"]*"/, '"changed": "2999-01-01T00:00:00.000Z"');
  writeFileSync(file, theirs);
  expect((await notes('import', trace, file)).stdout).toBe(
    'notes: 0 added, 1 changed, 0 already there, 1 earlier version kept as a conflict; 2 notes now\n' +
      'to resolve a conflict, remove the version that you do not want: `notes list` marks earlier versions, `notes remove` takes an id\n',
  );
  const listed = (await json('list', trace)) as (Flat & { title: string; conflictOf?: string })[];
  expect(listed.map(({ title, conflictOf }) => [title, conflictOf]).sort()).toEqual([
    ['mine', id],
    ['theirs', undefined],
  ]);
  expect((await notes('list', trace)).stdout).toMatch(new RegExp(`earlier version of ${id.slice(0, 8)} +mine`));
  expect((await notes('import', trace, file)).stdout).toBe('notes: 0 added, 0 changed, 1 already there; 2 notes now\n');
  const earlier = listed.find(({ conflictOf }) => conflictOf === id)!;
  expect(await json('remove', trace, earlier.id.slice(0, 8))).toMatchObject([{ id, title: 'theirs' }]);
});

test('a notebook of 0 bytes is named as damaged', async () => {
  const empty = `${trace}.notebook`;
  writeFileSync(empty, '');
  const sentence = `${empty}: this notebook is damaged: it has 0 bytes; if it had notes, restore it from a copy before you add new ones, which are kept in it`;
  expect(messagesOf((await notes('list', trace)).stderr)).toBe(`tracebench: ${sentence}\n`);
  const named = await notes('list', trace, '--notebook', empty);
  expect([named.code, messagesOf(named.stderr)]).toEqual([1, `tracebench: ${sentence}\n`]);
  await json('add', trace, '--at', '0', '--title', 'kept');
  expect(messagesOf((await notes('list', trace)).stderr)).toBe('');
});

test('notes made with other decoding options are marked, and the mark is explained', async () => {
  await json('add', trace, '--at', '1', '--to', '3', '--title', 'here');
  expect((await notes('list', trace)).stdout).not.toContain('*');
  const [, row, foot] = (await notes('list', trace, '--option', 'endian=little')).stdout.split('\n');
  expect(row).toMatch(/ 1\* +blue +here$/);
  expect(foot).toMatch(/^\* made when the trace was read differently: .*; the end of a range is unknown$/);
});

test('no command overwrites a notebook', async () => {
  await json('add', trace, '--at', '0', '--title', 'kept');
  const notebook = `${trace}.notebook`;
  const other = join(home, 'other.notebook');
  copyFileSync(notebook, other);
  const before = readFileSync(other);
  const refused = 'this is a notebook, and the notes in it would be lost; name another file';
  for (const file of [notebook, other]) {
    const { code, stdout, stderr } = await notes('export', trace, file);
    expect([code, stdout, stderr]).toEqual([1, '', `tracebench: ${file}: ${refused}\n`]);
  }
  const sample = ['sample', '--format', 'din', '--size', '10k', '-o', other];
  expect(await runInside(sample)).toMatchObject({ code: 1, stderr: `tracebench: ${other}: ${refused}\n` });
  expect(readFileSync(other).equals(before)).toBe(true);
  expect(await json('list', trace)).toMatchObject([{ title: 'kept' }]);
});

test.each<[string, (notebook: string) => void, RegExp]>([
  ['is another file', (file) => writeFileSync(file, 'my own'), /run\.byu\.notebook: this is not a notebook/],
  // The first two pages identify the trace; the notes follow them.
  ['has lost its rows', (file) => writeFileSync(file, readFileSync(file).fill(0, 2 * 4096)), /notebook is damaged/],
])('fails instead of printing no notes if the notebook %s, and keeps an earlier export', async (_, spoil, why) => {
  const kept = join(home, 'kept.json');
  const { id } = (await json('add', trace, '--at', '1', '--title', 'one')) as Flat;
  await json('export', trace, kept);
  const before = readFileSync(kept, 'utf8');
  spoil(`${trace}.notebook`);
  for (const requested of [['list'], ['list', '--json'], ['export', kept], ['export'], ['remove', id]]) {
    const [command = '', ...rest] = requested;
    const { code, stdout, stderr } = await notes(command, trace, ...rest, '--quiet');
    expect([requested, code, stdout]).toEqual([requested, 1, '']);
    expect(stderr).toMatch(why);
  }
  expect(readFileSync(kept, 'utf8')).toBe(before);
});

test('accepts arguments in any unambiguous order', async () => {
  const made = (await json(trace, 'add', '--at', '0')) as Flat;
  expect(await json(trace, 'list')).toEqual([made]);
  const file = join(home, 'notes.json');
  await json('export', file, trace);
  expect(await json('import', file, trace)).toMatchObject({ same: 1 });
  expect(await json('remove', made.id, trace)).toEqual([]);
});

test.each<[string, readonly string[], number, string]>([
  [
    'no subcommand',
    [],
    2,
    'notes: add one of list, add, remove, import, export; `tracebench help notes` explains them',
  ],
  [
    'an unknown subcommand',
    ['keep', trace],
    2,
    'notes: add one of list, add, remove, import, export; `tracebench help notes` explains them',
  ],
  ['no trace', ['list'], 2, 'notes list: name a trace file'],
  ['no id', ['remove', trace], 2, 'notes remove: name an id'],
  [
    'two files to export to',
    ['export', trace, 'a.json', '-o', 'b.json'],
    2,
    'notes export: two output files are given, a.json and b.json; give one',
  ],
  ['no record', ['add', trace, '--title', 'x'], 2, 'notes add: give the record with --at N'],
  [
    'a range that ends before it begins',
    ['add', trace, '--at', '5', '--to', '5'],
    2,
    'notes add: --to must be greater than --at',
  ],
  [
    'an unknown colour',
    ['add', trace, '--at', '0', '--colour', 'pink'],
    2,
    "--colour must be one of grey, red, orange, yellow, green, teal, blue, purple, not 'pink'",
  ],
  [
    'a record after the end',
    ['add', trace, '--at', '9999'],
    1,
    `${trace}: there is no record 9,999; the trace has ${String(golden(BYU).length)}`,
  ],
  ['an unknown id', ['remove', trace, 'x'], 1, `${trace}: there is no note 'x'; \`notes list\` shows the ids`],
  ['a missing notebook', ['list', trace, '--notebook', 'no'], 1, 'no: there is no such notebook; check the path'],
  [
    'a file that is no notebook',
    ['list', trace, '--notebook', trace],
    1,
    `${trace}: this is not a notebook, or its header is damaged; it was not changed, name another with --notebook`,
  ],
  [
    'a missing notes file',
    ['import', trace, 'no'],
    1,
    'no: there is no such file; name a file that `notes export` wrote',
  ],
  [
    'a file that is no export of notes',
    ['import', trace, trace],
    1,
    `${trace}: these notes cannot be imported: the file is not an export of notes; export them again from the other notebook`,
  ],
])('%s: one line that says what to do', async (_, args, code, sentence) => {
  const reported = await notes(...args);
  expect(reported.stderr.split('\n').at(-2)).toBe(`tracebench: ${sentence}`);
  expect(reported).toMatchObject({ code, stdout: '' });
  expect(existsSync(`${trace}.notebook`)).toBe(false);
});

test('reports an earlier notebook of another trace and leaves it unchanged', async () => {
  await json('add', trace, '--at', '0');
  const before = readFileSync(`${trace}.notebook`);
  const bytes = readFileSync(trace);
  writeFileSync(trace, bytes.subarray(0, bytes.length - 12));
  const reported = await notes('list', trace);
  expect(reported).toMatchObject({ code: 0, stdout: 'no notes\n' });
  expect(reported.stderr).toContain(`${trace}.notebook belongs to another trace and is not used`);
  expect((await notes('add', trace, '--at', '0')).code).toBe(0);
  expect(readFileSync(`${trace}.notebook`)).toEqual(before);
});
