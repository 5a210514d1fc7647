/** Walks over the executed instructions of one processor, forwards or backwards, until one is wanted. */
import { setImmediate as breathe } from 'node:timers/promises';
import { FLAG } from '../../../../shared/records/batch.ts';
import { KIND } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { joinAddress, type RecordNumber } from '../../../../shared/base/units.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { batchRecords, visitColumns, type DecodedColumns } from '../records/block-reader.ts';

export interface Executed {
  readonly n: RecordNumber;
  readonly address: bigint;
  /** In bytes; 0 if unknown. */
  readonly size: number;
  readonly cpu: number;
}

/** Returns true for the instruction that ends the walk. */
type Wanted = (one: Executed) => boolean;
type Found = Promise<Result<Executed | undefined>>;

const ANY: Wanted = () => true;
const EXECUTED = new Set<number>([KIND.instruction, KIND.skipped]);
const SLICE_MS = 8;
/** Records that are visited between two looks at the clock. */
const LOOK = 1024;

/**
 * Returns the instruction at a record, or the last one before it of the same processor.
 * @param most number of blocks that are searched
 */
export async function executedAt(
  trace: Trace,
  at: RecordNumber,
  task: Task<unknown>,
  most = Number.MAX_SAFE_INTEGER,
): Found {
  const own = processorAt(trace, at);
  return own.ok ? walkBack(trace, at + 1, own.value, ANY, task, most) : own;
}

/** Returns the next instruction of the processor that is wanted, by default any; undefined at the end of the trace. */
export function executedAfter(trace: Trace, { n, cpu }: Executed, task: Task<unknown>, wanted = ANY): Found {
  return walkOn(trace, n + 1, cpu, wanted, task);
}

/** Returns the last instruction of the processor before one that is wanted, by default any; undefined at the beginning. */
export function executedBefore(trace: Trace, { n, cpu }: Executed, task: Task<unknown>, wanted = ANY): Found {
  return walkBack(trace, n, cpu, wanted, task, Number.MAX_SAFE_INTEGER);
}

function processorAt(trace: Trace, at: RecordNumber): Result<number> {
  const block = trace.blocks.blockOfRecord(at);
  let cpu = -1;
  const read = visitColumns(trace, block, at - trace.blocks.firstRecord(block), ({ batch, first }) => {
    cpu = batch.cpu[at - first]!;
    return false;
  });
  return read.ok ? ok(cpu) : read;
}

async function walkOn(trace: Trace, start: RecordNumber, cpu: number, wanted: Wanted, task: Task<unknown>): Found {
  const { blocks } = trace;
  let found: Executed | undefined;
  let sliceEnd = performance.now() + SLICE_MS;
  for (let from = start; from < blocks.records && found === undefined;) {
    const block = blocks.blockOfRecord(from);
    const read = visitColumns(trace, block, from - blocks.firstRecord(block), (columns) => {
      const { batch, first } = columns;
      const end = first + batch.count;
      while (from < end && found === undefined) {
        const one = instructionAt(columns, from - first, cpu);
        if (one !== undefined && wanted(one)) found = one;
        from++;
        if (from % LOOK === 0 && performance.now() > sliceEnd) return false;
      }
      return found === undefined;
    });
    if (!read.ok) return read;
    if (performance.now() < sliceEnd) continue;
    await breathe();
    if (task.cancelled()) return task.cancel();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return ok(found);
}

async function walkBack(
  trace: Trace,
  end: RecordNumber,
  cpu: number,
  wanted: Wanted,
  task: Task<unknown>,
  most: number,
): Found {
  const { blocks } = trace;
  if (end <= 0) return ok(undefined);
  const last = blocks.blockOfRecord(end - 1);
  const size = batchRecords(trace);
  let found: Executed | undefined;
  let sliceEnd = performance.now() + SLICE_MS;
  for (let to = end; to > 0 && found === undefined;) {
    const block = blocks.blockOfRecord(to - 1);
    if (last - block >= most) break;
    const start = blocks.firstRecord(block);
    // A visit has one batch, that before `to`: it goes through batches in order, and `wanted` must see instructions backwards.
    const from = Math.floor((to - 1 - start) / size) * size;
    let next = to;
    const read = visitColumns(trace, block, from, (columns) => {
      const { batch, first } = columns;
      next = first;
      for (let n = Math.min(first + batch.count, to) - 1; n >= first; n--) {
        const one = instructionAt(columns, n - first, cpu);
        if (one === undefined || !wanted(one)) continue;
        found = one;
        break;
      }
      return false;
    });
    if (!read.ok) return read;
    to = next;
    if (performance.now() < sliceEnd) continue;
    await breathe();
    if (task.cancelled()) return task.cancel();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return ok(found);
}

/** Returns the instruction of a row; undefined for other records, and for those of another processor. */
function instructionAt({ batch, first }: DecodedColumns, i: number, cpu: number): Executed | undefined {
  if (!EXECUTED.has(batch.kind[i]!) || batch.cpu[i] !== cpu || (batch.flags[i]! & FLAG.address) === 0) return undefined;
  const address = joinAddress(batch.addressLow[i]!, batch.addressHigh[i]!);
  return { n: first + i, address, size: batch.size[i]!, cpu };
}
