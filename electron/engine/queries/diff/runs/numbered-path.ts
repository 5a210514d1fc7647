/**
 * The path of one CPU as chunks of numbered instructions, for comparisons that the chunks in the index cannot answer: some instructions do
 * not count, or those at different addresses are equal. The branches are those of the index; the trace is read only to learn once which
 * instructions a run has. Memory is bounded by the number of chunks, one for about 500 instructions, and of different
 * runs. Chunks begin wherever the last few instructions say so: interrupts divide the same instructions into other runs.
 */
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import { walkLegs, type PathChunks } from '../../../flow/path/path-chunks.ts';
import { mix } from '../../../index/builders/effects/path-places.ts';
import type { Task } from '../../../threads/task.ts';
import type { InstructionNumbers, Side } from '../paths/side.ts';
import { halvesOf, highWithout, lowWithout } from './address-shift.ts';
import { createRunWalk } from './legs.ts';
import type { RunContents } from './run-lists.ts';
import { NO_RUN, type StraightRun, type StraightRuns } from './straight-runs.ts';

/** One in 2 ** MEAN_BITS instructions ends a chunk. */
const MEAN_BITS = 9;
const LONGEST = 2 ** (MEAN_BITS + 3);
/** Bits by which an instruction moves when the next one comes: four instructions decide whether a chunk ends. */
const BITS = 8;

export interface NumberedPath {
  readonly chunks: PathChunks;
  /** Instructions of the CPU that do not count. */
  readonly ignored: number;
  /** Instructions that count and are outside of all symbols. */
  readonly outside: number;
}

/** Returns the path of a side whose instructions are numbered. The chunks that the side has name the CPU only. */
export async function numberedPath(
  side: Side,
  numbers: InstructionNumbers,
  runs: StraightRuns,
  task: Task<FlowProgress>,
): Promise<Result<NumberedPath>> {
  const { trace, shift } = side;
  const { cpu } = side.chunks;
  const { records } = trace.blocks;
  const walk = createRunWalk(side, runs);
  const chunker = createChunker(runs.contents, numbers, shift);
  let hasBegun = false;
  let all = 0;
  const begin = (low: number, high: number, record: number): void => {
    hasBegun = true;
    walk.begin(low, high, record);
  };
  const range = { from: 0, to: records };
  const walked = await walkLegs(trace, range, task, {
    begin(its, low, high, record) {
      if (its === cpu) begin(low, high, record);
    },
    leg(its, leg) {
      if (its !== cpu) return;
      if (!hasBegun) begin(leg.sourceLow, leg.sourceHigh, leg.record);
      all += leg.instructions;
      walk.reach(leg);
      const run = walk.number();
      if (run !== NO_RUN) chunker.add(run, walk.run);
      walk.next(leg);
    },
  });
  if (!walked.ok) return walked;
  const failure = walk.failure();
  if (failure !== undefined) return failure;
  const { counted, outside, ...chunks } = chunker.finish(records);
  return ok({ chunks: { cpu, ...chunks }, ignored: all - counted, outside });
}

function createChunker({ lengthOf, copy }: RunContents, { isOutside }: InstructionNumbers, shift: bigint) {
  const back = halvesOf(-shift);
  const columns = {
    hash: [] as number[],
    other: [] as number[],
    startLow: [] as number[],
    startHigh: [] as number[],
    record: [] as number[],
    skip: [] as number[],
    count: [] as number[],
    marked: [] as number[],
  };
  let isMarked = true;
  let [hash, other, count, recent, outside] = [0, 0, 0, 0, 0];
  let room = new Int32Array(64);

  function cut(): void {
    columns.hash.push(hash >>> 0);
    columns.other.push(other >>> 0);
    columns.count.push(count);
    columns.marked.push(Number(isMarked));
    [hash, other, count] = [0, 0, 0];
  }

  return {
    add(run: number, { from, fromLow, fromHigh }: Readonly<StraightRun>): void {
      const length = lengthOf(run);
      if (length > room.length) room = new Int32Array(2 * length);
      copy(run, room, 0);
      for (let k = 0; k < length; k++) {
        const number = room[k]!;
        if (isOutside(number)) outside++;
        if (count === 0) {
          columns.record.push(from);
          columns.skip.push(k);
          columns.startLow.push(lowWithout(fromLow, back));
          columns.startHigh.push(highWithout(fromLow, fromHigh, back));
        }
        const own = mix(0, number);
        hash = mix(hash, own);
        other = mix(other ^ 0x5bd1e995, Math.imul(own, 0x2c1b3c6d) ^ (own >>> 15));
        recent = ((recent << BITS) + own) | 0;
        const isPlace = recent >>> (32 - MEAN_BITS) === 0;
        if (++count < LONGEST && !isPlace) continue;
        cut();
        isMarked = isPlace;
      }
    },
    finish(end: number) {
      if (count > 0) cut();
      return {
        count: columns.hash.length,
        hash: Uint32Array.from(columns.hash),
        other: Uint32Array.from(columns.other),
        startLow: Uint32Array.from(columns.startLow),
        startHigh: Uint32Array.from(columns.startHigh),
        record: Float64Array.from([...columns.record, end]),
        skip: Uint32Array.from(columns.skip),
        instructions: Uint32Array.from(columns.count),
        marked: Uint8Array.from(columns.marked),
        counted: columns.count.reduce((sum, each) => sum + each, 0),
        outside,
      };
    },
  };
}
