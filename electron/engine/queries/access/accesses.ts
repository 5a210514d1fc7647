/** Tests accesses to memory in decoded batches, for queries about memory state. */
import { FLAG, type Batch } from '../../../../shared/records/batch.ts';
import { kindBits, READS, WRITES } from '../../../../shared/records/record.ts';
import type { Span } from '../records/span.ts';

/** Bit masks with a bit for each kind. */
export const READ_KINDS = kindBits(READS);
export const WRITE_KINDS = kindBits(WRITES);

/** Index of the next record in [from, end) of one of these kinds that has an effect on any byte of the span, or `end` if there is none. */
export function nextAccess(batch: Batch, kinds: number, span: Span, from: number, end: number): number {
  const { kind, flags, addressLow, addressHigh, size } = batch;
  const { lowLow, lowHigh, highLow, highHigh } = span;
  for (let i = from; i < end; i++) {
    // The address alone rules out most records.
    const high = addressHigh[i]!;
    const low = addressLow[i]!;
    if (high > highHigh || (high === highHigh && low > highLow)) continue;
    // The last byte touched may lie above 4 GiB.
    const lastLow = low + Math.max(1, size[i]!) - 1;
    const lastHigh = lastLow > 0xffffffff ? high + 1 : high;
    if (lastHigh < lowHigh || (lastHigh === lowHigh && (lastLow > 0xffffffff ? lastLow - 2 ** 32 : lastLow) < lowLow))
      continue;
    if ((kinds & (1 << kind[i]!)) !== 0 && (flags[i]! & (FLAG.address | FLAG.noEffect)) === FLAG.address) return i;
  }
  return end;
}

/** Returns the offset of the record's first byte from the start of the span, in bytes. Exact if the two are close together. */
export function offsetInSpan(batch: Batch, index: number, span: Span): number {
  return (batch.addressHigh[index]! - span.lowHigh) * 2 ** 32 + (batch.addressLow[index]! - span.lowLow);
}

export function isWrite(batch: Batch, index: number): boolean {
  return (WRITE_KINDS & (1 << batch.kind[index]!)) !== 0;
}
