/**
 * Rows that repeat: of formats that can say so (`Decoder.repeats`), a record with the fields of an earlier one gets its codes without being
 * described. The table holds the latest record of each hash, so its size does not depend on the trace, and lines that come once push no
 * other ones out for long.
 */
import { LONG_LINE, type Decoder, type Repeated, type Window } from '../../../shared/format/format.ts';
import type { Batch } from '../../../shared/records/batch.ts';
import { codeOfHalves, NULL_CODE, setCode, type DictionaryColumn } from '../../parquet/column.ts';

export interface Repeats {
  /** Sets the codes of a row and returns true, if an earlier record had the same fields. */
  set(window: Window, batch: Batch, i: number, row: number): boolean;
  /** Keeps the codes of a row for which `set` has just returned false. */
  learn(row: number): void;
}

const SLOTS = 1 << 14;
/** Longest bytes that stand for a record: whole words. */
const KEY_BYTES = Math.min(192, LONG_LINE) & ~3;
const KEY_WORDS = KEY_BYTES / 4;
/** Integers before the codes of a slot: length of the key, native code, cpu, flags. */
const FACTS = 4;

/** Columns whose values are those of the row itself, although its record repeats another one. */
export interface OwnColumns {
  readonly address: DictionaryColumn;
  readonly value: DictionaryColumn;
  /** Sets the address of a row, and what follows from it. */
  setAddress(batch: Batch, i: number): void;
}

/** @param columns all others that follow from the fields of a record except its time */
export function createRepeats(
  decoder: Decoder,
  columns: readonly DictionaryColumn[],
  own: OwnColumns,
): Repeats | undefined {
  if (decoder.repeats === undefined) return undefined;
  const width = FACTS + columns.length + 2;
  const slots = new Int32Array(SLOTS * width).fill(-1);
  const keys = new Int32Array(SLOTS * KEY_WORDS);
  const words = new Int32Array(KEY_WORDS);
  const bytes = new Uint8Array(words.buffer);
  const key: Repeated = { bytes, length: 0, hasValue: false, low: 0, high: 0 };
  /** Words of the key of the last record. */
  let length = 0;
  const facts = new Int32Array(FACTS);
  /** Slot of the last record; -1 if it has no key. */
  let slot = -1;
  return { set, learn };

  function set(window: Window, batch: Batch, i: number, row: number): boolean {
    const [from, to] = [batch.start[i]! - window.base, batch.end[i]! - window.base];
    slot = -1;
    if (to > window.length || !decoder.repeats!(window.bytes, from, to, batch, i, key)) return false;
    facts[0] = key.length;
    length = (key.length + 3) >>> 2;
    for (let byte = key.length; byte < 4 * length; byte++) bytes[byte] = 0;
    facts[1] = batch.native[i]!;
    facts[2] = batch.cpu[i]!;
    facts[3] = batch.flags[i]!;
    slot = hashOf(words, length) & (SLOTS - 1);
    if (!isHere()) return false;
    const at = slot * width + FACTS;
    for (let c = 0; c < columns.length; c++) {
      const code = slots[at + c]!;
      if (code !== NULL_CODE) setCode(columns[c]!, row, code);
    }
    setOwn(batch, i, row);
    return true;
  }

  function setOwn(batch: Batch, i: number, row: number): void {
    const at = slot * width + FACTS + columns.length;
    if (slots[at] !== NULL_CODE) own.setAddress(batch, i);
    const code = slots[at + 1]!;
    if (code !== NULL_CODE) setCode(own.value, row, key.hasValue ? codeOfHalves(own.value, key.low, key.high) : code);
  }

  function isHere(): boolean {
    const at = slot * width;
    for (let fact = 0; fact < FACTS; fact++) if (slots[at + fact] !== facts[fact]) return false;
    const start = slot * KEY_WORDS;
    for (let word = 0; word < length; word++) if (keys[start + word] !== words[word]) return false;
    return true;
  }

  function learn(row: number): void {
    if (slot < 0) return;
    const at = slot * width;
    slots.set(facts, at);
    keys.set(words, slot * KEY_WORDS);
    const codes = at + FACTS;
    for (let c = 0; c < columns.length; c++) slots[codes + c] = columns[c]!.codes[row] ?? NULL_CODE;
    slots[codes + columns.length] = own.address.codes[row] ?? NULL_CODE;
    slots[codes + columns.length + 1] = own.value.codes[row] ?? NULL_CODE;
  }
}

/** As FNV-1a of Fowler, Noll and Vo, but word by word, with the upper bits mixed into the lower ones. */
function hashOf(words: Int32Array, length: number): number {
  let hash = 0x811c9dc5;
  for (let word = 0; word < length; word++) {
    hash = Math.imul(hash ^ words[word]!, 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash;
}
