/**
 * What the program's image tells of branches whose kind the messages do not: the instruction at the source says it, or the next
 * one. The Pentium names the instruction in its u pipe, and that may be the one before a direct branch (Pentium Processor Family
 * Developer's Manual, volume 3, appendix on pairing: other branches do not run in the v pipe).
 *
 * Nothing is taken on trust that can be checked: a direct branch must go where its bytes say, a return behind a call. What neither
 * instruction explains came from outside: an interrupt. A branch through a register or the stack that leads to a handler is one
 * that was interrupted, unless what the handler goes back to tells otherwise. Of fast messages, which have no target, it is found from what runs
 * next: everything from the target to the next source runs straight on, so no branch that is always taken lies in between.
 */
import { BRANCH, EVENT, NO_BRANCH, type Events } from '../../../../shared/flow/events.ts';
import type { Isa } from '../../image/machine.ts';
import { BEHIND, comeBack, OPEN, SELF } from '../interrupts/interrupt-return.ts';
import { HANDLER, PLAIN, UNDECIDED, type HandlerCode } from '../interrupts/handler-code.ts';
import type { ImageCode, ImageInstruction } from './image-code.ts';
import type { StraightRuns } from './straight-runs.ts';

export interface KindsByImage {
  /** Whether what event `at` is may be known from where the processor comes back to, behind the events there are. */
  waits(events: Events, at: number): boolean;
  /** Fills in event `at`, which has a source. `next`: the event of the same cpu after it; below 0 where there is none. */
  read(events: Events, at: number, next: number): void;
}

/** The code that ran, and who tells of it. */
export interface Teller {
  /** It is x86 code, where returns go behind calls. */
  readonly x86: boolean;
  /** Each message is of a branch, of an interrupt or of an instruction that serialises, named as a Pentium does; else it may be anything. */
  readonly pentium: boolean;
}

/** The code that a Pentium's message `at` is of. */
export function pentiumIsa({ operandSize }: Events, at: number): Isa {
  return operandSize[at] === 16 ? 'x86-16' : 'x86-32';
}

export function createKindsByImage(
  code: ImageCode,
  runs: StraightRuns,
  handlers: HandlerCode,
  { x86, pentium }: Teller,
): KindsByImage {
  /** By cpu, of fast messages: what no IRET has ended yet, innermost last: where software interrupts are returned to; INTERRUPT. */
  const open = new Map<number, number[]>();
  return { read, waits };

  function waits(events: Events, at: number): boolean {
    if (!x86 || (events.flags[at]! & EVENT.target) === 0) return false;
    const isa = isaOf(events, at);
    const own = code.at(events.sourceLow[at]!, events.sourceHigh[at]!, isa);
    if (own === undefined || own.branch === NO_BRANCH || own.target !== undefined) return false;
    const isHandler = handlers.at(events.targetLow[at]!, events.targetHigh[at]!, isa) === HANDLER;
    return (isHandler || own.branch === BRANCH.exception) && comeBack(events, at, code, handlers, isa) === OPEN;
  }

  /** Undefined where the image tells it. */
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

  /** What is at the source; undefined where the image has nothing there, or other things for operands of 16 and of 32 bits and the message does not tell. */
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

  /** A branch of which both ends are known. */
  function readWhole(events: Events, at: number, { own, branch, end, isa }: Found): void {
    const low = events.targetLow[at]!;
    const high = events.targetHigh[at]!;
    if (branch?.target !== undefined && branch.target.low === low && branch.target.high === high) {
      put(events, at, branch.branch, 0, end);
      return;
    }
    if (!pentium && (branch === undefined || branch.target !== undefined)) return;
    const goesOn = events.sourceLow[at]! + own.size === low && events.sourceHigh[at]! === high;
    if (goesOn && (branch === undefined || own.serialises)) {
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

  /** A branch to where a register or the stack says, or what interrupted the program right before it. */
  function readIndirect(
    events: Events,
    at: number,
    { branch, restores }: ImageInstruction,
    end: number,
    isa: Isa | undefined,
  ): void {
    const low = events.targetLow[at]!;
    const high = events.targetHigh[at]!;
    const strange = branch === BRANCH.return && !restores && !runs.isBehindCall(low, high, isa);
    const there = handlers.at(low, high, isa);
    if (there !== HANDLER && branch !== BRANCH.exception) {
      // What goes to a function of which the end is not seen may have been interrupted, as may a return that goes nowhere behind a call.
      const unsure = there === UNDECIDED && branch !== BRANCH.return;
      // A return to no call's end took an address that was pushed or changed, or one of another stack, where symbols show that it goes to no handler.
      const isTold = !strange || (there === PLAIN && runs.startOf(low, high) !== undefined);
      if (isTold) put(events, at, branch, unsure || strange ? EVENT.inferred : 0, end);
      // It may have returned all the same: then what is open below may be over.
      else events.flags[at]! |= EVENT.inferred | EVENT.strayed;
      return;
    }
    const back = comeBack(events, at, code, handlers, isa);
    if (back === SELF) putInterrupt(events, at);
    else if (branch === BRANCH.exception || (restores && back !== OPEN)) {
      put(events, at, branch, branch === BRANCH.exception && back === BEHIND ? 0 : EVENT.inferred, end);
    } else if (strange || branch !== BRANCH.return) {
      if (!handlers.mayEnter(branch, events.sourceLow[at]!, events.sourceHigh[at]!, isa)) putInterrupt(events, at);
    }
  }

  /** A fast message: the source alone. */
  function readFast(events: Events, at: number, next: number, { own, branch, end, isa }: Found): void {
    const high = events.sourceHigh[at]!;
    const known = next >= 0 && (events.flags[next]! & EVENT.source) !== 0 && events.sourceHigh[next] === high;
    const to = known ? events.sourceLow[next]! : -1;
    const reaches = (from: number): boolean => known && runs.reach(from, to, high, isa);
    if (branch === undefined) {
      const behind = events.sourceLow[at]! + own.size;
      if (own.serialises && reaches(behind)) {
        events.kind[at] = BRANCH.sequential;
        putTarget(events, at, behind, high);
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
    // What interrupts a handler right before its IRET looks like that.
    if (ended !== undefined && earliest?.low !== ended) return;
    if (earliest === undefined) return;
    // As longjmp does, from elsewhere.
    const comesBack = branch.branch === BRANCH.jump && earliest.behind?.branch === BRANCH.call;
    const isReturn = comesBack && runs.startOf(events.sourceLow[at]!, high) !== earliest.start;
    if (isReturn || isReached(branch, earliest.behind, earliest.low === to)) putTarget(events, at, earliest.low, high);
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

/** What neither instruction explains. */
function putInterrupt(events: Events, at: number): void {
  put(events, at, BRANCH.interrupt, EVENT.inferred, events.sourceLow[at]!);
}

/** The instruction at a source, the branch that it is or that follows it, and where that ends. */
interface Found {
  readonly own: ImageInstruction;
  readonly branch: ImageInstruction | undefined;
  readonly end: number;
  readonly isa: Isa | undefined;
}

/** Whether a direct branch at the source of event `at` goes where the event does. */
function isProven(events: Events, at: number, found: Found | undefined): boolean {
  const target = found?.branch?.target;
  const isWhole = (events.flags[at]! & EVENT.target) !== 0;
  return isWhole && target?.low === events.targetLow[at] && target?.high === events.targetHigh[at];
}

/** Whether two readings of the bytes at a source say the same of its branch. */
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
 * Whether an indirect branch can only have gone to where the straight run before the next source can begin at the earliest: a
 * return behind its call, a call to the start of a function; any of them where the run can begin nowhere else.
 */
function isReached(
  { branch, restores }: ImageInstruction,
  behind: ImageInstruction | undefined,
  only: boolean,
): boolean {
  switch (branch) {
    case BRANCH.return:
      return behind?.branch === (restores ? BRANCH.exception : BRANCH.call);
    case BRANCH.call:
    case BRANCH.exception:
      return behind === undefined;
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

/** A target that was found. */
function putTarget(events: Events, at: number, low: number, high: number): void {
  events.flags[at]! |= EVENT.target;
  events.targetLow[at] = low;
  events.targetHigh[at] = high;
}
