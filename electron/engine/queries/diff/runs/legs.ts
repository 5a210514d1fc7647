/** The executed path between chunks that are aligned, as straight runs or instructions. Read from the branch events of the index. */
import { EVENT } from '../../../../../shared/flow/events.ts';
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import { instructionsIn, walkLegs, type Leg, type PathChunks } from '../../../flow/path/path-chunks.ts';
import type { Task } from '../../../threads/task.ts';
import { placeOfChunk, type Place } from '../paths/path-parts.ts';
import type { Side } from '../paths/side.ts';
import { halvesOf, highWithout, lowWithout } from './address-shift.ts';
import type { RunContents } from './run-lists.ts';
import { NO_RUN, type StraightRun, type StraightRuns } from './straight-runs.ts';

/** Straight runs or single instructions in order. */
export interface Legs {
  readonly count: number;
  /** Equal runs have equal numbers. */
  readonly run: Int32Array;
  /** Each begins after `skip` instructions that count, at or after a record. */
  readonly record: Float64Array;
  readonly skip: Uint32Array;
  /** The place after all of them. */
  readonly end: Place;
}

/** Chunks [from, to). */
export type ChunkRange = readonly [from: number, to: number];

/** Ranges with fewer blocks between them are read in one walk, as beginning another one takes as long. */
const NEAR_BLOCKS = 4;
/** Straight runs for each instruction, in most programs. */
const RUN_SHARE = 0.25;

/**
 * Returns the straight runs of each of these ranges of a side, which are in order; of a side whose instructions are numbered, the
 * instructions.
 */
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
  const found = ranges.map((own) => createLegs(chunks, own, side.numbers === undefined ? RUN_SHARE : 1));
  const walk = createRunWalk(side, runs);
  const add = side.numbers === undefined ? addRun : createInstructions(runs.contents);
  let at = 0;
  const begin = (): void => {
    const [from] = ranges[at]!;
    walk.begin(chunks.startLow[from]!, chunks.startHigh[from]!, chunks.record[from]!);
  };
  begin();
  // The record of a branch is that of the instruction that it led to: the first of the next leg.
  const range = {
    from: walk.run.from + 1,
    to: Math.min(lastBranch(side, ranges.at(-1)![1]) + 1, trace.blocks.records),
  };
  const walked = await walkLegs(trace, range, task, {
    leg(cpu, leg) {
      if (cpu !== chunks.cpu) return;
      const { run } = walk;
      while (at < found.length && isBefore(found[at]!.end, run.from))
        if (++at < found.length && found[at]!.start.record >= run.from) begin();
      if (at === found.length || leg.record <= found[at]!.start.record) return;
      walk.reach(leg);
      // A leg can have the end of one range and the start of the next, since chunks may begin within legs.
      for (let k = at; k < found.length && found[k]!.start.record <= run.from; k++) {
        const number = walk.number();
        if (number !== NO_RUN) add(found[k]!, number, run.from);
      }
      walk.next(leg);
    },
  });
  return walked.ok ? (walk.failure() ?? ok(found)) : walked;
}

/** Returns true if a range ends before a run that begins at a record. */
function isBefore({ record, skip }: Place, from: RecordNumber): boolean {
  return record < from || (record === from && skip === 0);
}

/** Returns a record that no branch before the end of the chunks up to `to` comes after. */
function lastBranch({ chunks: { record, skip, count } }: Side, to: number): RecordNumber {
  let next = to;
  if (skip !== undefined) while (next < count && record[next] === record[to]) next++;
  return record[next]!;
}

function addRun(legs: GrowingLegs, run: number, record: RecordNumber): void {
  addLeg(legs, run, record, 0);
}

/** Returns a function that adds those instructions of a run that are in a range. */
function createInstructions({ lengthOf, copy }: RunContents): typeof addRun {
  let room = new Int32Array(64);
  return (legs, run, record) => {
    const length = lengthOf(run);
    if (length > room.length) room = new Int32Array(2 * length);
    copy(run, room, 0);
    const { start, end } = legs;
    const last = record === end.record ? end.skip : length;
    for (let skip = record === start.record ? start.skip : 0; skip < last; skip++)
      addLeg(legs, room[skip]!, record, skip);
  };
}

/** Follows the path of a side from branch to branch. */
export interface RunWalk {
  /** The run of the last branch, or the next run; only `from` and its address are known of that. Addresses are without the shift. */
  readonly run: Readonly<StraightRun>;
  /** Begins with an instruction at an address of the trace. */
  begin(low: number, high: number, record: RecordNumber): void;
  /** Goes to the end of the straight run before a branch. */
  reach(leg: Leg): void;
  /** Returns the number of this run; NO_RUN if none of its instructions counts, or it cannot be read. */
  number(): number;
  /** Goes on to where the branch led. */
  next(leg: Leg): void;
  /** Returns why a run could not be read. */
  failure(): Result<never> | undefined;
}

export function createRunWalk(side: Side, runs: StraightRuns): RunWalk {
  const shift = halvesOf(side.shift);
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
  let failure: Result<never> | undefined;
  return {
    run,
    begin(low, high, record) {
      run.fromLow = lowWithout(low, shift);
      run.fromHigh = highWithout(low, high, shift);
      run.from = record;
    },
    reach({ record, instructions, sourceLow, sourceHigh, flags }) {
      run.isSourceKnown = (flags & EVENT.source) !== 0;
      run.sourceLow = run.isSourceKnown ? lowWithout(sourceLow, shift) : 0;
      run.sourceHigh = run.isSourceKnown ? highWithout(sourceLow, sourceHigh, shift) : 0;
      run.instructions = instructions;
      run.to = record;
    },
    number() {
      if (run.instructions === 0) return NO_RUN;
      let number = runs.find(run);
      if (number === NO_RUN) {
        const added = runs.add(side, run);
        if (added.ok) number = added.value;
        else failure ??= added;
      }
      return number === NO_RUN || runs.contents.lengthOf(number) === 0 ? NO_RUN : number;
    },
    next({ record, targetLow, targetHigh, flags }) {
      run.from = record;
      if ((flags & EVENT.target) !== 0) {
        run.fromLow = lowWithout(targetLow, shift);
        run.fromHigh = highWithout(targetLow, targetHigh, shift);
      } else if (run.isSourceKnown) [run.fromLow, run.fromHigh] = [run.sourceLow, run.sourceHigh];
    },
    failure: () => failure,
  };
}

export interface GrowingLegs extends Legs {
  readonly start: Place;
  count: number;
  run: Int32Array;
  record: Float64Array;
  skip: Uint32Array;
}

/** Returns no legs, with room for this share of the instructions of chunks. */
export function createLegs(chunks: PathChunks, [from, to]: ChunkRange, share: number): GrowingLegs {
  const columns = legColumns(Math.ceil(share * instructionsIn(chunks, from, to)));
  return { count: 0, ...columns, start: placeOfChunk(chunks, from), end: placeOfChunk(chunks, to) };
}

function legColumns(size: number): Pick<GrowingLegs, 'run' | 'record' | 'skip'> {
  return { run: new Int32Array(size), record: new Float64Array(size), skip: new Uint32Array(size) };
}

/** Adds a leg that begins at a place. */
export function addLeg(legs: GrowingLegs, run: number, record: RecordNumber, skip: number): void {
  const { count } = legs;
  if (count === legs.run.length) {
    const { run: runs, record: records, skip: skips } = legs;
    Object.assign(legs, legColumns(2 * count));
    legs.run.set(runs);
    legs.record.set(records);
    legs.skip.set(skips);
  }
  legs.run[count] = run;
  legs.record[count] = record;
  legs.skip[count] = skip;
  legs.count++;
}
