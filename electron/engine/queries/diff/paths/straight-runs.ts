/**
 * The straight runs of instructions between two branches. Equal ones have the same number, and so have their instructions. Which
 * instructions a run consists of is learnt from the trace once for each address.
 */
import { ABSENT, createAddressMap, type AddressMap } from '../../../collections/address-map.ts';
import { longer } from '../../../collections/columns.ts';
import { RowTable } from '../../../collections/row-table.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import { visitBatches } from '../../records/block-reader.ts';
import { executedIn, isOnPath } from './executed.ts';
import type { Side } from './side.ts';

/** A run as a branch event describes it. Addresses are without the shift of their trace. */
export interface StraightRun {
  fromLow: number;
  fromHigh: number;
  /** The instruction that branched, or at which the run was interrupted; 0 if it is not known. */
  sourceLow: number;
  sourceHigh: number;
  isSourceKnown: boolean;
  instructions: number;
  /** Its records are [from, to). */
  from: RecordNumber;
  to: RecordNumber;
}

export interface RunContents {
  /** Returns how many instructions a run has. */
  lengthOf(run: number): number;
  /** Writes the numbers of the instructions of a run into an array, starting at `at`. */
  copy(run: number, into: Int32Array, at: number): void;
}

export interface StraightRuns extends RunContents {
  /** Returns the number of a run; NO_RUN if it has none, or has to be read. */
  find(run: StraightRun): number;
  /** Gives a run a number, and reads from the trace of its side which instructions it has if that is not known. */
  add(side: Side, run: StraightRun): Result<number>;
}

export function createStraightRuns(): StraightRuns {
  const table = new RowTable(1 << 12);
  /** By row of the table: KEY elements, and the run; NO_RUN if they do not determine its instructions. */
  let keys = new Uint32Array(KEY << 12);
  const runOf: number[] = [];
  /** By run: where its instructions are in `instructions`; one element more: the end. */
  const starts = [0];
  let instructions = new Int32Array(1 << 14);
  let end = 0;
  const numbers = createAddressMap(1 << 12);
  /** Sizes of the instructions that were read so far. */
  const sizes = createAddressMap(1 << 12);
  /** Irregular runs by their instructions, and the run of each row. */
  const contents = new RowTable();
  const runOfContent: number[] = [];
  return {
    find: (run) => {
      const row = rowOf(run);
      return row < 0 ? NO_RUN : runOf[row]!;
    },
    add(side, run) {
      if (rowOf(run) < 0) {
        const isKnown = follow(run);
        const learnt = isKnown ? ok(undefined) : learn(side, sizes, run);
        if (!learnt.ok) return learnt;
        const row = addKey(run);
        if (isKnown || follow(run)) {
          runOf[row] = finish();
          return ok(runOf[row]);
        }
        runOf[row] = NO_RUN;
      }
      return addIrregular(side, run);
    },
    lengthOf: (run) => starts[run + 1]! - starts[run]!,
    copy(run, into, at) {
      for (let k = starts[run]!; k < starts[run + 1]!; k++) into[at++] = instructions[k]!;
    },
  };

  function rowOf(run: StraightRun): number {
    let row = table.first(hashOf(run));
    while (row >= 0 && !isOf(row, run)) row = table.next();
    return row;
  }

  function isOf(row: number, run: StraightRun): boolean {
    const at = row * KEY;
    return (
      keys[at] === run.fromLow &&
      keys[at + 1] === run.sourceLow &&
      keys[at + 2] === run.instructions &&
      keys[at + 3] === run.fromHigh &&
      keys[at + 4] === run.sourceHigh &&
      keys[at + 5] === (run.isSourceKnown ? 1 : 0)
    );
  }

  /** Returns the new row. */
  function addKey(run: StraightRun): number {
    rowOf(run);
    const row = table.add(hashOf(run));
    if (row * KEY === keys.length) {
      const larger = new Uint32Array(2 * keys.length);
      larger.set(keys);
      keys = larger;
    }
    const { fromLow, fromHigh, sourceLow, sourceHigh, isSourceKnown } = run;
    keys.set([fromLow, sourceLow, run.instructions, fromHigh, sourceHigh, isSourceKnown ? 1 : 0], row * KEY);
    return row;
  }

  /** Makes a run of the instructions that were put, and returns its number. */
  function finish(): number {
    starts.push(end);
    return starts.length - 2;
  }

  /** Reads a run from the trace. */
  function addIrregular(side: Side, run: StraightRun): Result<number> {
    const read = executedIn(side, run.from, run.to);
    if (!read.ok) return read;
    const begin = starts.at(-1)!;
    end = begin;
    for (const { address } of read.value) put(Number(address & LOW), Number((address >> 32n) & LOW));
    let hash = 0;
    for (let k = begin; k < end; k++) hash = Math.imul(hash ^ instructions[k]!, 0x2c1b3c6d) ^ (hash >>> 15);
    for (let row = contents.first(hash); row >= 0; row = contents.next())
      if (hasPut(runOfContent[row]!)) return ok(runOfContent[row]!);
    runOfContent[contents.add(hash)] = finish();
    return ok(starts.length - 2);
  }

  /** Returns true if a run has the instructions that were put. */
  function hasPut(run: number): boolean {
    const [begin, length] = [starts.at(-1)!, starts[run + 1]! - starts[run]!];
    if (length !== end - begin) return false;
    for (let k = 0; k < length; k++) if (instructions[starts[run]! + k] !== instructions[begin + k]) return false;
    return true;
  }

  /**
   * Puts the instructions of a run. Returns false if their sizes are not known, or do not lead to the source: an instruction in a delay slot
   * follows that, and one that was interrupted may be in the trace twice. Before a gap no source is known, and each instruction counts once.
   */
  function follow(run: StraightRun): boolean {
    end = starts.at(-1)!;
    let [low, high] = [run.fromLow, run.fromHigh];
    for (let k = 0; k < run.instructions; k++) {
      put(low, high);
      const isLast = k === run.instructions - 1;
      if (run.isSourceKnown ? low === run.sourceLow && high === run.sourceHigh : isLast) return isLast;
      const size = sizes.get(low, high);
      if (size === ABSENT) return false;
      [low, high] = [(low + size) >>> 0, low + size > 0xffffffff ? (high + 1) >>> 0 : high];
    }
    // The source of an interrupt did not run.
    return low === run.sourceLow && high === run.sourceHigh;
  }

  function put(low: number, high: number): void {
    let number = numbers.get(low, high);
    if (number === ABSENT) {
      number = numbers.size;
      numbers.set(low, high, number);
    }
    if (end === instructions.length) instructions = longer(instructions, 2 * end);
    instructions[end++] = number;
  }
}

/** Returned for runs without a number. */
export const NO_RUN = -1;

const LOW = 0xffffffffn;

/** Reads the sizes of the instructions in the batches that have these records. */
function learn({ trace, chunks, shift }: Side, known: AddressMap, { from, to }: StraightRun): Result<undefined> {
  const { blocks } = trace;
  const moved = halvesOf(shift);
  for (let next = from; next < to;) {
    const block = blocks.blockOfRecord(next);
    const read = visitBatches(trace, block, next - blocks.firstRecord(block), ({ batch, first }) => {
      for (let k = 0; k < batch.count; k++) {
        if (!isOnPath(batch.kind[k]!) || batch.cpu[k] !== chunks.cpu) continue;
        const [low, high] = [batch.addressLow[k]!, batch.addressHigh[k]!];
        known.set(lowWithout(low, moved), highWithout(low, high, moved), batch.size[k]!);
      }
      next = first + batch.count;
      return next < to;
    });
    if (!read.ok) return read;
  }
  return ok(undefined);
}

/** Halves of a shift. */
export interface Shift {
  readonly low: number;
  readonly high: number;
}

export function halvesOf(shift: bigint): Shift {
  return { low: Number(shift & LOW), high: Number((shift >> 32n) & LOW) };
}

/** Returns the low half of an address minus a shift. */
export function lowWithout(low: number, shift: Shift): number {
  return (low - shift.low) >>> 0;
}

/** Returns the high half of an address minus a shift. */
export function highWithout(low: number, high: number, shift: Shift): number {
  return (high - shift.high - (low < shift.low ? 1 : 0)) >>> 0;
}

/** Numbers that distinguish a run. */
const KEY = 6;

function hashOf({ fromLow, fromHigh, sourceLow, instructions }: StraightRun): number {
  let hash = Math.imul(fromLow ^ Math.imul(fromHigh, 0x85ebca6b), 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15) ^ sourceLow, 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 13) ^ instructions, 0x297a2d39);
  return hash ^ (hash >>> 16);
}
