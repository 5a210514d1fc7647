/**
 * Columns of a row group while it is filled. A column is a list of codes into a dictionary of distinct values (texts, addresses, sizes),
 * or a list of ascending or slowly changing integers that are stored as differences (record numbers, times).
 */
import type { ColumnSpec, ColumnType } from '../../shared/requests/tables/row-group.ts';
import { createAddressMap } from '../engine/collections/address-map.ts';
import { createTextTable, type TextTable } from './text-table.ts';

export type Value = boolean | number | bigint | string | Uint8Array;

export type Column = DifferenceColumn | DictionaryColumn;

/** Integers: numbers or, beyond 2^53, bigints. */
export interface DifferenceColumn {
  readonly spec: ColumnSpec;
  readonly way: 'differences';
  /** Values of the rows that are not null, in order. */
  values: Float64Array;
  count: number;
  /** The same if any needs more than 53 bits. */
  wide: bigint[] | undefined;
  /** Per row: 1 if it has a value. */
  present: Uint8Array;
}

export interface DictionaryColumn {
  readonly spec: ColumnSpec;
  readonly way: 'dictionary';
  /** Per row: number of its entry; NULL_CODE if it has no value. */
  codes: Int32Array;
  /** Number of rows with a value. */
  count: number;
  /** Entries that came as values other than texts; none if they came as halves. */
  readonly entries: Exclude<Value, string>[];
  readonly known: Map<Value, number>;
  /** Entries that are texts. */
  readonly texts: TextTable;
  /** Entries that came as halves, as the bytes of integers: for each code the low half and the high one. */
  halves: Uint32Array;
  /** Number of entries that came as halves. */
  integers: number;
  /** Codes of integers by their halves. */
  readonly addresses: ReturnType<typeof createAddressMap>;
}

export const NULL_CODE = -1;

const START = 1 << 12;
/** A column that outgrows a small table is expected to fill a row group. */
const GROUP = 300_000;

export function differenceColumn(name: string, nullable = false): DifferenceColumn {
  return {
    spec: { name, type: 'int64', nullable },
    way: 'differences',
    values: new Float64Array(START),
    count: 0,
    wide: undefined,
    present: new Uint8Array(START),
  };
}

export function dictionaryColumn(name: string, type: ColumnType, nullable = true): DictionaryColumn {
  return {
    spec: { name, type, nullable },
    way: 'dictionary',
    codes: new Int32Array(START).fill(NULL_CODE),
    count: 0,
    entries: [],
    known: new Map(),
    texts: createTextTable(),
    halves: new Uint32Array(1024),
    integers: 0,
    addresses: createAddressMap(1024),
  };
}

/** Sets the value of a row after the rows with values so far. Rows without a call are null. */
export function setInteger(column: DifferenceColumn, row: number, value: number | bigint): void {
  if (row >= column.present.length) column.present = grown(column.present, Uint8Array, row, 0);
  column.present[row] = 1;
  const at = column.count++;
  if (column.wide === undefined && typeof value === 'number') {
    if (at === column.values.length) column.values = grown(column.values, Float64Array, at, 0);
    column.values[at] = value;
    return;
  }
  column.wide ??= Array.from(column.values.subarray(0, at), BigInt);
  column.wide.push(BigInt(value));
}

/** Sets the entry of a row that has none yet. Rows without a call are null. */
export function setCode(column: DictionaryColumn, row: number, code: number): void {
  if (row >= column.codes.length) column.codes = grown(column.codes, Int32Array, row, NULL_CODE);
  column.codes[row] = code;
  column.count++;
}

/** Sets the value of a row that has none yet; undefined is null. */
export function setValue(column: DictionaryColumn, row: number, value: Value | undefined): void {
  if (value !== undefined) setCode(column, row, codeOf(column, value));
}

/** Returns the code of a value, which becomes an entry if it is not one yet. */
export function codeOf(column: DictionaryColumn, value: Value): number {
  if (typeof value === 'string') return column.texts.codeOf(value);
  const known = column.known.get(value);
  if (known !== undefined) return known;
  const code = column.entries.push(value) - 1;
  column.known.set(value, code);
  return code;
}

/**
 * Returns the code of an unsigned 64-bit integer; a column of type `int64` holds the signed integer with the same bits. A column takes its
 * values either by this function or by `codeOf`.
 */
export function codeOfHalves(column: DictionaryColumn, low: number, high: number): number {
  const { addresses } = column;
  const known = addresses.get(low, high);
  if (known >= 0) return known;
  const code = column.integers++;
  const at = 2 * code;
  if (at === column.halves.length) {
    const larger = new Uint32Array(2 * at);
    larger.set(column.halves);
    column.halves = larger;
  }
  column.halves[at] = low;
  column.halves[at + 1] = high;
  addresses.set(low, high, code);
  return code;
}

/** Returns the number of distinct values. */
export function entriesOf({ entries, integers, texts }: DictionaryColumn): number {
  return entries.length + integers + texts.count();
}

/** Returns an array of at least `least` + 1 elements. */
function grown<A extends Uint8Array | Int32Array | Float64Array>(
  old: A,
  type: new (length: number) => A,
  least: number,
  filler: number,
): A {
  const larger = new type(Math.max(old.length < GROUP ? GROUP : 2 * old.length, least + 1));
  larger.set(old);
  if (filler !== 0) larger.fill(filler, old.length);
  return larger;
}
