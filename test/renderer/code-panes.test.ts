import { expect, test } from 'vitest';
import type { CodeDifference } from '../../shared/requests/answers/code-changes.ts';
import type { CodeCosts } from '../../shared/requests/answers/code-costs.ts';
import type { CodeInstruction, CoverageFiles, LineCount } from '../../shared/requests/source/answers.ts';
import { codeRows, openedFunctions, type CodeChoice } from '../../renderer/features/hot-spots/code-rows.ts';
import { CHANGE_COLUMNS, changeRows, type ChangeChoice } from '../../renderer/features/coverage/change-rows.ts';
import { coverageRows, type TreeChoice } from '../../renderer/features/coverage/coverage-rows.ts';
import { arrowsIn } from '../../renderer/features/disassembly/arrows.ts';
import { sourceRows, withoutTabs } from '../../renderer/features/source/source-rows.ts';
import {
  heatOf,
  isSkippedCode,
  isSkippedLine,
  lineText,
  outcomeText,
  reachedText,
  shareText,
} from '../../renderer/widgets/covered.ts';

const share = (covered: number, total: number) => ({ covered, total });

test('shows a share as whole or as nothing only if it is', () => {
  const text = (covered: number, total: number) => shareText({ covered, total });
  expect([text(0, 5), text(1, 100_000), text(1, 3), text(99_999, 100_000), text(5, 5), text(0, 0)]).toEqual([
    '0 %',
    '0.1 %',
    '33.3 %',
    '99.9 %',
    '100 %',
    '',
  ]);
  expect([heatOf(0, 9), heatOf(9, 9), heatOf(9, 0)]).toEqual([0, 1, 0]);
});

test('says of conditional instructions how often they were skipped, or that the trace does not show it', () => {
  const said = (own: Partial<CodeInstruction>) => {
    const code = { address: '0x8', bytes: '', count: 8, sort: 'conditional', ...own } as const;
    return [outcomeText(code), reachedText(code), isSkippedCode(code)];
  };
  expect(said({ skipped: 3 })).toEqual([
    '37.5 % skipped',
    'It was reached 8 times: executed 5 times, skipped 3 times.',
    false,
  ]);
  expect(said({ skipped: 0 })).toEqual([
    '0 % skipped',
    'It was reached 8 times: executed 8 times, never skipped.',
    false,
  ]);
  expect(said({ skipped: 8 })).toEqual([
    '100 % skipped',
    'It was reached 8 times: never executed, skipped 8 times.',
    true,
  ]);
  const unknown = 'It was reached 8 times. The trace does not show whether it was executed or skipped.';
  expect(said({})).toEqual(['', unknown, false]);
  expect(said({ count: 0, skipped: 0 })).toEqual(['', 'It was never reached.', false]);
  // A branch that was skipped fell through, and it did run.
  const branch = { sort: 'conditional-branch', taken: 0, notTaken: 8, skipped: 8 } as const;
  expect(said(branch)).toEqual(['0 % taken', 'It ran 8 times.', false]);
});

test('says of a line whether its instructions were executed or only reached', () => {
  const said = (own: Partial<LineCount>) => {
    const line = { line: 1, most: 4, instructions: share(3, 3), ...own };
    return [lineText(line), isSkippedLine(line)];
  };
  expect(said({})).toEqual(['ran 4 times', false]);
  expect(said({ skipped: 1 })).toEqual(['ran 4 times; 1 instruction skipped each time', false]);
  expect(said({ skipped: 3 })).toEqual(['reached 4 times, but its instructions were skipped each time', true]);
  expect(said({ most: 0, instructions: share(0, 3) })).toEqual(['never ran', false]);
  expect(said({ instructions: share(2, 3), functions: ['a', 'b'] })).toEqual([
    'ran 4 times, 2 of 3 instructions of it; in a, b',
    false,
  ]);
});

test('puts the shorter of two arrows nearer to the code, and leaves out what is out of sight', () => {
  const strokes = arrowsIn(
    [
      { from: 9, to: 2 },
      { from: 4, to: 6 },
      { from: 20, to: 30 },
    ],
    0,
    10,
  );
  expect(strokes.get(2)).toEqual([{ lane: 1, end: 'to', above: false, below: true }]);
  expect(strokes.get(5)).toEqual([
    { lane: 0, above: true, below: true },
    { lane: 1, above: true, below: true },
  ]);
  expect(strokes.get(9)).toEqual([{ lane: 1, end: 'from', above: true, below: false }]);
  expect([...strokes.keys()].every((row) => row >= 2 && row <= 9)).toBe(true);
});

test('puts instructions below their line, and expands tabs to columns of eight', () => {
  const code = { address: '0x8', bytes: '', count: 1, sort: 'plain' } as const;
  const reach = { records: 1, bytes: 1, complete: true };
  const rows = sourceRows(2, new Map([[1, { instructions: [code], left: 3, reach }]]));
  expect(rows.map(({ kind, line }) => `${kind} ${String(line)}`)).toEqual(['line 1', 'code 1', 'left 1', 'line 2']);
  expect(withoutTabs('a\tb\t\tc')).toBe(`a${' '.repeat(7)}b${' '.repeat(15)}c`);
});

const none = share(0, 0);
const covered = (name: string, file: string | undefined, ran: number) => ({
  name,
  address: `0x${name}` as const,
  count: ran,
  instructions: share(ran, 4),
  lines: file === undefined ? none : share(ran, 4),
  branches: none,
  ...(file !== undefined && { file, line: 1 }),
});
const answer: CoverageFiles = {
  files: [
    { file: '/fw/src/a.c', lines: share(5, 8), instructions: share(5, 8), functions: share(2, 2), branches: none },
    { file: '/fw/src/b.c', lines: share(0, 4), instructions: share(0, 4), functions: share(0, 1), branches: none },
    { lines: none, instructions: share(4, 4), functions: share(1, 1), branches: none },
  ],
  functions: [
    covered('a1', '/fw/src/a.c', 4),
    covered('a2', '/fw/src/a.c', 1),
    covered('b1', '/fw/src/b.c', 0),
    covered('start', undefined, 4),
  ],
  totals: { lines: share(5, 12), instructions: share(9, 16), functions: share(3, 4), branches: none },
  notes: [],
  reach: { records: 1, bytes: 1, complete: true },
};
const shown = (choice: Partial<TreeChoice> = {}): readonly string[] =>
  coverageRows(answer, { order: 'name', isReversed: false, text: '', onlyMissed: false, turned: [], ...choice }).map(
    ({ name, level, share: own }) => `${'  '.repeat(level)}${name} ${String(own.covered)}/${String(own.total)}`,
  );

test('joins folders, sums their shares, and opens files by choice', () => {
  expect(shown()).toEqual(['fw/src 5/12', '  a.c 5/8', '  b.c 0/4', 'Code without debug information 4/4']);
  expect(shown({ turned: ['file /fw/src/a.c'] })).toEqual([
    ...['fw/src 5/12', '  a.c 5/8', '    a1 4/4', '    a2 1/4', '  b.c 0/4'],
    'Code without debug information 4/4',
  ]);
});

test('sorts each level, filters by name, and shows what was missed', () => {
  expect(shown({ order: 'share' }).slice(0, 3)).toEqual(['fw/src 5/12', '  b.c 0/4', '  a.c 5/8']);
  expect(shown({ text: 'a2' })).toEqual(['fw/src 5/8', '  a.c 5/8', '    a2 1/4']);
  expect(shown({ onlyMissed: true, turned: ['file /fw/src/a.c'] })).toEqual([
    ...['fw/src 5/12', '  a.c 5/8', '    a2 1/4', '  b.c 0/4'],
  ]);
});

const costs: CodeCosts = {
  unit: 'clk',
  cost: 100,
  functions: [
    { name: 'copy', address: '0x20', file: '/fw/src/b.c', line: 4, self: 60, count: 2 },
    { name: 'sum', address: '0x8', file: '/fw/src/a.c', line: 9, self: 30, count: 5 },
    { name: 'start', address: '0x4', self: 8, count: 1 },
  ],
  opened: [
    {
      address: '0x8',
      left: 0,
      lines: [
        {
          file: '/fw/src/a.c',
          line: 12,
          self: 11,
          count: 5,
          instructions: [{ address: '0x8', text: 'nop', self: 11, count: 5 }],
        },
        { file: '/fw/inc/min.h', line: 2, self: 25, count: 9, instructions: [] },
      ],
    },
  ],
  notes: [],
  reach: { records: 1, bytes: 1, complete: true },
};
const ranked = (choice: Partial<CodeChoice> = {}): readonly string[] =>
  codeRows(costs, { order: 'self', isReversed: false, text: '', turned: [], ...choice }).map(
    ({ name, level, self, count }) => `${'  '.repeat(level)}${name} ${String(self)} ${String(count ?? '')}`.trimEnd(),
  );

test('ranks folders, files and functions by what they cost, and opens lines and instructions', () => {
  expect(ranked()).toEqual(['fw/src 90', '  b.c 60', '  a.c 30', 'Code without debug information 8']);
  const turned = ['file /fw/src/a.c', 'function 0x8', 'line 0x8 12 /fw/src/a.c'];
  expect(openedFunctions(turned)).toEqual(['0x8']);
  const opened = ['  a.c 30', '    sum 30 5'];
  const line = ['      line 12 11 5', '        0x8  nop 11 5'];
  const inlined = '      min.h line 2 25 9';
  expect(ranked({ turned }).slice(2, 7)).toEqual([...opened, inlined, ...line]);
  expect(ranked({ turned, order: 'name' }).slice(1, 6)).toEqual([...opened, inlined, ...line]);
  expect(ranked({ turned, isReversed: true }).slice(3, 7)).toEqual(['    sum 30 5', ...line, inlined]);
  expect(ranked({ text: 'COPY' })).toEqual(['fw/src 60', '  b.c 60', '    copy 60 2']);
});

const run = (count: number, covered: number) => ({ count, self: count, instructions: share(covered, 4), lines: none });
const difference: CodeDifference = {
  shift: '0',
  functions: [
    {
      name: 'a1',
      a: run(1, 4),
      b: run(3, 1),
      onlyA: 2,
      onlyB: 0,
      placeA: { address: '0x8', file: '/fw/a.c', line: 1 },
    },
    {
      name: 'a2',
      a: run(1, 2),
      b: run(1, 2),
      onlyA: 0,
      onlyB: 0,
      placeA: { address: '0x10', file: '/fw/a.c', line: 9 },
    },
    { name: 'new', a: null, b: run(2, 4), onlyA: 0, onlyB: 5, placeB: { address: '0x8', file: '/fw/b.c', line: 1 } },
  ],
  lines: [],
  left: 0,
  totals: { both: 1, onlyA: 2, onlyB: 5, neither: 0, notComparedA: 0, notComparedB: 0 },
  notes: [],
};
const changed = (choice: Partial<ChangeChoice> = {}): readonly string[] =>
  changeRows(difference, {
    order: 'name',
    isReversed: false,
    text: '',
    onlyChanged: false,
    turned: ['file /fw/a.c', 'file /fw/b.c'],
    ...choice,
  }).map((row) =>
    `${'  '.repeat(row.level)}${row.name} ${CHANGE_COLUMNS.map((one) => one.textOf?.(row) ?? one.of(row)).join(' ')}`.trimEnd(),
  );

test('compares two runs by folder, file and function, and sorts by the size of a change', () => {
  expect(changed()).toEqual([
    'fw 75 % 58.3 % 1 2 5',
    '  a.c 75 % 37.5 % -3 2 0',
    '    a1 100 % 25 % -3 2 0 1 → 3',
    '    a2 50 % 50 % 0 0 0 1',
    '  b.c – 100 % 4 0 5',
    '    new – 100 % 4 0 5 – → 2',
  ]);
  expect(changed({ order: 'change', onlyChanged: true }).map((row) => row.trim().split(' ')[0])).toEqual([
    ...['fw', 'b.c', 'new', 'a.c', 'a1'],
  ]);
  expect(changed({ text: 'A2' }).map((row) => row.trim().split(' ')[0])).toEqual(['fw', 'a.c', 'a2']);
});
