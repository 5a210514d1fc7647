/**
 * Branches of one CPU whose target an interrupt hides. If an interrupt directly follows an indirect branch, the trace shows the
 * handler instead of the target. Until the handler returns to the target, a hidden return is assumed to have gone to its caller and a
 * hidden jump to have stayed in its function; the interrupt's frame is marked for it (see FRAME). Likewise the trace does not show
 * that the instructions before and after an interrupt belong together, as the two instructions of a call do.
 */
import { BRANCH, BRANCH_KINDS, EVENT } from '../../../../shared/flow/events.ts';
import { ENTRY, UNKNOWN, type Functions } from '../functions/functions.ts';
import { noted, type CallTally } from '../tally/call-tally.ts';
import { BELOW_UNCERTAIN, findResuming, FRAME, innermostInterrupt, isInterrupt, resumesAt } from './frames.ts';
import type { OpenCalls } from './open-calls.ts';

export interface InterruptedBranches {
  /**
   * Notes a branch from the address without a target: `record` would be that of the target. Called before the branch has any effect on
   * the open calls.
   */
  noteUnseenTarget(kind: number, record: number, low: number, high: number): void;
  /** Marks the frame of an interrupt or exception that is being entered. `flags`: those of its event. */
  noteInterrupt(frame: number, flags: number, record: number): void;
  /** Returns the innermost interrupt or exception if the trace does not show what it interrupted; else -1. */
  hidingFrame(): number;
  /**
   * Returns the frame that a return to the address ends if the return shows that `hiding` is no interrupt, but the target of the
   * branch: programs call and jump to handlers, which then return to a resume address. Else -1.
   */
  frameIfBranchTarget(hiding: number, low: number, high: number, flags: number): number;
  /** Returns true if a hidden jump to the address stayed in its function. For functions without symbols. */
  staysNear(hiding: number, low: number, high: number): boolean;
  /** Called before a return from `hiding` to the address changes the open calls. */
  beginReturn(hiding: number, low: number, high: number): void;
  /** Called after a return has ended `hiding`. Returns what ran directly before the interrupt (see LastTarget.before). */
  endReturn(low: number, high: number, record: number): number;
  /** Returns what ran directly before the innermost interrupt if that resumes at the address; else 0. */
  beforeInterrupt(low: number, high: number): number;
}

export interface InterruptedBranchesSettings {
  readonly functions: Functions;
  readonly tally: CallTally;
  readonly messages: boolean;
  /**
   * Receives the target of a branch that an interrupt hid; `at` is the record at which it would have been reached. `isSurprise`: the
   * target is not the one that was assumed.
   */
  readonly onHiddenTarget?: (at: number, low: number, high: number, isSurprise: boolean) => void;
  /** Receives the record of a supposed interrupt that is in fact the target of the branch before it. */
  readonly onBranchTarget?: (at: number) => void;
}

/** Kinds of code directly before an interrupt: bits of FRAME, or OTHER. */
const BEFORE = FRAME.link | FRAME.pops;
const OTHER = 1;

/** Bits of FRAME for an interrupt that hides the target of a branch, by kind of the branch. */
const HIDDEN_BITS = BRANCH_KINDS.map((kind) =>
  kind === 'return'
    ? FRAME.afterReturn
    : kind === 'unknown'
      ? BELOW_UNCERTAIN
      : kind === 'call'
        ? 0
        : FRAME.belowUncertain,
);

/** Functions are rarely larger. */
const NEAR = 1 << 16;

export function createInterruptedBranches(
  { functions, tally, messages, onHiddenTarget, onBranchTarget }: InterruptedBranchesSettings,
  calls: OpenCalls,
): InterruptedBranches {
  /** The latest branch without a target: the record of the target, and its HIDDEN_BITS. */
  let [unseenRecord, unseenBits] = [-1, 0];
  let [fromLow, fromHigh] = [0, 0];
  /** If that branch is a return: the resume address that it presumably goes to; the record is -1 if that is not known. */
  let [resumeLow, resumeHigh, resumeRecord] = [0, 0, -1];
  /** If it returns from a hiding interrupt: the record of that interrupt. */
  let endedUnseen = -1;
  /** By record of an interrupt that followed such a return: the record of the interrupt that the return ended. */
  const endedBefore = new Map<number, number>();
  /** The interrupt that a return is ending: its record, what ran before it, the function below it, and what was assumed. */
  let [endingRecord, endingBefore, below] = [-1, 0, UNKNOWN];
  let [isException, isAsAssumed, stays] = [false, false, false];
  return {
    noteUnseenTarget,
    noteInterrupt,
    hidingFrame,
    frameIfBranchTarget,
    staysNear,
    beginReturn,
    endReturn,
    beforeInterrupt,
  };

  function noteUnseenTarget(kind: number, record: number, low: number, high: number): void {
    const { count, columns } = calls.frames;
    unseenRecord = record;
    [fromLow, fromHigh] = [low, high];
    unseenBits = HIDDEN_BITS[kind]!;
    resumeRecord = endedUnseen = -1;
    if (kind !== BRANCH.return) return;
    const frame = count - 1;
    if (hidingFrame() === frame) endedUnseen = columns.called[frame]!;
    if ((columns.known[frame]! & FRAME.resume) === 0) return;
    resumeLow = columns.resumeLow[frame]!;
    resumeHigh = columns.resumeHigh[frame]!;
    resumeRecord = record;
  }

  function noteInterrupt(frame: number, flags: number, record: number): void {
    const { columns } = calls.frames;
    const own = ((flags & EVENT.link) === 0 ? 0 : FRAME.link) | ((flags & EVENT.pops) === 0 ? 0 : FRAME.pops);
    columns.known[frame]! |= own;
    if (messages || (flags & (EVENT.source | EVENT.resume)) !== 0) return;
    // It is not even known whether an exception followed a branch.
    columns.known[frame]! |= FRAME.inferred | (unseenRecord === record ? unseenBits : FRAME.belowUncertain);
    noted(tally, 'hidden', record);
    if (unseenRecord !== record) return;
    columns.siteLow[frame] = fromLow;
    columns.siteHigh[frame] = fromHigh;
    if (endedUnseen >= 0) endedBefore.set(record, endedUnseen);
    if (resumeRecord !== record) return;
    columns.known[frame]! |= FRAME.resume;
    columns.resumeLow[frame] = resumeLow;
    columns.resumeHigh[frame] = resumeHigh;
  }

  function hidingFrame(): number {
    const { frames } = calls;
    if (frames.interrupts === 0) return -1;
    const frame = innermostInterrupt(frames);
    const known = frames.columns.known[frame]!;
    const isHiding = messages
      ? frames.columns.entered[frame] === ENTRY.interrupt && (known & FRAME.site) === 0
      : (known & BELOW_UNCERTAIN) !== 0 || hidesCallee(frame);
    return isHiding && frame > 0 ? frame : -1;
  }

  /** Returns true if the interrupt directly followed a call whose target the trace does not show. */
  function hidesCallee(frame: number): boolean {
    const { columns } = calls.frames;
    return (
      frame > 0 &&
      columns.entered[frame] === ENTRY.interrupt &&
      (columns.known[frame]! & FRAME.site) === 0 &&
      columns.fn[frame - 1] === UNKNOWN &&
      columns.entered[frame - 1] === ENTRY.call
    );
  }

  function frameIfBranchTarget(frame: number, low: number, high: number, flags: number): number {
    const { frames } = calls;
    if ((flags & EVENT.indirect) === 0 || frame !== frames.count - 1) return -1;
    const over = findResuming(frames, low, high);
    const isTarget = (flags & EVENT.ends) === 0 ? over >= 0 : over === frame - 1 && hidesCallee(frame);
    if (!isTarget) return -1;
    onBranchTarget?.(frames.columns.called[frame]!);
    tally.notes.hidden.count--;
    return over;
  }

  function staysNear(frame: number, low: number, high: number): boolean {
    const { columns } = calls.frames;
    const [siteLow, siteHigh] = [columns.siteLow[frame]!, columns.siteHigh[frame]!];
    const isJump =
      (columns.known[frame]! & BELOW_UNCERTAIN) === FRAME.belowUncertain &&
      !functions.hasSymbol(columns.fn[frame - 1]!);
    const isNear = high === siteHigh && Math.abs(low - siteLow) < NEAR;
    return isJump && isNear && !functions.areApart(low, high, siteLow, siteHigh);
  }

  function beginReturn(frame: number, low: number, high: number): void {
    const { frames } = calls;
    const { columns } = frames;
    const known = columns.known[frame]!;
    endingRecord = columns.called[frame]!;
    endingBefore = known & BEFORE;
    below = columns.fn[frame - 1]!;
    isException = columns.entered[frame] === ENTRY.exception;
    isAsAssumed = resumesAt(frames, frame, low, high);
    stays = (known & BELOW_UNCERTAIN) === FRAME.belowUncertain && findResuming(frames, low, high) < 0;
  }

  function endReturn(low: number, high: number, record: number): number {
    const entry = functions.entry(low, high, record);
    // No branch of a program leads to a handler.
    if (entry >= 0 && isInterrupt(ENTRY[functions.entered(entry)])) return 0;
    if (isException) {
      tally.notes.hidden.count--;
      return 0;
    }
    const stayed = stays && calls.running() === below && entry < 0;
    for (let at: number | undefined = endingRecord; at !== undefined; at = endedBefore.get(at)) {
      onHiddenTarget?.(at, low, high, !isAsAssumed && !stayed);
      tally.notes.hidden.count--;
    }
    return endingBefore === 0 ? OTHER : endingBefore;
  }

  function beforeInterrupt(low: number, high: number): number {
    const { frames } = calls;
    if (frames.interrupts === 0) return 0;
    const frame = innermostInterrupt(frames);
    if (!resumesAt(frames, frame, low, high)) return 0;
    const known = frames.columns.known[frame]! & BEFORE;
    return known === 0 ? OTHER : known;
  }
}
