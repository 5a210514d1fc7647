/** Source lines of a program of a few functions: counts, executions and steps. The records were read by hand in the sample. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LineStepKind } from '../../shared/requests/source/answers.ts';
import { ask } from './ask.ts';
import { expectListing } from './expect-listing.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const SAMPLE = fileURLToPath(new URL('../samples/tarmac/fault-off-by-one/', import.meta.url));
const SOURCES = fileURLToPath(new URL('compiled/programs/', import.meta.url));
const FILE = 'fault-off-by-one.c';

const engine = sharedEngine();
const place = scratch();
let trace = '';
beforeAll(async () => {
  const images = [{ path: path.join(SAMPLE, 'program.elf') }];
  ({ trace } = await ask(engine, 'open', { path: path.join(SAMPLE, 'trace.txt'), format: 'tarmac', images }));
  await ask(engine, 'index', { trace });
});
afterAll(async () => {
  await engine.close();
  place.dispose();
});

test.each([{}, { from: 59, to: 90 }])('counts lines as coverage does, of %o', async (range) => {
  const { lines, totals } = await ask(engine, 'coverage', { trace, ...range });
  const shown = await ask(engine, 'sourceLines', { trace, ...range, file: FILE, first: 1, last: 4000 });
  expect(shown.lines.map(({ line, most }) => [line, most])).toEqual(
    lines.filter(({ file }) => file === FILE).map(({ line, most }) => [line, most]),
  );
  expect(shown.share).toEqual(totals.lines);
  const part = await ask(engine, 'sourceLines', { trace, ...range, file: FILE, first: 15, last: 17 });
  expect(part.lines).toEqual(shown.lines.filter(({ line }) => line >= 15 && line <= 17));
  const { files, functions } = await ask(engine, 'coverageFiles', { trace, ...range });
  expect(files.find(({ file }) => file === FILE)?.lines).toEqual(totals.lines);
  expect(functions).toEqual((await ask(engine, 'coverage', { trace, ...range })).functions);
});

test('describes the instructions of a line, with both ways of its branches', async () => {
  const { instructions } = await ask(engine, 'lineInstructions', { trace, file: FILE, line: 15 });
  expect(instructions.map(({ address, count }) => [address, count])).toEqual([
    ...['0x812c', '0x8130', '0x8134'].map((address) => [address, 1]),
    ...['0x813c', '0x8140', '0x8144', '0x8148', '0x814c'].map((address) => [address, 4]),
    ['0x8150', 1],
  ]);
  expect(instructions[7]).toMatchObject({ sort: 'conditional-branch', taken: 3, notTaken: 1, target: '0x813c' });
});

test('lists the static code by rows, and finds the row of an address', async () => {
  const here = await ask(engine, 'code', { trace, address: '0x813d', count: 1 });
  const row = here.row ?? -1;
  const { rows, total } = await ask(engine, 'code', { trace, first: row - 6, count: 12 });
  expect(rows[0]).toMatchObject({ heading: 'sum_of', address: '0x8128', count: 1 });
  expect(rows[6]).toMatchObject({ address: '0x813c', bytes: '04 10 92 e4', count: 4 });
  expect(rows[10]).toMatchObject({ address: '0x814c', targetRow: row });
  expect((await ask(engine, 'code', { trace, first: total - 1, count: 5 })).rows).toHaveLength(1);
  expect((await ask(engine, 'code', { trace, address: '0x7f000000', count: 1 })).row).toBeUndefined();
  for (const range of [{}, { from: 59, to: 90 }]) await expectListing(engine, trace, range);
});

const STEPS: readonly (readonly [LineStepKind, readonly number[]])[] = [
  // program calls sum_of on line 27, copy on line 28 and show on line 29.
  ['over', [41, 107, 169, 180]],
  ['back over', [182, 180, 169, 107, 41, 35]],
  // The middle of line 27, after its call has returned.
  ['back over', [105, 41]],
  // Line 15 runs before and after line 14, then four times from its loop.
  ['into', [41, 50, 52, 57, 59, 70, 80, 90, 102, 107]],
  ['back into', [107, 102, 90, 80]],
];
test.each(STEPS)('steps %s by source lines', async (step, [first, ...others]) => {
  let at = first!;
  const reached: number[] = [];
  for (let steps = 0; steps < others.length; steps++) {
    const { n } = await ask(engine, 'lineStep', { trace, at, step });
    reached.push(n ?? -1);
    at = n ?? at;
  }
  expect(reached).toEqual(others);
});

test.each([
  // The record at which sum_of returns to line 27 begins no execution of it.
  [27, [41]],
  [15, [52, 59, 70, 80, 90]],
  [29, [169]],
])('finds every execution of line %i in both directions', async (line, expected) => {
  const found: number[] = [];
  for (let at: number | null = 0; at !== null;) {
    ({ n: at } = await ask(engine, 'lineExecution', { trace, at, file: FILE, line }));
    if (at !== null) found.push(at);
  }
  expect(found).toEqual(expected);
  const back: number[] = [];
  for (let at: number | null = 189; at !== null;) {
    ({ n: at } = await ask(engine, 'lineExecution', { trace, at, file: FILE, line, backwards: true }));
    if (at !== null) back.push(at);
  }
  expect(back.reverse()).toEqual(expected);
});

test('says why a line has no execution', async () => {
  const reason = async (line: number) =>
    (await ask(engine, 'lineExecution', { trace, at: 180, file: FILE, line })).reason;
  expect(await reason(17)).toBe('Line 17 never ran.');
  expect(await reason(5)).toBe('Line 5 has no code.');
  expect(await reason(15)).toBe('Line 15 does not begin to run after record 180.');
});

test('names the line of the instruction at a record, or says why there is none', async () => {
  expect(await ask(engine, 'sourceAt', { trace, at: 61 })).toMatchObject({ n: 59, file: FILE, line: 15 });
  expect(await ask(engine, 'sourceAt', { trace, at: 34 })).toMatchObject({ symbol: '_start+0x38', missing: 'no-line' });
});

test('reads only source files that the image names, in chosen folders', async () => {
  expect(await engine.request('sourceFile', { trace, file: '/etc/passwd' })).toMatchObject({
    ok: false,
    error: { code: 'not-a-source', message: expect.stringMatching(/^\/etc\/passwd: no image names this source file/) },
  });
  expect(await ask(engine, 'sourceFile', { trace, file: FILE })).toEqual({ tried: [] });
  const found = await ask(engine, 'sourceFile', { trace, file: FILE, folders: [path.join(SOURCES, '..')] });
  expect(found).toMatchObject({ path: path.join(SOURCES, FILE), by: 'folder' });
  expect(found.lines?.[14]).toBe('  while (count-- > 0) sum += *items++;');
});

test('says if a source is newer than the image', async () => {
  const elf = path.join(place.folder, 'program.elf');
  fs.copyFileSync(path.join(SAMPLE, 'program.elf'), elf);
  const folder = path.join(place.folder, 'src');
  fs.mkdirSync(folder);
  const source = path.join(folder, FILE);
  fs.copyFileSync(path.join(SOURCES, FILE), source);
  const args = { path: path.join(SAMPLE, 'trace.txt'), format: 'tarmac', images: [{ path: elf }] };
  const { trace: other } = await ask(engine, 'open', args);
  const newer = async () => (await ask(engine, 'sourceFile', { trace: other, file: FILE, folders: [folder] })).newer;
  fs.utimesSync(elf, 2000, 2000);
  fs.utimesSync(source, 1000, 1000);
  expect(await newer()).toBeUndefined();
  fs.utimesSync(source, 3000, 3000);
  expect(await newer()).toEqual({ source: 3_000_000, image: 2_000_000 });
});

test('a step back in a long loop goes to the beginning of its own round', async () => {
  // The loop of line 15: each of its rounds is an execution of the line.
  const round = [
    '0000813c e4921004',
    '00008140 e0800001',
    '00008144 e2433001',
    '00008148 e3730001',
    '0000814c 1afffffa',
  ];
  const lines = Array.from({ length: 3000 }, (_, n) => `${n} clk IT (${n}) ${round[n % 5]!} A svc_s : nop\n`);
  const file = place.file('loop.log', Buffer.from(lines.join('')));
  const images = [{ path: path.join(SAMPLE, 'program.elf') }];
  const opened = await ask(engine, 'open', { path: file, format: 'tarmac', options: { dialect: 'qemu4v' }, images });
  await ask(engine, 'index', { trace: opened.trace });
  for (const step of ['back into', 'back over'] as const) {
    const { n } = await ask(engine, 'lineStep', { trace: opened.trace, at: 2604, step });
    expect(n).toBe(2600);
  }
  await ask(engine, 'close', { trace: opened.trace });
});
