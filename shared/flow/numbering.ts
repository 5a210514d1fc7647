/**
 * Detects missing instructions by their numbers in the trace.
 *
 * Numbers count the instructions of each cpu, or of all cpus together. So nothing is missing between two instructions of a cpu if their
 * numbers differ by one, or by the number of instructions of all cpus between them. The second rule does not apply if the numbers of some
 * cpu continue by one across instructions of another cpu.
 */
import type { Batch } from '../records/batch.ts';
import type { FlowNumbers, FlowRun } from './events.ts';
import type { Window } from '../format/format.ts';

/** Numbering of instructions in a format. */
export interface Numbering {
  /** `exceptions`: exceptions that are taken are counted too. */
  readonly counts: 'instructions' | 'exceptions';
  /** Returns the number of a row's instruction, or NO_NUMBER. Not called while times increase by one. */
  numberOf(window: Window, batch: Batch, row: number): number;
}

/** Sentinel for a missing number. */
export const NO_NUMBER = -1;

/** Differences from an instruction of a cpu to its next one in the trace. */
export interface Step {
  readonly numbers: number;
  readonly places: number;
}

/** Returns whether a step proves that instructions are counted per cpu or for all cpus; undefined if it proves neither. */
export function countedBy({ numbers, places }: Step): 'each' | 'all' | undefined {
  if (places === 1 || (numbers !== 1 && numbers !== places)) return undefined;
  return numbers === 1 ? 'each' : 'all';
}

/** Returns true if instructions are missing. `interrupted`: the step led to an exception, which may have a number too. */
export function isMissing({ numbers, places }: Step, each: boolean, interrupted: boolean): boolean {
  if (Number.isNaN(numbers)) return false;
  const most = interrupted ? 1 : 0;
  const isOwn = numbers >= 1 && numbers <= 1 + most;
  const isOfAll = !each && numbers >= places && numbers <= places + most;
  return !isOwn && !isOfAll;
}

/** Returns the step between two instructions; its `numbers` is NaN if one has no number. */
export function stepOf(last: number, lastPlace: number, next: number, nextPlace: number): Step {
  const areKnown = last !== NO_NUMBER && next !== NO_NUMBER;
  return { numbers: areKnown ? next - last : Number.NaN, places: nextPlace - lastPlace };
}

/** Returns the numbers of a run after another stretch, with `all` instructions, has followed. */
export function passed(numbers: FlowNumbers, all: number): FlowNumbers {
  return { ...numbers, lastPlace: numbers.lastPlace - all };
}

/** Returns the run, marked as one whose instructions are counted per cpu. */
export function withEach(run: FlowRun): FlowRun {
  return run.numbers === undefined ? run : { ...run, numbers: { ...run.numbers, each: true } };
}
