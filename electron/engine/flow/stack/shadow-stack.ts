/**
 * The shadow stack of one CPU: follows the branch events of the CPU in order and maintains which calls are open.
 *
 * Invariants:
 *  1. The frames of the stack in use are the open calls, outermost first. Frame 0 is the function in which the stack began, or its
 *     outermost caller that a return has shown so far; what called it is not known.
 *  2. A call, interrupt or exception opens one frame, which knows where the frame below resumes (`enter`).
 *  3. A return closes the innermost frame that resumes at its target and all frames above it (`returnTo`). The stack therefore
 *     survives longjmp and calls that never return.
 *  4. A jump opens and closes nothing while it stays in the function. A jump to the entry point of another function is a tail
 *     call: it replaces the function of the innermost frame (`jump`).
 *  5. If no open frame explains where a return leads, the stack is suspended and another one begins there. A return to a suspended
 *     stack continues it. Stack switches of threads look like this.
 *  6. A gap in the trace discards all stacks of the CPU.
 *  7. Nothing is invented: an unknown function is UNKNOWN, and a frame is marked (see FRAME) if it, its function or the frames below
 *     it were inferred.
 *  8. Only the innermost frame changes. A frame that is stored in a snapshot therefore has only stored frames below it.
 *  9. Every instruction, or branch message, counts once: for the innermost frame at the time it ran. Those of a straight run from one
 *     function into others count for the last one; the records of such a run, except the first, belong to an unknown function.
 *
 * `add` handles one event; `addBranch` is the place to start reading. What an interrupt hides is in interrupted-branches.ts, the
 * stacks themselves are in open-calls.ts and frames.ts.
 */
import { assert } from '../../../../shared/base/result.ts';
import { BRANCH, EVENT, type Events, type FlowPoint } from '../../../../shared/flow/events.ts';
import { ANY_FUNCTION, FLAGS_SHIFT, KIND_MASK, WORD, WORDS } from '../functions/branch-table.ts';
import { ENTERED, ENTRY, UNKNOWN, type Functions } from '../functions/functions.ts';
import { EDGE } from '../tally/call-edges.ts';
import { addTo, noted } from '../tally/call-tally.ts';
import {
  BELOW_UNCERTAIN,
  belowUncertainBit,
  findCallBefore,
  findFaultNear,
  findResuming,
  FRAME,
  interruptsUnseen,
  isOpen,
  markFrame,
  markInferred,
  resumesAt,
  type Frames,
} from './frames.ts';
import { createInterruptedBranches, type InterruptedBranchesSettings } from './interrupted-branches.ts';
import { createOpenCalls, type OpenCallsSettings } from './open-calls.ts';

export interface ShadowStack {
  /** Returns the current state. It is not a copy: its frames change with the next event. */
  state(): StackState;
  /** Begins at the first instruction that the CPU executes. No effect if a frame is open. */
  begin(low: number, high: number, record: number): void;
  /** Adds the next event of the CPU. */
  add(events: Events, index: number): void;
  /**
   * Adds the events [from, to), which have numbers of alike events; `branches` maps these to numbers of the branch table. Returns the
   * first event that was not added because the numbers of the branch table are no longer valid.
   */
  addAlike(events: Events, branches: Int32Array, from: number, to: number): number;
  /** Counts instructions that ran after the last event. */
  ran(instructions: number): void;
  /** Ends all open calls at `record`. `last`: the last instruction before it, if known. No event may be added afterwards. */
  finish(record: number, last?: FlowPoint): void;
}

export interface StackSettings extends OpenCallsSettings, InterruptedBranchesSettings {
  readonly functions: Functions;
  /**
   * True if events are branch messages: these contain no instruction counts, so each counts as one, and some may be missing. False if
   * events come from executed instructions, which are counted.
   */
  readonly messages: boolean;
  /** True if messages contain instruction counts all the same. */
  readonly counts?: boolean;
}

/** State of a shadow stack between two events: another one that is created with it continues there. */
export interface StackState {
  /** The stack in use. */
  readonly frames: Frames;
  /** Suspended stacks, the latest one last. */
  readonly suspended: readonly Frames[];
  readonly last: LastTarget;
}

/** Target of the previous event. */
export interface LastTarget {
  readonly low: number;
  readonly high: number;
  /** The record of the event; -1 if its target is not known; ENTERED_UNSEEN. */
  readonly record: number;
  /**
   * If the event ended an interrupt: what ran directly before that interrupt, as FRAME.link, FRAME.pops or another bit for anything
   * else. 0 if it did not end an interrupt.
   */
  readonly before: number;
}

/** Record of a LastTarget whose address is not known, except that it is the entry point of the innermost frame. */
const ENTERED_UNSEEN = -2;

export const NO_TARGET: LastTarget = { low: 0, high: 0, record: -1, before: 0 };

/** Flags of events that do not simply follow the previous one. */
const SPECIAL = EVENT.granular | EVENT.gap;
const BOTH_ENDS = EVENT.source | EVENT.target;
/** A helper of a switch statement resumes at most so many bytes after the table that follows its call. */
const SWITCH_REACH = 4096;

export function createShadowStack(settings: StackSettings, state?: StackState): ShadowStack {
  const { functions, tally, messages, counts = !messages } = settings;
  const calls = createOpenCalls(settings, state);
  const hidden = createInterruptedBranches(settings, calls);
  const { low, high, record, before } = state?.last ?? NO_TARGET;
  /** The branch that is being added, and the target of the previous one. An object: V8 updates its number fields in place. */
  const branch = {
    /** Rows of the branch table, and where that of the branch begins; see WORD. */
    words: functions.branches.words,
    at: 0,
    /** As in LastTarget. */
    lastLow: low,
    lastHigh: high,
    lastRecord: record,
    lastBefore: before,
  };

  return {
    state() {
      const { lastLow, lastHigh, lastRecord, lastBefore } = branch;
      const last = { low: lastLow, high: lastHigh, record: lastRecord, before: lastBefore };
      return { frames: calls.frames, suspended: calls.suspended, last };
    },
    begin(low, high, record) {
      if (calls.frames.count === 0) calls.begin(functions.owner(low, high), record);
    },
    add(events, i) {
      addBranch(functions.branches.number(events, i), events.record[i]!, events.instructions[i]!);
    },
    addAlike,
    ran: calls.ran,
    finish(record, last) {
      if (last !== undefined && last.record >= branch.lastRecord && calls.frames.count > 0)
        runTo(functions.owner(last.addressLow, last.addressHigh), last.record);
      calls.finish(record);
    },
  };

  function addAlike(events: Events, branches: Int32Array, from: number, to: number): number {
    const { alike, record } = events;
    assert(alike !== undefined, 'events have numbers');
    const { numbers, each } = alike;
    const { generation } = functions.branches;
    let i = from;
    while (functions.branches.generation === generation) {
      i = passInner(events, branches, i, to);
      if (i === to) break;
      addBranch(branches[numbers[i]!]!, record[i]!, each.instructions[numbers[i]!]!);
      i++;
    }
    return i;
  }

  /**
   * Adds events starting at `from` as long as they do not leave the function that runs, as most branches do not; returns the first
   * other event. One loop without calls: this is the hot loop of a walk.
   */
  function passInner({ alike, record }: Events, branches: Int32Array, from: number, to: number): number {
    const { frames } = calls;
    const { columns } = frames;
    const top = frames.count - 1;
    if (top < 0 || branch.lastRecord < 0 || alike === undefined) return from;
    const { numbers } = alike;
    const { instructions } = alike.each;
    const known = functions.branches.words;
    const inner = columns.fn[top]! + 1;
    const returns = (columns.known[top]! & FRAME.resume) !== 0;
    const resumeLow = returns ? columns.resumeLow[top]! : -1;
    const high = branch.lastHigh;
    let low = branch.lastLow;
    let units = 0;
    let i = from;
    for (; i < to; i++) {
      const first = branches[numbers[i]!]! * WORDS;
      const innerTo = known[first + WORD.inner]!;
      if (innerTo !== inner && innerTo !== ANY_FUNCTION) break;
      if (messages && (known[first + WORD.sourceLow]! < low || known[first + WORD.sourceHigh] !== high)) break;
      const target = known[first + WORD.targetLow]!;
      if (target === resumeLow) break;
      low = target;
      units += counts ? instructions[numbers[i]!]! : 1;
    }
    if (i === from) return from;
    calls.ran(units);
    branch.lastBefore = 0;
    branch.lastLow = low;
    if (!messages) branch.lastHigh = known[branches[numbers[i - 1]!]! * WORDS + WORD.targetHigh]!;
    branch.lastRecord = record[i - 1]!;
    return i;
  }

  /** `number`: the branch in the branch table. */
  function addBranch(number: number, record: number, instructions: number): void {
    const { words } = functions.branches;
    const at = number * WORDS;
    branch.words = words;
    branch.at = at;
    const kindAndFlags = words[at + WORD.kindAndFlags]!;
    const flags = kindAndFlags >>> FLAGS_SHIFT;
    const kind = kindAndFlags & KIND_MASK;
    if ((flags & SPECIAL) !== 0) {
      if ((flags & EVENT.granular) !== 0) {
        addGranular(flags, record, instructions);
        return;
      }
      if (!messages && (flags & EVENT.source) === 0) {
        continueAfterGap(record, instructions);
        return;
      }
      if (calls.frames.count > 0) lose(functionAtSource(flags), record);
    }
    if ((flags & EVENT.source) !== 0) arriveAtSource(record);
    else if (calls.frames.count === 0) calls.begin(UNKNOWN, record);
    calls.ran(counts ? instructions : Number(kind !== BRANCH.sequential));
    const before = branch.lastBefore;
    branch.lastBefore = 0;
    const hasTarget = (flags & EVENT.target) !== 0;
    if (!hasTarget && kind !== BRANCH.sequential)
      hidden.noteUnseenTarget(kind, record, words[at + WORD.sourceLow]!, words[at + WORD.sourceHigh]!);
    switch (kind) {
      case BRANCH.call:
        enter(EDGE.call, flags, record);
        break;
      case BRANCH.exception:
        if (isReturnTakenForException(flags)) goBack(flags, record);
        else enter(EDGE.exception, flags, record);
        break;
      case BRANCH.interrupt:
        enter(EDGE.interrupt, flags, record);
        break;
      case BRANCH.return:
        if (hasTarget) goBack(flags, record);
        else returnUnseen(record);
        break;
      case BRANCH.unknown:
        if (!hasTarget) {
          // It may have been a return.
          if (messages) markFrame(calls.frames, calls.frames.count - 1, FRAME.inferred | FRAME.maybeJumped);
        } else if (functions.ownersInferred && messages) addUnknownMessage(flags, record);
        else addUnknown(flags, record, before);
        break;
      case BRANCH.jump:
        if (hasTarget) jump(flags, record);
        else if (messages) markInferred(calls.frames, calls.frames.count - 1);
        break;
      default:
        break; // sequential
    }
    branch.lastLow = words[at + WORD.targetLow]!;
    branch.lastHigh = words[at + WORD.targetHigh]!;
    const enters = kind === BRANCH.call || kind === BRANCH.interrupt || kind === BRANCH.exception;
    branch.lastRecord = hasTarget ? record : enters ? ENTERED_UNSEEN : -1;
  }

  // Before the branch: the straight run that leads to its source.

  /** The straight run since the previous event ends at the source. */
  function arriveAtSource(record: number): void {
    const { words, at, lastLow, lastHigh, lastRecord } = branch;
    const here = functions.ownerAt(words[at + WORD.source]!);
    if (calls.frames.count === 0) {
      calls.begin(here, record);
      return;
    }
    if (messages && lastRecord >= 0) {
      // A straight run never goes backwards: messages are missing.
      const low = words[at + WORD.sourceLow]!;
      const high = words[at + WORD.sourceHigh]!;
      if (high < lastHigh || (high === lastHigh && low < lastLow)) {
        lose(here, record);
        return;
      }
    }
    runTo(here, record);
  }

  /** The straight run since the previous event arrives in the function before `record`. */
  function runTo(here: number, record: number): void {
    const { lastRecord } = branch;
    const { columns, count } = calls.frames;
    if (here === UNKNOWN || here === calls.running()) return;
    if (lastRecord === ENTERED_UNSEEN) calls.moveTo(here, columns.since[count - 1]!);
    else if (!messages || lastRecord >= 0) calls.runInto(here, lastRecord, record);
    else {
      calls.moveTo(here, record);
      // The branch that left the function may have left others too.
      markFrame(calls.frames, count - 1, FRAME.inferred | FRAME.maybeJumped);
    }
  }

  /** Adds an event of executed instructions after a gap. The instructions ran before the gap; the path to the target is not known. */
  function continueAfterGap(record: number, instructions: number): void {
    const { words, at } = branch;
    if (calls.frames.count === 0) calls.begin(UNKNOWN, record);
    calls.ran(instructions);
    lose(functions.ownerAt(words[at + WORD.target]!), record);
    branch.lastLow = words[at + WORD.targetLow]!;
    branch.lastHigh = words[at + WORD.targetHigh]!;
    branch.lastRecord = record;
  }

  /** Ends that are known to 16 bytes show at most which function runs, not whether one was entered or left. */
  function addGranular(flags: number, record: number, instructions: number): void {
    const { frames } = calls;
    noted(tally, 'coarse', record);
    const here = granularFunctionAtSource(flags);
    if (frames.count > 1) lose(here, record);
    else if (frames.count === 0) calls.begin(here, record);
    else if (here !== calls.running()) calls.moveTo(here, record);
    calls.ran(counts ? instructions : 1);
    branch.lastRecord = -1;
  }

  function granularFunctionAtSource(flags: number): number {
    if ((flags & EVENT.source) === 0) return UNKNOWN;
    const { words, at } = branch;
    const low = words[at + WORD.sourceLow]!;
    const high = words[at + WORD.sourceHigh]!;
    const fn = functions.owner(low, high);
    return fn === functions.owner((low | 15) >>> 0, high) ? fn : UNKNOWN;
  }

  function functionAtSource(flags: number): number {
    return (flags & EVENT.source) !== 0 ? functions.ownerAt(branch.words[branch.at + WORD.source]!) : UNKNOWN;
  }

  function lose(fn: number, record: number): void {
    calls.lose(fn, record);
    branch.lastRecord = -1;
  }

  // Calls, interrupts and exceptions

  /** Opens a frame for a branch that is an edge of `kind`, a code of EDGE. `concluded`: that it is one was inferred. */
  function enter(kind: number, flags: number, record: number, concluded = (flags & EVENT.inferred) !== 0): void {
    const { words, at } = branch;
    const { frames } = calls;
    const hasTarget = (flags & EVENT.target) !== 0;
    const hasResume = (flags & EVENT.resume) !== 0;
    const target = words[at + WORD.target]!;
    const resume = words[at + WORD.resume]!;
    // A call to its own resume address fetches the program counter, or is a call whose callee was not traced.
    if (kind === EDGE.call && hasTarget && hasResume && target === resume && !functions.beginsAt(target)) return;
    const entered =
      kind === EDGE.call || kind === EDGE.unknown
        ? ENTRY.call
        : kind === EDGE.exception
          ? ENTRY.exception
          : ENTRY.interrupt;
    const callee = hasTarget ? functions.noteCallAt(target, ENTERED[entered], record) : UNKNOWN;
    // Compilers jump with BL if a function of Thumb code is longer than the reach of a branch.
    const isWithin = kind === EDGE.call && hasTarget && callee === calls.running() && !functions.beginsAt(target);
    const inferred = concluded || (isWithin && functions.hasSymbol(callee));
    if (hasResume) functions.noteResumeAt(resume, record);
    tally.edges.add(calls.running(), callee, kind, inferred, record);
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
    if (entered !== ENTRY.call) hidden.noteInterrupt(frame, flags, record);
    calls.open(frame, parent, record);
    frames.contexts.columns.calls[columns.context[frame]!]!++;
  }

  /**
   * Returns true for a return that was taken for an exception because its target is an exception vector: an indirect branch to the
   * resume address of the innermost frame. Code is at the vector, or a handler that another interrupt kept from beginning.
   */
  function isReturnTakenForException(flags: number): boolean {
    const known = flags & (EVENT.source | EVENT.resume | EVENT.inferred);
    return !messages && known === EVENT.inferred && resumesAtTarget(calls.frames.count - 1);
  }

  // Returns

  /** Handles a return, and what it shows of a branch that an interrupt hid. */
  function goBack(flags: number, record: number): void {
    const { words, at } = branch;
    const { frames } = calls;
    const low = words[at + WORD.targetLow]!;
    const high = words[at + WORD.targetHigh]!;
    const hiding = hidden.hidingFrame();
    if (hiding < 0 || messages) {
      if (hiding < 0) branch.lastBefore = hidden.beforeInterrupt(low, high);
      returnTo(flags, record, hiding);
      return;
    }
    const over = hidden.frameIfBranchTarget(hiding, low, high, flags);
    if (over >= 0) {
      calls.closeFrom(over, record);
      return;
    }
    hidden.beginReturn(hiding, low, high);
    returnTo(flags, record, hiding);
    // Otherwise another stack is in use, or no open frame explains the return.
    if (calls.frames === frames && frames.count <= hiding) branch.lastBefore = hidden.endReturn(low, high, record);
  }

  /** `hiding`: the frame of an interrupt that hides a branch target (see hidingFrame); -1 if there is none. */
  function returnTo(flags: number, record: number, hiding: number): void {
    const { words, at } = branch;
    const { frames } = calls;
    const target = words[at + WORD.target]!;
    const low = words[at + WORD.targetLow]!;
    const high = words[at + WORD.targetHigh]!;
    const top = frames.count - 1;
    let frame = findResuming(frames, low, high);
    if (frame < 0) frame = findCallBefore(frames, low, high);
    const mayBeHidden = frame < 0 || (hiding > 0 && (frames.columns.known[hiding]! & FRAME.resume) === 0);
    if (hiding > 0 && frame < hiding && mayBeHidden && returnToHiddenTarget(hiding, flags, record)) {
      // The handler returned to a resume address of an open frame, or to the hidden target.
      if (frame >= 0) markInferred(frames, frames.count - 1);
      return;
    }
    if (
      interruptsUnseen(frames, top) &&
      functions.ownerAt(target) === frames.columns.fn[top - 1] &&
      !functions.beginsAt(target)
    ) {
      // If an outer frame resumes there as well, either may have been meant. Guessing would shift all further returns by one call.
      if (frame >= 0) {
        calls.lose(frames.columns.fn[top - 1]!, record);
      } else {
        calls.closeFrom(top, record);
        markInferred(frames, top - 1);
      }
      return;
    }
    if (frame < 0 && frames.interrupts > 0) frame = findFaultNear(frames, low, high, (flags & EVENT.ends) !== 0);
    if (frame >= 0) {
      if (frame < top) noted(tally, 'unwound', record);
      if (frame === 0) calls.returnBelow(functions.ownerAt(target), record);
      else calls.closeFrom(frame, record);
      return;
    }
    if (calls.takeUp(low, high, record)) return;
    const there = functions.ownerAt(target);
    if (isSwitchHelper(top, there, record)) {
      calls.closeFrom(top, record);
      return;
    }
    if (there !== UNKNOWN && functions.beginsAt(target)) {
      // The address was pushed to get there, an interrupt before the trace had kept it from running, or a thread begins.
      const isKnown = top > 0 && (frames.columns.known[top]! & (FRAME.resume | FRAME.maybeJumped)) === FRAME.resume;
      jump(flags | EVENT.inferred, record);
      // A thread was not called by the frames below.
      if (isKnown) markFrame(frames, frames.count - 1, FRAME.inferred | belowUncertainBit(frames, frames.count - 1));
      return;
    }
    if (unwindTo(there, record)) return;
    // A return that was inferred may have led elsewhere than to the caller.
    if (top === 0 && (flags & EVENT.inferred) === 0) calls.returnBelow(there, record);
    else calls.suspend(there, record, 'elsewhere');
  }

  /** A return without a target: to the frame below, if that is still open. */
  function returnUnseen(record: number): void {
    const { frames } = calls;
    const top = frames.count - 1;
    const isUncertain = (frames.columns.known[top]! & (FRAME.maybeJumped | BELOW_UNCERTAIN)) !== 0;
    if (top > 0) calls.closeFrom(top, record);
    if (messages && (top === 0 || isUncertain)) markFrame(frames, frames.count - 1, FRAME.inferred | FRAME.maybeJumped);
  }

  /**
   * Ends the interrupt `frame`, which hides a branch target, if the return can lead to that target: in the function that the branch
   * called, in the function that branched, or at an entry point that it jumped to. Returns false if it cannot.
   */
  function returnToHiddenTarget(frame: number, flags: number, record: number): boolean {
    const { words, at } = branch;
    const { columns } = calls.frames;
    const target = words[at + WORD.target]!;
    const entry = functions.entryAt(target, record);
    const below = columns.fn[frame - 1]!;
    const wasCalled = below === UNKNOWN && columns.entered[frame - 1] === ENTRY.call;
    const here = functions.ownerAt(target);
    const unnamed = entry < 0 && here === UNKNOWN && (flags & EVENT.ends) !== 0;
    if (unnamed && wasCalled && columns.called[frame - 1] === columns.called[frame]) {
      if (functions.isResumeAt(target, record)) return false;
      calls.closeFrom(frame, record);
      calls.moveTo(functions.noteCallAt(target, 'call', record), record);
      return true;
    }
    const stays = unnamed
      ? hidden.staysNear(frame, words[at + WORD.targetLow]!, words[at + WORD.targetHigh]!)
      : here !== UNKNOWN && here === below;
    if (entry < 0 && (wasCalled || !stays)) return false;
    calls.closeFrom(frame, record);
    if (entry < 0) return true;
    if (wasCalled) calls.moveTo(entry, record);
    else jump(flags | EVENT.inferred, record);
    return true;
  }

  /** Returns true for a helper that resumes in its caller a little after its resume address, as helpers of switch statements do. */
  function isSwitchHelper(top: number, there: number, record: number): boolean {
    const { words, at } = branch;
    const { columns } = calls.frames;
    const target = words[at + WORD.target]!;
    if (top === 0 || there === UNKNOWN || there === columns.fn[top] || there !== columns.fn[top - 1]) return false;
    if (columns.entered[top] !== ENTRY.call || (columns.known[top]! & FRAME.resume) === 0) return false;
    const distance = words[at + WORD.targetLow]! - columns.resumeLow[top]!;
    const isNear = words[at + WORD.targetHigh] === columns.resumeHigh[top] && distance > 0 && distance < SWITCH_REACH;
    return isNear && !functions.beginsAt(target) && !functions.isResumeAt(target, record);
  }

  // Jumps

  function jump(flags: number, record: number): void {
    const { words, at } = branch;
    const { frames } = calls;
    const target = words[at + WORD.target]!;
    const top = frames.count - 1;
    const now = calls.running();
    const entry = functions.entryAt(target, record);
    // A jump to the resume address in another function is a return, whatever its instruction.
    if (top > 0 && entry !== now && resumesAtTarget(top) && frames.columns.fn[top - 1] !== now) {
      calls.closeFrom(top, record);
      return;
    }
    if (entry >= 0) {
      if (entry === now) return;
      const inferred = (flags & EVENT.inferred) !== 0 || !functions.beginsAt(target);
      tally.edges.add(now, entry, EDGE['tail call'], inferred, record);
      addTo(tally.calls, entry, 1);
      if (inferred) markInferred(frames, top);
      calls.moveTo(entry, record);
      frames.contexts.columns.calls[frames.columns.context[top]!]!++;
      return;
    }
    const inside = functions.ownerAt(target);
    if (inside === now) {
      const isJump = (words[at + WORD.kindAndFlags]! & KIND_MASK) === BRANCH.jump;
      if (isJump && !functions.isCalled(target)) noteInner(now);
      return;
    }
    if (unwindTo(inside, record)) return;
    const isJump = (words[at + WORD.kindAndFlags]! & KIND_MASK) === BRANCH.jump;
    const isComputed = isJump && (flags & EVENT.computed) !== 0;
    // Until something is known of its target.
    if (
      !functions.ownersKnown &&
      isJump &&
      !isComputed &&
      functions.isNeverResumed(target) &&
      !functions.isCalled(target)
    ) {
      setInner(ANY_FUNCTION);
      return;
    }
    if (isComputed && inside !== UNKNOWN && !functions.arePieces(now, inside)) {
      land(inside, record);
      return;
    }
    if (inside !== UNKNOWN || functions.hasSymbol(now)) calls.moveTo(inside, record);
    else if ((isComputed || functions.isResumeAt(target, record)) && functionElsewhere() !== now) {
      // It left the function that runs, for one that is not known to be open.
      markFrame(frames, top, FRAME.inferred | FRAME.belowUncertain);
    }
  }

  /**
   * A computed jump into the middle of another function. Unwinders end like this when a C++ exception is caught or cleaned up. If the
   * function is open, and this one was called, the calls in between end.
   */
  function land(fn: number, record: number): void {
    const { frames } = calls;
    const top = frames.count - 1;
    const { called, since } = frames.columns;
    if (isOpen(frames, fn) && called[top] === since[top]) {
      unwindToFunction(fn, record);
      return;
    }
    calls.moveTo(fn, record);
    if (top > 0) markFrame(frames, top, FRAME.inferred | belowUncertainBit(frames, top));
  }

  /** As longjmp does: goes to the resume address of an earlier call made by `there`, an open function. Returns false for other branches. */
  function unwindTo(there: number, record: number): boolean {
    const { words, at } = branch;
    const { frames } = calls;
    const top = frames.count - 1;
    if (top === 0 || !functions.isResumeAt(words[at + WORD.target]!, record)) return false;
    const fn = there === UNKNOWN ? functionElsewhere() : there;
    if (fn === UNKNOWN || (there === UNKNOWN && fn === calls.running()) || !isOpen(frames, fn)) return false;
    unwindToFunction(fn, record);
    return true;
  }

  /** Unwinds to the innermost frame of the function. If it has several, any of them may be meant. */
  function unwindToFunction(fn: number, record: number): void {
    const { frames } = calls;
    const top = frames.count - 1;
    let outer = top;
    while (frames.columns.fn[outer] !== fn) outer--;
    if (outer < top) calls.closeFrom(outer + 1, record);
    markFrame(frames, outer, FRAME.inferred | (frames.open[fn]! > 1 ? belowUncertainBit(frames, outer) : 0));
    noted(tally, 'unwound', record);
  }

  /**
   * Returns the function at a target without a known owner. That is the running one unless a called function begins between
   * source and target; then it is that function, or UNKNOWN if that has a symbol.
   */
  function functionElsewhere(): number {
    const { words, at } = branch;
    const now = calls.running();
    const [low, high] = [words[at + WORD.targetLow]!, words[at + WORD.targetHigh]!];
    const hasSource = ((words[at + WORD.kindAndFlags]! >>> FLAGS_SHIFT) & EVENT.source) !== 0;
    if (functions.ownersInferred || !hasSource) return now;
    if (!functions.areApart(low, high, words[at + WORD.sourceLow]!, words[at + WORD.sourceHigh]!)) return now;
    const fn = functions.nearestCalled(low, high);
    return functions.hasSymbol(fn) ? UNKNOWN : fn;
  }

  /** Notes in the branch table that the branch does not leave the function. */
  function noteInner(fn: number): void {
    if (functions.ownerAt(branch.words[branch.at + WORD.source]!) === fn) setInner(fn + 1);
  }

  /** `inner`: a value of WORD.inner. */
  function setInner(inner: number): void {
    const { words, at } = branch;
    const flags = words[at + WORD.kindAndFlags]! >>> FLAGS_SHIFT;
    if ((flags & (SPECIAL | BOTH_ENDS)) !== BOTH_ENDS) return;
    if (words[at + WORD.sourceHigh] === words[at + WORD.targetHigh]) words[at + WORD.inner] = inner;
  }

  // Branches of unknown kind: the functions at their ends and the open calls decide what they were.

  /** A branch to the entry point of another function is rather a call than a tail call. `before`: see LastTarget. */
  function addUnknown(flags: number, record: number, before: number): void {
    const { words, at } = branch;
    const { frames } = calls;
    const target = words[at + WORD.target]!;
    const low = words[at + WORD.targetLow]!;
    const high = words[at + WORD.targetHigh]!;
    const mayResume = (flags & (EVENT.broken | EVENT.strayed)) === 0;
    if (before !== 0 && mayResume && (flags & EVENT.resume) !== 0 && isAtLastTarget()) {
      // An interrupt came between two instructions that are a call or a return together, or a plain jump.
      if ((before & FRAME.link) !== 0) {
        enter(EDGE.call, flags, record);
        return;
      }
      if ((before & FRAME.pops) === 0 || findResuming(frames, low, high) >= 0) {
        if ((before & FRAME.pops) === 0) jump(flags, record);
        else goBack(flags, record);
        return;
      }
    }
    const entry = functions.entryAt(target, record);
    const isBack = resumesAtTarget(frames.count - 1);
    if (entry >= 0 && entry !== calls.running() && !isBack) {
      enter(EDGE.call, flags, record, true);
      markFrame(frames, frames.count - 1, FRAME.maybeJumped | uncertainBits(flags));
      return;
    }
    if (isBack && (flags & EVENT.resume) !== 0 && frames.count > 1) {
      // It may have been a return.
      const isSame = frames.columns.fn[frames.count - 1] === frames.columns.fn[frames.count - 2];
      calls.closeFrom(frames.count - 1, record);
      if (isSame) markInferred(frames, frames.count - 1);
      return;
    }
    const hasSource = (flags & EVENT.source) !== 0;
    const inside = functions.ownerAt(target);
    // The trace, or a buffer, begins in the middle of a function.
    if (!hasSource && entry < 0 && inside !== UNKNOWN && frames.count === 1 && calls.running() === UNKNOWN)
      calls.identify(inside, record);
    else jump(flags, record);
    const uncertain = uncertainBits(flags);
    if (uncertain !== 0 || (entry >= 0 && entry === calls.running()))
      markFrame(frames, frames.count - 1, FRAME.inferred | uncertain);
    if (isBack || entry >= 0 || inside !== UNKNOWN || !hasSource) return;
    // It may have been a call as well as a jump: then the function that runs now is not known.
    if (!functions.areApart(low, high, words[at + WORD.sourceLow]!, words[at + WORD.sourceHigh]!)) return;
    calls.moveTo(UNKNOWN, record);
    markInferred(frames, frames.count - 1);
  }

  /** The same for messages if the bodies of functions were inferred. */
  function addUnknownMessage(flags: number, record: number): void {
    const { frames } = calls;
    const target = branch.words[branch.at + WORD.target]!;
    if ((flags & EVENT.resume) !== 0) {
      enter(EDGE.unknown, flags, record, true);
      return;
    }
    const [top, now] = [frames.count - 1, calls.running()];
    if (top > 0 && resumesAtTarget(top) && frames.columns.fn[top - 1] !== now) {
      calls.closeFrom(top, record);
      return;
    }
    const there = functions.ownerAt(target);
    const stays = there === now && there !== UNKNOWN && !functions.beginsAt(target);
    if (stays) noteInner(there);
    if (stays || unwindTo(there, record)) return;
    // The target may have been called, returned to, or both.
    if (top > 0) calls.suspend(there, record, 'unclear');
    else if (there !== now) calls.moveTo(there, record);
  }

  /** Returns bits of FRAME for a target that was reached by a return or jump, or by an interrupt directly after one. */
  function uncertainBits(flags: number): number {
    const [bits, uncertain] = [EVENT.inferred | EVENT.strayed | EVENT.resume, EVENT.inferred | EVENT.strayed];
    return (flags & bits) === uncertain ? FRAME.belowUncertain : 0;
  }

  // The branch and its neighbours

  function resumesAtTarget(frame: number): boolean {
    const { words, at } = branch;
    return resumesAt(calls.frames, frame, words[at + WORD.targetLow]!, words[at + WORD.targetHigh]!);
  }

  /** Returns true if the branch is the instruction at the target of the previous event. */
  function isAtLastTarget(): boolean {
    const { words, at, lastLow, lastHigh, lastRecord } = branch;
    return lastRecord >= 0 && words[at + WORD.sourceLow] === lastLow && words[at + WORD.sourceHigh] === lastHigh;
  }
}
