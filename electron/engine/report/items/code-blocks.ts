/** Tables of the code of the program: its hottest lines and instructions, and what of it never ran. */
import type { Share } from '../../../../shared/requests/answers/coverage.ts';
import { group } from '../../../../shared/base/numbers.ts';
import { visible } from '../../../../shared/base/visible.ts';
import { code, filledColumns, sentences, type Block, type Cell } from '../blocks.ts';
import type { TableData } from '../document.ts';
import { shareText, tableCaption } from '../words.ts';

type DataOf<Table extends TableData['table']> = Extract<TableData, { readonly table: Table }>;

export function lineBlocks({ rows, all, unit, cost, notes }: DataOf<'lines'>): Block[] {
  const [first] = rows;
  if (first === undefined) return [{ block: 'say', text: 'No source line ran here.' }, ...sentences(notes)];
  return [
    {
      block: 'table',
      caption: tableCaption(rows.length, all, ['line', 'lines'], `${group(cost)} ${unit} in all`),
      columns: [
        { title: 'Line' },
        { title: 'Instructions', right: true },
        { title: 'Share', right: true },
        { title: 'Times', right: true },
      ],
      rows: rows.map(({ file, line, self, count }) => ({
        cells: [
          code(visible(`${file}:${line}`)),
          { text: group(self), bar: self / first.self },
          shareText(self, cost),
          group(count),
        ],
      })),
    },
    { block: 'say', text: 'Times: how often the instruction of the line ran that ran most.' },
    ...sentences(notes),
  ];
}

export function instructionBlocks({ rows, all, unit, cost, notes }: DataOf<'instructions'>): Block[] {
  const [first] = rows;
  if (first === undefined) return [{ block: 'say', text: 'No instruction ran here.' }, ...sentences(notes)];
  return [
    filledColumns({
      block: 'table',
      caption: tableCaption(rows.length, all, ['instruction', 'instructions'], `${group(cost)} ${unit} in all`),
      columns: [
        { title: 'Address' },
        { title: 'Instruction' },
        { title: 'Times', right: true },
        { title: 'Share', right: true },
        { title: 'Function' },
        { title: 'Line' },
      ],
      rows: rows.map(({ address, text, count, function: fn = '', file, line = 0 }) => ({
        cells: [
          code(address),
          code(visible(text)),
          { text: group(count), bar: count / first.count },
          shareText(count, cost),
          code(visible(fn)),
          code(file === undefined ? '' : visible(`${file}:${line}`)),
        ],
      })),
    }),
    ...sentences(notes),
  ];
}

export function coverageBlocks({ rows, all, files, allFiles, totals, notes }: DataOf<'coverage'>): Block[] {
  const { functions, lines, instructions, branches } = totals;
  return [
    {
      block: 'facts',
      rows: [
        ...(lines.total > 0 ? [['Lines', ofWhole(lines)] as const] : []),
        ['Functions', ofWhole(functions)],
        ['Instructions', ofWhole(instructions)],
        ['Ways out of conditional branches', ofWhole(branches)],
      ],
    },
    filledColumns({
      block: 'table',
      caption: tableCaption(files.length, allFiles, ['file', 'files'], 'what ran of each'),
      columns: [{ title: 'File' }, ...SHARES],
      rows: files.map(({ file, ...shares }) => ({
        cells: [
          file === undefined ? { text: 'Code without debug information' } : code(visible(file)),
          barCell(shares.lines.total > 0 ? shares.lines : shares.instructions),
          missedText(shares.lines),
          shareOf(shares.instructions),
          shareOf(shares.branches),
        ],
      })),
    }),
    ...(rows.length === 0
      ? [{ block: 'say', text: 'Every instruction of every function ran.' } as const]
      : [
          filledColumns({
            block: 'table',
            caption: tableCaption(rows.length, all, ['function', 'functions'], 'of which something never ran'),
            columns: [{ title: 'Function' }, ...SHARES, { title: 'Entered', right: true }, { title: 'Line' }],
            rows: rows.map(({ name, count, file, line = 0, ...shares }) => ({
              cells: [
                code(visible(name)),
                barCell(shares.lines.total > 0 ? shares.lines : shares.instructions),
                missedText(shares.lines),
                shareOf(shares.instructions),
                shareOf(shares.branches),
                group(count),
                code(file === undefined ? '' : visible(`${file}:${line}`)),
              ],
            })),
          }),
        ]),
    ...sentences(notes),
  ];
}

const SHARES = [
  { title: 'Ran', right: true },
  { title: 'Missed lines', right: true },
  { title: 'Instructions', right: true },
  { title: 'Branches', right: true },
] as const;

function ofWhole(share: Share): string {
  const { covered, total } = share;
  return total === 0 ? 'none' : `${group(covered)} of ${group(total)}, ${shareOf(share)}`;
}

function barCell(share: Share): Cell {
  return { text: shareOf(share), ...(share.total > 0 && { bar: share.covered / share.total }) };
}

function missedText({ covered, total }: Share): string {
  return covered === total ? '' : group(total - covered);
}

/** Rounded down to tenths: 100.0 % only if all ran. */
function shareOf({ covered, total }: Share): string {
  return total === 0 ? '' : `${(Math.floor((1000 * covered) / total) / 10).toFixed(1)} %`;
}
