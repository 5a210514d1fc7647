/**
 * What happened between two instructions that a cpu executed one after the other, as events: nothing where the second lies
 * right behind the first; the branch that the first one is; an exception or interrupt; or a branch and one right behind it.
 *
 * Exceptions of ARM go to fixed addresses (ARM Architecture Reference Manual, B1.8: vectors from 0 or 0xffff0000 on).
 */
import { BRANCH, EVENT, NO_BRANCH, reserveEvents, type Events, type FlowPoint } from './events.ts';
import {
  ABORT_MODE,
  createPoint,
  FIQ_MODE,
  follows,
  HYPERVISOR_MODE,
  IRQ_MODE,
  MODE_SHIFT,
  MONITOR_MODE,
  POINT,
  SUPERVISOR_MODE,
  UNDEFINED_MODE,
} from './point.ts';

/** Where events go, and what they have in common. */
export interface Telling {
  events: Events;
  cpu: number;
  /** Instructions since the last event, those told here included; the first event takes them. */
  since: number;
}

/** Appends the events. `before`: what ran before `last`, where it is known. */
export function putTransition(before: FlowPoint | undefined, last: FlowPoint, next: FlowPoint, telling: Telling): void {
  const delayed = before !== undefined && isDelayed(before, last);
  const branching = delayed ? before : last;
  const branch = isExecuted(branching) ? branchOf(before, branching) : NO_BRANCH;
  const goal = branch === NO_BRANCH ? undefined : targetOf(before, branching);
  const behind = branch === BRANCH.call ? last : undefined;
  if (follows(last, next) && !isInterruptedElsewhere(branch, branching, goal, next)) {
    // Not taken, unless it is a call or has no condition: to here, or to wherever a register says; with a delay slot only one without a condition that says here.
    const hasSlot = (branching.mark & POINT.delay) !== 0;
    const here = goal === undefined ? !hasSlot : isAt(goal, next);
    const always = (branching.mark & POINT.always) !== 0;
    // A return, too, where a handler lies right before what was interrupted.
    const goesAnyhow = always && (branch === BRANCH.jump || branch === BRANCH.return);
    const goesHere = goesAnyhow || (branch === BRANCH.call && (always || !hasSlot));
    if (goesHere && here) put(telling, branch, 0, branching, next, behind, next.record);
    return;
  }
  if (branch === NO_BRANCH) {
    // What is executed again has not gone anywhere.
    if (!isAt(last, next)) putInterruption(last, next, telling);
    return;
  }
  if (branch === BRANCH.exception) {
    const vector = interruptedVector(branching, next);
    if (vector === undefined) put(telling, branch, 0, branching, next, last, next.record);
    else {
      put(telling, branch, EVENT.inferred, branching, vector, last, next.record);
      putAt(telling, BRANCH.interrupt, sureness(branching, next), vector, next);
    }
    return;
  }
  const reached = goal === undefined || isAt(goal, next);
  if (!reached && isNullified(branching, next)) return;
  const kind =
    goal !== undefined ? (reached ? BRANCH.unknown : interruptionOf(branching, next)) : behindIndirect(branching, next);
  const open =
    branch === BRANCH.jump && goal === undefined && (isFirst(before, branching) || isSplit(before, branching));
  if (kind === BRANCH.unknown) {
    // A direct branch that did not go where it says: nothing tells what did.
    const begun = !delayed && (branching.mark & POINT.delay) !== 0 && (goal === undefined || !reached);
    // Without what runs behind it the branch did not take effect: it is executed again.
    if (begun) put(telling, BRANCH.unknown, EVENT.broken, branching, next, { ...branching, size: 0 }, next.record);
    else if (open) put(telling, BRANCH.unknown, 0, branching, next, last, next.record);
    else if (reached)
      put(telling, branch, goal === undefined ? sideOf(branch, branching) : 0, branching, next, behind, next.record);
    else put(telling, BRANCH.unknown, EVENT.strayed, branching, next, behind, next.record);
    return;
  }
  if (goal !== undefined && (branching.mark & POINT.conditional) !== 0) {
    // It was taken, or went on: what the interruption kept from running is not known.
    put(telling, kind, EVENT.inferred, undefined, next, undefined, next.record);
    return;
  }
  if (goal !== undefined) {
    put(telling, branch, 0, branching, goal, behind, next.record);
    putAt(telling, kind, sureness(branching, next), goal, next);
    return;
  }
  // Where the branch went, or whether it came to that, is not known.
  if (kind === BRANCH.interrupt)
    put(telling, open ? BRANCH.unknown : branch, 0, branching, undefined, open ? last : behind, next.record);
  put(telling, kind, EVENT.inferred, undefined, next, undefined, next.record);
}

/**
 * A branch without a condition that went elsewhere, and an interrupt there before anything ran, whose vector is right behind the
 * branch: that at the vector of IRQ, and an FIQ.
 */
function isInterruptedElsewhere(
  branch: number,
  branching: FlowPoint,
  goal: FlowPoint | undefined,
  next: FlowPoint,
): boolean {
  if (branch === NO_BRANCH || branch === BRANCH.exception || (branching.mark & POINT.always) === 0) return false;
  if (vectorOf(next) === 0) return false;
  if (goal === undefined) return behindIndirect(branching, next) !== BRANCH.unknown;
  return !isAt(goal, next) && interruptionOf(branching, next) !== BRANCH.unknown;
}

/** Of a branch that does not say where it goes. */
function sideOf(branch: number, { mark, targetLow }: FlowPoint): number {
  const computed = branch === BRANCH.jump ? EVENT.computed : 0;
  if ((mark & POINT.anywhere) === 0) return computed;
  return EVENT.indirect | computed | (branch === BRANCH.return && targetLow === 1 ? EVENT.ends : 0);
}

/** What a cpu did before it came to `next` is not in the trace: no branch, and nothing is said of how it came there. */
export function putGap(next: FlowPoint, telling: Telling): void {
  put(telling, BRANCH.unknown, EVENT.gap, undefined, next, undefined, next.record);
}

/** What ran before a jump of ARM might say that it is a call or a return, and is not in the trace. */
function isFirst(before: FlowPoint | undefined, last: FlowPoint): boolean {
  return before === undefined && (last.mark & POINT.vectors) !== 0;
}

/**
 * An interrupt may have come between a jump and what says that it is a call or a return: it was returned to from another mode, or
 * from one that is not told.
 */
function isSplit(before: FlowPoint | undefined, last: FlowPoint): boolean {
  if (before?.branch !== BRANCH.return || !isExecuted(before) || (last.mark & POINT.vectors) === 0) return false;
  const mode = before.mark >>> MODE_SHIFT;
  if (follows(before, last) || (mode !== 0 && mode === last.mark >>> MODE_SHIFT)) return false;
  // A vector that was entered behind the return is where an interrupt begins, not what one came back to.
  return behindIndirect(before, last) === BRANCH.unknown;
}

/** A branch with a delay slot, and `last` in that. */
function isDelayed(before: FlowPoint, last: FlowPoint): boolean {
  return (before.mark & POINT.delay) !== 0 && last.branch === NO_BRANCH && isExecuted(before) && follows(before, last);
}

function isExecuted({ mark }: FlowPoint): boolean {
  return (mark & POINT.skipped) === 0;
}

/** A jump behind `MOV lr, pc` is a call, one to where a register leads that was just taken from the stack a return. */
function branchOf(before: FlowPoint | undefined, last: FlowPoint): number {
  const { branch, mark } = last;
  if (branch !== BRANCH.jump || before === undefined || !isExecuted(before) || !follows(before, last)) return branch;
  if ((before.mark & POINT.link) !== 0) return BRANCH.call;
  const popped = (mark & POINT.byRegister) !== 0 && (before.mark & POINT.pops) !== 0;
  return popped && (before.targetLow & last.targetLow) !== 0 ? BRANCH.return : branch;
}

/** Where a direct branch goes: the same object each time. */
function targetOf(before: FlowPoint | undefined, last: FlowPoint): FlowPoint | undefined {
  target.record = last.record;
  target.mark = last.mark;
  target.size = last.size;
  if ((last.mark & POINT.direct) !== 0) {
    target.addressLow = last.targetLow;
    target.addressHigh = last.targetHigh;
    return target;
  }
  if ((last.mark & POINT.secondHalf) === 0 || before === undefined) return undefined;
  if ((before.mark & POINT.firstHalf) === 0 || !follows(before, last)) return undefined;
  const sum = before.targetLow + last.targetLow;
  target.addressLow = ((last.mark & POINT.toArm) === 0 ? sum : sum & ~3) >>> 0;
  target.addressHigh = 0;
  return target;
}

const target = createPoint();

/** Where a call of the supervisor went that was interrupted before its handler ran: to its vector, among those of `next`. */
function interruptedVector(branching: FlowPoint, next: FlowPoint): FlowPoint | undefined {
  const number = vectorOf(next);
  const calls = POINT.supervisor | POINT.vectors;
  if ((branching.mark & calls) !== calls || (number !== IRQ && number !== FIQ)) return undefined;
  return { ...branching, addressLow: next.addressLow - 4 * (number - SOFTWARE_INTERRUPT), addressHigh: 0 };
}

function isAt(point: FlowPoint, next: FlowPoint): boolean {
  return point.addressLow === next.addressLow && point.addressHigh === next.addressHigh;
}

/** A branch of the kind that skips its delay slot where it is not taken. */
function isNullified(branching: FlowPoint, next: FlowPoint): boolean {
  if ((branching.mark & POINT.delay) === 0) return false;
  return branching.addressLow + 2 * branching.size === next.addressLow && branching.addressHigh === next.addressHigh;
}

/** From an instruction that is no branch to elsewhere. */
function putInterruption(last: FlowPoint, next: FlowPoint, telling: Telling): void {
  const kind = interruptionOf(last, next);
  if (kind === BRANCH.unknown) {
    put(telling, kind, EVENT.broken, last, next, last, next.record);
    return;
  }
  const sure = sureness(last, next) | halves(last);
  const vector = vectorOf(next);
  const aborts = vector === DATA_ABORT && (last.mark & POINT.memory) !== 0;
  if (aborts) putAt(telling, kind, sure, last, next);
  else if (kind === BRANCH.interrupt || vector === PREFETCH_ABORT) putAt(telling, kind, sure, behindOf(last), next);
  // Whether the instruction that caused it was traced is not known.
  else put(telling, kind, sure, undefined, next, last, next.record);
}

/** What the next instruction may do together with the last one. */
function halves({ mark }: FlowPoint): number {
  if ((mark & POINT.skipped) !== 0) return 0;
  return ((mark & POINT.link) === 0 ? 0 : EVENT.link) | ((mark & POINT.pops) === 0 ? 0 : EVENT.pops);
}

/** An exception that kept `source` from running, or from coming to an end. */
function putAt(telling: Telling, kind: number, flags: number, source: FlowPoint, next: FlowPoint): void {
  put(telling, kind, flags, source, next, { ...source, size: 0 }, next.record);
}

function behindOf(last: FlowPoint): FlowPoint {
  const low = (last.addressLow + last.size) >>> 0;
  const high = low < last.addressLow ? (last.addressHigh + 1) >>> 0 : last.addressHigh;
  return { ...last, addressLow: low, addressHigh: high };
}

/** `resume`: behind what it would go on. */
function put(
  telling: Telling,
  kind: number,
  flags: number,
  source: FlowPoint | undefined,
  target: FlowPoint | undefined,
  resume: FlowPoint | undefined,
  record: number,
): void {
  const { events } = telling;
  reserveEvents(events, 1);
  const at = events.count++;
  const known =
    (source === undefined ? 0 : EVENT.source) |
    (target === undefined ? 0 : EVENT.target) |
    (resume === undefined ? 0 : EVENT.resume);
  events.record[at] = record;
  events.kind[at] = kind;
  events.flags[at] = flags | known;
  events.cpu[at] = telling.cpu;
  events.sourceLow[at] = source?.addressLow ?? 0;
  events.sourceHigh[at] = source?.addressHigh ?? 0;
  events.targetLow[at] = target?.addressLow ?? 0;
  events.targetHigh[at] = target?.addressHigh ?? 0;
  const low = resume === undefined ? 0 : (resume.addressLow + resume.size) >>> 0;
  events.resumeLow[at] = low;
  events.resumeHigh[at] =
    resume === undefined ? 0 : low < resume.addressLow ? (resume.addressHigh + 1) >>> 0 : resume.addressHigh;
  events.operandSize[at] = 0;
  events.instructions[at] = telling.since;
  telling.since = 0;
}

const UNDEFINED = 1;
const SOFTWARE_INTERRUPT = 2;
const PREFETCH_ABORT = 3;
const DATA_ABORT = 4;
const IRQ = 6;
const FIQ = 7;

/** The number of the vector of ARM at an address; 0 where there is none. */
export function vectorOf({ addressLow, addressHigh }: FlowPoint): number {
  const low = addressLow >= 0xffff0000 ? addressLow - 0xffff0000 : addressLow;
  return addressHigh === 0 && low < 32 && (low & 3) === 0 ? low >>> 2 : 0;
}

/** BRANCH.interrupt, BRANCH.exception, or BRANCH.unknown where nothing tells that it was one. */
function interruptionOf(last: FlowPoint, next: FlowPoint): number {
  const noted = (last.mark | next.mark) & (POINT.exception | POINT.interrupt);
  if (noted !== 0) return (noted & POINT.interrupt) !== 0 ? BRANCH.interrupt : BRANCH.exception;
  if (((last.mark | next.mark) & POINT.vectors) === 0) return BRANCH.unknown;
  const vector = vectorOf(next);
  if (isOtherMode(vector, next)) return BRANCH.unknown;
  switch (vector) {
    case IRQ:
    case FIQ:
      return BRANCH.interrupt;
    case UNDEFINED:
    case SOFTWARE_INTERRUPT:
    case PREFETCH_ABORT:
    case DATA_ABORT:
      return BRANCH.exception;
    default:
      return BRANCH.unknown;
  }
}

/** The same behind a branch that does not say where it goes. What calls the supervisor would have run between: the branch went to its vector. */
function behindIndirect(branching: FlowPoint, next: FlowPoint): number {
  const kind = interruptionOf(branching, next);
  const noted = ((branching.mark | next.mark) & (POINT.exception | POINT.interrupt)) !== 0;
  return kind === BRANCH.exception && !noted && vectorOf(next) === SOFTWARE_INTERRUPT ? BRANCH.unknown : kind;
}

/** Whether the mode tells that code at a vector was reached otherwise than by its exception. */
function isOtherMode(vector: number, { mark }: FlowPoint): boolean {
  if ((mark & POINT.moded) === 0) return false;
  const mode = mark >>> MODE_SHIFT;
  return mode !== MODE_BEHIND[vector] && mode !== MONITOR_MODE && mode !== HYPERVISOR_MODE;
}

/** By number of the vector. */
const MODE_BEHIND: readonly number[] = [
  SUPERVISOR_MODE,
  UNDEFINED_MODE,
  SUPERVISOR_MODE,
  ABORT_MODE,
  ABORT_MODE,
  SUPERVISOR_MODE,
  IRQ_MODE,
  FIQ_MODE,
];

/** EVENT.inferred where only the vector tells of the interruption. */
function sureness(last: FlowPoint, next: FlowPoint): number {
  const noted = (last.mark | next.mark) & (POINT.exception | POINT.interrupt);
  const mode = next.mark >>> MODE_SHIFT;
  const changed = mode !== last.mark >>> MODE_SHIFT && (mode === IRQ_MODE || mode === FIQ_MODE);
  return noted !== 0 || changed ? 0 : EVENT.inferred;
}
