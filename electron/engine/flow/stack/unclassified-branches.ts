/** A branch of which nothing tells whether it was a call, a return or a jump: what the functions at its ends, and the open calls, say for it. */
import { EVENT } from '../../../../shared/flow/events.ts';
import type { EnterCall } from './call-entry.ts';
import { EDGE } from '../tally/call-edges.ts';
import { FRAME, markFrame, markInferred, resumingAt } from './frames.ts';
import { UNKNOWN } from '../functions/functions.ts';
import type { Jumps } from './jumps.ts';
import { WORD } from '../functions/branch-table.ts';
import type { StackWork } from './stack-work.ts';

interface UnclassifiedBranches {
  /** One to where another function begins is rather a call than a tail call. `before`: as LastTarget has it. */
  goSomehow(flags: number, record: number, before: number): void;
  /** The same where what functions are is guessed from the ends of branches too. */
  goUnknown(flags: number, record: number): void;
}

export function createUnclassifiedBranches(
  { functions, calls, branch }: StackWork,
  enterCall: EnterCall,
  goBack: (flags: number, record: number) => void,
  { goTo, unwindTo, resumesAtTarget, noteInner }: Jumps,
): UnclassifiedBranches {
  return { goSomehow, goUnknown };

  function goSomehow(flags: number, record: number, before: number): void {
    const { words, at } = branch;
    const { frames } = calls;
    const target = words[at + WORD.target]!;
    const low = words[at + WORD.targetLow]!;
    const high = words[at + WORD.targetHigh]!;
    const isOpen = (flags & (EVENT.broken | EVENT.strayed)) === 0;
    if (before !== 0 && isOpen && (flags & EVENT.resume) !== 0 && isAtLast()) {
      // It was interrupted between two instructions that are something together, or not.
      if ((before & FRAME.link) !== 0) {
        enterCall(EDGE.call, flags, record);
        return;
      }
      if ((before & FRAME.pops) === 0 || resumingAt(frames, low, high) >= 0) {
        if ((before & FRAME.pops) === 0) goTo(flags, record);
        else goBack(flags, record);
        return;
      }
    }
    const entry = functions.entryAt(target, record);
    const isBack = resumesAtTarget(frames.count - 1);
    if (entry >= 0 && entry !== calls.top() && !isBack) {
      enterCall(EDGE.call, flags, record, true);
      markFrame(frames, frames.count - 1, FRAME.jumped | mayBeOver(flags));
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
    // Where the trace or a buffer begins, in the middle of a function.
    if (!hasSource && entry < 0 && inside !== UNKNOWN && frames.count === 1 && calls.top() === UNKNOWN)
      calls.settle(inside, record);
    else goTo(flags, record);
    const over = mayBeOver(flags);
    if (over !== 0 || (entry >= 0 && entry === calls.top())) markFrame(frames, frames.count - 1, FRAME.inferred | over);
    if (isBack || entry >= 0 || inside !== UNKNOWN || !hasSource) return;
    // It may have been a call as well as a jump: who is there now is not known.
    if (!functions.areApart(low, high, words[at + WORD.sourceLow]!, words[at + WORD.sourceHigh]!)) return;
    calls.move(UNKNOWN, record);
    markInferred(frames, frames.count - 1);
  }

  function goUnknown(flags: number, record: number): void {
    const { frames } = calls;
    const target = branch.words[branch.at + WORD.target]!;
    if ((flags & EVENT.resume) !== 0) {
      enterCall(EDGE.unknown, flags, record, true);
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

  /** Bits of FRAME for what was reached by a return or a jump, or by an interrupt right behind that (see doubt in handlers.ts). */
  function mayBeOver(flags: number): number {
    const [bits, doubtful] = [EVENT.inferred | EVENT.strayed | EVENT.resume, EVENT.inferred | EVENT.strayed];
    return (flags & bits) === doubtful ? FRAME.strayed : 0;
  }

  /** The branch is what the event before went to. */
  function isAtLast(): boolean {
    const { words, at, lastLow, lastHigh, lastRecord } = branch;
    return lastRecord >= 0 && words[at + WORD.sourceLow] === lastLow && words[at + WORD.sourceHigh] === lastHigh;
  }
}
