/** Bad input as a table: one row per code, followed by its most frequent shapes. */
import type { DiagnosticGroup } from '../../../shared/requests/requests.ts';
import { group } from '../../../shared/base/numbers.ts';
import { createTable } from './table.ts';

/** Upper limits of the shapes per code and of the characters per sample; --json prints all. */
const SHOWN_SHAPES = 5;
const SAMPLE_CHARACTERS = 44;

interface Row {
  readonly what: string;
  readonly count: number;
  readonly firstOffset?: number;
  readonly firstRecord?: number;
  readonly earlier?: number | undefined;
  readonly sample?: string;
}

export function diagnosticsTable(groups: readonly DiagnosticGroup[], colour: boolean): string {
  const table = createTable<Row>(
    [
      { title: 'problem', text: ({ what }) => what },
      { title: 'count', right: true, text: ({ count }) => group(count) },
      { title: 'first byte', right: true, text: ({ firstOffset }) => optional(firstOffset) },
      { title: 'first record', right: true, text: ({ firstRecord }) => optional(firstRecord) },
      { title: 'against', right: true, text: ({ earlier }) => optional(earlier) },
      { title: 'starts with', text: ({ sample = '' }) => shortened(sample) },
    ],
    colour,
  );
  return table.lines(groups.flatMap(rowsOf));
}

/** A code with one unnamed shape has one row. */
function rowsOf({ text, count, firstOffset, firstRecord, earlier, shapes }: DiagnosticGroup): Row[] {
  const [only] = shapes;
  if (only?.shape === '' && shapes.length === 1) {
    return [{ what: text, count, firstOffset, firstRecord, earlier, sample: only.sample }];
  }
  const shown = shapes.slice(0, SHOWN_SHAPES);
  const rest = shapes.slice(SHOWN_SHAPES);
  return [
    { what: text, count, firstOffset, firstRecord },
    ...shown.map((row) => ({ ...row, what: `  ${row.shape === '' ? '(other)' : row.shape}` })),
    ...(rest.length === 0
      ? []
      : [
          {
            what: `  and ${group(rest.length)} more ${rest.length === 1 ? 'shape' : 'shapes'}`,
            count: rest.reduce((sum, row) => sum + row.count, 0),
          },
        ]),
  ];
}

function optional(value: number | undefined): string {
  return value === undefined ? '' : group(value);
}

function shortened(sample: string): string {
  const characters = Array.from(sample);
  return characters.length <= SAMPLE_CHARACTERS ? sample : `${characters.slice(0, SAMPLE_CHARACTERS - 1).join('')}…`;
}
