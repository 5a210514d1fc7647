/** Keys of branches in exports: all of a branch but its addresses. The first branch of a sample has the text of the sample. */
import { KIND } from '../../records/record.ts';
import type { Batch } from '../../records/batch.ts';
import { LOWER_X, SLASH, ZERO } from '../../base/characters.ts';
import { hexEnd } from '../../base/scan.ts';
import { appendBytes, KEY_BYTES, type Repeated, startKey } from '../../format/repeated.ts';
import { FIRST } from './decode.ts';

const NONE = 0;
const ADDRESSES = 1;

/** Implements `Decoder.repeats`. */
export function repeats(
  bytes: Uint8Array,
  from: number,
  to: number,
  batch: Batch,
  index: number,
  out: Repeated,
): boolean {
  if (to - from + 1 > KEY_BYTES || batch.kind[index] !== KIND.branch || (batch.flags[index]! & FIRST) !== 0)
    return false;
  // `0x4005ed/0x4005e6/P/-/-/4/COND/-`
  const source = afterAddress(bytes, from, to);
  const target = source < 0 ? source : afterAddress(bytes, source, to);
  startKey(out, target < 0 ? NONE : ADDRESSES);
  appendBytes(out, bytes, target < 0 ? from : target, to);
  return true;
}

/** Returns the end of an address and the slash behind it; -1 if there is a file between them. */
function afterAddress(bytes: Uint8Array, at: number, to: number): number {
  if (bytes[at] !== ZERO || bytes[at + 1] !== LOWER_X) return -1;
  const end = hexEnd(bytes, at + 2, to);
  return end < to && bytes[end] === SLASH ? end + 1 : -1;
}
