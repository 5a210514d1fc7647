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
import { EDGE } from './call-edges.ts';
import { addTo, noted } from './call-tally.ts';
import {
  dropOuter,
  FRAME,
  innermostInterrupt,
  isOpen,
  markFrame,
  MOST_FRAMES,
  reserveFrame,
  resumes,
  resumingAt,
  type Frames,
} from './frames.ts';
import { ENTERED, UNKNOWN, type Functions } from './functions.ts';
import { BEFORE, createHiddenBranches } from './hidden-branches.ts';
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

/** A fault may be returned from to the instruction that caused it, or to one behind it. */
const FAULT_REACH = 16;
/** What helps with a switch goes on within so many bytes behind its table. */
const SWITCH_REACH = 4096;

const CALL = ENTERED.indexOf('call');
const EXCEPTION = ENTERED.indexOf('exception');
const INTERRUPT = ENTERED.indexOf('interrupt');

export function createShadowStack(settings: StackSettings, state?: StackState): ShadowStack {
  const { functions, tally, messages, counts = !messages } = settings;
  const { edges } = tally;
  const calls = createOpenCalls(settings, state);
  const hidden = createHiddenBranches(settings, calls);
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
    add,
    ran: calls.ran,
    finish: calls.finish,
  };

  function add(events: Events, i: number): void {
    const flags = events.flags[i]!;
    const kind = events.kind[i]!;
    const record = events.record[i]!;
    if ((flags & EVENT.granular) !== 0) {
      addCoarse(events, i);
      return;
    }
    if (!messages && (flags & (EVENT.gap | EVENT.source)) === EVENT.gap) {
      goOnBehindGap(events, i);
      return;
    }
    if ((flags & EVENT.gap) !== 0 && calls.frames.count > 0) lose(functionAtSource(events, i), record);
    if ((flags & EVENT.source) !== 0) {
      comeTo(events.sourceLow[i]!, events.sourceHigh[i]!, record);
    } else if (calls.frames.count === 0) calls.begin(UNKNOWN, record);
    calls.ran(counts ? events.instructions[i]! : Number(kind !== BRANCH.sequential));
    const before = lastBefore;
    lastBefore = 0;
    if ((flags & EVENT.target) === 0 && kind !== BRANCH.sequential) hidden.noteBranch(kind, record);
    switch (kind) {
      case BRANCH.call:
        call(events, i, EDGE.call, (flags & EVENT.inferred) !== 0);
        break;
      case BRANCH.exception:
        call(events, i, EDGE.exception, (flags & EVENT.inferred) !== 0);
        break;
      case BRANCH.interrupt:
        call(events, i, EDGE.interrupt, (flags & EVENT.inferred) !== 0);
        // Nothing ran since the interrupt before.
        if (before !== 0 && record === lastRecord)
          calls.frames.columns.known[calls.frames.count - 1]! |= before & BEFORE;
        break;
      case BRANCH.return:
        if ((flags & EVENT.target) !== 0) goBack(events.targetLow[i]!, events.targetHigh[i]!, record, flags);
        else if (calls.frames.count > 1) calls.closeFrom(calls.frames.count - 1, record);
        break;
      case BRANCH.unknown:
        if ((flags & EVENT.target) === 0) {
          if (messages) markInferred(calls.frames.count - 1);
        } else if (functions.guessed) goUnknown(events, i);
        else goSomehow(events, i, before);
        break;
      case BRANCH.jump:
        if ((flags & EVENT.target) !== 0) goTo(events.targetLow[i]!, events.targetHigh[i]!, record, flags);
        else if (messages) markInferred(calls.frames.count - 1);
        break;
      default:
        break; // sequential
    }
    lastLow = events.targetLow[i]!;
    lastHigh = events.targetHigh[i]!;
    lastRecord = (flags & EVENT.target) === 0 ? -1 : record;
  }

  function lose(fn: number, record: number): void {
    calls.lose(fn, record);
    lastRecord = -1;
  }

  /** Of executed instructions: those before a gap ran where they were, and how it came to the target is not known. */
  function goOnBehindGap(events: Events, i: number): void {
    const [low, high, record] = [events.targetLow[i]!, events.targetHigh[i]!, events.record[i]!];
    if (calls.frames.count === 0) calls.begin(UNKNOWN, record);
    calls.ran(events.instructions[i]!);
    lose(functions.at(low, high), record);
    lastLow = low;
    lastHigh = high;
    lastRecord = record;
  }

  /** Ends that are known to 16 bytes tell at most which function runs: none is entered or left for sure. */
  function addCoarse(events: Events, i: number): void {
    const { frames } = calls;
    const record = events.record[i]!;
    noted(tally, 'coarse', record);
    const here = coarseFunctionAtSource(events, i);
    if (frames.count > 1) lose(here, record);
    else if (frames.count === 0) calls.begin(here, record);
    else if (here !== calls.top()) calls.move(here, record);
    calls.ran(counts ? events.instructions[i]! : 1);
    lastRecord = -1;
  }

  function coarseFunctionAtSource(events: Events, i: number): number {
    if ((events.flags[i]! & EVENT.source) === 0) return UNKNOWN;
    const [low, high] = [events.sourceLow[i]!, events.sourceHigh[i]!];
    const fn = functions.at(low, high);
    return fn === functions.at((low | 15) >>> 0, high) ? fn : UNKNOWN;
  }

  /** The straight run since the event before ends at this address. */
  function comeTo(low: number, high: number, record: number): void {
    const here = functions.at(low, high);
    if (calls.frames.count === 0) {
      calls.begin(here, record);
      return;
    }
    if (messages && lastRecord >= 0) {
      // No straight run goes backwards: messages in between are lost.
      if (high < lastHigh || (high === lastHigh && low < lastLow)) {
        lose(here, record);
        return;
      }
    }
    if (here === UNKNOWN || here === calls.top()) return;
    calls.move(here, lastRecord);
    // What left the function may have left others too.
    if (messages && lastRecord < 0)
      calls.frames.columns.known[calls.frames.count - 1]! |= FRAME.inferred | FRAME.jumped;
  }

  function call(events: Events, i: number, kind: number, inferred: boolean): void {
    const { frames } = calls;
    const flags = events.flags[i]!;
    const record = events.record[i]!;
    const [low, high] = [events.targetLow[i]!, events.targetHigh[i]!];
    const hasTarget = (flags & EVENT.target) !== 0;
    const hasResume = (flags & EVENT.resume) !== 0;
    if (kind === EDGE.call && hasTarget && hasResume) {
      // A call to where it would go on fetches an address, or is one that was not traced.
      const isNext = low === events.resumeLow[i]! && high === events.resumeHigh[i]!;
      if (isNext && !functions.begins(low, high)) return;
    }
    const entered =
      kind === EDGE.call || kind === EDGE.unknown ? CALL : kind === EDGE.exception ? EXCEPTION : INTERRUPT;
    const callee = hasTarget ? functions.called(low, high, ENTERED[entered]!, record) : UNKNOWN;
    if (hasResume) functions.resumes(events.resumeLow[i]!, events.resumeHigh[i]!, record);
    edges.add(calls.top(), callee, kind, inferred, record);
    addTo(tally.calls, callee, 1);
    if (frames.count >= MOST_FRAMES) {
      noted(tally, 'dropped', record);
      dropOuter(frames);
    }
    const parent = frames.columns.context[frames.count - 1]!;
    const frame = reserveFrame(frames);
    const { columns } = frames;
    columns.fn[frame] = callee;
    columns.known[frame] =
      (hasResume ? FRAME.resume : 0) |
      ((flags & EVENT.source) !== 0 ? FRAME.site : 0) |
      (inferred || !hasTarget ? FRAME.inferred : 0);
    columns.entered[frame] = entered;
    columns.since[frame] = record;
    columns.called[frame] = record;
    columns.resumeLow[frame] = events.resumeLow[i]!;
    columns.resumeHigh[frame] = events.resumeHigh[i]!;
    columns.siteLow[frame] = events.sourceLow[i]!;
    columns.siteHigh[frame] = events.sourceHigh[i]!;
    if (entered !== CALL) hidden.noteInterrupt(frame, flags, record);
    calls.open(frame, parent, record);
    frames.contexts.columns.calls[columns.context[frame]!]!++;
  }

  /** A branch that nobody classified: one to where another function begins is rather a call than a tail call. */
  function goSomehow(events: Events, i: number, before: number): void {
    const { frames } = calls;
    const [low, high, record] = [events.targetLow[i]!, events.targetHigh[i]!, events.record[i]!];
    const flags = events.flags[i]!;
    const isOpen = (flags & (EVENT.broken | EVENT.strayed)) === 0;
    if (before !== 0 && isOpen && (flags & EVENT.resume) !== 0 && isAtLast(events, i)) {
      // It was interrupted between two instructions that are something together, or not.
      if ((before & FRAME.link) !== 0) {
        call(events, i, EDGE.call, (flags & EVENT.inferred) !== 0);
        return;
      }
      if ((before & FRAME.pops) === 0 || resumingAt(frames, low, high) >= 0) {
        if ((before & FRAME.pops) === 0) goTo(low, high, record, flags);
        else goBack(low, high, record, flags);
        return;
      }
    }
    const entry = functions.entry(low, high, record);
    const isBack = resumes(frames, frames.count - 1, low, high);
    if (entry >= 0 && entry !== calls.top() && !isBack) {
      call(events, i, EDGE.call, true);
      markFrame(frames, frames.count - 1, FRAME.jumped);
      return;
    }
    if (isBack && (flags & EVENT.resume) !== 0 && frames.count > 1) {
      // It may have been a return.
      const isSame = frames.columns.fn[frames.count - 1] === frames.columns.fn[frames.count - 2];
      calls.closeFrom(frames.count - 1, record);
      if (isSame) markInferred(frames.count - 1);
      return;
    }
    goTo(low, high, record, flags);
    if (entry >= 0 && entry === calls.top()) markInferred(frames.count - 1);
    const hasSource = (flags & EVENT.source) !== 0;
    if (isBack || entry >= 0 || functions.at(low, high) !== UNKNOWN || !hasSource) return;
    // It may have been a call as well as a jump: who is there now is not known.
    if (functions.areApart(low, high, events.sourceLow[i]!, events.sourceHigh[i]!)) calls.move(UNKNOWN, record);
  }

  /** The branch is what the event before went to. */
  function isAtLast(events: Events, i: number): boolean {
    return lastRecord >= 0 && events.sourceLow[i] === lastLow && events.sourceHigh[i] === lastHigh;
  }

  function markInferred(frame: number): void {
    markFrame(calls.frames, frame, FRAME.inferred);
  }

  /** A branch that may be anything: what functions are is guessed from the ends of branches too. */
  function goUnknown(events: Events, i: number): void {
    const { frames } = calls;
    const [low, high, record] = [events.targetLow[i]!, events.targetHigh[i]!, events.record[i]!];
    if ((events.flags[i]! & EVENT.resume) !== 0) {
      call(events, i, EDGE.unknown, true);
      return;
    }
    const [top, now] = [frames.count - 1, calls.top()];
    if (top > 0 && resumes(frames, top, low, high) && frames.columns.fn[top - 1] !== now) {
      calls.closeFrom(top, record);
      return;
    }
    const there = functions.at(low, high);
    const stays = there === now && there !== UNKNOWN && !functions.begins(low, high);
    if (stays || unwindTo(there, low, high, record)) return;
    // It may have been called, or have been returned to, or both be one.
    if (top > 0) calls.leaveAside(there, record, 'unclear');
    else if (there !== now) calls.move(there, record);
  }

  /** A jump: within the function, or into another one that takes the frame over. */
  function goTo(low: number, high: number, record: number, flags: number): void {
    const { frames } = calls;
    const top = frames.count - 1;
    const now = calls.top();
    const entry = functions.entry(low, high, record);
    // Whatever the instruction was: a frame of another function goes on there.
    if (top > 0 && entry !== now && resumes(frames, top, low, high) && frames.columns.fn[top - 1] !== now) {
      calls.closeFrom(top, record);
      return;
    }
    if (entry >= 0) {
      if (entry === now) return;
      const inferred = (flags & EVENT.inferred) !== 0 || !functions.begins(low, high);
      edges.add(now, entry, EDGE['tail call'], inferred, record);
      addTo(tally.calls, entry, 1);
      if (inferred) markInferred(top);
      calls.move(entry, record);
      frames.contexts.columns.calls[frames.columns.context[top]!]!++;
      return;
    }
    const inside = functions.at(low, high);
    if (inside !== now && unwindTo(inside, low, high, record)) return;
    if (inside !== now && (inside !== UNKNOWN || functions.hasSymbol(now))) calls.move(inside, record);
  }

  function goBack(low: number, high: number, record: number, flags: number): void {
    const { frames } = calls;
    const blind = hidden.blind();
    if (blind < 0 || messages) {
      if (blind < 0) lastBefore = hidden.before(low, high);
      returnTo(low, high, record, flags, blind);
      return;
    }
    const branched = hidden.branched(blind, low, high, flags);
    if (branched >= 0) {
      calls.closeFrom(branched, record);
      return;
    }
    hidden.ending(blind, low, high);
    returnTo(low, high, record, flags, blind);
    // Else it is another stack, or none that explains it.
    if (calls.frames === frames && frames.count <= blind) lastBefore = hidden.ended(low, high, record);
  }

  function returnTo(low: number, high: number, record: number, flags: number, blind: number): void {
    const { frames } = calls;
    const top = frames.count - 1;
    let frame = resumingAt(frames, low, high);
    const mayBeElsewhere = frame < 0 || (blind > 0 && (frames.columns.known[blind]! & FRAME.resume) === 0);
    if (blind > 0 && frame < blind && mayBeElsewhere && endBlind(blind, low, high, record, flags)) {
      // Back to where an open call goes on, or just there.
      if (frame >= 0) markInferred(frames.count - 1);
      return;
    }
    if (cameBetween(top) && functions.at(low, high) === frames.columns.fn[top - 1] && !functions.begins(low, high)) {
      // Where an outer call goes on as well it may have gone there: all further returns would look right, and be one call off.
      if (frame >= 0) lose(frames.columns.fn[top - 1]!, record);
      else {
        calls.closeFrom(top, record);
        markInferred(top - 1);
      }
      return;
    }
    if (frame < 0 && frames.interrupts > 0) frame = faultNear(low, high, (flags & EVENT.ends) !== 0);
    if (frame >= 0) {
      if (frame < top) noted(tally, 'unwound', record);
      if (frame === 0) calls.goBelow(functions.at(low, high), record);
      else calls.closeFrom(frame, record);
      return;
    }
    if (calls.takeUp(low, high, record)) return;
    const there = functions.at(low, high);
    if (leavesElsewhere(top, there, low, high, record)) {
      calls.closeFrom(top, record);
      return;
    }
    if (there !== UNKNOWN && functions.begins(low, high)) {
      // An address that was pushed to get there, or what an interrupt before the trace had kept from running.
      const isKnown = top > 0 && (frames.columns.known[top]! & FRAME.resume) !== 0;
      goTo(low, high, record, isKnown ? flags : flags | EVENT.inferred);
      return;
    }
    if (unwindTo(there, low, high, record)) return;
    if (top === 0) calls.goBelow(there, record);
    else calls.leaveAside(there, record, 'elsewhere');
  }

  /** As longjmp does: to where a call by an open function, long since over, went on. */
  function unwindTo(fn: number, low: number, high: number, record: number): boolean {
    const { frames } = calls;
    const top = frames.count - 1;
    if (top === 0 || fn === UNKNOWN || !isOpen(frames, fn) || !functions.isResume(low, high, record)) return false;
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
  function endBlind(frame: number, low: number, high: number, record: number, flags: number): boolean {
    const { columns } = calls.frames;
    const entry = functions.entry(low, high, record);
    const below = columns.fn[frame - 1]!;
    const wasCalled = below === UNKNOWN && columns.entered[frame - 1] === CALL;
    if (hidden.endsAtSite()) {
      calls.closeFrom(frame - 1, record);
      return true;
    }
    if (entry < 0 && (wasCalled || below === UNKNOWN || functions.at(low, high) !== below)) return false;
    calls.closeFrom(frame, record);
    if (entry < 0) return true;
    if (wasCalled) calls.move(entry, record);
    else goTo(low, high, record, flags | EVENT.inferred);
    return true;
  }

  /** A helper that goes on in its caller elsewhere than behind the call, as those do that look up where a switch leads. */
  function leavesElsewhere(top: number, there: number, low: number, high: number, record: number): boolean {
    const { columns } = calls.frames;
    if (top === 0 || there === UNKNOWN || there === columns.fn[top] || there !== columns.fn[top - 1]) return false;
    if (columns.entered[top] !== CALL || (columns.known[top]! & FRAME.resume) === 0) return false;
    const distance = low - columns.resumeLow[top]!;
    const isNear = high === columns.resumeHigh[top] && distance > 0 && distance < SWITCH_REACH;
    return isNear && !functions.begins(low, high) && !functions.isResume(low, high, record);
  }

  /** What came over the function below, such as an interrupt of a processor without vectors: where that goes on was not known. */
  function cameBetween(top: number): boolean {
    const { columns } = calls.frames;
    const isOpen = (columns.known[top]! & (FRAME.jumped | FRAME.resume)) === FRAME.jumped;
    return isOpen && top > 0 && columns.fn[top - 1] !== UNKNOWN;
  }

  /** The innermost frame of an exception that goes on about there; -1 where none does. `any`: it may have been taken for an interrupt. */
  function faultNear(low: number, high: number, any: boolean): number {
    const { frames } = calls;
    const { columns } = frames;
    const frame = innermostInterrupt(frames);
    const isFault = columns.entered[frame] === EXCEPTION || (any && columns.entered[frame] === INTERRUPT);
    if (!isFault || (columns.known[frame]! & FRAME.resume) === 0) return -1;
    const distance = (low - columns.resumeLow[frame]!) | 0;
    return columns.resumeHigh[frame] === high && distance >= -FAULT_REACH && distance <= FAULT_REACH ? frame : -1;
  }

  function functionAtSource(events: Events, i: number): number {
    const hasSource = (events.flags[i]! & EVENT.source) !== 0;
    return hasSource ? functions.at(events.sourceLow[i]!, events.sourceHigh[i]!) : UNKNOWN;
  }
}
