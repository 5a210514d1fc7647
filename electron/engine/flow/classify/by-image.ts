/**
 * Finds the kinds of branches from the program's image, if the messages do not contain them. The instruction at the source shows
 * the kind, or the next one: a Pentium may report the instruction in its u pipe, which precedes a direct branch in the v pipe
 * (Pentium Processor Family Developer's Manual, volume 3, appendix on pairing: other branches do not run in the v pipe).
 *
 * Everything that can be checked is checked: a direct branch must go where its bytes say, a return must follow a call. A message
 * that neither instruction explains is an interrupt. An indirect branch to a handler was interrupted before it was executed, unless
 * the address that the handler returns to shows otherwise.
 *
 * Fast messages have no target. It is found from what runs next: no branch that is always taken lies between the target and the next
 * source. Example: the image has `call 0x2000` at 0x1010, and the code from 0x2000 to the next source 0x2034 is straight. So the
 * call went to 0x2000.
 */
import { BRANCH, EVENT, NO_BRANCH, type Events } from '../../../../shared/flow/events.ts';
import type { Isa } from '../../image/machine.ts';
import { HANDLER, UNDECIDED, type HandlerCode } from './handler-code.ts';
import type { ImageCode, ImageInstruction } from './image-code.ts';
import { findInterruptReturn, OPEN, TO_NEXT, TO_SOURCE } from './interrupt-return.ts';
import type { StraightRuns } from './straight-runs.ts';

export interface KindsByImage {
  /** Returns true if the kind of event `at` may be found from where a handler returns to, in later events. */
  waits(events: Events, at: number): boolean;
  /** Fills in event `at`, which has a source. `next`: the next event of the same CPU; negative if there is none. */
  read(events: Events, at: number, next: number): void;
}

/** The code that was executed, and the processor that reports it. */
export interface MessageSource {
  /** It is x86 code. */
  readonly x86: boolean;
  /** Each message is about a branch, an interrupt or a serialising instruction, as of a Pentium; else it may be about anything. */
  readonly pentium: boolean;
}

/** Returns the instruction set of the code that message `at` of a Pentium is about. */
export function pentiumIsa({ operandSize }: Events, at: number): Isa {
  return operandSize[at] === 16 ? 'x86-16' : 'x86-32';
}

export function createKindsByImage(
  code: ImageCode,
  runs: StraightRuns,
  handlers: HandlerCode,
  { x86, pentium }: MessageSource,
): KindsByImage {
  /** For fast messages, by CPU: open handlers, innermost last. The return address of a software interrupt, or INTERRUPT. */
  const open = new Map<number, number[]>();
  return { read, waits };

  function waits(events: Events, at: number): boolean {
    if (!x86 || (events.flags[at]! & EVENT.target) === 0) return false;
    const isa = isaOf(events, at);
    const own = code.at(events.sourceLow[at]!, events.sourceHigh[at]!, isa);
    if (own === undefined || own.branch === NO_BRANCH || own.target !== undefined) return false;
    const isHandler = handlers.at(events.targetLow[at]!, events.targetHigh[at]!, isa) === HANDLER;
    return (
      (isHandler || own.branch === BRANCH.exception) && findInterruptReturn(events, at, code, handlers, isa) === OPEN
    );
  }

  /** Returns undefined if the image has the instruction set. */
  function isaOf(events: Events, at: number): Isa | undefined {
    return pentium ? pentiumIsa(events, at) : undefined;
  }

  function read(events: Events, at: number, next: number): void {
    const found = sourceOf(events, at);
    if (found === undefined) return;
    const { branch } = found;
    if ((events.flags[at]! & EVENT.target) !== 0) readWhole(events, at, found);
    else if (pentium) readFast(events, at, next, found);
    else if (branch !== undefined) put(events, at, branch.branch, 0, found.end);
  }

  /**
   * Returns what is at the source; undefined if the image has nothing there, or if 16-bit and 32-bit code would be different and
   * the message does not contain the operand size.
   */
  function sourceOf(events: Events, at: number): Found | undefined {
    const found = sourceAs(events, at, isaOf(events, at));
    if (!pentium || events.operandSize[at] !== 0) return found;
    const short = sourceAs(events, at, 'x86-16');
    if (isProven(events, at, short)) return short;
    return isProven(events, at, found) || isSame(found, short) ? found : undefined;
  }

  function sourceAs(events: Events, at: number, isa: Isa | undefined): Found | undefined {
    const low = events.sourceLow[at]!;
    const high = events.sourceHigh[at]!;
    const own = code.at(low, high, isa);
    if (own === undefined) return undefined;
    const branches = own.branch !== NO_BRANCH;
    const second = branches || own.serialises || !pentium ? undefined : code.at((low + own.size) >>> 0, high, isa);
    // Only direct branches run in the v pipe.
    const paired = second?.target === undefined ? undefined : second;
    const branch = branches ? own : paired;
    return { own, branch, end: low + own.size + (branches ? 0 : (paired?.size ?? 0)), isa };
  }

  /** Fills in a branch that has both ends. */
  function readWhole(events: Events, at: number, { own, branch, end, isa }: Found): void {
    const low = events.targetLow[at]!;
    const high = events.targetHigh[at]!;
    if (branch?.target !== undefined && branch.target.low === low && branch.target.high === high) {
      put(events, at, branch.branch, 0, end);
      return;
    }
    if (!pentium && (branch === undefined || branch.target !== undefined)) return;
    const isNext = events.sourceLow[at]! + own.size === low && events.sourceHigh[at]! === high;
    if (isNext && (branch === undefined || own.serialises)) {
      events.kind[at] = BRANCH.sequential;
      return;
    }
    if (branch === undefined || branch.target !== undefined) {
      putInterrupt(events, at);
      return;
    }
    if (x86) readIndirect(events, at, branch, end, isa);
    else put(events, at, branch.branch, 0, end);
    if (events.kind[at] === BRANCH.jump) events.flags[at]! |= EVENT.computed;
  }

  /** Fills in an indirect branch, or the interrupt that came right before it. */
  function readIndirect(
    events: Events,
    at: number,
    { branch, restores }: ImageInstruction,
    end: number,
    isa: Isa | undefined,
  ): void {
    const low = events.targetLow[at]!;
    const high = events.targetHigh[at]!;
    const there = handlers.at(low, high, isa);
    if (there !== HANDLER && branch !== BRANCH.exception) {
      const followsCall = branch !== BRANCH.return || restores || runs.followsCall(low, high, isa);
      // A function whose end is not found may be a handler.
      const mayBeHandler = there === UNDECIDED && branch !== BRANCH.return;
      if (followsCall) put(events, at, branch, mayBeHandler ? EVENT.inferred : 0, end);
      // It may be a return to a pushed or changed address, which ends open calls, or an interrupt.
      else events.flags[at]! |= EVENT.inferred | EVENT.strayed;
      return;
    }
    const back = findInterruptReturn(events, at, code, handlers, isa);
    if (back === TO_SOURCE) putInterrupt(events, at);
    else if (branch === BRANCH.exception || (restores && back !== OPEN)) {
      put(events, at, branch, branch === BRANCH.exception && back === TO_NEXT ? 0 : EVENT.inferred, end);
    }
  }

  /** Fills in a fast message, which has only the source. */
  function readFast(events: Events, at: number, next: number, { own, branch, end, isa }: Found): void {
    const high = events.sourceHigh[at]!;
    const known = next >= 0 && (events.flags[next]! & EVENT.source) !== 0 && events.sourceHigh[next] === high;
    const to = known ? events.sourceLow[next]! : -1;
    const reaches = (from: number): boolean => known && runs.reach(from, to, high, isa);
    if (branch === undefined) {
      const following = events.sourceLow[at]! + own.size;
      if (own.serialises && reaches(following)) {
        events.kind[at] = BRANCH.sequential;
        putTarget(events, at, following, high);
      } else if (!own.serialises) {
        putInterrupt(events, at);
        enter(events.cpu[at]!, INTERRUPT);
      }
      return;
    }
    if (branch.target !== undefined) {
      if (!reaches(branch.target.low)) {
        enter(events.cpu[at]!, INTERRUPT);
        return;
      }
      put(events, at, branch.branch, 0, end);
      putTarget(events, at, branch.target.low, branch.target.high);
      return;
    }
    put(events, at, branch.branch, EVENT.inferred | (branch.branch === BRANCH.jump ? EVENT.computed : 0), end);
    if (branch.branch === BRANCH.exception) enter(events.cpu[at]!, end);
    const ended = branch.restores ? open.get(events.cpu[at]!)?.pop() : undefined;
    if (branch.restores && (ended === undefined || ended === INTERRUPT)) return;
    const listed = known && branch.table !== undefined ? runs.fromTable(branch.table, to, high, isa) : undefined;
    if (listed !== undefined) {
      putTarget(events, at, listed, high);
      return;
    }
    const earliest = known ? runs.earliest(to, high, isa) : undefined;
    // Else the handler was interrupted right before its IRET.
    if (ended !== undefined && earliest?.low !== ended) return;
    if (earliest === undefined) return;
    // A jump to a return address in another function, as longjmp makes.
    const toReturnAddress = branch.branch === BRANCH.jump && earliest.after?.branch === BRANCH.call;
    const isLongjmp = toReturnAddress && runs.startOf(events.sourceLow[at]!, high) !== earliest.start;
    if (isLongjmp || isReached(branch, earliest.after, earliest.low === to)) putTarget(events, at, earliest.low, high);
  }

  function enter(cpu: number, end: number): void {
    const list = open.get(cpu) ?? [];
    if (list.length === 0) open.set(cpu, list);
    if (list.length === MOST_OPEN) list.shift();
    list.push(end);
  }
}

const INTERRUPT = -1;
const MOST_OPEN = 1024;

/** Makes an interrupt of a message that neither instruction explains. */
function putInterrupt(events: Events, at: number): void {
  put(events, at, BRANCH.interrupt, EVENT.inferred, events.sourceLow[at]!);
}

/** Instruction of the image at a source. */
interface Found {
  /** The instruction there. */
  readonly own: ImageInstruction;
  /** That instruction if it is a branch, or the direct branch that follows it. */
  readonly branch: ImageInstruction | undefined;
  /** Address of the next instruction. */
  readonly end: number;
  readonly isa: Isa | undefined;
}

/** Returns true if there is a direct branch with the target of event `at`. */
function isProven(events: Events, at: number, found: Found | undefined): boolean {
  const target = found?.branch?.target;
  const isWhole = (events.flags[at]! & EVENT.target) !== 0;
  return isWhole && target?.low === events.targetLow[at] && target?.high === events.targetHigh[at];
}

/** Returns true if two readings of the bytes at a source have the same branch. */
function isSame(a: Found | undefined, b: Found | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const alike = a.end === b.end && a.own.size === b.own.size && a.own.serialises === b.own.serialises;
  return (
    alike &&
    a.branch?.branch === b.branch?.branch &&
    a.branch?.restores === b.branch?.restores &&
    a.branch?.target?.low === b.branch?.target?.low
  );
}

/**
 * Returns true if an indirect branch must have gone to the earliest address at which the straight run to the next source can begin:
 * a return to a return address, a call to an entry point, any branch if the run can begin nowhere else.
 */
function isReached(
  { branch, restores }: ImageInstruction,
  after: ImageInstruction | undefined,
  only: boolean,
): boolean {
  switch (branch) {
    case BRANCH.return:
      return after?.branch === (restores ? BRANCH.exception : BRANCH.call);
    case BRANCH.call:
    case BRANCH.exception:
      return after === undefined;
    default:
      return only;
  }
}

function put(events: Events, at: number, kind: number, flags: number, resume: number): void {
  events.kind[at] = kind;
  events.flags[at]! |= flags;
  if (kind !== BRANCH.call && kind !== BRANCH.exception && kind !== BRANCH.interrupt) return;
  events.flags[at]! |= EVENT.resume;
  events.resumeLow[at] = resume;
  events.resumeHigh[at] = (events.sourceHigh[at]! + (resume >= 2 ** 32 ? 1 : 0)) >>> 0;
}

function putTarget(events: Events, at: number, low: number, high: number): void {
  events.flags[at]! |= EVENT.target;
  events.targetLow[at] = low;
  events.targetHigh[at] = high;
}
