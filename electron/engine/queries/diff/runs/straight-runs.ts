/**
 * The straight runs of instructions between two branches. Equal ones have the same number, and so have their instructions. Which
 * instructions a run consists of is learnt from the trace once for each address.
 */
import { ABSENT, createAddressMap, type AddressMap } from '../../../collections/address-map.ts';
import { RowTable } from '../../../collections/row-table.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import { visitBatches } from '../../records/block-reader.ts';
import type { IgnoredCode } from '../ignored/ignored-code.ts';
import { executedIn, isOnPath } from '../paths/executed.ts';
import type { Side } from '../paths/side.ts';
import { addressNumbers } from '../symbols/address-numbers.ts';
import { halvesOf, highWithout, lowWithout } from './address-shift.ts';
import type { RunContents, RunLists } from './run-lists.ts';

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

export interface StraightRuns {
  /** The instructions of the runs. */
  readonly contents: RunContents;
  /** Returns the number of a run; NO_RUN if it has none, or has to be read. */
  find(run: StraightRun): number;
  /** Gives a run a number, and reads from the trace of its side which instructions it has if that is not known. */
  add(side: Side, run: StraightRun): Result<number>;
}

/** @param side either one if runs are compared by their addresses: both sides have the same then */
export function createStraightRuns(lists: RunLists, side: Side): StraightRuns {
  const table = new RowTable(1 << 12);
  /** By row of the table: KEY elements, and the run; NO_RUN if they do not determine its instructions. */
  let keys = new Uint32Array(KEY << 12);
  const runOf: number[] = [];
  const { numberOf, isIgnored, ignoredIn } = instructionsOf(side);
  const nothing = lists.add([]);
  /** Sizes of the instructions that were read so far. */
  const sizes = createAddressMap(1 << 12);
  /** The instructions of the run that is followed. */
  const put: number[] = [];
  return {
    contents: lists,
    find(run) {
      const ignored = ignoredIn?.(run.from, run.to) ?? 'none';
      if (ignored !== 'none') return ignored === 'all' ? nothing : NO_RUN;
      const row = rowOf(run);
      return row < 0 ? NO_RUN : runOf[row]!;
    },
    add(side, run) {
      if (ignoredIn?.(run.from, run.to) === 'some') return read(side, run);
      if (rowOf(run) < 0) {
        const isKnown = follow(run);
        const learnt = isKnown ? ok(undefined) : learn(side, sizes, run);
        if (!learnt.ok) return learnt;
        const row = addKey(run);
        runOf[row] = isKnown || follow(run) ? lists.add(put) : NO_RUN;
        if (runOf[row] !== NO_RUN) return ok(runOf[row]);
      }
      return read(side, run);
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

  /** Reads a run from the trace. */
  function read(side: Side, run: StraightRun): Result<number> {
    const found = executedIn(side, run.from, run.to);
    if (!found.ok) return found;
    return ok(
      lists.add(found.value.map(({ address }) => numberOf(Number(address & LOW), Number((address >> 32n) & LOW)))),
    );
  }

  /**
   * Puts the instructions of a run. Returns false if their sizes are not known, or do not lead to the source: an instruction in a delay slot
   * follows that, and one that was interrupted may be in the trace twice. Before a gap no source is known, and each instruction counts once.
   */
  function follow(run: StraightRun): boolean {
    put.length = 0;
    let [low, high] = [run.fromLow, run.fromHigh];
    for (let k = 0; k < run.instructions; k++) {
      if (!isIgnored(low, high)) put.push(numberOf(low, high));
      const isLast = k === run.instructions - 1;
      if (run.isSourceKnown ? low === run.sourceLow && high === run.sourceHigh : isLast) return isLast;
      const size = sizes.get(low, high);
      if (size === ABSENT) return false;
      [low, high] = [(low + size) >>> 0, low + size > 0xffffffff ? (high + 1) >>> 0 : high];
    }
    // The source of an interrupt did not run.
    return low === run.sourceLow && high === run.sourceHigh;
  }
}

/** How the instructions of a run are numbered, and which of them do not count. Addresses are without the shift of their trace. */
interface RunInstructions {
  numberOf(low: number, high: number): number;
  /** Returns true for an instruction that does not count wherever it is in the trace. */
  isIgnored(low: number, high: number): boolean;
  /** Undefined if nothing is ignored. */
  readonly ignoredIn: IgnoredCode['ignoredIn'] | undefined;
}

function instructionsOf({ numbers = addressNumbers([0n, 0n])[0], shift, ignored }: Side): RunInstructions {
  const back = halvesOf(-shift);
  return {
    numberOf: (low, high) => numbers.of(lowWithout(low, back), highWithout(low, high, back)),
    isIgnored: (low, high) => ignored?.hasAddress(lowWithout(low, back), highWithout(low, high, back)) === true,
    ignoredIn: ignored?.ignoredIn,
  };
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

/** Numbers that distinguish a run. */
const KEY = 6;

function hashOf({ fromLow, fromHigh, sourceLow, instructions }: StraightRun): number {
  let hash = Math.imul(fromLow ^ Math.imul(fromHigh, 0x85ebca6b), 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15) ^ sourceLow, 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 13) ^ instructions, 0x297a2d39);
  return hash ^ (hash >>> 16);
}
