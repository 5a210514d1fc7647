/** The code of a program by its cost: how many instructions of each function, line and address ran, or the time that they took. */
import type { Reach } from '../trace.ts';
import type { Hex } from '../../base/units.ts';

/** A function of which an instruction ran. */
export interface FunctionCost {
  readonly name: string;
  /** Raw name, if it differs. */
  readonly symbol?: string;
  readonly address: Hex;
  /** The line of its first instruction. */
  readonly file?: string;
  readonly line?: number;
  /** Cost of its instructions that ran, without those of functions that it called. */
  readonly self: number;
  /** How often control came to its first instruction. */
  readonly count: number;
}

/** The instructions of one function that are of one line; with inlined code, a line of another file too. */
export interface LineCostIn {
  /** Absent for instructions without a line. */
  readonly file?: string;
  readonly line?: number;
  readonly self: number;
  /** Count of its instruction that ran most. */
  readonly count: number;
  /** Those that ran, by address. */
  readonly instructions: readonly InstructionCostIn[];
}

export interface InstructionCostIn {
  readonly address: Hex;
  /** Absent if it cannot be disassembled. */
  readonly text?: string;
  readonly self: number;
  readonly count: number;
}

export interface CodeCosts {
  /** Unit of costs: `instructions`, or that of the times. */
  readonly unit: string;
  /** Cost of all instructions that ran, of code outside of functions too: a share of 100 %. */
  readonly cost: number;
  /** Most expensive first. */
  readonly functions: readonly FunctionCost[];
  /** Lines of the functions that the question opens, the most expensive first. */
  readonly opened: readonly {
    readonly address: Hex;
    readonly lines: readonly LineCostIn[];
    /** Number of instructions that are omitted. */
    readonly left: number;
  }[];
  /** Sentences about uncertainty and omissions. */
  readonly notes: readonly string[];
  readonly reach: Reach;
}
