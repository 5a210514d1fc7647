// `diff`: where two runs part, for scripts and people. The second run lacks instructions of the first, and has one more at its end.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
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
  const { code, stdout } = await cli(['diff', TARMAC, other, '--json', '--quiet']);
  const found = JSON.parse(stdout) as Record<string, unknown>;
  expect(code).toBe(3);
  expect(Object.keys(found)).toEqual([
    'same',
    'by',
    'of',
    'first',
    'regions',
    'left',
    'matched',
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
  expect(stdout.split('\n')).toHaveLength(2);
  expect(all.stdout.startsWith(stdout)).toBe(true);
});

test('ends with 0 if both runs executed the same instructions', async () => {
  const { code, stdout } = await cli(['diff', TARMAC, TARMAC]);
  expect([code, stdout]).toEqual([0, `Both runs executed the same ${String(starts.length)} instructions.\n`]);
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
