// `diff`: where two runs part, for scripts and people. The second run lacks instructions of the first, and has one more at its end.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Diff } from '../../../shared/requests/diff.ts';
import { runCli } from '../run-cli.ts';
import { BYU, cli, folder, TARMAC } from './driver.ts';

const other = join(folder, 'other-run.txt');
/** Records of the two runs: the sample has one record a line. */
const lines = readFileSync(TARMAC, 'utf8').trimEnd().split('\n');
const starts = lines.flatMap((line, n) => (/ I[TS] \(/.test(line) ? [n] : []));
const [from, to] = [starts[4]!, starts[7]!];

beforeAll(() => {
  const last = lines.at(starts.at(-1)!)!.replace(/^\d+ clk 0 I[TS] \(\d+\) [0-9a-f]{8}/, '999 clk 0 IT (999) 00009000');
  writeFileSync(other, [...lines.slice(0, from), ...lines.slice(to), last, ''].join('\n'));
});

test('prints one JSON document, and ends with 3', async () => {
  const { code, stdout } = await cli(['diff', TARMAC, other, '--by', 'path', '--json']);
  const found = JSON.parse(stdout) as Record<string, unknown>;
  expect(code).toBe(3);
  expect(Object.keys(found)).toEqual([
    'same',
    'by',
    'of',
    'first',
    'regions',
    'left',
    'functions',
    'functionsLeft',
    'matched',
    'confirmed',
    'notCompared',
    'shift',
    'cpu',
    'instructionsA',
    'instructionsB',
  ]);
  const moved = to - from;
  expect(found['regions']).toEqual([
    { kind: 'same', a: [0, from], b: [0, from], instructionsA: 4, instructionsB: 4 },
    { kind: 'a-only', a: [from, to], b: [from, from], instructionsA: 3, instructionsB: 0 },
    {
      kind: 'same',
      a: [to, lines.length],
      b: [from, lines.length - moved],
      instructionsA: starts.length - 7,
      instructionsB: starts.length - 7,
    },
    {
      kind: 'b-only',
      a: [lines.length, lines.length],
      b: [lines.length - moved, lines.length - moved + 1],
      instructionsA: 0,
      instructionsB: 1,
    },
  ]);
  expect(found).toMatchObject({ same: false, by: 'path', left: 0, first: { path: { a: from, b: from } } });
});

test('shows people where the runs part, and with --first only that', async () => {
  const all = await cli(['diff', TARMAC, other]);
  expect(all.code).toBe(3);
  expect(all.stdout).toMatch(
    /^They part at record [\d,]+ of A and [\d,]+ of B: A is at 0x[0-9a-f]+, B is at 0x[0-9a-f]+\.\n/,
  );
  expect(all.stdout).toMatch(/\na-only +/);
  const { stdout } = await cli(['diff', TARMAC, other, '--first']);
  expect(all.stdout.startsWith(stdout)).toBe(true);
  expect(stdout).not.toMatch(/\na-only/);
});

test('ends with 0 if both runs executed the same instructions', async () => {
  const { code, stdout } = await cli(['diff', TARMAC, TARMAC]);
  expect([code, stdout]).toEqual([
    0,
    `Both runs executed the same ${String(starts.length)} instructions, with the same values where both traces record them.\n`,
  ]);
});

test('shows the first values that differ, with the instructions around them, unless their register is ignored', async () => {
  const changed = join(folder, 'other-values.txt');
  const at = lines.findLastIndex((line) => / R r\d+ [0-9a-f]{8}$/.test(line));
  const [, register = '', value = ''] = / R (r\d+) ([0-9a-f]{8})$/.exec(lines[at]!) ?? [];
  const another = value.endsWith('1') ? '2' : '1';
  writeFileSync(
    changed,
    [...lines.slice(0, at), lines[at]!.slice(0, -1) + another, ...lines.slice(at + 1), ''].join('\n'),
  );
  const instruction = starts.findLast((start) => start < at)!;
  const { code, stdout } = await cli(['diff', TARMAC, changed, '--json']);
  expect(code).toBe(3);
  const found = JSON.parse(stdout) as { first: { values: { a: number; b: number; what: string } } };
  expect(found).toMatchObject({
    same: false,
    by: 'values',
    matched: 1,
    first: { path: null, values: { a: instruction, b: instruction } },
  });
  const shown = (text: string): string => `0x${BigInt(`0x${text}`).toString(16)}`;
  expect(found.first.values.what).toBe(
    `${register} is ${shown(value)} in A, ${shown(value.slice(0, -1) + another)} in B`,
  );
  const text = await cli(['diff', TARMAC, changed, '--context', '2']);
  expect(text.stdout).toContain(`Values first differ at record ${instruction.toLocaleString('en')} of A`);
  expect(text.stdout.match(/^> /gm)).toHaveLength(2);
  expect(text.stdout).toMatch(/\nvalues +[\d,]+ /);
  expect((await cli(['diff', TARMAC, changed, '--ignore', register])).code).toBe(0);
  expect((await cli(['diff', TARMAC, changed, '--by', 'path'])).code).toBe(0);
});

test('ignores the instructions at given addresses, and says how many', async () => {
  const address = (n: number): string => `0x${BigInt(`0x${/\) ([0-9a-f]{8}) /.exec(lines[n]!)![1]!}`).toString(16)}`;
  const all = await cli(['diff', TARMAC, other, '--by', 'path']);
  expect(all.stdout).toMatch(/\n\d\d\.\d{3} % of [\d,]+ and [\d,]+ instructions are aligned: all but 4\.\n/);
  const left = starts.slice(4, 7).flatMap((n) => ['--ignore', address(n)]);
  const { code, stdout } = await cli(['diff', TARMAC, other, '--ignore', '0x9000-0x9003', ...left, '--json']);
  const { ignored, confirmed, first } = JSON.parse(stdout) as Diff;
  expect([code, confirmed, first.path]).toEqual([0, 'decoded', null]);
  const ranges = [['0x9000', '0x9003'], ...starts.slice(4, 7).map((n) => [address(n), address(n)])];
  const isLeft = (n: number): boolean =>
    ranges.some(([low, high]) => BigInt(address(n)) >= BigInt(low!) && BigInt(address(n)) <= BigInt(high!));
  expect(ignored).toEqual({
    registers: [],
    functions: [],
    ranges: ranges.map(([low, high]) => ({ low, high })),
    instructionsA: starts.filter(isLeft).length,
    instructionsB: starts.filter(isLeft).length - 2,
    callsKnown: true,
  });
});

test('refuses to ignore a name that nothing has, and to compare by symbol without symbols', async () => {
  const wrong = await cli(['diff', TARMAC, other, '--ignore', 'r0', '--ignore', 'timer_handler']);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    "tracebench: 'timer_handler' cannot be ignored: it is no register of the traces, and no function of their programs; check its spelling\n",
  ]);
  const bare = await cli(['diff', TARMAC, other, '--by', 'symbol']);
  expect([bare.code, bare.stderr]).toEqual([
    2,
    `tracebench: ${TARMAC}: the trace has no program with symbols, so it cannot be compared by symbol; add its program (--image)\n`,
  ]);
});

test('names what it cannot compare', async () => {
  expect((await runCli(['diff', TARMAC])).code).toBe(2);
  const shift = await cli(['diff', TARMAC, other, '--shift', 'far']);
  expect([shift.code, shift.stderr]).toEqual([
    2,
    "tracebench: --shift must be auto or a number, such as 0x1000 or -4096, not 'far'\n",
  ]);
  const absent = join(folder, 'absent.txt');
  expect((await cli(['diff', TARMAC, absent])).stderr).toBe(
    `tracebench: ${absent}: there is no such file; check the path\n`,
  );
});

test('compares accesses if a trace has no instructions', async () => {
  const { code, stdout } = await cli(['diff', BYU, BYU]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Both runs show the same [\d,]+ accesses\.\n$/);
});

test('writes a page with -o that both traces prove', async () => {
  const page = join(folder, 'difference.html');
  const made = await cli(['diff', TARMAC, other, '--by', 'path', '-o', page]);
  expect([made.code, made.stdout]).toEqual([3, expect.stringMatching(/difference\.html: [\d.]+ kB\n$/)]);
  expect(readFileSync(page, 'utf8')).toContain('They part');
  const proved = await cli(['verify', page, TARMAC, '--against', other]);
  expect([proved.code, proved.stderr]).toEqual([0, '']);
  const wrong = await cli(['diff', TARMAC, other, '--first', '-o', page]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('diff: -o cannot be combined with --first')]);
  const ending = await cli(['diff', TARMAC, other, '-o', join(folder, 'difference.svg')]);
  expect([ending.code, ending.stderr]).toEqual([2, expect.stringContaining('--output must end in .html')]);
});
