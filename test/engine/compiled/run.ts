/** One run of a program on a simulated processor: every instruction, the target of each branch, and each interrupt. */
import type { BranchKind } from '../../../shared/flow/events.ts';

export interface Ran {
  readonly address: number;
  /** Size in bytes. */
  readonly size: number;
  /** 0 if instructions have different lengths. */
  readonly opcode: number;
  readonly thumb: boolean;
  /** False if its condition failed. */
  readonly executed: boolean;
  /** Processor mode as traces print it; empty if it has none. */
  readonly mode: string;
  /** Stack pointer after the instruction. */
  readonly sp: number;
  /** Absent if execution continued right after it without a branch. */
  readonly branch?: Branch;
  /** Accesses to data in memory, in order; absent if the processor does not report them. */
  readonly accesses?: readonly Access[];
  /** Registers whose visible value changed since the instruction before, as traces name them. */
  readonly changes?: readonly (readonly [register: string, value: number])[];
  /** Interrupts and exceptions between the previous instruction and this one, in order. */
  readonly interruptions: readonly Interruption[];
}

export interface Access {
  readonly way: 'read' | 'write';
  readonly address: number;
  readonly size: 1 | 2 | 4;
  readonly value: number;
}

export interface Branch {
  /** Kind as the instruction alone shows it. */
  readonly kind: BranchKind;
  readonly target: number;
  /** Return address of a call or an exception. */
  readonly resume?: number;
  /** True if the instruction encodes the target. */
  readonly direct: boolean;
  /** True if the program counter was loaded from memory. */
  readonly loads?: boolean;
  /** True for an exception that kept the instruction from having its effect. */
  readonly aborts?: boolean;
  /** True if it ends an exception or interrupt. */
  readonly ends?: boolean;
}

export interface Interruption {
  /** Address of the next instruction, which has not run yet. */
  readonly source: number;
  readonly target: number;
  readonly resume: number;
}

/** A branch as a trace shows it. */
export interface TracedBranch {
  /** Index of the instruction that it reaches. */
  readonly at: number;
  readonly kind: BranchKind;
  readonly source: number;
  readonly target: number;
}

export function textOf({ kind, source, target }: TracedBranch): string {
  return `${kind} 0x${source.toString(16)} 0x${target.toString(16)}`;
}

export interface Run {
  readonly ran: readonly Ran[];
  /** Result of the program. */
  readonly answer: number;
}

export type Interrupts = (before: Ran | undefined, next: number) => number | undefined;

export interface Program {
  /** Memory starting at 0. */
  readonly image: Uint8Array;
  readonly start: number;
  /** Address at which the program stays when it is done. */
  readonly finished: number;
  /**
   * Returns the handler's address if an interrupt comes before the next instruction, or else undefined; called only if one would be
   * accepted. `before`: the instruction just executed; `next`: the address of the next one.
   */
  readonly interrupt: Interrupts;
  /** Handlers are interrupted too, but neither before their first instruction nor right after their return. */
  readonly nests?: boolean;
}

/** More than any of the programs needs. */
export const MOST_INSTRUCTIONS = 400_000;
