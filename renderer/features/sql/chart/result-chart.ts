/** Chooses a chart for a result: bars of a label and a number, or points of a number over records, times or another number. */
import type { SqlAnswer } from '../../../../shared/requests/sql/sql.ts';
import { cellText, type ResultColumn, type SqlCell } from '../columns.ts';

interface ChartItem {
  /** Row of the result. */
  readonly row: number;
  readonly value: number;
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

/** Returns undefined for a result without a number to draw. */
export function chartOf({ rows }: Pick<SqlAnswer, 'rows'>, columns: readonly ResultColumn[]): ResultChart | undefined {
  if (rows.length === 0) return undefined;
  const numbers = columns.flatMap(({ kind }, c) => (kind === 'number' || kind === 'record' ? [c] : []));
  const label = columns.findIndex(({ kind }) => kind === 'text' || kind === 'address');
  const over = numbers.find((c) => isOver(columns[c]!));
  const [first, second] = numbers.filter((c) => c !== over);
  // Values of registers and memory are hexadecimal text.
  if (over !== undefined) {
    const value = first ?? columns.findIndex((_, c) => c !== over && isNumeric(rows, c));
    if (value >= 0) return points(rows, columns, over, value);
  }
  if (label >= 0)
    return first === undefined && over === undefined ? undefined : bars(rows, columns, label, first ?? over!);
  if (first !== undefined && second !== undefined) return points(rows, columns, first, second);
  return undefined;
}

function isOver({ name, kind }: ResultColumn): boolean {
  return (kind === 'record' && name.toLowerCase() === 'n') || (kind === 'number' && name.toLowerCase() === 'time');
}

function isNumeric(rows: SqlAnswer['rows'], c: number): boolean {
  return rows.some((row) => row[c] !== null) && rows.every((row) => row[c] === null || numberOf(row[c]!) !== undefined);
}

/** Hexadecimal values above 2^53 are rounded. */
function numberOf(cell: SqlCell): number | undefined {
  if (typeof cell === 'number') return cell;
  return cell !== null && /^0x[\da-f]{1,16}$/.test(cell) ? Number(cell) : undefined;
}

function bars(rows: SqlAnswer['rows'], columns: readonly ResultColumn[], label: number, value: number): BarChart {
  const items = rows.flatMap((row, index) => {
    const number = numberOf(row[value] ?? null);
    return number === undefined ? [] : [{ row: index, value: number, label: cellText(row[label] ?? null) }];
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
    return [{ row: index, x: over, value: number, label: `${columns[x]!.name} ${cellText(row[x] ?? null)}` }];
  });
  return {
    kind: 'points',
    of: columns[x]!.name,
    value: columns[value]!.name,
    items: items.sort((a, b) => a.x - b.x),
    left: rows.length - items.length,
  };
}
