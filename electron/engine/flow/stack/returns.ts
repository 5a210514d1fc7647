/**
 * Which calls does a return end? Those from the innermost frame up that goes on at its target, with all above it. Where none
 * does, it leads below what the trace began in, back to a stack that was left aside, or on to another stack.
 */
import { EVENT } from '../../../../shared/flow/events.ts';
import { noted } from '../tally/call-tally.ts';
import { faultNear } from '../interrupts/fault-address.ts';
import { calledBefore, cameBetween, FRAME, markFrame, markInferred, mayBeOver, resumingAt } from './frames.ts';
import { ENTERED, UNKNOWN } from '../functions/functions.ts';
import type { HiddenBranches } from './hidden-branches.ts';
import type { Jumps } from './jumps.ts';
import { WORD } from '../functions/branch-table.ts';
import type { StackWork } from './stack-work.ts';

/** What helps with a switch goes on within so many bytes behind its table. */
const SWITCH_REACH = 4096;

const CALL = ENTERED.indexOf('call');

/** What adds a return to the stack. */
export function createReturns(
  { functions, tally, messages, calls, branch }: StackWork,
  hidden: HiddenBranches,
  { goTo, unwindTo }: Jumps,
): (flags: number, record: number) => void {
  return goBack;

  function goBack(flags: number, record: number): void {
    const { words, at } = branch;
    const { frames } = calls;
    const low = words[at + WORD.targetLow]!;
    const high = words[at + WORD.targetHigh]!;
    const blind = hidden.blind();
    if (blind < 0 || messages) {
      if (blind < 0) branch.lastBefore = hidden.before(low, high);
      returnTo(flags, record, blind);
      return;
    }
    const branched = hidden.branched(blind, low, high, flags);
    if (branched >= 0) {
      calls.closeFrom(branched, record);
      return;
    }
    hidden.ending(blind, low, high);
    returnTo(flags, record, blind);
    // Else it is another stack, or none that explains it.
    if (calls.frames === frames && frames.count <= blind) branch.lastBefore = hidden.ended(low, high, record);
  }

  function returnTo(flags: number, record: number, blind: number): void {
    const { words, at } = branch;
    const { frames } = calls;
    const target = words[at + WORD.target]!;
    const low = words[at + WORD.targetLow]!;
    const high = words[at + WORD.targetHigh]!;
    const top = frames.count - 1;
    let frame = resumingAt(frames, low, high);
    if (frame < 0) frame = calledBefore(frames, low, high);
    const mayBeElsewhere = frame < 0 || (blind > 0 && (frames.columns.known[blind]! & FRAME.resume) === 0);
    if (blind > 0 && frame < blind && mayBeElsewhere && endBlind(blind, flags, record)) {
      // Back to where an open call goes on, or just there.
      if (frame >= 0) markInferred(frames, frames.count - 1);
      return;
    }
    if (
      cameBetween(frames, top) &&
      functions.ownerAt(target) === frames.columns.fn[top - 1] &&
      !functions.beginsAt(target)
    ) {
      // Where an outer call goes on as well it may have gone there: all further returns would look right, and be one call off.
      if (frame >= 0) {
        calls.lose(frames.columns.fn[top - 1]!, record);
      } else {
        calls.closeFrom(top, record);
        markInferred(frames, top - 1);
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
      // An address that was pushed to get there, what an interrupt before the trace had kept from running, or where a thread begins.
      const isKnown = top > 0 && (frames.columns.known[top]! & (FRAME.resume | FRAME.jumped)) === FRAME.resume;
      goTo(flags | EVENT.inferred, record);
      // A thread was not called by what is below.
      if (isKnown) markFrame(frames, frames.count - 1, FRAME.inferred | mayBeOver(frames, frames.count - 1));
      return;
    }
    if (unwindTo(there, record)) return;
    if (top === 0) calls.goBelow(there, record);
    else calls.leaveAside(there, record, 'elsewhere');
  }

  /**
   * It came right behind a branch whose target was not seen, and went on at that: in the function that had been called, in the
   * same one, or in one that was entered by a jump.
   */
  function endBlind(frame: number, flags: number, record: number): boolean {
    const { words, at } = branch;
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
    else goTo(flags | EVENT.inferred, record);
    return true;
  }

  /** A helper that goes on in its caller elsewhere than behind the call, as those do that look up where a switch leads. */
  function leavesElsewhere(top: number, there: number, record: number): boolean {
    const { words, at } = branch;
    const { columns } = calls.frames;
    const target = words[at + WORD.target]!;
    if (top === 0 || there === UNKNOWN || there === columns.fn[top] || there !== columns.fn[top - 1]) return false;
    if (columns.entered[top] !== CALL || (columns.known[top]! & FRAME.resume) === 0) return false;
    const distance = words[at + WORD.targetLow]! - columns.resumeLow[top]!;
    const isNear = words[at + WORD.targetHigh] === columns.resumeHigh[top] && distance > 0 && distance < SWITCH_REACH;
    return isNear && !functions.beginsAt(target) && !functions.isResumeAt(target, record);
  }
}
