/**
 * Which calls are open? The shadow stack of one cpu, from its branch events in order.
 *
 * A call opens a frame that knows where its caller goes on. A return closes the innermost frame that goes on at its target,
 * with all above it: so it survives longjmp, and whatever left without returning. A tail call puts another function in the
 * frame. An interrupt opens a frame like a call.
 *
 * What is not known is not made up. The outermost frame is what the trace began in; a return below it names its caller.
 * Where the processor returns to a place that no open frame explains, the stack is left aside, and another one begins there
 * with an outermost frame of its own; a return to the one that was left aside takes it up again. That is also how threads look.
 * Where the trace has a gap, all is forgotten.
 */
import { BRANCH, EVENT, type Events } from '../../../shared/flow.ts';
import { assert } from '../../../shared/result.ts';
import { EDGE } from './call-edges.ts';
import { addTo, noted } from './call-tally.ts';
import { faultNear } from './fault-near.ts';
import { cameBetween, FRAME, isOpen, markFrame, resumes, resumingAt, type Frames } from './frames.ts';
import { ENTERED, UNKNOWN, type Functions } from './functions.ts';
import { BEFORE, createHiddenBranches } from './hidden-branches.ts';
import { FLAGS_FROM, WORD, WORDS } from './known-branches.ts';
import { createOpenCalls, type OpenCallsSettings } from './open-calls.ts';

export interface ShadowStack {
  /** The open calls. */
  readonly frames: Frames;
  /** Stacks that were left aside, the latest one last. */
  readonly aside: readonly Frames[];
  readonly last: LastTarget;
  /** Where this cpu begins: the first instruction that it executes. */
  begin(low: number, high: number, record: number): void;
  /** The next event of this cpu. */
  add(events: Events, index: number): void;
  /** The same of events [from, to), which are alike as `branches` has numbers for; returns the first that it did not add, as these numbers are not good any more. */
  addAlike(events: Events, branches: Int32Array, from: number, to: number): number;
  /** Instructions that ran after the last event. */
  ran(instructions: number): void;
  /** All that is open counts as ended at `record`; nothing can be added any more. */
  finish(record: number): void;
}

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

/** What a stack is begun with to go on where another one was. */
export interface StackState {
  readonly frames: Frames;
  readonly aside: readonly Frames[];
  readonly last: LastTarget;
}

/** Where the event before went to, with its record: -1 where that is not known. */
export interface LastTarget {
  readonly low: number;
  readonly high: number;
  readonly record: number;
  /** It ended an interrupt, and this is what ran right before that: FRAME.link, FRAME.pops, or another bit; 0 where it did not. */
  readonly before: number;
}

export const NO_TARGET: LastTarget = { low: 0, high: 0, record: -1, before: 0 };

/** What helps with a switch goes on within so many bytes behind its table. */
const SWITCH_REACH = 4096;

/** Events that do not simply follow the one before. */
const SPECIAL = EVENT.granular | EVENT.gap;
const BOTH_ENDS = EVENT.source | EVENT.target;
const KIND_BITS = (1 << FLAGS_FROM) - 1;

const CALL = ENTERED.indexOf('call');
const EXCEPTION = ENTERED.indexOf('exception');
const INTERRUPT = ENTERED.indexOf('interrupt');

export function createShadowStack(settings: StackSettings, state?: StackState): ShadowStack {
  const { functions, tally, messages, counts = !messages } = settings;
  const { edges } = tally;
  const calls = createOpenCalls(settings, state);
  const hidden = createHiddenBranches(settings, calls);
  /** The branch that is being added: where its words begin. */
  let words = functions.branches.words;
  let at = 0;
  /** The target of the event before, and its record; and what LastTarget has beside. */
  let lastBefore = state?.last.before ?? 0;
  let [lastLow, lastHigh, lastRecord] = [state?.last.low ?? 0, state?.last.high ?? 0, state?.last.record ?? -1];

  return {
    get frames() {
      return calls.frames;
    },
    aside: calls.aside,
    get last() {
      return { low: lastLow, high: lastHigh, record: lastRecord, before: lastBefore };
    },
    begin(low, high, record) {
      if (calls.frames.count === 0) calls.begin(functions.at(low, high), record);
    },
    add(events, i) {
      addBranch(functions.branches.number(events, i), events.record[i]!, events.instructions[i]!);
    },
    addAlike,
    ran: calls.ran,
    finish: calls.finish,
  };

  function addAlike(events: Events, branches: Int32Array, from: number, to: number): number {
    const { alike, record } = events;
    assert(alike !== undefined, 'events have numbers');
    const { numbers, each } = alike;
    const { age } = functions.branches;
    let i = from;
    while (functions.branches.age === age) {
      i = goAbout(events, branches, i, to);
      if (i === to) break;
      addBranch(branches[numbers[i]!]!, record[i]!, each.instructions[numbers[i]!]!);
      i++;
    }
    return i;
  }

  /** Adds what only goes about in the function that runs, as most branches do; returns the first event that does not, or may not. */
  function goAbout({ alike, record }: Events, branches: Int32Array, from: number, to: number): number {
    const { frames } = calls;
    const { columns } = frames;
    const top = frames.count - 1;
    if (top < 0 || lastRecord < 0 || alike === undefined) return from;
    const { numbers } = alike;
    const { instructions } = alike.each;
    const known = functions.branches.words;
    const inner = columns.fn[top]! + 1;
    const returns = (columns.known[top]! & FRAME.resume) !== 0;
    const resumeLow = returns ? columns.resumeLow[top]! : -1;
    const high = lastHigh;
    let low = lastLow;
    let units = 0;
    let i = from;
    for (; i < to; i++) {
      const first = branches[numbers[i]!]! * WORDS;
      if (known[first + WORD.inner] !== inner) break;
      if (messages && (known[first + WORD.sourceLow]! < low || known[first + WORD.sourceHigh] !== high)) break;
      const target = known[first + WORD.targetLow]!;
      if (target === resumeLow) break;
      low = target;
      units += counts ? instructions[numbers[i]!]! : 1;
    }
    if (i === from) return from;
    calls.ran(units);
    lastBefore = 0;
    lastLow = low;
    if (!messages) lastHigh = known[branches[numbers[i - 1]!]! * WORDS + WORD.targetHigh]!;
    lastRecord = record[i - 1]!;
    return i;
  }

  /** The branch that is being added only went about in a function. */
  function noteInner(fn: number): void {
    const flags = words[at + WORD.sort]! >>> FLAGS_FROM;
    if ((flags & (SPECIAL | BOTH_ENDS)) !== BOTH_ENDS) return;
    if (words[at + WORD.sourceHigh] !== words[at + WORD.targetHigh]) return;
    if (functions.ownerAt(words[at + WORD.source]!) === fn) words[at + WORD.inner] = fn + 1;
  }

  function addBranch(branch: number, record: number, instructions: number): void {
    words = functions.branches.words;
    at = branch * WORDS;
    const sort = words[at + WORD.sort]!;
    const flags = sort >>> FLAGS_FROM;
    const kind = sort & KIND_BITS;
    if ((flags & SPECIAL) !== 0) {
      if ((flags & EVENT.granular) !== 0) {
        addCoarse(flags, record, instructions);
        return;
      }
      if (!messages && (flags & EVENT.source) === 0) {
        goOnBehindGap(record, instructions);
        return;
      }
      if (calls.frames.count > 0) lose(functionAtSource(flags), record);
    }
    if ((flags & EVENT.source) !== 0) comeTo(record);
    else if (calls.frames.count === 0) calls.begin(UNKNOWN, record);
    calls.ran(counts ? instructions : Number(kind !== BRANCH.sequential));
    const before = lastBefore;
    lastBefore = 0;
    const hasTarget = (flags & EVENT.target) !== 0;
    if (!hasTarget && kind !== BRANCH.sequential)
      hidden.noteBranch(kind, record, words[at + WORD.sourceLow]!, words[at + WORD.sourceHigh]!);
    switch (kind) {
      case BRANCH.call:
        call(EDGE.call, flags, record);
        break;
      case BRANCH.exception:
        if (isResumed(flags)) goBack(record, flags);
        else call(EDGE.exception, flags, record);
        break;
      case BRANCH.interrupt:
        call(EDGE.interrupt, flags, record);
        // Nothing ran since the interrupt before.
        if (before !== 0 && record === lastRecord)
          calls.frames.columns.known[calls.frames.count - 1]! |= before & BEFORE;
        break;
      case BRANCH.return:
        if (hasTarget) goBack(record, flags);
        else if (calls.frames.count > 1) calls.closeFrom(calls.frames.count - 1, record);
        break;
      case BRANCH.unknown:
        if (!hasTarget) {
          if (messages) markInferred(calls.frames.count - 1);
        } else if (functions.guessed) goUnknown(flags, record);
        else goSomehow(flags, record, before);
        break;
      case BRANCH.jump:
        if (hasTarget) goTo(record, flags);
        else if (messages) markInferred(calls.frames.count - 1);
        break;
      default:
        break; // sequential
    }
    lastLow = words[at + WORD.targetLow]!;
    lastHigh = words[at + WORD.targetHigh]!;
    lastRecord = hasTarget ? record : -1;
  }

  function lose(fn: number, record: number): void {
    calls.lose(fn, record);
    lastRecord = -1;
  }

  /** Of executed instructions: those before a gap ran where they were, and how it came to the target is not known. */
  function goOnBehindGap(record: number, instructions: number): void {
    if (calls.frames.count === 0) calls.begin(UNKNOWN, record);
    calls.ran(instructions);
    lose(functions.ownerAt(words[at + WORD.target]!), record);
    lastLow = words[at + WORD.targetLow]!;
    lastHigh = words[at + WORD.targetHigh]!;
    lastRecord = record;
  }

  /** Ends that are known to 16 bytes tell at most which function runs: none is entered or left for sure. */
  function addCoarse(flags: number, record: number, instructions: number): void {
    const { frames } = calls;
    noted(tally, 'coarse', record);
    const here = coarseFunctionAtSource(flags);
    if (frames.count > 1) lose(here, record);
    else if (frames.count === 0) calls.begin(here, record);
    else if (here !== calls.top()) calls.move(here, record);
    calls.ran(counts ? instructions : 1);
    lastRecord = -1;
  }

  function coarseFunctionAtSource(flags: number): number {
    if ((flags & EVENT.source) === 0) return UNKNOWN;
    const low = words[at + WORD.sourceLow]!;
    const high = words[at + WORD.sourceHigh]!;
    const fn = functions.at(low, high);
    return fn === functions.at((low | 15) >>> 0, high) ? fn : UNKNOWN;
  }

  /** The straight run since the event before ends at the source. */
  function comeTo(record: number): void {
    const here = functions.ownerAt(words[at + WORD.source]!);
    if (calls.frames.count === 0) {
      calls.begin(here, record);
      return;
    }
    if (messages && lastRecord >= 0) {
      // No straight run goes backwards: messages in between are lost.
      const low = words[at + WORD.sourceLow]!;
      const high = words[at + WORD.sourceHigh]!;
      if (high < lastHigh || (high === lastHigh && low < lastLow)) {
        lose(here, record);
        return;
      }
    }
    if (here === UNKNOWN || here === calls.top()) return;
    const isLost = messages && lastRecord < 0;
    calls.move(here, isLost ? record : lastRecord);
    // What left the function may have left others too.
    if (isLost) calls.frames.columns.known[calls.frames.count - 1]! |= FRAME.inferred | FRAME.jumped;
  }

  function call(kind: number, flags: number, record: number, inferred = (flags & EVENT.inferred) !== 0): void {
    const { frames } = calls;
    const hasTarget = (flags & EVENT.target) !== 0;
    const hasResume = (flags & EVENT.resume) !== 0;
    const target = words[at + WORD.target]!;
    const resume = words[at + WORD.resume]!;
    // A call to where it would go on fetches an address, or is one that was not traced.
    if (kind === EDGE.call && hasTarget && hasResume && target === resume && !functions.beginsAt(target)) return;
    const entered =
      kind === EDGE.call || kind === EDGE.unknown ? CALL : kind === EDGE.exception ? EXCEPTION : INTERRUPT;
    const callee = hasTarget ? functions.calledAt(target, ENTERED[entered]!, record) : UNKNOWN;
    if (hasResume) functions.resumesAt(resume, record);
    edges.add(calls.top(), callee, kind, inferred, record);
    addTo(tally.calls, callee, 1);
    const frame = calls.reserve(record);
    const { columns } = frames;
    const parent = columns.context[frame - 1]!;
    columns.fn[frame] = callee;
    columns.known[frame] =
      (hasResume ? FRAME.resume : 0) |
      ((flags & EVENT.source) !== 0 ? FRAME.site : 0) |
      (inferred || !hasTarget ? FRAME.inferred : 0);
    columns.entered[frame] = entered;
    columns.since[frame] = record;
    columns.called[frame] = record;
    columns.resumeLow[frame] = words[at + WORD.resumeLow]!;
    columns.resumeHigh[frame] = words[at + WORD.resumeHigh]!;
    columns.siteLow[frame] = words[at + WORD.sourceLow]!;
    columns.siteHigh[frame] = words[at + WORD.sourceHigh]!;
    if (entered !== CALL) hidden.noteInterrupt(frame, flags, record);
    calls.open(frame, parent, record);
    frames.contexts.columns.calls[columns.context[frame]!]!++;
  }

  /** A branch that nobody classified: one to where another function begins is rather a call than a tail call. */
  function goSomehow(flags: number, record: number, before: number): void {
    const { frames } = calls;
    const target = words[at + WORD.target]!;
    const low = words[at + WORD.targetLow]!;
    const high = words[at + WORD.targetHigh]!;
    const isOpen = (flags & (EVENT.broken | EVENT.strayed)) === 0;
    if (before !== 0 && isOpen && (flags & EVENT.resume) !== 0 && isAtLast()) {
      // It was interrupted between two instructions that are something together, or not.
      if ((before & FRAME.link) !== 0) {
        call(EDGE.call, flags, record);
        return;
      }
      if ((before & FRAME.pops) === 0 || resumingAt(frames, low, high) >= 0) {
        if ((before & FRAME.pops) === 0) goTo(record, flags);
        else goBack(record, flags);
        return;
      }
    }
    const entry = functions.entryAt(target, record);
    const isBack = resumes(frames, frames.count - 1, low, high);
    if (entry >= 0 && entry !== calls.top() && !isBack) {
      call(EDGE.call, flags, record, true);
      markFrame(frames, frames.count - 1, FRAME.jumped | mayBeOver(flags));
      return;
    }
    if (isBack && (flags & EVENT.resume) !== 0 && frames.count > 1) {
      // It may have been a return.
      const isSame = frames.columns.fn[frames.count - 1] === frames.columns.fn[frames.count - 2];
      calls.closeFrom(frames.count - 1, record);
      if (isSame) markInferred(frames.count - 1);
      return;
    }
    goTo(record, flags);
    const over = mayBeOver(flags);
    if (over !== 0 || (entry >= 0 && entry === calls.top())) markFrame(frames, frames.count - 1, FRAME.inferred | over);
    const hasSource = (flags & EVENT.source) !== 0;
    if (isBack || entry >= 0 || functions.ownerAt(target) !== UNKNOWN || !hasSource) return;
    // It may have been a call as well as a jump: who is there now is not known.
    if (functions.areApart(low, high, words[at + WORD.sourceLow]!, words[at + WORD.sourceHigh]!))
      calls.move(UNKNOWN, record);
  }

  /** Bits of FRAME for what was reached by a return or a jump, or by an interrupt right behind that (see doubt in handlers.ts). */
  function mayBeOver(flags: number): number {
    const [bits, doubtful] = [EVENT.inferred | EVENT.strayed | EVENT.resume, EVENT.inferred | EVENT.strayed];
    return (flags & bits) === doubtful ? FRAME.strayed : 0;
  }

  /** The branch is what the event before went to. */
  function isAtLast(): boolean {
    return lastRecord >= 0 && words[at + WORD.sourceLow] === lastLow && words[at + WORD.sourceHigh] === lastHigh;
  }

  /**
   * What looks like an exception right behind an indirect branch, as the target is a vector, went where the function that runs goes
   * back to: code lies there, or a handler that an interrupt kept from beginning.
   */
  function isResumed(flags: number): boolean {
    const told = flags & (EVENT.source | EVENT.resume | EVENT.inferred);
    return !messages && told === EVENT.inferred && resumesAtTarget(calls.frames.count - 1);
  }

  function markInferred(frame: number): void {
    markFrame(calls.frames, frame, FRAME.inferred);
  }

  /** A branch that may be anything: what functions are is guessed from the ends of branches too. */
  function goUnknown(flags: number, record: number): void {
    const { frames } = calls;
    const target = words[at + WORD.target]!;
    if ((flags & EVENT.resume) !== 0) {
      call(EDGE.unknown, flags, record, true);
      return;
    }
    const [top, now] = [frames.count - 1, calls.top()];
    if (top > 0 && resumesAtTarget(top) && frames.columns.fn[top - 1] !== now) {
      calls.closeFrom(top, record);
      return;
    }
    const there = functions.ownerAt(target);
    const stays = there === now && there !== UNKNOWN && !functions.beginsAt(target);
    if (stays) noteInner(there);
    if (stays || unwindTo(there, record)) return;
    // It may have been called, or have been returned to, or both be one.
    if (top > 0) calls.leaveAside(there, record, 'unclear');
    else if (there !== now) calls.move(there, record);
  }

  /** A jump: within the function, or into another one that takes the frame over. */
  function goTo(record: number, flags: number): void {
    const { frames } = calls;
    const target = words[at + WORD.target]!;
    const top = frames.count - 1;
    const now = calls.top();
    const entry = functions.entryAt(target, record);
    // Whatever the instruction was: a frame of another function goes on there.
    if (top > 0 && entry !== now && resumesAtTarget(top) && frames.columns.fn[top - 1] !== now) {
      calls.closeFrom(top, record);
      return;
    }
    if (entry >= 0) {
      if (entry === now) return;
      const inferred = (flags & EVENT.inferred) !== 0 || !functions.beginsAt(target);
      edges.add(now, entry, EDGE['tail call'], inferred, record);
      addTo(tally.calls, entry, 1);
      if (inferred) markInferred(top);
      calls.move(entry, record);
      frames.contexts.columns.calls[frames.columns.context[top]!]!++;
      return;
    }
    const inside = functions.ownerAt(target);
    if (inside === now) {
      const isJump = (words[at + WORD.sort]! & KIND_BITS) === BRANCH.jump;
      if (isJump && !functions.isCalled(target)) noteInner(now);
      return;
    }
    if (unwindTo(inside, record)) return;
    if (inside !== UNKNOWN || functions.hasSymbol(now)) calls.move(inside, record);
  }

  /** Whether a frame goes on where the branch goes. */
  function resumesAtTarget(frame: number): boolean {
    return resumes(calls.frames, frame, words[at + WORD.targetLow]!, words[at + WORD.targetHigh]!);
  }

  function goBack(record: number, flags: number): void {
    const { frames } = calls;
    const low = words[at + WORD.targetLow]!;
    const high = words[at + WORD.targetHigh]!;
    const blind = hidden.blind();
    if (blind < 0 || messages) {
      if (blind < 0) lastBefore = hidden.before(low, high);
      returnTo(record, flags, blind);
      return;
    }
    const branched = hidden.branched(blind, low, high, flags);
    if (branched >= 0) {
      calls.closeFrom(branched, record);
      return;
    }
    hidden.ending(blind, low, high);
    returnTo(record, flags, blind);
    // Else it is another stack, or none that explains it.
    if (calls.frames === frames && frames.count <= blind) lastBefore = hidden.ended(low, high, record);
  }

  function returnTo(record: number, flags: number, blind: number): void {
    const { frames } = calls;
    const target = words[at + WORD.target]!;
    const low = words[at + WORD.targetLow]!;
    const high = words[at + WORD.targetHigh]!;
    const top = frames.count - 1;
    let frame = resumingAt(frames, low, high);
    const mayBeElsewhere = frame < 0 || (blind > 0 && (frames.columns.known[blind]! & FRAME.resume) === 0);
    if (blind > 0 && frame < blind && mayBeElsewhere && endBlind(blind, record, flags)) {
      // Back to where an open call goes on, or just there.
      if (frame >= 0) markInferred(frames.count - 1);
      return;
    }
    if (
      cameBetween(frames, top) &&
      functions.ownerAt(target) === frames.columns.fn[top - 1] &&
      !functions.beginsAt(target)
    ) {
      // Where an outer call goes on as well it may have gone there: all further returns would look right, and be one call off.
      if (frame >= 0) lose(frames.columns.fn[top - 1]!, record);
      else {
        calls.closeFrom(top, record);
        markInferred(top - 1);
      }
      return;
    }
    if (frame < 0 && frames.interrupts > 0) frame = faultNear(frames, low, high, (flags & EVENT.ends) !== 0);
    if (frame >= 0) {
      if (frame < top) noted(tally, 'unwound', record);
      if (frame === 0) calls.goBelow(functions.ownerAt(target), record);
      else calls.closeFrom(frame, record);
      return;
    }
    if (calls.takeUp(low, high, record)) return;
    const there = functions.ownerAt(target);
    if (leavesElsewhere(top, there, record)) {
      calls.closeFrom(top, record);
      return;
    }
    if (there !== UNKNOWN && functions.beginsAt(target)) {
      // An address that was pushed to get there, or what an interrupt before the trace had kept from running.
      const isKnown = top > 0 && (frames.columns.known[top]! & (FRAME.resume | FRAME.jumped)) === FRAME.resume;
      goTo(record, isKnown ? flags : flags | EVENT.inferred);
      return;
    }
    if (unwindTo(there, record)) return;
    if (top === 0) calls.goBelow(there, record);
    else calls.leaveAside(there, record, 'elsewhere');
  }

  /** As longjmp does: to where a call by an open function, long since over, went on. */
  function unwindTo(fn: number, record: number): boolean {
    const { frames } = calls;
    const top = frames.count - 1;
    if (top === 0 || fn === UNKNOWN || !isOpen(frames, fn)) return false;
    if (!functions.isResumeAt(words[at + WORD.target]!, record)) return false;
    let outer = top;
    while (frames.columns.fn[outer] !== fn) outer--;
    if (outer < top) calls.closeFrom(outer + 1, record);
    markInferred(outer);
    noted(tally, 'unwound', record);
    return true;
  }

  /**
   * It came right behind a branch whose target was not seen, and went on at that: in the function that had been called, in the
   * same one, or in one that was entered by a jump.
   */
  function endBlind(frame: number, record: number, flags: number): boolean {
    const { columns } = calls.frames;
    const target = words[at + WORD.target]!;
    const entry = functions.entryAt(target, record);
    const below = columns.fn[frame - 1]!;
    const wasCalled = below === UNKNOWN && columns.entered[frame - 1] === CALL;
    if (hidden.endsAtSite()) {
      calls.closeFrom(frame - 1, record);
      return true;
    }
    const here = functions.ownerAt(target);
    const unnamed = entry < 0 && here === UNKNOWN && (flags & EVENT.ends) !== 0;
    if (unnamed && wasCalled && columns.called[frame - 1] === columns.called[frame]) {
      if (functions.isResumeAt(target, record)) return false;
      calls.closeFrom(frame, record);
      calls.move(functions.calledAt(target, 'call', record), record);
      return true;
    }
    const stays = unnamed
      ? hidden.staysNear(frame, words[at + WORD.targetLow]!, words[at + WORD.targetHigh]!)
      : here !== UNKNOWN && here === below;
    if (entry < 0 && (wasCalled || !stays)) return false;
    calls.closeFrom(frame, record);
    if (entry < 0) return true;
    if (wasCalled) calls.move(entry, record);
    else goTo(record, flags | EVENT.inferred);
    return true;
  }

  /** A helper that goes on in its caller elsewhere than behind the call, as those do that look up where a switch leads. */
  function leavesElsewhere(top: number, there: number, record: number): boolean {
    const { columns } = calls.frames;
    const target = words[at + WORD.target]!;
    if (top === 0 || there === UNKNOWN || there === columns.fn[top] || there !== columns.fn[top - 1]) return false;
    if (columns.entered[top] !== CALL || (columns.known[top]! & FRAME.resume) === 0) return false;
    const distance = words[at + WORD.targetLow]! - columns.resumeLow[top]!;
    const isNear = words[at + WORD.targetHigh] === columns.resumeHigh[top] && distance > 0 && distance < SWITCH_REACH;
    return isNear && !functions.beginsAt(target) && !functions.isResumeAt(target, record);
  }

  function functionAtSource(flags: number): number {
    return (flags & EVENT.source) !== 0 ? functions.ownerAt(words[at + WORD.source]!) : UNKNOWN;
  }
}
