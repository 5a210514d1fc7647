/** Requests about hot spots: what each function costs, whom it calls and is called by, which loops ran, and which code at all. */
import { request, type } from './request.ts';
import { flag, hex, list, object, oneOf, optional, ordered, record, text, where } from './schema.ts';
import { ofTrace, type FlowProgress, type Reach } from './trace.ts';
import type { CodeDifference } from './answers/code-changes.ts';
import type { CodeCosts } from './answers/code-costs.ts';
import type { CodeTimes } from './answers/code-times.ts';
import { COVERAGE_LEVELS, type Coverage } from './answers/coverage.ts';
import { COST_MEASURES, type CallFunction, type CallGraph, type FunctionId } from './flow.ts';
import type { Hex, RecordNumber } from '../base/units.ts';

/** Note of a profile whose records run against time. */
export const AGAINST_TIME_PROFILE =
  'The records of this trace run backwards in time, so the first calls and the longest calls are unknown.';

/** Maximum number of functions whose lines one question about costs returns. */
export const MOST_OPENED = 200;

export const PROFILE_REQUESTS = {
  /**
   * The flat profile of the records [from, to), everything indexed by default: functions, and pairs of caller and callee. `by`: what costs
   * are measured in, by default instructions if the trace has them, otherwise branches.
   */
  profile: request({
    arguments: where(
      object({ ...ofTrace, from: optional(record), to: optional(record), by: optional(oneOf(COST_MEASURES)) }),
      ordered,
    ),
    answer: type<Profile>(),
    event: type<FlowProgress>(),
  }),
  /** The loops that ran in the records [from, to), everything indexed by default; the most expensive first. */
  loops: request({
    arguments: where(object({ ...ofTrace, from: optional(record), to: optional(record) }), ordered),
    answer: type<Loops>(),
    event: type<FlowProgress>(),
  }),
  /**
   * How often each instruction of the images ran in the records [from, to), everything indexed by default. Needs an image. `level`: what is
   * listed, by default everything; answers without instructions are much smaller. `texts`: instructions have their disassembly.
   */
  coverage: request({
    arguments: where(
      object({
        ...ofTrace,
        from: optional(record),
        to: optional(record),
        level: optional(oneOf(COVERAGE_LEVELS)),
        texts: optional(flag),
      }),
      ordered,
    ),
    answer: type<Coverage>(),
    event: type<FlowProgress>(),
  }),
  /**
   * How many instructions of each function ran in the records [from, to), everything indexed by default, or the time that they took. Needs
   * an image. `opened`: with the lines and instructions of the functions at these addresses.
   */
  codeCosts: request({
    arguments: where(
      object({
        ...ofTrace,
        from: optional(record),
        to: optional(record),
        by: optional(oneOf(COST_MEASURES)),
        opened: optional(list(hex, MOST_OPENED, 0)),
      }),
      ordered,
    ),
    answer: type<CodeCosts>(),
    event: type<FlowProgress>(),
  }),
  /** Functions and lines that ran in this trace (A) and in another one (B), and how often. Both need images. */
  codeDifference: request({
    arguments: object({ ...ofTrace, other: text(20) }),
    answer: type<CodeDifference>(),
    event: type<FlowProgress>(),
  }),
  /** The time that each instruction and line took in the records [from, to), everything indexed by default. Reads all of them. */
  codeTimes: request({
    arguments: where(object({ ...ofTrace, from: optional(record), to: optional(record) }), ordered),
    answer: type<CodeTimes>(),
    event: type<FlowProgress>(),
  }),
} as const;

/** Maximum number of loops in an answer. */
export const MOST_LOOPS = 100_000;

/**
 * A loop, found from the branches that ran. A *back edge* is a taken jump to the same or a lower address of the same function, the
 * *header* its target. The body is the code from the header to the highest source of its back edges, without the functions that it calls.
 * Calls, returns, interrupts and branches of unknown kind are no back edges. Body and nesting are those of the whole trace, also in a
 * range; everything that is counted is within the range.
 */
export interface Loop {
  readonly header: Hex;
  /** Address of the last instruction of the body. */
  readonly end: Hex;
  /** The function of the header; absent if no symbol or inferred body contains it. */
  readonly id?: FunctionId;
  readonly function?: string;
  /** Raw name of the symbol, if it differs from `function`. */
  readonly symbol?: string;
  /** Number of different back edges. */
  readonly backEdges: number;
  /** How often a back edge was taken. */
  readonly iterations: number;
  /**
   * How often control came to the header otherwise: by another branch, by a straight run of instructions from before it, or because the
   * trace begins there. The return from an interrupt to the header is no entry.
   */
  readonly entries: number;
  /** Control was in the body before the range, and an iteration comes before its first entry in the range. */
  readonly begunBefore?: true;
  /**
   * The record at which the first straight run began that came to the header: the loop is entered there, or at its end. Absent if control
   * did not come to the header in the range.
   */
  readonly first?: RecordNumber;
  /**
   * Bounds of the number of instructions that ran in the body, usually equal. They differ if straight runs are partly outside of the
   * body, and how many of their instructions are within it was never seen. Absent if the trace does not count instructions.
   */
  readonly least?: number;
  readonly most?: number;
  /** Number of loops whose bodies contain this one, and the header of the innermost of them. */
  readonly depth: number;
  readonly outer?: Hex;
  /** A branch to the header is inferred or of unknown kind, or no symbols show that the back edges are within one function. */
  readonly inferred?: true;
}

export interface Loops extends Pick<CallGraph, 'unit'> {
  /** Instructions or branches of the range. */
  readonly cost: number;
  readonly loops: readonly Loop[];
  /** Sentences about uncertainty and omissions. */
  readonly notes: readonly string[];
  readonly reach: Reach;
}

/** Evidence for the calls that a row counts. A number that would be 0 is absent. */
export interface CallEvidence {
  /** Number of the counted calls that are inferred: concluded from other records. */
  readonly inferred?: number;
  /** Number of calls that only their returns prove: made before the trace, or in a gap of it. They are not among the counted calls. */
  readonly unseen?: number;
}

export interface ProfileFunction extends CallFunction, CallEvidence {
  /** The record that the first of the counted calls entered. Absent without such a call, or if records run against time. */
  readonly first?: RecordNumber;
  /** Absent if records run against time. */
  readonly longest?: LongestStay;
}

/**
 * The most records [from, to) of the range for which one call stayed in the function. A stay ends with the call, and also if the trace
 * switches to another stack or has a gap. Of equally long ones, the first.
 */
export interface LongestStay {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  /** The stay began before the range, or had not ended after it: it may be longer. */
  readonly open?: true;
}

/**
 * A function directly below another one on the stack (the caller), or one that called it. A tail call replaces its caller on the stack:
 * it is counted for the function that made it, and its time for the function below.
 */
export interface ProfilePair extends CallEvidence {
  readonly caller: FunctionId;
  readonly callee: FunctionId;
  readonly calls: number;
  /** Kinds of these calls, as in `CallEdge`. */
  readonly kinds: readonly string[];
  /** The record that the first of the counted calls entered. Absent without such a call, or if records run against time. */
  readonly first?: RecordNumber;
  /**
   * Time while the callee was open directly above the caller, with all that it called; recursion counts once. Absent if the call tree
   * has too many levels or nodes.
   */
  readonly total?: number;
}

export interface Profile extends Pick<CallGraph, 'evidence' | 'unit'> {
  /** Sum of the self times of all functions, of code outside of known functions too: a share of 100 %. */
  readonly cost: number;
  /** Most expensive first, by self time. */
  readonly functions: readonly ProfileFunction[];
  /** Most expensive first, by total time. */
  readonly pairs: readonly ProfilePair[];
  /** Sentences about uncertainty and omissions, as of the call tree. */
  readonly notes: readonly string[];
  readonly reach: Reach;
}
