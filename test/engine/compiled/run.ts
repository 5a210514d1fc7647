/** One run of a program on a simulated processor: every instruction, the target of each branch, and each interrupt. */
import type { BranchKind } from '../../../shared/flow/events.ts';

export interface Ran {
  readonly address: number;
  /** Bytes. */
  readonly size: number;
  /** 0 if the instruction set has instructions of many lengths. */
  readonly opcode: number;
  readonly thumb: boolean;
  /** False if its condition failed. */
  readonly executed: boolean;
  /** Mode of the processor, as traces print it; empty if it has none. */
  readonly mode: string;
  /** The stack pointer behind it. */
  readonly sp: number;
  /** Absent if what ran next lies right behind it and nothing branched. */
  readonly branch?: Branch;
  /** Interrupts and exceptions between the previous instruction and this one, in order. */
  readonly interruptions: readonly Interruption[];
}

export interface Branch {
  /** By the instruction alone. */
  readonly kind: BranchKind;
  readonly target: number;
  /** Where a call or an exception goes on when it is done. */
  readonly resume?: number;
  /** The target stands in the instruction. */
  readonly direct: boolean;
  /** The program counter was loaded from memory. */
  readonly loads?: boolean;
  /** True for an exception that kept the instruction from having its effect. */
  readonly aborts?: boolean;
  /** Ends an exception or interrupt. */
  readonly ends?: boolean;
}

export interface Interruption {
  /** The instruction that did not run yet. */
  readonly source: number;
  readonly target: number;
  readonly resume: number;
}

/** A branch as a trace shows it. */
export interface TracedBranch {
  /** The instruction that it reaches, counted from 0. */
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
  /** Where it stays when it is done. */
  readonly finished: number;
  /**
   * Whether an interrupt comes before the next instruction, asked only where one would be taken: where it leads, or undefined.
   * `before`: what ran before; `next`: the address of what runs next.
   */
  readonly interrupt: Interrupts;
  /** Handlers are interrupted too, but neither before their first instruction nor right behind it. */
  readonly nests?: boolean;
}

/** More than any of the programs needs. */
export const MOST_INSTRUCTIONS = 400_000;
