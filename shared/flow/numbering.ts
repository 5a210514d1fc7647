/**
 * What the numbers of executed instructions tell of lines that are missing: whether nothing is between two instructions of a cpu.
 *
 * Numbers count the instructions of each cpu, or those of all together. So nothing is missing between two of them where their
 * numbers are one apart, or as far apart as the instructions of all cpus that the trace has in between; the latter only unless some
 * cpu's numbers go on by one across another's instructions.
 */
import type { Batch } from '../records/batch.ts';
import type { FlowNumbers, FlowRun } from './events.ts';
import type { Window } from '../format/format.ts';

/** How a format numbers instructions. */
export interface Numbering {
  /** `exceptions`: those that are taken are counted too. */
  readonly counts: 'instructions' | 'exceptions';
  /** The number of the instruction of a row, or NO_NUMBER. Not asked while times go on by one. */
  numberOf(window: Window, batch: Batch, row: number): number;
}

/** In place of a number. */
export const NO_NUMBER = -1;

/** From an instruction of a cpu to its next one in the trace. */
export interface Step {
  readonly numbers: number;
  readonly places: number;
}

/** Whether one step shows that the instructions of each cpu are counted, or those of all; undefined where it may be either. */
export function countedBy({ numbers, places }: Step): 'each' | 'all' | undefined {
  if (places === 1 || (numbers !== 1 && numbers !== places)) return undefined;
  return numbers === 1 ? 'each' : 'all';
}

/** Whether instructions are missing. `interrupted`: it led to an exception, which may have a number too. */
export function isMissing({ numbers, places }: Step, each: boolean, interrupted: boolean): boolean {
  if (Number.isNaN(numbers)) return false;
  const most = interrupted ? 1 : 0;
  const isOwn = numbers >= 1 && numbers <= 1 + most;
  const isOfAll = !each && numbers >= places && numbers <= places + most;
  return !isOwn && !isOfAll;
}

/** NaN where one of them has none. */
export function stepOf(last: number, lastPlace: number, next: number, nextPlace: number): Step {
  const areKnown = last !== NO_NUMBER && next !== NO_NUMBER;
  return { numbers: areKnown ? next - last : Number.NaN, places: nextPlace - lastPlace };
}

/** The numbers of a run once another stretch, with `all` instructions, has come behind what it was in. */
export function passed(numbers: FlowNumbers, all: number): FlowNumbers {
  return { ...numbers, lastPlace: numbers.lastPlace - all };
}

/** A run of which it is known that the instructions of each cpu are counted. */
export function withEach(run: FlowRun): FlowRun {
  return run.numbers === undefined ? run : { ...run, numbers: { ...run.numbers, each: true } };
}
