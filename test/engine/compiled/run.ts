/** What a processor did that the tests run a program on: every instruction, where each branch led, and what interrupted it. */
import type { BranchKind } from '../../../shared/flow/events.ts';

export interface Ran {
  readonly address: number;
  /** Bytes. */
  readonly size: number;
  /** 0 where the instruction set has instructions of many lengths. */
  readonly opcode: number;
  readonly thumb: boolean;
  /** False where its condition failed. */
  readonly executed: boolean;
  /** Of the processor, as traces print it; empty where it has none. */
  readonly mode: string;
  /** The stack pointer behind it. */
  readonly sp: number;
  /** Absent where what ran next lies right behind it and nothing branched. */
  readonly branch?: Branch;
  /** What came between the instruction before and this one, in this order. */
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
  /** Of an exception: it kept the instruction from having its effect. */
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
  /** What the program answered. */
  readonly answer: number;
}

export type Interrupts = (before: Ran | undefined, next: number) => number | undefined;

export interface Program {
  /** Memory from 0 on. */
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
