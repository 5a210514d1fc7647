/** The request for a profile: what each function costs, and whom it calls and is called by. */
import { request, type } from './request.ts';
import { object, optional, ordered, record, where } from './schema.ts';
import { ofTrace, type FlowProgress, type Reach } from './trace.ts';
import type { CallFunction, CallGraph, FunctionId } from './flow.ts';
import type { RecordNumber } from '../base/units.ts';

/** Note of a profile whose records run against time. */
export const AGAINST_TIME_PROFILE =
  'The records of this trace run backwards in time, so the first calls and the longest calls are unknown.';

export const PROFILE_REQUESTS = {
  /** The flat profile of the records [from, to), everything indexed by default: functions, and pairs of caller and callee. */
  profile: request({
    arguments: where(object({ ...ofTrace, from: optional(record), to: optional(record) }), ordered),
    answer: type<Profile>(),
    event: type<FlowProgress>(),
  }),
} as const;

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
