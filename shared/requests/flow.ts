/** What the calls about program flow are asked and answer (see Requests in requests.ts): branches, call graph, call tree, stack, captures. */
import type { BranchKind } from '../flow/events.ts';
import type { OfTrace, Reach } from './trace.ts';
import type { Hex, RecordNumber } from '../base/units.ts';

/** Failure code of a question about the flow of a trace that tells nothing of it, and never will. */
export const NO_FLOW = 'no-flow';

/** The note of call stacks and of calls in time that can never be told, with an image or without one. */
export const AGAINST_TIME = 'Records of this trace run against time: which calls were open at one of them is not told.';

/** Records [from, to); all that is indexed where left out. */
export interface FlowRange extends OfTrace {
  readonly from?: RecordNumber;
  readonly to?: RecordNumber;
}

/** The first record that is not looked through yet, of those that will be. */
export interface FlowProgress {
  readonly at: RecordNumber;
  readonly to: RecordNumber;
}

/** All branches of one kind with the same ends; an end that is not known is left out. Most frequent first. */
export interface BranchEdge {
  readonly source?: Hex;
  readonly target?: Hex;
  readonly kind: BranchKind;
  readonly count: number;
  readonly inferred: boolean;
  readonly first: RecordNumber;
  readonly last: RecordNumber;
  readonly sourceSymbol?: string;
  readonly targetSymbol?: string;
  /** Marks, such as `granular`. */
  readonly flags?: readonly string[];
}

export interface BranchesArguments extends FlowRange {
  /** Only edges of these kinds. */
  readonly kinds?: readonly BranchKind[];
  /** Edges at most: the most frequent ones; 200,000 by default, which is the most that are answered. */
  readonly most?: number;
}

export interface Branches {
  readonly edges: readonly BranchEdge[];
  /** Edges that were left out because there are more than were asked for, or can be told apart in memory, and their branches. */
  readonly left?: { readonly edges: number; readonly count: number };
  /** All there is of each kind, whichever were asked for; of edges that can be told apart. */
  readonly kinds: readonly { readonly kind: BranchKind; readonly edges: number; readonly count: number }[];
  readonly reach: Reach;
}

export interface BranchEvent {
  readonly n: RecordNumber;
  readonly source?: Hex;
  readonly target?: Hex;
  readonly kind: BranchKind;
  readonly inferred: boolean;
  readonly operandSize?: number;
  readonly cpu?: number;
  readonly sourceSymbol?: string;
  readonly targetSymbol?: string;
  readonly flags?: readonly string[];
}

export interface BranchEventsArguments extends FlowRange {
  /** At most so many, and at most 10,000. */
  readonly count: number;
  readonly kinds?: readonly BranchKind[];
  /** Only those with this end; null: where it is not known. */
  readonly source?: Hex | null;
  readonly target?: Hex | null;
  /** Newest first, from the end of the range. */
  readonly backwards?: boolean;
}

export interface BranchEvents {
  readonly events: readonly BranchEvent[];
  /** Where to go on: the next `from`, or backwards the next `to`; null where there are no more. */
  readonly next: RecordNumber | null;
  readonly reach: Reach;
}

/** Identifies a function within an answer: its entry address, or what stands for it where that is not known. */
export type FunctionId = string;

export interface CallFunction {
  readonly id: FunctionId;
  /** Symbol, else the entry address, else what is known: `interrupt 0x18`. */
  readonly name: string;
  readonly address?: Hex;
  /** Other symbols of the same address. */
  readonly aliases: readonly string[];
  /** How often it was called; entered by tail calls included. */
  readonly calls: number;
  /**
   * Instructions where the trace counts them, else branches: in the function itself, and with all that it called (recursion
   * once). Of a range those of the straight runs that end in it.
   */
  readonly self: number;
  readonly total: number;
}

export interface CallEdge {
  readonly caller: FunctionId;
  readonly callee: FunctionId;
  readonly count: number;
  readonly inferred: boolean;
  /** `call`, `tail call`, `interrupt`, `exception`, or `unknown`: a call or a software interrupt. */
  readonly kind: string;
  /** Of the calls; where `unseen` of the returns. */
  readonly first: RecordNumber;
  readonly last: RecordNumber;
  /** Returns alone tell of it: the calls were made before the trace, or in a gap of it, and are no records. */
  readonly unseen?: true;
}

export interface CallGraph {
  /**
   * From what calls are known: `instructions`, `branch messages with image`, `branch messages matched by return addresses` ...,
   * `neither instructions nor branches` where nothing in the whole trace tells of any.
   */
  readonly evidence: string;
  /** What `self` and `total` count. */
  readonly unit: 'instructions' | 'branches';
  readonly functions: readonly CallFunction[];
  readonly edges: readonly CallEdge[];
  /** Of the deepest stack, the outermost function known being 0; `calls`: without frames of interrupts and exceptions. */
  readonly depth: { readonly max: number; readonly calls: number };
  /** Sentences: what is not certain, what was left out, where the stack was lost. */
  readonly notes: readonly string[];
  readonly reach: Reach;
}

export interface CallTreeArguments extends FlowRange {
  /** Only nodes at most so far below the roots. */
  readonly depth?: number;
}

export interface CallTreeNode {
  readonly function: string;
  readonly id: FunctionId;
  readonly calls: number;
  readonly self: number;
  readonly total: number;
  readonly first: RecordNumber;
  readonly children: readonly CallTreeNode[];
  /** Children that were left out by `depth`. */
  readonly cut?: number;
}

export interface CallTree {
  readonly roots: readonly CallTreeNode[];
  readonly unit: 'instructions' | 'branches';
  readonly notes: readonly string[];
  readonly reach: Reach;
}

export interface CallSpansArguments extends FlowRange {
  /** Calls shorter than one of so many parts of the range are left out; 2000 by default. */
  readonly columns?: number;
  /** Only of this cpu; of the first one that is seen by default. */
  readonly cpu?: number;
}

/** A call, in time: what the flame graph in time order shows. */
export interface CallSpan {
  readonly function: string;
  readonly id: FunctionId;
  readonly depth: number;
  /** The record at which it is entered, and the one that is first behind it; cut to the range. */
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  /** Where it began, if that lies before the range: a record, or null where that is not in the trace. */
  readonly since?: RecordNumber | null;
}

/** In the order in which calls end, callers behind what they called. */
export interface CallSpans {
  readonly spans: readonly CallSpan[];
  readonly cpu?: number;
  readonly cpus: readonly number[];
  /** True where short calls were left out. */
  readonly coarse: boolean;
  /** Sentences: why there are none. */
  readonly notes: readonly string[];
  readonly reach: Reach;
}

export interface StackFrame {
  readonly function: string;
  readonly id: FunctionId;
  /** The function's entry. */
  readonly address?: Hex;
  /** The record with which it was entered; absent where that lies before the trace. */
  readonly since?: RecordNumber;
  /** The address of the instruction that called; of a Pentium's branch trace messages that of its u pipe, which may be the one before. */
  readonly site?: Hex;
  readonly siteSymbol?: string;
  readonly inferred?: boolean;
  /** `interrupt` or `exception` where it was entered by one. */
  readonly entered?: string;
}

export interface CallStack {
  readonly cpu?: number;
  /** Innermost first. */
  readonly frames: readonly StackFrame[];
  readonly notes: readonly string[];
  readonly reach: Reach;
}

export interface CallStackArguments extends OfTrace {
  /** Once this record has taken effect. */
  readonly at: RecordNumber;
  /** That of the record by default. */
  readonly cpu?: number;
}

/** Where a step leads, on the cpu of the record. */
export interface Step {
  /** An instruction, or a branch message; null where the trace ends before. */
  readonly n: RecordNumber | null;
  readonly reach: Reach;
}

/** The next or previous call of an edge, as `calls` tells it from others between the same functions. */
export interface NextCallArguments extends OfTrace, Pick<CallEdge, 'caller' | 'callee' | 'kind' | 'inferred'> {
  /** `next`: the first record n > at; `previous`: the last one n < at. */
  readonly at: RecordNumber;
  readonly direction: 'next' | 'previous';
}

export interface NextCall {
  /** The record with which the function was entered; null where there is none. */
  readonly n: RecordNumber | null;
  readonly reach: Reach;
}

/** The records [from, from + count), at most 10,000. */
export interface DepthsArguments extends OfTrace {
  readonly from: RecordNumber;
  readonly count: number;
}

/** How many calls each cpu is in, interrupts and exceptions included; the outermost function known has the depth 0. */
export interface Depths {
  /** Before the first record. */
  readonly start: readonly { readonly cpu?: number; readonly depth: number; readonly inferred?: boolean }[];
  /**
   * From record `n` on, in order. `enters`: a call, an exception or an interrupt led there. `inferred`: whether one of the calls is
   * open was concluded.
   */
  readonly changes: readonly {
    readonly n: RecordNumber;
    readonly cpu?: number;
    readonly depth: number;
    readonly inferred?: boolean;
    readonly enters: boolean;
  }[];
  readonly reach: Reach;
}

/** The records [from, from + count), at most 10,000. */
export interface BetweenArguments extends OfTrace {
  readonly from: RecordNumber;
  readonly count: number;
}

export interface RanInstruction extends FlowPlace {
  readonly address: Hex;
}

/** For branch messages: what ran since the message before, as far as an image proves it. Others are left out. */
export interface Between {
  readonly runs: readonly {
    readonly n: RecordNumber;
    /** In the order in which they ran, the branch itself last. */
    readonly instructions: readonly RanInstruction[];
    /** So many before them are left out. */
    readonly left?: number;
    /** These are only the beginning, or none: why the others that ran behind them are not known. Absent where these are all. */
    readonly unknown?: string;
  }[];
  readonly reach: Reach;
}

export const STEPS = ['over', 'out', 'back over', 'back out'] as const;
export type StepKind = (typeof STEPS)[number];

export interface StepArguments extends OfTrace {
  readonly at: RecordNumber;
  readonly step: StepKind;
}

export interface Capture {
  readonly capture: number;
  readonly bytes: number;
  readonly entries: number;
  readonly wrapped: boolean;
  readonly checkpoints: readonly Hex[];
  /** The first entry from which on addresses are known; null where none is. */
  readonly firstKnownEntry: number | null;
  readonly diagnostics: readonly { readonly code: string; readonly count: number }[];
  /** Absent where it has no records. */
  readonly firstRecord?: RecordNumber;
}

export interface Captures {
  readonly captures: readonly Capture[];
  /** The number to go on from; null where there are no more. */
  readonly next: number | null;
  readonly reach: Reach;
}

export interface CaptureFlowArguments extends OfTrace {
  /** Which one, or the one that has the record `at`. */
  readonly capture?: number;
  readonly at?: RecordNumber;
  /** With what images tell of the addresses. */
  readonly places?: boolean;
}

export interface FlowPlace {
  readonly symbol?: string;
  readonly line?: string;
  /** The instruction, disassembled. */
  readonly text?: string;
}

export interface CaptureFlow {
  readonly capture: number;
  readonly known_from_entry: number | null;
  /** Instructions that the buffer proves, oldest first. */
  readonly addresses: readonly Hex[];
  /** Where the proof is interrupted: behind so many addresses, and how many instructions ran unseen where that is known. */
  readonly gaps: readonly { readonly afterIndex: number; readonly reason: string; readonly instructions?: number }[];
  readonly branches: readonly { readonly source?: Hex; readonly target?: Hex; readonly kind: BranchKind }[];
  /** Instructions up to the first known address; absent where the buffer does not count them. */
  readonly before?: number;
  /** Which of the addresses are Thumb code: from the first index up to the second one. */
  readonly thumb: readonly (readonly [number, number])[];
  /** The record of the capture's first entry; absent where it has none. */
  readonly firstRecord?: RecordNumber;
  /** By entry: how many of the addresses are those of instructions that had run when it was made. */
  readonly ends: readonly number[];
  /** Behind the last message, up to where the core stopped; absent where the file does not tell that, or it proves nothing. */
  readonly tail?: readonly Hex[];
  /** By address; there where it was asked for. */
  readonly places?: Readonly<Record<Hex, FlowPlace>>;
}
