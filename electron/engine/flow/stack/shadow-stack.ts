/**
 * Which calls are open? The shadow stack of one cpu, from its branch events in order.
 *
 * A call opens a frame that knows where its caller goes on (call-entry.ts). A return closes the innermost frame that goes on at
 * its target, with all above it (returns.ts): so it survives longjmp, and whatever left without returning. A tail call puts
 * another function in the frame (jumps.ts). An interrupt opens a frame like a call, and may hide where a branch went
 * (hidden-branches.ts).
 *
 * What is not known is not made up. The outermost frame is what the trace began in; a return below it names its caller.
 * Where the processor returns to a place that no open frame explains, the stack is left aside, and another one begins there
 * with an outermost frame of its own; a return to the one that was left aside takes it up again. That is also how threads look.
 * Where the trace has a gap, all is forgotten.
 */
import { BRANCH, EVENT, type Events } from '../../../../shared/flow/events.ts';
import { assert } from '../../../../shared/base/result.ts';
import { EDGE } from '../tally/call-edges.ts';
import { createCallEntry } from './call-entry.ts';
import { noted } from '../tally/call-tally.ts';
import { FRAME, HIDES, markFrame, markInferred } from './frames.ts';
import { UNKNOWN } from '../functions/functions.ts';
import { BEFORE, createHiddenBranches } from './hidden-branches.ts';
import { createInnerBranches } from './inner-branches.ts';
import { createJumps } from './jumps.ts';
import { FLAGS_FROM, KIND_BITS, WORD, WORDS } from '../functions/branch-table.ts';
import { createOpenCalls } from './open-calls.ts';
import { createReturns } from './returns.ts';
import { ENTERED_UNSEEN, NO_TARGET, type StackState } from './stack-state.ts';
import type { CurrentBranch, StackSettings } from './stack-work.ts';
import { createUnclassifiedBranches } from './unclassified-branches.ts';

export interface ShadowStack {
  /** What it is now: its frames are those that go on, not a copy. */
  state(): StackState;
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

/** Events that do not simply follow the one before. */
const SPECIAL = EVENT.granular | EVENT.gap;

export function createShadowStack(settings: StackSettings, state?: StackState): ShadowStack {
  const { functions, tally, messages, counts = !messages } = settings;
  const calls = createOpenCalls(settings, state);
  const { low, high, record, before } = state?.last ?? NO_TARGET;
  const branch: CurrentBranch = {
    words: functions.branches.words,
    at: 0,
    lastLow: low,
    lastHigh: high,
    lastRecord: record,
    lastBefore: before,
  };
  const work = { functions, tally, messages, calls, branch };
  const hidden = createHiddenBranches(settings, calls);
  const enterCall = createCallEntry(work, hidden);
  const jumps = createJumps(work);
  const goBack = createReturns(work, hidden, jumps);
  const unclassified = createUnclassifiedBranches(work, enterCall, goBack, jumps);
  const passInner = createInnerBranches(work, counts);

  return {
    state() {
      const { lastLow, lastHigh, lastRecord, lastBefore } = branch;
      const last = { low: lastLow, high: lastHigh, record: lastRecord, before: lastBefore };
      return { frames: calls.frames, aside: calls.aside, last };
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
      i = passInner(events, branches, i, to);
      if (i === to) break;
      addBranch(branches[numbers[i]!]!, record[i]!, each.instructions[numbers[i]!]!);
      i++;
    }
    return i;
  }

  function addBranch(number: number, record: number, instructions: number): void {
    const { words } = functions.branches;
    const at = number * WORDS;
    branch.words = words;
    branch.at = at;
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
    const before = branch.lastBefore;
    branch.lastBefore = 0;
    const hasTarget = (flags & EVENT.target) !== 0;
    if (!hasTarget && kind !== BRANCH.sequential)
      hidden.noteBranch(kind, record, words[at + WORD.sourceLow]!, words[at + WORD.sourceHigh]!);
    switch (kind) {
      case BRANCH.call:
        enterCall(EDGE.call, flags, record);
        break;
      case BRANCH.exception:
        if (isResumed(flags)) goBack(flags, record);
        else enterCall(EDGE.exception, flags, record);
        break;
      case BRANCH.interrupt:
        enterCall(EDGE.interrupt, flags, record);
        // Nothing ran since the interrupt before.
        if (before !== 0 && record === branch.lastRecord)
          calls.frames.columns.known[calls.frames.count - 1]! |= before & BEFORE;
        break;
      case BRANCH.return:
        if (hasTarget) goBack(flags, record);
        else goSomewhere(record);
        break;
      case BRANCH.unknown:
        if (!hasTarget) {
          // It may have been a return.
          if (messages) markFrame(calls.frames, calls.frames.count - 1, FRAME.inferred | FRAME.jumped);
        } else if (functions.guessed && messages) unclassified.goUnknown(flags, record);
        else unclassified.goSomehow(flags, record, before);
        break;
      case BRANCH.jump:
        if (hasTarget) jumps.goTo(flags, record);
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

  /** A return to where nothing tells: where the frame below may have been over already, those below that may be over now. */
  function goSomewhere(record: number): void {
    const { frames } = calls;
    const top = frames.count - 1;
    const isDoubtful = (frames.columns.known[top]! & (FRAME.jumped | HIDES)) !== 0;
    if (top > 0) calls.closeFrom(top, record);
    if (messages && (top === 0 || isDoubtful)) markFrame(frames, frames.count - 1, FRAME.inferred | FRAME.jumped);
  }

  function lose(fn: number, record: number): void {
    calls.lose(fn, record);
    branch.lastRecord = -1;
  }

  /** Of executed instructions: those before a gap ran where they were, and how it came to the target is not known. */
  function goOnBehindGap(record: number, instructions: number): void {
    const { words, at } = branch;
    if (calls.frames.count === 0) calls.begin(UNKNOWN, record);
    calls.ran(instructions);
    lose(functions.ownerAt(words[at + WORD.target]!), record);
    branch.lastLow = words[at + WORD.targetLow]!;
    branch.lastHigh = words[at + WORD.targetHigh]!;
    branch.lastRecord = record;
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
    branch.lastRecord = -1;
  }

  function coarseFunctionAtSource(flags: number): number {
    if ((flags & EVENT.source) === 0) return UNKNOWN;
    const { words, at } = branch;
    const low = words[at + WORD.sourceLow]!;
    const high = words[at + WORD.sourceHigh]!;
    const fn = functions.at(low, high);
    return fn === functions.at((low | 15) >>> 0, high) ? fn : UNKNOWN;
  }

  function functionAtSource(flags: number): number {
    return (flags & EVENT.source) !== 0 ? functions.ownerAt(branch.words[branch.at + WORD.source]!) : UNKNOWN;
  }

  /** The straight run since the event before ends at the source. */
  function comeTo(record: number): void {
    const { words, at, lastLow, lastHigh, lastRecord } = branch;
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
    const { columns, count } = calls.frames;
    if (lastRecord === ENTERED_UNSEEN) {
      calls.move(here, columns.since[count - 1]!);
      return;
    }
    const isLost = messages && lastRecord < 0;
    calls.move(here, isLost ? record : lastRecord);
    // What left the function may have left others too.
    if (isLost) markFrame(calls.frames, count - 1, FRAME.inferred | FRAME.jumped);
  }

  /**
   * What looks like an exception right behind an indirect branch, as the target is a vector, went where the function that runs goes
   * back to: code lies there, or a handler that an interrupt kept from beginning.
   */
  function isResumed(flags: number): boolean {
    const told = flags & (EVENT.source | EVENT.resume | EVENT.inferred);
    return !messages && told === EVENT.inferred && jumps.resumesAtTarget(calls.frames.count - 1);
  }
}
