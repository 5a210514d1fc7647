/** The code of a program that ran, with counts, and the code that never did. */
import type { Reach } from '../trace.ts';
import type { Hex } from '../../base/units.ts';

/** Contents of an answer: functions only, or also lines, or also instructions. Its totals are over all code. */
export const COVERAGE_LEVELS = ['function', 'line', 'instruction'] as const;
export type CoverageLevel = (typeof COVERAGE_LEVELS)[number];

/** The instructions of the functions of all images, and others that ran. Rows are sorted by address. */
export interface InstructionCounts {
  readonly addresses: readonly Hex[];
  /** In bytes. */
  readonly sizes: readonly number[];
  /** How often control came to the instruction. A conditional instruction that was skipped counts, too. */
  readonly counts: readonly number[];
  /**
   * How often the instruction was skipped, because its condition failed; null if the instruction has no condition of its own, or if the trace
   * does not show it.
   */
  readonly skipped: readonly (number | null)[];
  /** Per row: what it is. */
  readonly kinds: readonly InstructionSort[];
  /** Of branches: how often it branched, and how often the next instruction followed; null for other instructions. */
  readonly taken: readonly (number | null)[];
  readonly notTaken: readonly (number | null)[];
  /** Index in `lines`, or -1. */
  readonly lines: readonly number[];
  /** Index in `functions`, or -1. */
  readonly functions: readonly number[];
  /** Disassembly, if the question asks for it; empty for an instruction without. */
  readonly texts?: readonly string[];
  /** Per row: a sum of COUNTED (shared/coverage/parts.ts). Absent if everything counts, as in all answers of the engine. */
  readonly parts?: readonly number[];
}

/** A conditional branch has two ways out; another branch has one. */
export const INSTRUCTION_SORTS = ['plain', 'conditional', 'branch', 'conditional-branch'] as const;
export type InstructionSort = (typeof INSTRUCTION_SORTS)[number];

export interface CoveredLine {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** The largest count of its instructions, that of the one with the lowest address, and the sum of all. */
  readonly most: number;
  readonly first: number;
  readonly sum: number;
  /** The line does not count, because another run executed an instruction of it. Absent in all answers of the engine. */
  readonly left?: true;
}

export interface CoveredFunction {
  readonly name: string;
  /** Raw name, if it differs. */
  readonly symbol?: string;
  readonly address: Hex;
  /** How often control came to its first instruction. */
  readonly count: number;
  readonly instructions: Share;
  /** Lines of which it has an instruction. */
  readonly lines: Share;
  /** Ways out of its conditional branches: two of each. */
  readonly branches: Share;
  /** The line of its first instruction. */
  readonly file?: string;
  readonly line?: number;
}

/** How many of some things ran. */
export interface Share {
  readonly covered: number;
  readonly total: number;
}

export interface Coverage {
  /** Sorted by address. Without rows unless the question is about the level of instructions. */
  readonly instructions: InstructionCounts;
  /** Sorted by file and line. Empty if the question is about the level of functions. */
  readonly lines: readonly CoveredLine[];
  /** Sorted by address. */
  readonly functions: readonly CoveredFunction[];
  readonly totals: {
    readonly functions: Share;
    readonly lines: Share;
    readonly instructions: Share;
    readonly branches: Share;
    /** Outcomes of conditional instructions that are no branches: executed, and skipped. Absent if the trace does not show them. */
    readonly conditions?: Share;
  };
  /** Number of instructions that ran: the sum of all counts. */
  readonly executed: number;
  /** Sentences about uncertainty and omissions. */
  readonly notes: readonly string[];
  readonly reach: Reach;
}
