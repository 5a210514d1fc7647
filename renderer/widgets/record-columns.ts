/** Columns of a list of records and their widths in characters. Widths only grow while a person scrolls. */
import type { RecordView } from '../../shared/records/record.ts';
import { group } from '../../shared/base/numbers.ts';

export interface Columns {
  readonly number: number;
  readonly time: number;
  readonly cpu: number;
  readonly address: number;
  /** Longer symbols are shortened. */
  readonly symbol: number;
  /** Names of kinds have up to 21 characters and are shortened if there is not enough room. */
  readonly native: number;
  readonly opcode: number;
}

export const NO_COLUMNS: Columns = { number: 6, time: 0, cpu: 0, address: 0, symbol: 0, native: 4, opcode: 0 };

/** An instruction that ran between two records, which is a line of its own in the list. */
export interface Ran {
  readonly address: string;
  readonly symbol?: string;
}

/** Returns columns that are wide enough for more records. @param rows length of the whole list */
export function widen(
  columns: Columns,
  records: readonly RecordView[],
  rows: number,
  ran: readonly Ran[] = [],
): Columns {
  let { time: times, cpu, address, symbol, native, opcode } = columns;
  for (const record of records) {
    if (record.time !== undefined) times = Math.max(times, 4, group(record.time).length);
    if (record.cpu !== undefined && record.cpu !== 0) cpu = Math.max(cpu, 3, String(record.cpu).length);
    native = Math.max(native, record.native.length);
    if (record.opcode !== undefined) opcode = Math.max(opcode, 6, record.opcode.length - 2);
  }
  for (const line of [...records, ...ran]) {
    if (line.address !== undefined) address = Math.max(address, evenly(line.address.length - 2) + 2);
    if (line.symbol !== undefined) symbol = Math.max(symbol, 8, Math.min(SYMBOL_MOST, line.symbol.length));
  }
  return {
    number: Math.max(columns.number, group(Math.max(0, rows - 1)).length),
    time: times,
    cpu,
    address,
    symbol,
    native,
    opcode,
  };
}

const SYMBOL_MOST = 40;
const SYMBOL_LEAST = 12;
const NATIVE_LEAST = 10;

export function sameColumns(a: Columns, b: Columns): boolean {
  return (
    a.number === b.number &&
    a.time === b.time &&
    a.cpu === b.cpu &&
    a.address === b.address &&
    a.symbol === b.symbol &&
    a.native === b.native &&
    a.opcode === b.opcode
  );
}

/** Rounds a number of digits up to 8, 12 or 16, so that the addresses of a trace line up. */
function evenly(digits: number): number {
  return digits <= 8 ? 8 : digits <= 12 ? 12 : 16;
}

/**
 * Returns the columns that fit into a list of `width` CSS pixels (0 = not measured yet). If the text column would become too narrow,
 * columns are dropped whose values other panes show for the chosen record.
 */
export function fitting(columns: Columns, width: number): Columns {
  const characters = (width - PADDING) / CHARACTER;
  let fitted = columns;
  for (const column of ['opcode', 'time', 'symbol'] as const) {
    if (width === 0) return fitted;
    const spare = characters - leastWidth(fitted);
    if (spare >= 0) return narrowed(fitted, spare);
    fitted = { ...fitted, [column]: 0 };
  }
  return fitted;
}

/**
 * Distributes spare width. Symbols get half of it, or everything that the names of kinds (their longest name) and the text (most
 * instructions) do not need. Names of kinds come before the text, because a text is readable from its beginning.
 */
function narrowed(columns: Columns, spare: number): Columns {
  const forText = TEXT_GOOD - TEXT_LEAST;
  const forKinds = Math.max(0, columns.native - NATIVE_LEAST);
  const forSymbols = Math.floor(Math.max(spare / 2, spare - forText - forKinds));
  const symbol = Math.min(columns.symbol, SYMBOL_LEAST + forSymbols);
  const left = Math.floor(spare - Math.max(0, symbol - SYMBOL_LEAST));
  return { ...columns, symbol, native: Math.min(columns.native, NATIVE_LEAST + left) };
}

const TEXT_LEAST = 26;
const TEXT_GOOD = 44;
/** CSS pixels of a character, and of the margins of a row. */
const CHARACTER = 7.25;
const PADDING = 27;
/** Space between two columns, in characters. */
const GAP = 1.5;

function leastWidth({ number, time: times, cpu, address, symbol, native, opcode }: Columns): number {
  const widths = [
    number,
    times,
    cpu,
    address,
    Math.min(symbol, SYMBOL_LEAST),
    Math.min(native, NATIVE_LEAST) + 2,
    opcode,
  ];
  return widths.reduce((sum, width) => sum + (width > 0 ? width + GAP : 0), TEXT_LEAST);
}

/** Returns the value of `grid-template-columns`. A column without a width is absent. */
export function template(columns: Columns): string {
  const { number, time: times, cpu, address, symbol, native, opcode } = columns;
  const fixed = (width: number): string => `${width + GAP}ch`;
  // If space is short, the symbol column shrinks in favour of the text.
  const tracks = [
    fixed(number),
    times > 0 && fixed(times),
    cpu > 0 && fixed(cpu),
    address > 0 && fixed(address),
    symbol > 0 && `minmax(${Math.min(symbol, SYMBOL_LEAST) + GAP}ch, ${fixed(symbol)})`,
    native > 0 && fixed(native + 2),
    opcode > 0 && fixed(opcode),
    `minmax(${symbol > 0 ? `${TEXT_LEAST}ch` : '0'}, 1fr)`,
  ];
  return tracks.filter((track) => track !== false).join(' ');
}
