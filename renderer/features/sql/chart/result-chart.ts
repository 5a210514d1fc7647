/** Chooses a chart for a result: bars of a label and a number, or points of a number over records, times or another number. */
import type { SqlAnswer } from '../../../../shared/requests/sql/sql.ts';
import type { ChartColumns } from '../../../trace/sql/saved-queries.ts';
import { cellText, type ResultColumn, type SqlCell } from '../columns.ts';

interface ChartItem {
  /** Row of the result. */
  readonly row: number;
  /** For drawing: integers beyond 2^53 are rounded. */
  readonly value: number;
  /** The number as the result has it. */
  readonly text: string;
  readonly label: string;
}

export interface BarChart {
  readonly kind: 'bars';
  readonly of: string;
  readonly value: string;
  readonly items: readonly ChartItem[];
  /** Number of rows that are left out. */
  readonly left: number;
}

export interface PointChart {
  readonly kind: 'points';
  readonly of: string;
  readonly value: string;
  /** In the order of `x`. */
  readonly items: readonly (ChartItem & { readonly x: number })[];
  readonly left: number;
}

export type ResultChart = BarChart | PointChart;

/** Upper limit of bars; narrower ones cannot be distinguished. */
const MOST_BARS = 60;

/**
 * Returns undefined for a result without a number to draw.
 * @param chosen columns in place of those that are taken by default; unknown ones, and values that are no numbers, do not count
 */
export function chartOf(
  { rows }: Pick<SqlAnswer, 'rows'>,
  columns: readonly ResultColumn[],
  chosen: ChartColumns = {},
): ResultChart | undefined {
  const numeric = numericColumns({ rows }, columns);
  const byDefault = defaultColumns(columns, numeric);
  const value = numeric.find((c) => columns[c]!.name === chosen.value) ?? byDefault?.value;
  const own = columns.findIndex(({ name }) => name === chosen.of);
  const of = own < 0 ? byDefault?.of : own;
  if (value === undefined || of === undefined) return undefined;
  return isNumber(columns[of]!) ? points(rows, columns, of, value) : bars(rows, columns, of, value);
}

/** Returns the columns whose values can be drawn. */
export function numericColumns({ rows }: Pick<SqlAnswer, 'rows'>, columns: readonly ResultColumn[]): readonly number[] {
  return columns.flatMap((_, c) => (isNumeric(rows, c) ? [c] : []));
}

function defaultColumns(
  columns: readonly ResultColumn[],
  numeric: readonly number[],
): { readonly of: number; readonly value: number } | undefined {
  const over = numeric.find((c) => isOver(columns[c]!));
  // Values of registers and memory are hexadecimal text, which is drawn if there are no numbers.
  const [numbers, others] = [true, false].map((wanted) =>
    numeric.filter((c) => c !== over && isNumber(columns[c]!) === wanted),
  );
  const label = columns.findIndex(({ kind }) => kind === 'text' || kind === 'address');
  const [first, second] = numbers!;
  if (over !== undefined) {
    const value = first ?? others![0];
    if (value !== undefined) return { of: over, value };
  }
  if (label >= 0) {
    const value = first ?? over ?? others!.find((c) => c !== label);
    return value === undefined ? undefined : { of: label, value };
  }
  return first !== undefined && second !== undefined ? { of: first, value: second } : undefined;
}

function isNumber({ kind }: ResultColumn): boolean {
  return kind === 'number' || kind === 'record';
}

function isOver({ name, kind }: ResultColumn): boolean {
  return (kind === 'record' && name.toLowerCase() === 'n') || (kind === 'number' && name.toLowerCase() === 'time');
}

function isNumeric(rows: SqlAnswer['rows'], c: number): boolean {
  return (
    rows.some((row) => (row[c] ?? null) !== null) &&
    rows.every((row) => (row[c] ?? null) === null || numberOf(row[c]!) !== undefined)
  );
}

/** Integers beyond 2^53 are digits, and values above 2^63 hexadecimal. Both are rounded. */
function numberOf(cell: SqlCell): number | undefined {
  if (typeof cell === 'number') return cell;
  return cell !== null && /^(?:0x[\da-f]{1,16}|-?\d{16,19})$/.test(cell) ? Number(cell) : undefined;
}

function bars(rows: SqlAnswer['rows'], columns: readonly ResultColumn[], label: number, value: number): BarChart {
  const items = rows.flatMap((row, index) => {
    const number = numberOf(row[value] ?? null);
    const text = cellText(row[value] ?? null);
    return number === undefined ? [] : [{ row: index, value: number, text, label: cellText(row[label] ?? null) }];
  });
  const shown = items.slice(0, MOST_BARS);
  return {
    kind: 'bars',
    of: columns[label]!.name,
    value: columns[value]!.name,
    items: shown,
    left: rows.length - shown.length,
  };
}

function points(rows: SqlAnswer['rows'], columns: readonly ResultColumn[], x: number, value: number): PointChart {
  const items = rows.flatMap((row, index) => {
    const [over, number] = [numberOf(row[x] ?? null), numberOf(row[value] ?? null)];
    if (over === undefined || number === undefined) return [];
    const text = cellText(row[value] ?? null);
    return [{ row: index, x: over, value: number, text, label: `${columns[x]!.name} ${cellText(row[x] ?? null)}` }];
  });
  return {
    kind: 'points',
    of: columns[x]!.name,
    value: columns[value]!.name,
    items: items.sort((a, b) => a.x - b.x),
    left: rows.length - items.length,
  };
}
