/** Coverage as tables for people: of functions, lines, instructions or branches. */
import type { Coverage, CoveredFunction, Share } from '../../../../shared/requests/answers/coverage.ts';
import { counted, group } from '../../../../shared/base/numbers.ts';
import { createTable, type Column } from '../table.ts';
import { COUNTED, hasPart } from '../../../../shared/coverage/parts.ts';
import { showsSkips } from '../../../../shared/coverage/skipped.ts';
import type { Written } from './document.ts';

export const LEVELS = ['function', 'line', 'instruction', 'branch'] as const;
export type Level = (typeof LEVELS)[number];

export interface TableOptions extends Written {
  readonly level: Level;
  readonly colour: boolean;
}

export function coverageTable(coverage: Coverage, { level, count, colour, pathOf }: TableOptions): string {
  const { instructions, lines, functions } = coverage;
  switch (level) {
    case 'function':
      return createTable(FUNCTION_COLUMNS, colour).lines(
        functions.filter(({ instructions, branches }) => instructions.total > 0 || branches.total > 0),
      );
    case 'line':
      return createTable<(typeof lines)[number]>(
        [
          { title: 'count', right: true, text: (line) => group(line[count]) },
          { title: 'line', text: ({ file, line }) => `${pathOf(file)}:${line}` },
        ],
        colour,
      ).lines(lines.filter(({ left }) => left !== true));
    case 'instruction':
    case 'branch': {
      const rows = instructions.addresses
        .map((_, row) => row)
        .filter((row) =>
          level === 'instruction'
            ? hasPart(instructions, row, COUNTED.instruction)
            : instructions.kinds[row] === 'conditional-branch' || showsSkips(instructions, row),
        );
      return createTable(instructionColumns(coverage, pathOf), colour).lines(rows);
    }
  }
}

export function totalsText({ totals: { functions, lines, instructions, branches, conditions } }: Coverage): string {
  const text = (what: string, { covered, total }: Share): string =>
    total === 0 ? `no ${what}s` : `${group(covered)} of ${counted(total, what)} (${percent(covered, total)})`;
  return [
    text('function', functions),
    text('line', lines),
    text('instruction', instructions),
    text('way', branches).replace(/ways?/, 'ways out of conditional branches'),
    ...(conditions === undefined
      ? []
      : [text('outcome', conditions).replace(/outcomes?/, 'outcomes of other conditional instructions')]),
  ].join(', ');
}

/** One digit after the point, rounded down: 100 % only if all ran. */
export function percent(covered: number, total: number): string {
  return `${(Math.floor((1000 * covered) / total) / 10).toFixed(1)} %`;
}

function shareText({ covered, total }: Share): string {
  return total === 0 ? '' : `${group(covered)}/${group(total)}`;
}

const FUNCTION_COLUMNS: readonly Column<CoveredFunction>[] = [
  {
    title: 'covered',
    right: true,
    text: ({ instructions: { covered, total } }) => (total === 0 ? '' : percent(covered, total)),
  },
  { title: 'instructions', right: true, text: ({ instructions }) => shareText(instructions) },
  { title: 'lines', right: true, text: ({ lines }) => shareText(lines) },
  { title: 'branches', right: true, text: ({ branches }) => shareText(branches) },
  { title: 'entered', right: true, text: ({ count }) => group(count) },
  { title: 'address', right: true, text: ({ address }) => address },
  { title: 'function', text: ({ name }) => name },
];

function instructionColumns(
  { instructions, lines, functions }: Coverage,
  pathOf: (file: string) => string,
): readonly Column<number>[] {
  const times = (of: readonly (number | null)[], row: number, way: number): string => {
    const isWay = instructions.kinds[row] !== 'conditional-branch' || hasPart(instructions, row, way);
    return of[row] === null || !isWay ? '' : group(of[row]!);
  };
  return [
    { title: 'address', right: true, text: (row) => instructions.addresses[row]! },
    { title: 'count', right: true, text: (row) => group(instructions.counts[row]!) },
    {
      title: 'skipped',
      right: true,
      // A skipped branch was not taken.
      text: (row) => {
        const skipped = instructions.skipped[row] ?? null;
        return skipped === null || instructions.kinds[row] === 'conditional-branch' ? '' : group(skipped);
      },
    },
    { title: 'taken', right: true, text: (row) => times(instructions.taken, row, COUNTED.taken) },
    { title: 'not taken', right: true, text: (row) => times(instructions.notTaken, row, COUNTED.notTaken) },
    { title: 'function', text: (row) => functions[instructions.functions[row]!]?.name ?? '' },
    {
      title: 'line',
      text: (row) => {
        const line = lines[instructions.lines[row]!];
        return line === undefined ? '' : `${pathOf(line.file)}:${line.line}`;
      },
    },
  ];
}
