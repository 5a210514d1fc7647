/**
 * Times of records, block by block. A time that the record does not have itself, or that a double does not hold exactly, is unknown: no
 * duration is made of it.
 */
import { FLAG } from '../../../../shared/records/batch.ts';
import { KINDS } from '../../../../shared/records/record.ts';
import { createLru } from '../../../../shared/base/lru.ts';
import type { Failure } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import type { Trace } from '../../trace.ts';
import { visitColumns } from './block-reader.ts';

export interface BlockTimes {
  readonly first: RecordNumber;
  /** Per record of the block; NaN if unknown. */
  readonly times: Float64Array;
  /** CPU of executed and skipped instructions; NO_INSTRUCTION for other records. */
  readonly cpus: Int16Array;
}

export interface RecordTimes {
  /** Returns NaN if the time is unknown, or its block could not be read. */
  at(record: RecordNumber): number;
  /** Returns the time of the first instruction of a CPU from `record` on, in its block or the next; undefined if there is none. */
  nextOf(cpu: number, record: RecordNumber): number | undefined;
  /** Failure to read a block. */
  failure(): Failure | undefined;
}

export const NO_INSTRUCTION = -2;
const MASK = FLAG.wideTime | FLAG.timeAssumed;
const [EXECUTED, SKIPPED] = [KINDS.indexOf('instruction'), KINDS.indexOf('skipped')];
/** CPUs take turns within few blocks. */
const KEPT = 4;

export function createRecordTimes(trace: Trace): RecordTimes {
  const known = createLru<BlockNumber, BlockTimes>(KEPT);
  let failed: Failure | undefined;
  let last: BlockTimes | undefined;

  function blockTimes(block: BlockNumber): BlockTimes | undefined {
    const found = known.get(block);
    if (found !== undefined) return found;
    const read = timesOfBlock(trace, block);
    if ('code' in read) {
      failed = read;
      return undefined;
    }
    known.set(block, read);
    return read;
  }

  return {
    at(record) {
      if (last === undefined || record < last.first || record >= last.first + last.times.length)
        last = blockTimes(trace.blocks.blockOfRecord(record));
      return last?.times[record - last.first] ?? Number.NaN;
    },
    nextOf(cpu, record) {
      const { blocks } = trace;
      if (record >= blocks.records) return undefined;
      const start = blocks.blockOfRecord(record);
      for (let block = start; block < Math.min(blocks.length, start + 2); block++) {
        const own = blockTimes(block);
        if (own === undefined) return undefined;
        const at = own.cpus.indexOf(cpu, Math.max(0, record - own.first));
        if (at >= 0) return own.times[at]!;
      }
      return undefined;
    },
    failure: () => failed,
  };
}

function timesOfBlock(trace: Trace, block: BlockNumber): BlockTimes | Failure {
  const { blocks } = trace;
  const first = blocks.firstRecord(block);
  const end = block + 1 < blocks.length ? blocks.firstRecord(block + 1) : blocks.records;
  const times = new Float64Array(end - first).fill(Number.NaN);
  const cpus = new Int16Array(end - first).fill(NO_INSTRUCTION);
  const read = visitColumns(trace, block, 0, ({ batch, first: from }) => {
    for (let row = 0; row < batch.count; row++) {
      const at = from + row - first;
      if (at >= times.length) return false;
      if ((batch.flags[row]! & MASK) === 0) times[at] = batch.time[row]!;
      const kind = batch.kind[row]!;
      if (kind === EXECUTED || kind === SKIPPED) cpus[at] = batch.cpu[row]!;
    }
    return true;
  });
  return read.ok ? { first, times, cpus } : read.error;
}
