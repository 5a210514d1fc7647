/** Which columns a list of records needs and how wide they are, in characters: it only ever grows while one scrolls. */
import type { RecordView } from '../../shared/records/record.ts';
import { group, time } from '../../present/base/numbers.ts';

export interface Columns {
  readonly number: number;
  readonly time: number;
  readonly cpu: number;
  readonly address: number;
  /** Longer symbols are cut. */
  readonly symbol: number;
  /** A format has few names of kinds, the longest 21 characters: where there is no room for it they are cut. */
  readonly native: number;
  readonly opcode: number;
}

export const NO_COLUMNS: Columns = { number: 6, time: 0, cpu: 0, address: 0, symbol: 0, native: 4, opcode: 0 };

/** An instruction that ran between two records, which is a line of the list too. */
export interface Ran {
  readonly address: string;
  readonly symbol?: string;
}

/** The columns that hold what `columns` held and these records too. `rows` is the length of the whole list. */
export function widen(
  columns: Columns,
  records: readonly RecordView[],
  rows: number,
  ran: readonly Ran[] = [],
): Columns {
  let { time: times, cpu, address, symbol, native, opcode } = columns;
  for (const record of records) {
    if (record.time !== undefined) times = Math.max(times, 4, time(record.time).length);
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

/** Digits rounded up to 8, 12 or 16, so that addresses of one trace line up. */
function evenly(digits: number): number {
  return digits <= 8 ? 8 : digits <= 12 ? 12 : 16;
}

/**
 * The columns of a list that is `width` CSS pixels wide, 0 = not measured yet: where the text would be crowded out those are
 * left away that can be read of the chosen record elsewhere.
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
 * Symbols get half of what there is beyond the least, and all once the others have what they need: names of kinds what the longest
 * does, which come first since a text is read from its beginning, and the text what most instructions do.
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
/** CSS pixels of a character, and beside the cells of a row. */
const CHARACTER = 7.25;
const PADDING = 27;
/** What stands between a column and the next. */
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

/** For `grid-template-columns`; a column without a width is not there. */
export function template(columns: Columns): string {
  const { number, time: times, cpu, address, symbol, native, opcode } = columns;
  const fixed = (width: number): string => `${width + GAP}ch`;
  // Where there is little room symbols give way to the text.
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
