/** Requests about program flow: branches, call graph, call tree, stack, captures. */
import * as v from 'valibot';
import { BRANCH_KINDS, type BranchKind } from '../flow/events.ts';
import { request, type, type ArgumentsOf } from './request.ts';
import {
  cells,
  check,
  where,
  cpu,
  flag,
  functionId,
  hex,
  list,
  object,
  oneOf,
  optional,
  ordered,
  record,
  text,
  whole,
} from './schema.ts';
import { ofTrace, type FlowProgress, type Reach } from './trace.ts';
import type { Hex, RecordNumber } from '../base/units.ts';

export type { FlowProgress };

/** Note of call stacks and spans that no image can make known. */
export const AGAINST_TIME =
  'The records of this trace run backwards in time, so the open calls at a record are unknown.';

/** Note of a trace whose format records program flow but which has no records of it. An image would not help. */
export const NO_FLOW_RECORDS = 'This trace contains no branches, exceptions or instructions.';

export interface PreparedFlow {
  /** Time spent looking for calls. */
  readonly callSeconds: number;
}

export const STEPS = ['over', 'out', 'back over', 'back out'] as const;
export type StepKind = (typeof STEPS)[number];

/** Measures of costs: `counts` of instructions or branches, or `time`. */
export const COST_MEASURES = ['counts', 'time'] as const;
export type CostMeasure = (typeof COST_MEASURES)[number];

/** Records in [from, to); everything indexed by default. */
const flowRange = { ...ofTrace, from: optional(record), to: optional(record) } as const;
/** The records [from, from + count). */
const recordRange = { ...ofTrace, from: record, count: whole(1, 10_000) } as const;
const branchKinds = list(oneOf(BRANCH_KINDS), BRANCH_KINDS.length);

export const FLOW_REQUESTS = {
  /**
   * Finds what questions about program flow need to know of the whole trace: calls, branches, loops, missing instructions, and the executed
   * path. The index keeps it.
   */
  prepareFlow: request({ arguments: object(ofTrace), answer: type<PreparedFlow>(), event: type<FlowProgress>() }),
  /** Branches grouped by kind and ends, most frequent first. */
  branches: request({
    arguments: where(
      object({
        ...flowRange,
        kinds: optional(branchKinds),
        /** Upper limit of the edges in the answer: the most frequent ones; 200,000 by default. */
        most: optional(whole(0, 200_000)),
      }),
      ordered,
    ),
    answer: type<Branches>(),
    event: type<FlowProgress>(),
  }),
  /** Single branches in record order, at most `count`. */
  branchEvents: request({
    arguments: where(
      object({
        ...flowRange,
        count: whole(1, 10_000),
        kinds: optional(branchKinds),
        /** Only branches with this end; null: only branches with an unknown end. */
        source: optional(v.nullable(hex)),
        target: optional(v.nullable(hex)),
        /** Newest first, starting at the end of the range. */
        backwards: optional(flag),
      }),
      ordered,
    ),
    answer: type<BranchEvents>(),
    event: type<FlowProgress>(),
  }),
  /** The trace buffers of an XScale trace, starting at number `from`, at most `count`. */
  captures: request({
    arguments: object({ ...ofTrace, from: optional(record), count: whole(1, 10_000) }),
    answer: type<Captures>(),
  }),
  /** The instructions that one buffer proves: buffer number `capture`, or the buffer that contains record `at`. */
  captureFlow: request({
    arguments: where(
      object({
        ...ofTrace,
        capture: optional(record),
        at: optional(record),
        /** Includes symbol, source line and disassembly of each address. */
        places: optional(flag),
      }),
      check(
        'capture',
        ({ capture, at }) => (capture === undefined) !== (at === undefined),
        'or at must be given, and not both',
      ),
    ),
    answer: type<CaptureFlow>(),
  }),
  /** The call graph, with the cost of each function. */
  calls: request({
    arguments: where(object(flowRange), ordered),
    answer: type<CallGraph>(),
    event: type<FlowProgress>(),
  }),
  /** The calling-context tree; with `depth`, only nodes at most so far below the roots. */
  tree: request({
    arguments: where(
      object({ ...flowRange, depth: optional(whole(0, 1000)), by: optional(oneOf(COST_MEASURES)) }),
      ordered,
    ),
    answer: type<CallTree>(),
    event: type<FlowProgress>(),
  }),
  /** Calls over time. */
  spans: request({
    arguments: where(
      object({
        ...flowRange,
        /**
         * Number of parts of the range that are distinguished, 2000 by default. The answer may have more: a power of two, and for all
         * records a number for which spans are kept.
         */
        columns: optional(cells),
        /** By default the first CPU in the trace. */
        cpu: optional(cpu),
      }),
      ordered,
    ),
    answer: type<CallSpans>(),
    event: type<FlowProgress>(),
  }),
  /** The functions that ran over time, call depths, and phases. */
  timeline: request({
    arguments: where(
      object({
        ...flowRange,
        /** Upper limit of the columns, 1024 by default and at most. The answer has a power of two. */
        columns: optional(cells),
        /** By default the first CPU in the trace. */
        cpu: optional(cpu),
      }),
      ordered,
    ),
    answer: type<FunctionTimeline>(),
    event: type<FlowProgress>(),
  }),
  /** The call stack after record `at` has taken effect. */
  stack: request({
    arguments: object({
      ...ofTrace,
      at: record,
      /** By default the CPU of the record. */
      cpu: optional(cpu),
    }),
    answer: type<CallStack>(),
    event: type<FlowProgress>(),
  }),
  /** The record that a step over or out of calls leads to. */
  step: request({
    arguments: object({ ...ofTrace, at: record, step: oneOf(STEPS) }),
    answer: type<Step>(),
    event: type<FlowProgress>(),
  }),
  /** Call depth of records. */
  depths: request({ arguments: object(recordRange), answer: type<Depths>(), event: type<FlowProgress>() }),
  /** The instructions that ran between branch messages. */
  between: request({ arguments: object(recordRange), answer: type<Between>(), event: type<FlowProgress>() }),
  /**
   * The next (n > at) or previous (n < at) call of `callee`. The other fields, as in `CallEdge`, restrict it to calls of one caller, of
   * one kind, and of one certainty.
   */
  nextCall: request({
    arguments: object({
      ...ofTrace,
      caller: optional(functionId),
      callee: functionId,
      kind: optional(text(100)),
      inferred: optional(flag),
      at: record,
      direction: oneOf(['next', 'previous']),
    }),
    answer: type<NextCall>(),
    event: type<FlowProgress>(),
  }),
} as const;

export type FlowRange = ArgumentsOf<typeof FLOW_REQUESTS.calls>;
export type BranchesArguments = ArgumentsOf<typeof FLOW_REQUESTS.branches>;
export type BranchEventsArguments = ArgumentsOf<typeof FLOW_REQUESTS.branchEvents>;
export type CaptureFlowArguments = ArgumentsOf<typeof FLOW_REQUESTS.captureFlow>;
export type CallTreeArguments = ArgumentsOf<typeof FLOW_REQUESTS.tree>;
export type CallSpansArguments = ArgumentsOf<typeof FLOW_REQUESTS.spans>;
export type TimelineArguments = ArgumentsOf<typeof FLOW_REQUESTS.timeline>;
export type CallStackArguments = ArgumentsOf<typeof FLOW_REQUESTS.stack>;
export type StepArguments = ArgumentsOf<typeof FLOW_REQUESTS.step>;
export type DepthsArguments = ArgumentsOf<typeof FLOW_REQUESTS.depths>;
export type BetweenArguments = ArgumentsOf<typeof FLOW_REQUESTS.between>;
export type NextCallArguments = ArgumentsOf<typeof FLOW_REQUESTS.nextCall>;

/** All branches of one kind with the same ends. An unknown end is absent. */
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

export interface Branches {
  readonly edges: readonly BranchEdge[];
  /** Omitted edges and their branches: beyond `most`, or more than memory can keep apart. */
  readonly left?: { readonly edges: number; readonly count: number };
  /** Totals of every kind, including kinds that were not requested. Only edges that memory could keep apart are counted. */
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

export interface BranchEvents {
  readonly events: readonly BranchEvent[];
  /** Continue here: the next `from`, or the next `to` if `backwards`; null at the end. */
  readonly next: RecordNumber | null;
  readonly reach: Reach;
}

/** Identifies a function within an answer: its entry address, or a substitute if that is unknown. */
export type FunctionId = string;

export interface CallFunction {
  readonly id: FunctionId;
  /** Demangled symbol, or else the entry address, or else a description: `interrupt 0x18`. */
  readonly name: string;
  /** Raw name of the symbol, if it differs. */
  readonly symbol?: string;
  readonly address?: Hex;
  /** Other names of the same address. */
  readonly aliases: readonly string[];
  /** Number of calls, including tail calls. */
  readonly calls: number;
  /**
   * Instructions if the trace counts them, otherwise branches: in the function itself, and including its callees (recursion counts
   * once). Straight runs count if they end in the range.
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
  /** First and last call, or return if `unseen`. */
  readonly first: RecordNumber;
  readonly last: RecordNumber;
  /** Only returns prove these calls: they were made before the trace, or in a gap, and have no records. */
  readonly unseen?: true;
}

export interface CallGraph {
  /**
   * Source of the calls: `instructions`, `branch messages with image`, `branch messages matched by return addresses` ..., or
   * `neither instructions nor branches` if the trace contains no program flow.
   */
  readonly evidence: string;
  /** Unit of `self` and `total`: `instructions`, `branches`, or that of times. */
  readonly unit: string;
  readonly functions: readonly CallFunction[];
  readonly edges: readonly CallEdge[];
  /** Depth of the deepest stack; the outermost known function is 0. `calls` excludes interrupt and exception frames. */
  readonly depth: { readonly max: number; readonly calls: number };
  /** Sentences about uncertainty, omissions and places where the stack was lost. */
  readonly notes: readonly string[];
  readonly reach: Reach;
}

export interface CallTreeNode {
  readonly function: string;
  /** Raw name of the symbol, if it differs from `function`. */
  readonly symbol?: string;
  readonly id: FunctionId;
  readonly calls: number;
  readonly self: number;
  readonly total: number;
  readonly first: RecordNumber;
  readonly children: readonly CallTreeNode[];
  /** Number of children omitted because of `depth`. */
  readonly cut?: number;
}

export interface CallTree {
  readonly roots: readonly CallTreeNode[];
  readonly unit: string;
  /** Functions with the highest total in all indexed records, the highest first: charts take their colours from this order. */
  readonly prominent: readonly FunctionId[];
  readonly notes: readonly string[];
  readonly reach: Reach;
}

/**
 * A bar of the flame graph in time order. It is one call if `calls` is absent. Otherwise it stands for several calls of a function that
 * are shorter than a column: in each of its columns, no other function was open at this depth for longer.
 */
export interface CallSpan {
  readonly function: string;
  /** Raw name of the symbol, if it differs from `function`. */
  readonly symbol?: string;
  readonly id: FunctionId;
  readonly depth: number;
  /** First record of the first call, and first record after the last one; cut to the range and, for short calls, to columns. */
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  /** Present if the first call began before `from`: its first record, or null if that is before the trace. */
  readonly since?: RecordNumber | null;
  /** Number of calls if there are several. A call that other stacks interrupt counts once for each of its parts. */
  readonly calls?: number;
  /** Number of records in [from, to) during which the function was open, if not all of them. */
  readonly open?: number;
}

/** Spans in the order of their ends: callees before their callers. */
export interface CallSpans {
  readonly spans: readonly CallSpan[];
  /** Number of columns into which the range was divided. Calls of at least one column have a span each. */
  readonly columns: number;
  readonly cpu?: number;
  readonly cpus: readonly number[];
  /** True if spans stand for several calls, or hide others. */
  readonly coarse: boolean;
  /** Functions with the highest total in all indexed records, the highest first: charts take their colours from this order. */
  readonly prominent: readonly FunctionId[];
  /** Sentences that explain why there are no spans, or which are missing. */
  readonly notes: readonly string[];
  readonly reach: Reach;
}

/**
 * Functions that ran over time. Column c has the records edges[c] <= n < edges[c + 1]. If the trace records no program flow, phases have
 * the same mix of accessed addresses, `functions` are ranges of addresses, shares are those of accesses, and nothing else is known.
 */
export interface FunctionTimeline {
  readonly of: 'functions' | 'addresses';
  readonly edges: Float64Array;
  readonly functions: readonly { readonly id: FunctionId; readonly name: string }[];
  /** The function that was innermost longest in each column, as an index of `functions`; -1 if none is known. */
  readonly top: Float64Array;
  /** Share of the column's records during which it was innermost. */
  readonly share: Float64Array;
  /** Least and greatest call depth in each column, as in `Depths`; NaN if none is known. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Stretches with the same mix of functions. Neighbours have at most half of their time in common. */
  readonly phases: readonly Phase[];
  readonly cpu?: number;
  readonly cpus: readonly number[];
  /** Functions with the highest total in all indexed records, the highest first: charts take their colours from this order. */
  readonly prominent: readonly FunctionId[];
  /** Sentences that explain why nothing is known. */
  readonly notes: readonly string[];
  readonly reach: Reach;
}

export interface Phase {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  /** Its dominant functions, as indexes of `functions`, with their shares of the phase's records; the highest first. */
  readonly functions: readonly { readonly function: number; readonly share: number }[];
}

export interface StackFrame {
  readonly function: string;
  /** Raw name of the symbol, if it differs from `function`. */
  readonly symbol?: string;
  readonly id: FunctionId;
  /** Entry point of the function. */
  readonly address?: Hex;
  /** Record that entered the function; absent if that is before the trace. */
  readonly since?: RecordNumber;
  /** Address of the call instruction. Pentium branch messages report that of the u pipe, which may be the preceding instruction. */
  readonly site?: Hex;
  readonly siteSymbol?: string;
  readonly inferred?: boolean;
  /** `interrupt` or `exception` if one entered the function. */
  readonly entered?: string;
}

export interface CallStack {
  readonly cpu?: number;
  /** Innermost first. */
  readonly frames: readonly StackFrame[];
  readonly notes: readonly string[];
  readonly reach: Reach;
}

/** Target of a step, on the CPU of the record. */
export interface Step {
  /** An instruction or a branch message; null if the trace ends first. */
  readonly n: RecordNumber | null;
  readonly reach: Reach;
}

export interface NextCall {
  /** Record that entered the function; null if there is no such call. */
  readonly n: RecordNumber | null;
  readonly reach: Reach;
}

/** Call depth per CPU, including interrupts and exceptions. The outermost known function has depth 0. */
export interface Depths {
  /** Depths before the first record. */
  readonly start: readonly { readonly cpu?: number; readonly depth: number; readonly inferred?: boolean }[];
  /**
   * Changes of depth in order, each in effect starting at record `n`; before the first one of a CPU, its depth is unknown. `enters`: a call, an exception or an interrupt caused it.
   * `inferred`: at least one open call was concluded, not recorded.
   */
  readonly changes: readonly {
    readonly n: RecordNumber;
    readonly cpu?: number;
    readonly depth: number;
    readonly inferred?: boolean;
    readonly enters: boolean;
  }[];
  /** True if no depth is known: the records run backwards in time, or none of them shows program flow. */
  readonly unknown?: boolean;
  readonly reach: Reach;
}

export interface RanInstruction extends FlowPlace {
  readonly address: Hex;
}

/** Per branch message: the instructions since the previous message, as far as an image proves them. Other records are left out. */
export interface Between {
  readonly runs: readonly {
    readonly n: RecordNumber;
    /** In execution order; the branch itself is last. */
    readonly instructions: readonly RanInstruction[];
    /** Number of omitted instructions before these. */
    readonly left?: number;
    /** Reason why the instructions after these are unknown. Absent if these are all. */
    readonly unknown?: string;
  }[];
  readonly reach: Reach;
}

export interface Capture {
  readonly capture: number;
  readonly bytes: number;
  readonly entries: number;
  readonly wrapped: boolean;
  readonly checkpoints: readonly Hex[];
  /** First entry with a known address; null if there is none. */
  readonly firstKnownEntry: number | null;
  readonly diagnostics: readonly { readonly code: string; readonly count: number }[];
  /** Absent if the buffer has no records. */
  readonly firstRecord?: RecordNumber;
}

export interface Captures {
  readonly captures: readonly Capture[];
  /** Continue at this number; null at the end. */
  readonly next: number | null;
  readonly reach: Reach;
}

export interface FlowPlace {
  readonly symbol?: string;
  readonly line?: string;
  /** Disassembled instruction. */
  readonly text?: string;
}

export interface CaptureFlow {
  readonly capture: number;
  readonly known_from_entry: number | null;
  /** Addresses of the proved instructions, oldest first. */
  readonly addresses: readonly Hex[];
  /** Interruptions of the proof: after how many addresses, and how many instructions ran unseen if that is known. */
  readonly gaps: readonly { readonly afterIndex: number; readonly reason: string; readonly instructions?: number }[];
  readonly branches: readonly { readonly source?: Hex; readonly target?: Hex; readonly kind: BranchKind }[];
  /** Number of instructions before the first known address; absent if the buffer does not count them. */
  readonly before?: number;
  /** Index ranges [first, second) of `addresses` that are Thumb code. */
  readonly thumb: readonly (readonly [number, number])[];
  /** Record of the first entry; absent if the buffer has no entries. */
  readonly firstRecord?: RecordNumber;
  /** Per entry: number of `addresses` that had run when it was made. */
  readonly ends: readonly number[];
  /** Addresses after the last message, up to the point where the core stopped; absent if the file does not record that point. */
  readonly tail?: readonly Hex[];
  /** By address; present if requested. */
  readonly places?: Readonly<Record<Hex, FlowPlace>>;
}
