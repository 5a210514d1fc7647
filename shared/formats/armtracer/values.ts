/** Which bytes of memory does an access of Tracer text prove, as the careful reader has read it? */
import { FLAG, reserve, type Batch } from '../../records/batch.ts';
import { HEX, ZERO } from '../../base/characters.ts';
import { MOVES } from '../../records/record.ts';
import { FIRST_ACCESS, sizeOf } from './codes.ts';
import type { Line } from './line.ts';

const WORD_DIGITS = 8;

/**
 * Puts the bytes that the line's access moved behind row `row`, whose other columns are written; not where a word is missing or
 * has other digits than its bytes, or the letters tell no size.
 */
export function putValue(batch: Batch, row: number, bytes: Uint8Array, line: Line, little: boolean): void {
  const { size, dataAt, dataEnd, secondAt, secondEnd } = line;
  if (MOVES[batch.kind[row]!] === 0 || sizeOf(line.native) === 0 || (batch.flags[row]! & FLAG.noEffect) !== 0) return;
  const digits = dataEnd - dataAt;
  const rest = secondEnd - secondAt;
  if (size === 8 ? digits !== 8 || rest !== 8 : digits === 0 || rest !== 0 || !fills(bytes, line)) return;
  const heap = batch.values;
  reserve(heap, size);
  const word = size === 8 ? 4 : size;
  putWord(heap.bytes, heap.length, word, bytes, dataEnd, little);
  if (size === 8) putWord(heap.bytes, heap.length + 4, word, bytes, secondEnd, little);
  batch.valueAt[row] = heap.length;
  heap.length += size;
  batch.flags[row]! |= FLAG.value;
}

/** Whether the data are the digits of the size; the architectural form always has eight, of which the upper ones may be 0. */
function fills(bytes: Uint8Array, { native, size, dataAt, dataEnd }: Line): boolean {
  const digits = dataEnd - dataAt;
  if (digits === 2 * size) return true;
  if (native >= FIRST_ACCESS || digits !== WORD_DIGITS) return false;
  for (let at = dataAt; at < dataEnd - 2 * size; at++) if (bytes[at] !== ZERO) return false;
  return true;
}

/** The last digits before `end`, as bytes from `to` on. */
function putWord(values: Uint8Array, to: number, size: number, bytes: Uint8Array, end: number, little: boolean): void {
  for (let i = 0; i < size; i++) {
    const at = end - 2 * i - 2;
    values[to + (little ? i : size - 1 - i)] = (HEX[bytes[at]!]! << 4) | HEX[bytes[at + 1]!]!;
  }
}
