/**
 * The path of one CPU as chunks of decoded instructions, for comparisons that the branches in the index cannot answer: some instructions do
 * not count, or those at different addresses are equal. Reads the whole trace; memory is bounded by the number of chunks, one for about 500
 * instructions.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { assert, ok, type Result } from '../../../../../shared/base/result.ts';
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import type { PathChunks } from '../../../flow/path/path-chunks.ts';
import { mix } from '../../../index/builders/effects/path-places.ts';
import type { Task } from '../../../threads/task.ts';
import { visitColumns } from '../../records/block-reader.ts';
import { elementTest, isOnPath } from './executed.ts';
import type { Side } from './side.ts';
import { halvesOf } from './straight-runs.ts';

/** One in 2 ** MEAN_BITS instructions ends a chunk. */
const MEAN_BITS = 9;
const LONGEST = 2 ** (MEAN_BITS + 3);
/** Bits by which an instruction moves when the next one comes: four instructions decide whether a chunk ends. */
const BITS = 8;

export interface DecodedPath {
  readonly chunks: PathChunks;
  /** Instructions of the CPU that do not count. */
  readonly ignored: number;
  /** Instructions that count and are outside of all symbols. */
  readonly outside: number;
}

/** Returns the path of a side whose instructions are numbered. The chunks that it has name the CPU only. */
export async function decodedPath(side: Side, task: Task<FlowProgress>): Promise<Result<DecodedPath>> {
  const { trace, numbers, chunks: index } = side;
  assert(numbers !== undefined, 'the instructions have numbers');
  const { blocks } = trace;
  const isElement = elementTest(side);
  const columns = { hash: [] as number[], other: [] as number[], record: [] as number[], count: [] as number[] };
  let [hash, other, count, recent, start] = [0, 0, 0, 0, 0];
  let [all, counted, outside] = [0, 0, 0];
  const cut = (): void => {
    columns.hash.push(hash >>> 0);
    columns.other.push(other >>> 0);
    columns.record.push(start);
    columns.count.push(count);
    [hash, other, count] = [0, 0, 0];
  };
  for (let block = 0; block < blocks.length; block++) {
    const read = visitColumns(trace, block, 0, ({ batch, first }) => {
      const { addressLow, addressHigh, kind, cpu } = batch;
      for (let row = 0; row < batch.count; row++) {
        if (!isOnPath(kind[row]!) || cpu[row] !== index.cpu) continue;
        all++;
        if (!isElement(batch, row, first + row)) continue;
        counted++;
        const number = numbers.of(addressLow[row]!, addressHigh[row]!);
        if (numbers.isOutside(number)) outside++;
        const own = mix(0, number);
        if (count === 0) start = first + row;
        hash = mix(hash, own);
        other = mix(other ^ 0x5bd1e995, Math.imul(own, 0x2c1b3c6d) ^ (own >>> 15));
        recent = ((recent << BITS) + own) | 0;
        if (++count >= LONGEST || recent >>> (32 - MEAN_BITS) === 0) cut();
      }
      return true;
    });
    if (!read.ok) return read;
    task.progress(() => ({ at: blocks.firstRecord(block), to: blocks.records }));
    await breathe();
    if (task.cancelled()) return task.cancel();
  }
  if (count > 0) cut();
  const { length } = columns.hash;
  // Numbers do not depend on where a program was loaded, so all chunks begin at one place: 0 in the addresses of the first program.
  const { low, high } = halvesOf(side.shift);
  const chunks = {
    cpu: index.cpu,
    count: length,
    hash: Uint32Array.from(columns.hash),
    other: Uint32Array.from(columns.other),
    startLow: new Uint32Array(length).fill(low),
    startHigh: new Uint32Array(length).fill(high),
    record: Float64Array.from([...columns.record, blocks.records]),
    instructions: Uint32Array.from(columns.count),
  };
  return ok({ chunks, ignored: all - counted, outside });
}
