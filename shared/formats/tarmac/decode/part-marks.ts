/**
 * Marks the parts of batches while they are decoded (`Batch.parts`): the decoder's state before each, and the fingerprint of its set of
 * instructions and registers. A fingerprint is the exclusive or of a hash of each member, which counts once however often it occurs.
 */
import { PART_RECORDS, type Batch } from '../../../records/batch.ts';

/** Different seeds give hashes that are independent of one another. */
export const FIRST_SEED = 0x3c6ef372;
export const SECOND_SEED = 0x5bd1e995;

/** Distinguishes an instruction that did not execute. */
const SKIPPED_SEED = 0x2f0b4c47;

export interface PartMarks {
  /** Changes with every part: members that were seen in the current part have this stamp. */
  stamp: number;
  /** Takes the next batch. Does not mark it if it has rows already. */
  begin(batch: Batch): void;
  /**
   * Says that row `row` is read next, and returns the row at which the next part begins.
   * @param cpu the state of the decoder (START_QEMU)
   */
  enter(row: number, cpu: number, rest: number): number;
  /** Adds an instruction by the hashes of its address and opcode. */
  addInstruction(first: number, second: number, executed: boolean): void;
  /** Adds the register bytes[from, to). */
  addRegister(bytes: Uint8Array, from: number, to: number): void;
  /** Says that the part has members that cannot be added. */
  spoil(): void;
  end(): void;
}

export function createPartMarks(): PartMarks {
  let parts: Batch['parts'] = [];
  let isMarking = false;
  let first = 0;
  let second = 0;
  let isKnown = true;
  const marks: PartMarks = {
    stamp: 0,
    begin(batch) {
      parts = batch.parts;
      isMarking = batch.count === 0;
      start();
    },
    enter(row, cpu, rest) {
      const end = (Math.floor(row / PART_RECORDS) + 1) * PART_RECORDS;
      if (!isMarking || parts.length * PART_RECORDS >= end) return end;
      close();
      // A part whose first row was not announced cannot be started at.
      while ((parts.length + 1) * PART_RECORDS < end) parts.push({ state: undefined, first: 0, second: 0 });
      parts.push({ state: row % PART_RECORDS === 0 ? { cpu, rest } : undefined, first: 0, second: 0 });
      return end;
    },
    addInstruction(one, other, executed) {
      first ^= executed ? one : mixed(one ^ SKIPPED_SEED);
      second ^= executed ? other : mixed(other ^ SKIPPED_SEED);
    },
    addRegister(bytes, from, to) {
      first ^= hashBytes(bytes, from, to, FIRST_SEED, -1);
      second ^= hashBytes(bytes, from, to, SECOND_SEED, -1);
    },
    spoil() {
      isKnown = false;
    },
    end: close,
  };
  return marks;

  function start(): void {
    marks.stamp = (marks.stamp + 1) | 0;
    first = second = 0;
    isKnown = true;
  }

  function close(): void {
    const last = parts.at(-1);
    if (isMarking && last !== undefined && isKnown) {
      last.first = first;
      last.second = second;
    }
    start();
  }
}

/** Returns a signed hash of two words and of bytes[from, to). */
export function hashBytes(bytes: Uint8Array, from: number, to: number, low: number, high: number): number {
  let hash = mixed(mixed(low) + high);
  for (let at = from; at < to; at++) hash = mixed(Math.imul(hash ^ bytes[at]!, 0x01000193));
  return mixed(hash ^ (to - from));
}

/** The finalizer of MurmurHash3: each bit of the word changes half of the result. */
function mixed(word: number): number {
  let hash = word ^ (word >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
