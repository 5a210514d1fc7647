/** The instructions of one CPU, one after the other: also those whose condition failed, which are on the path of the program. */
import { KIND } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { visitBatches } from '../records/block-reader.ts';
import type { Side } from './side.ts';

export interface Executed {
  readonly record: RecordNumber;
  /** Without the shift of its trace. */
  readonly address: bigint;
}

/** Returns a reader of the instructions of records from `from` on, before `to`. It returns undefined after the last one. */
export function createReader(
  { trace, chunks, shift }: Side,
  from: RecordNumber,
  to = trace.blocks.records,
): { next(): Result<Executed | undefined> } {
  let next = from;
  let read: Executed[] = [];
  let at = 0;
  return {
    next() {
      while (at === read.length) {
        if (next >= to) return ok(undefined);
        const more = readBatch();
        if (!more.ok) return more;
      }
      return ok(read[at++]);
    },
  };

  function readBatch(): Result<undefined> {
    const { blocks } = trace;
    const block = blocks.blockOfRecord(next);
    [read, at] = [[], 0];
    return visitBatches(trace, block, next - blocks.firstRecord(block), ({ batch, first }) => {
      const end = Math.min(batch.count, to - first);
      for (let i = Math.max(0, next - first); i < end; i++) {
        if (!isOnPath(batch.kind[i]!) || batch.cpu[i] !== chunks.cpu) continue;
        const address = (BigInt(batch.addressHigh[i]!) << 32n) | BigInt(batch.addressLow[i]!);
        read.push({ record: first + i, address: address - shift });
      }
      next = first + batch.count;
      return false;
    });
  }
}

/** Returns the instructions of records [from, to). */
export function executedIn(side: Side, from: RecordNumber, to: RecordNumber): Result<readonly Executed[]> {
  const reader = createReader(side, from, to);
  const found: Executed[] = [];
  for (;;) {
    const next = reader.next();
    if (!next.ok) return next;
    if (next.value === undefined) return ok(found);
    found.push(next.value);
  }
}

/** Returns true for a record of an instruction that the program came to, whether it was executed or skipped. */
export function isOnPath(kind: number): boolean {
  return kind === KIND.instruction || kind === KIND.skipped;
}
