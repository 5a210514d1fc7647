/**
 * Branch events: where each processor left its straight run, in one shape for every format.
 *
 * Messages (BTM, XScale, branch stacks, branch messages of BYU) are events as they stand. Instruction traces have one where the
 * next instruction of a processor is not the one behind the last, and where the last one is a call or a return all the same.
 * A conditional branch that was not taken is no event.
 */
import type { Batch } from './batch.ts';
import type { Window } from './format.ts';

/**
 * What a branch is, by what its instruction says or what it was for. `exception`: the instruction itself caused it (SWI, INT n,
 * undefined, aborts); `interrupt`: from outside; `sequential`: a message without a branch (serialising instructions);
 * `unknown`: the processor went on elsewhere and nothing tells why. A kind's position is its code: append only.
 */
export const BRANCH_KINDS = ['call', 'return', 'jump', 'exception', 'interrupt', 'sequential', 'unknown'] as const;
export type BranchKind = (typeof BRANCH_KINDS)[number];

/** Kind to code, the inverse of BRANCH_KINDS. */
export const BRANCH: Readonly<Record<BranchKind, number>> = Object.fromEntries(
  BRANCH_KINDS.map((kind, code) => [kind, code]),
) as Record<BranchKind, number>;

/** Bits of the `flags` column of events. */
export const EVENT = {
  /** The source columns hold the address of the instruction that branched, or was interrupted. */
  source: 1,
  /** The target columns hold the address that was gone on with. */
  target: 2,
  /** The kind, or an end, was concluded from other events and not read from the instruction or the message. */
  inferred: 4,
  /** Ends are known to 16 bytes only: the low four bits are 0. */
  granular: 8,
  /** The resume columns hold where it goes on when the branch is undone: behind a call, at what an interrupt kept from running. */
  resume: 16,
} as const;

/** Events in the order of their records, as columns. */
export interface Events {
  count: number;
  /** The record with which the target is reached, or that is the message; counted from whatever the reader counts from. */
  record: Float64Array;
  /** Position in BRANCH_KINDS. */
  kind: Uint8Array;
  flags: Uint8Array;
  cpu: Int16Array;
  sourceLow: Uint32Array;
  sourceHigh: Uint32Array;
  targetLow: Uint32Array;
  targetHigh: Uint32Array;
  resumeLow: Uint32Array;
  resumeHigh: Uint32Array;
  /** Operand or code size in bits at the source, where a message tells it; else 0. */
  operandSize: Uint8Array;
  /** Instructions that this cpu executed since its event before, the one at the source included; 0 where the trace does not count them. */
  instructions: Uint32Array;
}

/**
 * Reads the events of a trace from its batches. It is started anywhere in the trace without knowledge of what came before, so
 * that stretches can be read in parallel: what happened between two stretches is read from where the one ended and the other began.
 */
export interface FlowReader {
  /** Reads the next batch in order. `batch.first` counts as the events shall; `batch.placed` is true. */
  add(window: Window, batch: Batch): void;
  /** What was read since the last call; the reader then knows nothing of what came before. The columns are the caller's. */
  finish(): FlowStretch;
}

export interface FlowStretch {
  readonly events: Events;
  /** Of each cpu that executed anything: where it began and ended. Empty for messages, which stand alone. */
  readonly runs: readonly FlowRun[];
}

/** Small, flat, storable. */
export interface FlowRun {
  readonly cpu: number;
  /** The first instruction in the stretch; events of this cpu before it there are none. */
  readonly first: FlowPoint;
  /** The last one, and how many since the last event, it included. */
  readonly last: FlowPoint;
  readonly since: number;
}

/** An executed instruction with all that tells what came of it. */
export interface FlowPoint {
  readonly record: number;
  readonly addressLow: number;
  readonly addressHigh: number;
  readonly size: number;
  /** What kind of branch it is if it is one, by code of BRANCH_KINDS; -1 where it is none. */
  readonly branch: number;
  /** Something that the reader's format needs beside that; 0 where nothing. */
  readonly mark: number;
}

export function createEvents(capacity = 1024): Events {
  return {
    count: 0,
    record: new Float64Array(capacity),
    kind: new Uint8Array(capacity),
    flags: new Uint8Array(capacity),
    cpu: new Int16Array(capacity),
    sourceLow: new Uint32Array(capacity),
    sourceHigh: new Uint32Array(capacity),
    targetLow: new Uint32Array(capacity),
    targetHigh: new Uint32Array(capacity),
    resumeLow: new Uint32Array(capacity),
    resumeHigh: new Uint32Array(capacity),
    operandSize: new Uint8Array(capacity),
    instructions: new Uint32Array(capacity),
  };
}
