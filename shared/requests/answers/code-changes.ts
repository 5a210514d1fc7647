/** The code of two runs as one: functions, and lines that cost more or less. */
import type { CoveredFunction, Share } from './coverage.ts';

/** A function in one run. */
export interface FunctionCode {
  /** How often it was entered, and how many of its instructions ran in all. */
  readonly count: number;
  readonly self: number;
  readonly instructions: Share;
  readonly lines: Share;
}

/** Null if the program of that run does not have it. */
export interface FunctionCodeChange {
  readonly name: string;
  readonly a: FunctionCode | null;
  readonly b: FunctionCode | null;
  /** Number of its compared lines that ran in one run only. */
  readonly onlyA: number;
  readonly onlyB: number;
}

/** A line in one run. The number differs between runs if the source was edited before it. */
export interface LineCode {
  readonly file: string;
  readonly line: number;
  /** Count of its instruction that ran most, and the number of its instructions that ran. */
  readonly count: number;
  readonly self: number;
}

export interface LineCodeChange {
  readonly a: LineCode | null;
  readonly b: LineCode | null;
}

/** Number of compared lines by the runs in which they ran. */
export interface LineTotals {
  readonly both: number;
  readonly onlyA: number;
  readonly onlyB: number;
  readonly neither: number;
  /** Lines of A and of B whose place in the other source is unknown. */
  readonly notComparedA: number;
  readonly notComparedB: number;
}

/** Where a function is in one program. */
export type FunctionPlace = Pick<CoveredFunction, 'address' | 'file' | 'line'>;

export interface PlacedChange extends FunctionCodeChange {
  /** Absent if the program of that run does not have it. */
  readonly placeA?: FunctionPlace;
  readonly placeB?: FunctionPlace;
}

export interface CodeDifference {
  /** Addresses of B minus those of A, in decimal. */
  readonly shift: string;
  readonly functions: readonly PlacedChange[];
  /** Lines with another count or cost, the greatest change of the cost first. */
  readonly lines: readonly LineCodeChange[];
  /** Number of such lines that are omitted. */
  readonly left: number;
  readonly totals: LineTotals;
  /** Sentences about what is not compared or uncertain. */
  readonly notes: readonly string[];
}
