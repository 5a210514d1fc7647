/** The executed path between chunks that are aligned, as straight runs. Read from the branch events of the index. */
import { EVENT } from '../../../../../shared/flow/events.ts';
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import { walkLegs } from '../../../flow/path/path-chunks.ts';
import type { Task } from '../../../threads/task.ts';
import type { Side } from './side.ts';
import { halvesOf, highWithout, lowWithout, NO_RUN, type StraightRun, type StraightRuns } from './straight-runs.ts';

/** Straight runs in order. */
export interface Legs {
  readonly count: number;
  /** Equal runs have equal numbers. */
  readonly run: Int32Array;
  /** First record of each. */
  readonly record: Float64Array;
  /** The record after all of them. */
  readonly end: RecordNumber;
}

/** Chunks [from, to). */
export type ChunkRange = readonly [from: number, to: number];

/** Ranges with fewer blocks between them are read in one walk, as beginning another one takes as long. */
const NEAR_BLOCKS = 4;

/** Returns the legs of each of these ranges of a side, which are in order. */
export async function legsOf(
  side: Side,
  ranges: readonly ChunkRange[],
  runs: StraightRuns,
  task: Task<FlowProgress>,
): Promise<Result<readonly Legs[]>> {
  const legs: Legs[] = [];
  for (let at = 0; at < ranges.length;) {
    let end = at + 1;
    while (end < ranges.length && isNear(side, ranges[end - 1]!, ranges[end]!)) end++;
    const read = await legsOfNear(side, ranges.slice(at, end), runs, task);
    if (!read.ok) return read;
    legs.push(...read.value);
    at = end;
  }
  return ok(legs);
}

function isNear({ trace: { blocks }, chunks: { record } }: Side, before: ChunkRange, after: ChunkRange): boolean {
  if (record[after[0]]! >= blocks.records) return true;
  return blocks.blockOfRecord(record[after[0]]!) - blocks.blockOfRecord(record[before[1]]!) < NEAR_BLOCKS;
}

async function legsOfNear(
  side: Side,
  ranges: readonly ChunkRange[],
  runs: StraightRuns,
  task: Task<FlowProgress>,
): Promise<Result<readonly Legs[]>> {
  const { trace, chunks } = side;
  const shift = halvesOf(side.shift);
  const found = ranges.map(([from, to]) => createLegs(chunks.record[from]!, chunks.record[to]!));
  const failures: Result<never>[] = [];
  let at = 0;
  const run: StraightRun = {
    fromLow: 0,
    fromHigh: 0,
    sourceLow: 0,
    sourceHigh: 0,
    isSourceKnown: false,
    instructions: 0,
    from: 0,
    to: 0,
  };
  const begin = (): void => {
    const [from] = ranges[at]!;
    const [low, high] = [chunks.startLow[from]!, chunks.startHigh[from]!];
    run.fromLow = lowWithout(low, shift);
    run.fromHigh = highWithout(low, high, shift);
    run.from = chunks.record[from]!;
  };
  begin();
  // The record of a branch is that of the instruction that it led to: the first of the next leg.
  const range = { from: run.from + 1, to: Math.min(found.at(-1)!.end + 1, trace.blocks.records) };
  const walked = await walkLegs(trace, range, task, {
    leg(cpu, { record, instructions, sourceLow, sourceHigh, targetLow, targetHigh, flags }) {
      if (cpu !== chunks.cpu) return;
      while (at < found.length && record > found[at]!.end) if (++at < found.length) begin();
      if (at === found.length || record <= found[at]!.start) return;
      run.isSourceKnown = (flags & EVENT.source) !== 0;
      run.sourceLow = run.isSourceKnown ? lowWithout(sourceLow, shift) : 0;
      run.sourceHigh = run.isSourceKnown ? highWithout(sourceLow, sourceHigh, shift) : 0;
      run.instructions = instructions;
      run.to = record;
      if (instructions > 0) {
        const known = runs.find(run);
        const number = known === NO_RUN ? runs.add(side, run) : undefined;
        if (number?.ok === false) failures.push(number);
        else addLeg(found[at]!, number?.value ?? known, run.from);
      }
      run.from = record;
      if ((flags & EVENT.target) !== 0) {
        run.fromLow = lowWithout(targetLow, shift);
        run.fromHigh = highWithout(targetLow, targetHigh, shift);
      } else if (run.isSourceKnown) [run.fromLow, run.fromHigh] = [run.sourceLow, run.sourceHigh];
    },
  });
  if (!walked.ok) return walked;
  return failures[0] ?? ok(found);
}

export interface GrowingLegs extends Legs {
  /** The first record. */
  readonly start: RecordNumber;
  count: number;
  run: Int32Array;
  record: Float64Array;
}

export function createLegs(start: RecordNumber, end: RecordNumber): GrowingLegs {
  return { count: 0, run: new Int32Array(256), record: new Float64Array(256), start, end };
}

/** Adds a leg that begins at a record. */
export function addLeg(legs: GrowingLegs, run: number, record: RecordNumber): void {
  const { count } = legs;
  if (count === legs.run.length) {
    const [its, records] = [new Int32Array(2 * count), new Float64Array(2 * count)];
    its.set(legs.run);
    records.set(legs.record);
    [legs.run, legs.record] = [its, records];
  }
  legs.run[count] = run;
  legs.record[count] = record;
  legs.count++;
}
