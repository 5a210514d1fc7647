/**
 * What did an interrupt hide? One that comes right behind a branch to wherever a register says keeps its target from being seen:
 * a return is taken to have gone to its caller, a jump to have stayed in its function, and the interrupt's frame says so (see
 * FRAME). Where it returns to tells in the end. Nor does a trace show that the instructions before and behind an interrupt are
 * something together, such as a call.
 */
import { BRANCH, BRANCH_KINDS, EVENT } from '../../../../shared/flow/events.ts';
import { noted } from '../tally/call-tally.ts';
import { FRAME, HIDES, innermostInterrupt, isInterrupt, resumes, resumingAt } from './frames.ts';
import { ENTERED, UNKNOWN } from '../functions/functions.ts';
import type { OpenCalls } from './open-calls.ts';
import type { StackSettings } from './stack-work.ts';

export interface HiddenBranches {
  /** A branch of the kind comes from an address, which has had no effect yet; its target would be reached with the record and is not told. */
  noteBranch(kind: number, record: number, low: number, high: number): void;
  /** An interrupt or exception is being entered; `flags`: its event's. */
  noteInterrupt(frame: number, flags: number, record: number): void;
  /** The innermost interrupt or exception where nothing tells what it interrupted; -1 where that is known, or there is none. */
  blind(): number;
  /**
   * The frame that a return to an address ends where that shows that the handler was what the branch led to, as a program calls
   * or jumps to one: it goes back to where a caller goes on. Else -1.
   */
  branched(blind: number, low: number, high: number, flags: number): number;
  /** What is ending goes on with the call that it came behind: that had not been executed. */
  endsAtSite(): boolean;
  /** Where no symbols tell of functions: whether a jump that an interrupt hid stayed in its function if it led to the address. */
  staysNear(frame: number, low: number, high: number): boolean;
  /** A return to an address is going to be done, and `blind` is what it was. */
  ending(blind: number, low: number, high: number): void;
  /** It was done, and `blind` is over; answers what was right before that (see LastTarget). */
  ended(low: number, high: number, record: number): number;
  /** What was right before the interrupt that goes on at an address; 0 where there is none. */
  before(low: number, high: number): number;
}

/** Bits of what ran right before an interrupt, and what stands for neither of them. */
export const BEFORE = FRAME.link | FRAME.pops;
const OTHER = 1;

/** What FRAME has, by kind of a branch whose target was not seen. */
const UNSEEN = BRANCH_KINDS.map((kind) =>
  kind === 'return' ? FRAME.left : kind === 'unknown' ? HIDES : kind === 'call' ? 0 : FRAME.strayed,
);

/** Functions are rarely larger. */
const NEAR = 1 << 16;

const CALL = ENTERED.indexOf('call');
const EXCEPTION = ENTERED.indexOf('exception');
const INTERRUPT = ENTERED.indexOf('interrupt');

export function createHiddenBranches(
  { functions, tally, messages, settles, branched: tells }: StackSettings,
  calls: OpenCalls,
): HiddenBranches {
  /** The latest such branch: where its target would be reached, what FRAME has of it, and of a return from an interrupt BEFORE. */
  let [unseenRecord, unseen, unseenBefore] = [-1, 0, 0];
  let [fromLow, fromHigh] = [0, 0];
  /** Of a return: where its caller would go on; the record is -1 where that is not known. */
  let [leftLow, leftHigh, leftRecord] = [0, 0, -1];
  /** It returned from a blind interrupt, which came with this record; and by interrupt right behind such a return: that one. */
  let endedUnseen = -1;
  const endedBefore = new Map<number, number>();
  /** Of what is ending: when it came, what ran before it, the function below, and what was thought of the branch. */
  let [came, cameBehind, below] = [-1, 0, UNKNOWN];
  let [isException, isGuess, stays, isSite] = [false, false, false, false];
  return { noteBranch, noteInterrupt, blind, branched, endsAtSite: () => isSite, staysNear, ending, ended, before };

  function noteBranch(kind: number, record: number, low: number, high: number): void {
    const { count, columns } = calls.frames;
    unseenRecord = record;
    [fromLow, fromHigh] = [low, high];
    unseen = UNSEEN[kind]!;
    leftRecord = endedUnseen = -1;
    unseenBefore = 0;
    if (kind !== BRANCH.return) return;
    const frame = count - 1;
    if (isInterrupt(columns.entered[frame]!)) unseenBefore = columns.known[frame]! & BEFORE;
    if (blind() === frame) endedUnseen = columns.called[frame]!;
    if ((columns.known[frame]! & FRAME.resume) === 0) return;
    leftLow = columns.resumeLow[frame]!;
    leftHigh = columns.resumeHigh[frame]!;
    leftRecord = record;
  }

  function noteInterrupt(frame: number, flags: number, record: number): void {
    const { columns } = calls.frames;
    const own = ((flags & EVENT.link) === 0 ? 0 : FRAME.link) | ((flags & EVENT.pops) === 0 ? 0 : FRAME.pops);
    columns.known[frame]! |= own;
    if (messages || (flags & (EVENT.source | EVENT.resume)) !== 0) return;
    // Of an exception not even whether it came to a branch.
    columns.known[frame]! |= FRAME.inferred | (unseenRecord === record ? unseen : FRAME.strayed);
    noted(tally, 'hidden', record);
    if (unseenRecord !== record) return;
    columns.siteLow[frame] = fromLow;
    columns.siteHigh[frame] = fromHigh;
    columns.known[frame]! |= unseenBefore;
    if (endedUnseen >= 0) endedBefore.set(record, endedUnseen);
    if (leftRecord !== record) return;
    columns.known[frame]! |= FRAME.resume;
    columns.resumeLow[frame] = leftLow;
    columns.resumeHigh[frame] = leftHigh;
  }

  function blind(): number {
    const { frames } = calls;
    if (frames.interrupts === 0) return -1;
    const frame = innermostInterrupt(frames);
    const known = frames.columns.known[frame]!;
    const isBlind = messages
      ? frames.columns.entered[frame] === INTERRUPT && (known & FRAME.site) === 0
      : (known & HIDES) !== 0 || calledUnseen(frame);
    return isBlind && frame > 0 ? frame : -1;
  }

  /** It came right behind a call whose target was not seen. */
  function calledUnseen(frame: number): boolean {
    const { columns } = calls.frames;
    return (
      frame > 0 &&
      columns.entered[frame] === INTERRUPT &&
      (columns.known[frame]! & FRAME.site) === 0 &&
      columns.fn[frame - 1] === UNKNOWN &&
      columns.entered[frame - 1] === CALL
    );
  }

  function branched(frame: number, low: number, high: number, flags: number): number {
    const { frames } = calls;
    if ((flags & EVENT.indirect) === 0 || frame !== frames.count - 1) return -1;
    const over = resumingAt(frames, low, high);
    const isOver = (flags & EVENT.ends) === 0 ? over >= 0 : over === frame - 1 && calledUnseen(frame);
    if (!isOver) return -1;
    tells?.(frames.columns.called[frame]!);
    tally.notes.hidden.count--;
    return over;
  }

  function staysNear(frame: number, low: number, high: number): boolean {
    const { columns } = calls.frames;
    const [fromLow, fromHigh] = [columns.siteLow[frame]!, columns.siteHigh[frame]!];
    const isJump = (columns.known[frame]! & HIDES) === FRAME.strayed && !functions.hasSymbol(columns.fn[frame - 1]!);
    const isNear = high === fromHigh && Math.abs(low - fromLow) < NEAR;
    return isJump && isNear && !functions.areApart(low, high, fromLow, fromHigh);
  }

  function ending(frame: number, low: number, high: number): void {
    const { frames } = calls;
    const { columns } = frames;
    const known = columns.known[frame]!;
    came = columns.called[frame]!;
    cameBehind = known & BEFORE;
    below = columns.fn[frame - 1]!;
    isException = columns.entered[frame] === EXCEPTION;
    isGuess = resumes(frames, frame, low, high);
    stays = (known & HIDES) === FRAME.strayed && resumingAt(frames, low, high) < 0;
    isSite = calledUnseen(frame) && columns.siteLow[frame - 1] === low && columns.siteHigh[frame - 1] === high;
  }

  function ended(low: number, high: number, record: number): number {
    const entry = functions.entry(low, high, record);
    // A handler is not where a program goes by itself.
    if (entry >= 0 && isInterrupt(ENTERED.indexOf(functions.entered(entry)))) return 0;
    if (isException || isSite) {
      tally.notes.hidden.count--;
      return 0;
    }
    const stayed = stays && calls.top() === below && entry < 0;
    for (let at: number | undefined = came; at !== undefined; at = endedBefore.get(at)) {
      settles?.(at, low, high, !isGuess && !stayed);
      tally.notes.hidden.count--;
    }
    return cameBehind === 0 ? OTHER : cameBehind;
  }

  function before(low: number, high: number): number {
    const { frames } = calls;
    if (frames.interrupts === 0) return 0;
    const frame = innermostInterrupt(frames);
    if (!resumes(frames, frame, low, high)) return 0;
    const known = frames.columns.known[frame]! & BEFORE;
    return known === 0 ? OTHER : known;
  }
}
