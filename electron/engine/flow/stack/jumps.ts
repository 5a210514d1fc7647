/** What does a jump leave open? All where it stays in its function; else another function takes the frame over, or calls are over as with longjmp. */
import { BRANCH, EVENT } from '../../../../shared/flow/events.ts';
import { EDGE } from '../tally/call-edges.ts';
import { addTo, noted } from '../tally/call-tally.ts';
import { FRAME, isOpen, markFrame, markInferred, mayBeOver, resumes } from './frames.ts';
import { UNKNOWN } from '../functions/functions.ts';
import { ANYWHERE, FLAGS_FROM, KIND_BITS, WORD } from '../functions/branch-table.ts';
import type { StackWork } from './stack-work.ts';

export interface Jumps {
  /** A jump: within the function, or into another one that takes the frame over. */
  goTo(flags: number, record: number): void;
  /** As longjmp does: to where a call by an open function, long since over, went on; false where it is not so. */
  unwindTo(fn: number, record: number): boolean;
  /** Whether a frame goes on where the branch goes. */
  resumesAtTarget(frame: number): boolean;
  /** The branch only went about in a function. */
  noteInner(fn: number): void;
}

/** Events that do not simply follow the one before. */
const SPECIAL = EVENT.granular | EVENT.gap;
const BOTH_ENDS = EVENT.source | EVENT.target;

export function createJumps({ functions, tally, calls, branch }: StackWork): Jumps {
  return { goTo, unwindTo, resumesAtTarget, noteInner };

  function goTo(flags: number, record: number): void {
    const { words, at } = branch;
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
      tally.edges.add(now, entry, EDGE['tail call'], inferred, record);
      addTo(tally.calls, entry, 1);
      if (inferred) markInferred(frames, top);
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
    const isJump = (words[at + WORD.sort]! & KIND_BITS) === BRANCH.jump;
    const isComputed = isJump && (flags & EVENT.computed) !== 0;
    // As long as nothing says otherwise of its target.
    if (!functions.told && isJump && !isComputed && functions.isNoResume(target) && !functions.isCalled(target)) {
      noteAs(ANYWHERE);
      return;
    }
    if (isComputed && inside !== UNKNOWN && !functions.arePieces(now, inside)) {
      land(inside, record);
      return;
    }
    if (inside !== UNKNOWN || functions.hasSymbol(now)) calls.move(inside, record);
    else if ((isComputed || functions.isResumeAt(target, record)) && elsewhere() !== now) {
      // All the same it left the function that ran: for one that is not known to be open.
      markFrame(frames, top, FRAME.inferred | FRAME.strayed);
    }
  }

  /**
   * In the middle of another function, at an address that was computed: what takes a stack apart ends so, as exceptions of C++ do
   * where they are caught or clean up. Where that function is open, and this one was called, the calls in between are over.
   */
  function land(fn: number, record: number): void {
    const { frames } = calls;
    const top = frames.count - 1;
    const { called, since } = frames.columns;
    if (isOpen(frames, fn) && called[top] === since[top]) {
      unwindToFunction(fn, record);
      return;
    }
    calls.move(fn, record);
    if (top > 0) markFrame(frames, top, FRAME.inferred | mayBeOver(frames, top));
  }

  function unwindTo(there: number, record: number): boolean {
    const { words, at } = branch;
    const { frames } = calls;
    const top = frames.count - 1;
    if (top === 0 || !functions.isResumeAt(words[at + WORD.target]!, record)) return false;
    const fn = there === UNKNOWN ? elsewhere() : there;
    if (fn === UNKNOWN || (there === UNKNOWN && fn === calls.top()) || !isOpen(frames, fn)) return false;
    unwindToFunction(fn, record);
    return true;
  }

  /** To the innermost of the frames that it has; where it has several any of them may be meant. */
  function unwindToFunction(fn: number, record: number): void {
    const { frames } = calls;
    const top = frames.count - 1;
    let outer = top;
    while (frames.columns.fn[outer] !== fn) outer--;
    if (outer < top) calls.closeFrom(outer + 1, record);
    markFrame(frames, outer, FRAME.inferred | (frames.open[fn]! > 1 ? mayBeOver(frames, outer) : 0));
    noted(tally, 'unwound', record);
  }

  /** Where no symbols tell whose code the target is: the function that runs, unless another one begins between it and the source; that, or UNKNOWN. */
  function elsewhere(): number {
    const { words, at } = branch;
    const now = calls.top();
    const [low, high] = [words[at + WORD.targetLow]!, words[at + WORD.targetHigh]!];
    const hasSource = ((words[at + WORD.sort]! >>> FLAGS_FROM) & EVENT.source) !== 0;
    if (functions.guessed || !hasSource) return now;
    if (!functions.areApart(low, high, words[at + WORD.sourceLow]!, words[at + WORD.sourceHigh]!)) return now;
    const fn = functions.calledBefore(low, high);
    return functions.hasSymbol(fn) ? UNKNOWN : fn;
  }

  function resumesAtTarget(frame: number): boolean {
    const { words, at } = branch;
    return resumes(calls.frames, frame, words[at + WORD.targetLow]!, words[at + WORD.targetHigh]!);
  }

  function noteInner(fn: number): void {
    if (functions.ownerAt(branch.words[branch.at + WORD.source]!) === fn) noteAs(fn + 1);
  }

  /** As WORD.inner has it. */
  function noteAs(inner: number): void {
    const { words, at } = branch;
    const flags = words[at + WORD.sort]! >>> FLAGS_FROM;
    if ((flags & (SPECIAL | BOTH_ENDS)) !== BOTH_ENDS) return;
    if (words[at + WORD.sourceHigh] === words[at + WORD.targetHigh]) words[at + WORD.inner] = inner;
  }
}
