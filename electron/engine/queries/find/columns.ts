/** Finds the next record of a batch with a wanted kind and address, using the batch columns only. */
import { FLAG, type Batch } from '../../../../shared/records/batch.ts';
import type { Question } from './question.ts';

/** Returns the index of the next such record in [from, end), or `end` if there is none. */
export function nextInColumns(batch: Batch, { kinds, span }: Question, from: number, end: number): number {
  const { kind, flags, addressLow, addressHigh, size } = batch;
  if (span === undefined) {
    for (let i = from; i < end; i++) if ((kinds & (1 << kind[i]!)) !== 0) return i;
    return end;
  }
  const { lowLow, lowHigh, highLow, highHigh } = span;
  for (let i = from; i < end; i++) {
    // The address alone rules out most records.
    const high = addressHigh[i]!;
    const low = addressLow[i]!;
    if (high > highHigh || (high === highHigh && low > highLow)) continue;
    // Carry of the last byte touched, which may be above 4 GiB.
    const lastLow = low + Math.max(1, size[i]!) - 1;
    const lastHigh = lastLow > 0xffffffff ? high + 1 : high;
    if (lastHigh < lowHigh || (lastHigh === lowHigh && (lastLow > 0xffffffff ? lastLow - 2 ** 32 : lastLow) < lowLow))
      continue;
    if ((flags[i]! & FLAG.address) !== 0 && (kinds & (1 << kind[i]!)) !== 0) return i;
  }
  return end;
}
