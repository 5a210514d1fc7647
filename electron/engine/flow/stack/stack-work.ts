/** What the parts of a shadow stack work on together: what it was made with, its open calls, and the branch that is being added. */
import type { CallTally } from '../tally/call-tally.ts';
import type { Functions } from '../functions/functions.ts';
import type { OpenCalls, OpenCallsSettings } from './open-calls.ts';

export interface StackSettings extends OpenCallsSettings {
  readonly functions: Functions;
  /**
   * Branches come as messages, which tell of no instructions: each counts as one, and some may be lost. Else events count
   * instructions.
   */
  readonly messages: boolean;
  /** They count instructions all the same. */
  readonly counts?: boolean;
  /**
   * Hears where a branch went whose target an interrupt kept from being reached with the record `at`; `surprises`: not to where it
   * was taken to have gone.
   */
  readonly settles?: (at: number, low: number, high: number, surprises: boolean) => void;
  /** Hears that what seemed to have interrupted a branch, with the record, is what the branch led to. */
  readonly branched?: (at: number) => void;
}

export interface StackWork {
  readonly functions: Functions;
  readonly tally: CallTally;
  readonly messages: boolean;
  readonly calls: OpenCalls;
  readonly branch: CurrentBranch;
}

/** The branch that is being added, and the one before. */
export interface CurrentBranch {
  /** What is known of it, from `at` on; see WORD. */
  words: Uint32Array;
  at: number;
  /** Where the one before went, as LastTarget has it. */
  lastLow: number;
  lastHigh: number;
  lastRecord: number;
  lastBefore: number;
}
