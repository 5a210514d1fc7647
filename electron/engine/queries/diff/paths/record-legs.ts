/** Elements between chunks that are aligned, read from the records: branches or accesses. */
import { setImmediate as breathe } from 'node:timers/promises';
import { FLAG, type Batch } from '../../../../../shared/records/batch.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import { RowTable } from '../../../collections/row-table.ts';
import type { Task } from '../../../threads/task.ts';
import { visitBatches } from '../../records/block-reader.ts';
import { elementTest } from './executed.ts';
import type { Side } from './side.ts';
import { highWithout, lowWithout, type Shift } from '../runs/address-shift.ts';
import { addLeg, createLegs, type ChunkRange, type Legs } from '../runs/legs.ts';

/** Returns the number of a row of a batch, which shows an element of the path. */
export type NumberOf = (batch: Batch, row: number) => number;

export interface RecordNumbers {
  /** Returns a number for a row of a batch: rows of both sides that show the same, apart from ends that do not count, have the same number. */
  numberOf(batch: Batch, row: number, ends: number, shift: Shift): number;
}

export function createRecordNumbers(): RecordNumbers {
  const table = new RowTable(1 << 12);
  let keys = new Uint32Array(KEY << 12);
  return {
    numberOf({ kind, flags, native, addressLow, addressHigh, targetLow, targetHigh }, row, shown, shift) {
      const ends = flags[row]! & shown;
      const its = ends === 0 ? 256 + native[row]! : kind[row]! + 32 * ends;
      let [low, high, toLow, toHigh] = [0, 0, 0, 0];
      if ((ends & FLAG.address) !== 0) {
        low = lowWithout(addressLow[row]!, shift);
        high = highWithout(addressLow[row]!, addressHigh[row]!, shift);
      }
      if ((ends & FLAG.target) !== 0) {
        toLow = lowWithout(targetLow[row]!, shift);
        toHigh = highWithout(targetLow[row]!, targetHigh[row]!, shift);
      }
      let hash = Math.imul(low ^ Math.imul(high ^ its, 0x85ebca6b), 0x9e3779b1);
      hash = Math.imul(hash ^ (hash >>> 15) ^ toLow, 0x2c1b3c6d) ^ toHigh;
      hash ^= hash >>> 13;
      for (let number = table.first(hash); number >= 0; number = table.next()) {
        const at = number * KEY;
        if (
          keys[at] === its &&
          keys[at + 1] === low &&
          keys[at + 2] === high &&
          keys[at + 3] === toLow &&
          keys[at + 4] === toHigh
        )
          return number;
      }
      const number = table.add(hash);
      if (number * KEY === keys.length) {
        const larger = new Uint32Array(2 * keys.length);
        larger.set(keys);
        keys = larger;
      }
      keys.set([its, low, high, toLow, toHigh], number * KEY);
      return number;
    },
  };
}

/** Numbers that distinguish an element. */
const KEY = 5;

/** Returns the elements of each of these ranges of a side, which are in order. */
export async function recordLegsOf(
  side: Side,
  ranges: readonly ChunkRange[],
  numberOf: NumberOf,
  task: Task<unknown>,
): Promise<Result<readonly Legs[]>> {
  const { trace, chunks } = side;
  const { blocks } = trace;
  const isElement = elementTest(side);
  const found: Legs[] = [];
  for (const range of ranges) {
    const legs = createLegs(chunks, range, 1);
    const { record: stop } = legs.end;
    for (let next = legs.start.record; next < stop;) {
      const block = blocks.blockOfRecord(next);
      const read = visitBatches(trace, block, next - blocks.firstRecord(block), ({ batch, first }) => {
        const end = Math.min(batch.count, stop - first);
        for (let k = Math.max(0, next - first); k < end; k++)
          if (isElement(batch, k, first + k)) addLeg(legs, numberOf(batch, k), first + k, 0);
        next = first + batch.count;
        return next < stop;
      });
      if (!read.ok) return read;
      await breathe();
      if (task.cancelled()) return task.cancel();
    }
    found.push(legs);
  }
  return ok(found);
}
