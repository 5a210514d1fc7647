/**
 * Converts the transition between two consecutive instructions of a cpu into events: none if the second is the fall-through of the first;
 * the branch that the first one is; an exception or interrupt; or a branch and an interruption directly after it.
 *
 * Exceptions of ARM go to fixed addresses (ARM Architecture Reference Manual, B1.8: vectors start at 0 or 0xffff0000).
 */
import { BRANCH, EVENT, NO_BRANCH, reserveEvents, type Events, type FlowPoint, type Notice } from './events.ts';
import {
  ABORT_MODE,
  createPoint,
  EXCEPTION_RETURN,
  FIQ_MODE,
  follows,
  HYPERVISOR_MODE,
  INTERRUPTED,
  IRQ_MODE,
  MODE_SHIFT,
  MONITOR_MODE,
  NOTED,
  POINT,
  SUPERVISOR_MODE,
  UNDEFINED_MODE,
} from './point.ts';

/** Destination of events, and their common properties. */
export interface EventSink {
  events: Events;
  cpu: number;
  /** Instructions since the last event, including those of this transition. The first event takes them. */
  since: number;
}

/**
 * Appends the events from `last` to `next`, two consecutive instructions of the trace. `skips`: instruction numbers are missing between
 * them. `before`: the instruction before `last` if it is known. Returns true if instructions are missing from the trace.
 *
 * Missing numbers alone do not prove that. A processor that sleeps (WFI, WFE) and vector instructions of several beats use numbers up. So
 * nothing is missing if execution continues at the next address, at the target of the branch, or as an exception record says.
 */
export function putStep(
  before: FlowPoint | undefined,
  last: FlowPoint,
  next: FlowPoint,
  sink: EventSink,
  skips: boolean,
): boolean {
  const ended = next.mark & POINT.ended;
  if (ended !== 0)
    return putStep(before, { ...last, mark: last.mark | ended }, { ...next, mark: next.mark & ~ended }, sink, skips);
  const stops = stopsBetween(last, next);
  const [first] = stops;
  if (first === undefined) {
    const isGap = skips && ((last.mark | next.mark) & INTERRUPTED) === 0 && !leadsTo(before, last, next);
    if (isGap) putGap(next, sink);
    else putTransition(before, last, next, sink);
    return isGap;
  }
  const { branch, goal } = branchingOf(before, last);
  const targets = [...stops.slice(1).map(({ point }) => point), next];
  if (branch === BRANCH.exception && first.kind === branch && (isAt(last, first.point) || follows(last, first.point))) {
    put(sink, branch, 0, last, targets[0], last, next.record);
    putStops(stops, targets, 1, 0, sink);
    return false;
  }
  const isReached = leadsTo(before, last, first.point);
  const isItself = isAt(last, first.point) && !(isReached && first.kind === BRANCH.interrupt);
  const isOpen = branch !== NO_BRANCH && branch !== BRANCH.exception && goal === undefined;
  const isGap = skips && !isItself && !isReached;
  if (isGap) putGap(first.point, sink);
  else if (!isItself) {
    if (!isReached && !isOpen) {
      putTransition(before, last, next, sink);
      return false;
    }
    putTransition(before, { ...last, mark: last.mark & ~INTERRUPTED }, first.point, sink);
  }
  putStops(stops, targets, 0, branch === NO_BRANCH && isReached ? halves(last) : 0, sink);
  return isGap;
}

/** A point at which execution was interrupted, as a record says. */
interface Stop {
  readonly kind: number;
  /** The instruction that did not run or complete; its size is 0. */
  readonly point: FlowPoint;
}

function putStops(
  stops: readonly Stop[],
  targets: readonly FlowPoint[],
  from: number,
  flags: number,
  sink: EventSink,
): void {
  for (let at = from; at < stops.length; at++) {
    const { kind, point } = stops[at]!;
    put(sink, kind, at === 0 ? flags : 0, point, targets[at], point, point.record);
  }
}

/**
 * Returns the points at which notices say that execution was interrupted. Some tracers write the address of the handler, and M-profile
 * cores may write the value that ends an exception: neither is such a point. Two records may report the same interruption.
 */
function stopsBetween(last: FlowPoint, next: FlowPoint): readonly Stop[] {
  if (last.notices === undefined && next.notices === undefined) return NO_STOPS;
  const stops: Stop[] = [];
  let place: Notice['at'];
  for (const notice of [...(last.notices ?? []), ...(next.notices ?? [])]) {
    const { mark } = notice;
    const before = stops.at(-1);
    const at: Notice['at'] = notice.at ?? place;
    place = (mark & INTERRUPTED) === 0 ? at : undefined;
    if ((mark & INTERRUPTED) === 0 || at === undefined || (at.high === 0 && at.low >= EXCEPTION_RETURN)) continue;
    const kind = (mark & POINT.interrupt) === 0 ? BRANCH.exception : BRANCH.interrupt;
    const point = { ...next, addressLow: at.low, addressHigh: at.high, size: 0, branch: NO_BRANCH };
    point.mark &= ~NOTED;
    if (isAt(point, next) || (before?.kind === kind && isAt(before.point, point))) continue;
    stops.push({ kind, point });
  }
  return stops;
}

const NO_STOPS: readonly Stop[] = [];

interface Branching {
  /** The instruction that branches: `last`, or the one before it if `last` is in its delay slot. */
  readonly branching: FlowPoint;
  readonly delayed: boolean;
  readonly branch: number;
  readonly goal: FlowPoint | undefined;
}

function branchingOf(before: FlowPoint | undefined, last: FlowPoint): Branching {
  const delayed = before !== undefined && isDelayed(before, last);
  const branching = delayed ? before : last;
  const branch = isExecuted(branching) ? branchOf(before, branching) : NO_BRANCH;
  return { branching, delayed, branch, goal: branch === NO_BRANCH ? undefined : targetOf(before, branching) };
}

/** Returns true if execution goes from `last` to `next`: to the target in its branch, or to the next address. */
export function leadsTo(before: FlowPoint | undefined, last: FlowPoint, next: FlowPoint): boolean {
  const { branching, branch, goal } = branchingOf(before, last);
  if (goal !== undefined && isAt(goal, next)) return true;
  if (!follows(last, next)) return false;
  const isConditional = (branching.mark & (POINT.conditional | POINT.delay)) !== 0;
  return branch === NO_BRANCH || (isConditional && (branching.mark & POINT.always) === 0);
}

/** Appends the events from `last` to `next`, between which nothing is missing. */
function putTransition(before: FlowPoint | undefined, last: FlowPoint, next: FlowPoint, sink: EventSink): void {
  const { branching, delayed, branch, goal } = branchingOf(before, last);
  const resumeAfter = branch === BRANCH.call ? last : undefined;
  if (follows(last, next) && !isInterruptedElsewhere(branch, branching, goal, next)) {
    // Not taken, unless it is a call or unconditional and its target is here or in a register. With a delay slot: only if it is unconditional and encodes this target.
    const hasSlot = (branching.mark & POINT.delay) !== 0;
    const here = goal === undefined ? !hasSlot : isAt(goal, next);
    const always = (branching.mark & POINT.always) !== 0;
    // A return, too, if a handler directly precedes the interrupted instruction.
    const goesAnyhow = always && (branch === BRANCH.jump || branch === BRANCH.return);
    const isCall = always || (branching.branch === BRANCH.call && !hasSlot);
    const goesHere = goesAnyhow || (branch === BRANCH.call && isCall);
    if (goesHere && here) put(sink, branch, 0, branching, next, resumeAfter, next.record);
    return;
  }
  if (branch === NO_BRANCH) {
    // An instruction that is executed again did not branch.
    if (!isAt(last, next)) putInterruption(last, next, sink);
    return;
  }
  if (branch === BRANCH.exception) {
    const vector = interruptedVector(branching, next);
    if (vector === undefined) put(sink, branch, 0, branching, next, last, next.record);
    else {
      put(sink, branch, EVENT.inferred, branching, vector, last, next.record);
      putAt(sink, BRANCH.interrupt, certainty(branching, next), vector, next);
    }
    return;
  }
  const reached = goal === undefined || isAt(goal, next);
  if (!reached && isNullified(branching, next)) return;
  const kind =
    goal !== undefined ? (reached ? BRANCH.unknown : interruptionOf(branching, next)) : afterIndirect(branching, next);
  const open =
    branch === BRANCH.jump && goal === undefined && (isFirst(before, branching) || isSplit(before, branching));
  if (kind === BRANCH.unknown) {
    // A direct branch that did not go to its target: the reason is not known.
    const begun = !delayed && (branching.mark & POINT.delay) !== 0 && (goal === undefined || !reached);
    // Without its delay slot the branch did not take effect: it is executed again.
    if (begun) put(sink, BRANCH.unknown, EVENT.broken, branching, next, { ...branching, size: 0 }, next.record);
    else if (open) put(sink, BRANCH.unknown, 0, branching, next, last, next.record);
    else if (reached)
      put(
        sink,
        branch,
        goal === undefined ? indirectFlags(branch, branching) : 0,
        branching,
        next,
        resumeAfter,
        next.record,
      );
    else put(sink, BRANCH.unknown, EVENT.strayed, branching, next, resumeAfter, next.record);
    return;
  }
  if (goal !== undefined && (branching.mark & POINT.conditional) !== 0) {
    // It was taken or not: the interrupted instruction is not known.
    put(sink, kind, unlessNoted(branching, next), undefined, next, undefined, next.record);
    return;
  }
  if (goal !== undefined) {
    put(sink, branch, 0, branching, goal, resumeAfter, next.record);
    putAt(sink, kind, certainty(branching, next), goal, next);
    return;
  }
  // It is not known whether the branch was taken, and to which address.
  if (kind === BRANCH.interrupt)
    put(sink, open ? BRANCH.unknown : branch, 0, branching, undefined, open ? last : resumeAfter, next.record);
  put(sink, kind, unlessNoted(branching, next), undefined, next, undefined, next.record);
}

/**
 * Returns true for an unconditional branch to another address and an interrupt at its target whose vector directly follows the branch: a
 * branch at the IRQ vector, and an FIQ.
 */
function isInterruptedElsewhere(
  branch: number,
  branching: FlowPoint,
  goal: FlowPoint | undefined,
  next: FlowPoint,
): boolean {
  if (branch === NO_BRANCH || branch === BRANCH.exception || (branching.mark & POINT.always) === 0) return false;
  if (vectorOf(next) === 0) return false;
  if (goal === undefined) return afterIndirect(branching, next) !== BRANCH.unknown;
  return !isAt(goal, next) && interruptionOf(branching, next) !== BRANCH.unknown;
}

/** Returns the flags of a branch whose target is not in the instruction. */
function indirectFlags(branch: number, { mark, targetLow }: FlowPoint): number {
  const computed = branch === BRANCH.jump ? EVENT.computed : 0;
  if ((mark & POINT.anywhere) === 0) return computed;
  return EVENT.indirect | computed | (branch === BRANCH.return && targetLow === 1 ? EVENT.ends : 0);
}

/** Appends a gap: the trace does not contain what the cpu did before `next`. */
export function putGap(next: FlowPoint, sink: EventSink): void {
  put(sink, BRANCH.unknown, EVENT.gap, undefined, next, undefined, next.record);
}

/** Returns true if the trace lacks the instruction before an ARM jump, which might make it a call or a return. */
function isFirst(before: FlowPoint | undefined, last: FlowPoint): boolean {
  return before === undefined && (last.mark & POINT.vectors) !== 0;
}

/**
 * Returns true if an interrupt may have separated a jump from the instruction that makes it a call or a return: the preceding return came
 * from another mode or an unknown one.
 */
function isSplit(before: FlowPoint | undefined, last: FlowPoint): boolean {
  if (before?.branch !== BRANCH.return || !isExecuted(before) || (last.mark & POINT.vectors) === 0) return false;
  const mode = before.mark >>> MODE_SHIFT;
  if (follows(before, last) || (mode !== 0 && mode === last.mark >>> MODE_SHIFT)) return false;
  // A vector directly after the return is the beginning of an interrupt, not the instruction that it returned to.
  return afterIndirect(before, last) === BRANCH.unknown;
}

/** Returns true if `last` is in the delay slot of `before`. */
function isDelayed(before: FlowPoint, last: FlowPoint): boolean {
  return (before.mark & POINT.delay) !== 0 && last.branch === NO_BRANCH && isExecuted(before) && follows(before, last);
}

function isExecuted({ mark }: FlowPoint): boolean {
  return (mark & POINT.skipped) === 0;
}

/**
 * Returns the kind of branch. A jump after `MOV lr, pc` is a call, and so is a jump with the address after it in the link register. A jump
 * by a register that was just popped is a return, and so is a jump that ends an exception: M-profile cores do that by any register.
 */
function branchOf(before: FlowPoint | undefined, last: FlowPoint): number {
  const { branch, mark } = last;
  if (branch === BRANCH.jump && (mark & (POINT.ended | POINT.direct)) === POINT.ended) return BRANCH.return;
  if (branch === BRANCH.jump && isLinked(before, last)) return BRANCH.call;
  if (branch !== BRANCH.jump || before === undefined || !isExecuted(before) || !follows(before, last)) return branch;
  if ((before.mark & POINT.link) !== 0) return BRANCH.call;
  const popped = (mark & POINT.byRegister) !== 0 && (before.mark & POINT.pops) !== 0;
  return popped && (before.targetLow & last.targetLow) !== 0 ? BRANCH.return : branch;
}

/** Returns true if the link register holds the address after a jump, and the jump does not use it as the address of a table. */
function isLinked(before: FlowPoint | undefined, last: FlowPoint): boolean {
  const { link } = last;
  if (link === undefined || (last.mark & POINT.usesLink) !== 0) return false;
  if (before !== undefined && (before.mark & POINT.usesLink) !== 0 && follows(before, last)) return false;
  const after = fallThroughOf(last);
  return (link.low & ~1) >>> 0 === after.addressLow && link.high === after.addressHigh;
}

/** Returns the target of a direct branch, always in the same object; undefined for other branches. */
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

/** Returns the vector of a supervisor call whose handler was interrupted before it ran: in the same table as the vector `next`. */
function interruptedVector(branching: FlowPoint, next: FlowPoint): FlowPoint | undefined {
  const number = vectorOf(next);
  const calls = POINT.supervisor | POINT.vectors;
  if ((branching.mark & calls) !== calls || (number !== IRQ && number !== FIQ)) return undefined;
  return { ...branching, addressLow: next.addressLow - 4 * (number - SOFTWARE_INTERRUPT), addressHigh: 0 };
}

function isAt(point: FlowPoint, next: FlowPoint): boolean {
  return point.addressLow === next.addressLow && point.addressHigh === next.addressHigh;
}

/** Returns true for a branch that skipped its delay slot because it was not taken. */
function isNullified(branching: FlowPoint, next: FlowPoint): boolean {
  if ((branching.mark & POINT.delay) === 0) return false;
  return branching.addressLow + 2 * branching.size === next.addressLow && branching.addressHigh === next.addressHigh;
}

/** Appends the event from an instruction that is no branch to another address. */
function putInterruption(last: FlowPoint, next: FlowPoint, sink: EventSink): void {
  const kind = interruptionOf(last, next);
  if (kind === BRANCH.unknown) {
    put(sink, kind, EVENT.broken, last, next, last, next.record);
    return;
  }
  const sure = certainty(last, next) | halves(last);
  const vector = vectorOf(next);
  const aborts = vector === DATA_ABORT && (last.mark & POINT.memory) !== 0;
  if (aborts) putAt(sink, kind, sure, last, next);
  else if (kind === BRANCH.interrupt || vector === PREFETCH_ABORT) putAt(sink, kind, sure, fallThroughOf(last), next);
  // It is not known whether the trace contains the instruction that caused it.
  else put(sink, kind, sure, undefined, next, last, next.record);
}

/** Returns the flags by which the last instruction may change the kind of the next one. */
function halves({ mark }: FlowPoint): number {
  if ((mark & POINT.skipped) !== 0) return 0;
  return ((mark & POINT.link) === 0 ? 0 : EVENT.link) | ((mark & POINT.pops) === 0 ? 0 : EVENT.pops);
}

/** Appends an exception before `source` ran or completed. */
function putAt(sink: EventSink, kind: number, flags: number, source: FlowPoint, next: FlowPoint): void {
  put(sink, kind, flags, source, next, { ...source, size: 0 }, next.record);
}

/** Returns the instruction after `last`, apart from its size. */
export function fallThroughOf(last: FlowPoint): FlowPoint {
  const low = (last.addressLow + last.size) >>> 0;
  const high = low < last.addressLow ? (last.addressHigh + 1) >>> 0 : last.addressHigh;
  return { ...last, addressLow: low, addressHigh: high };
}

/** Appends an event. Execution resumes after the instruction `resume`. */
function put(
  sink: EventSink,
  kind: number,
  flags: number,
  source: FlowPoint | undefined,
  target: FlowPoint | undefined,
  resume: FlowPoint | undefined,
  record: number,
): void {
  const { events } = sink;
  reserveEvents(events, 1);
  const at = events.count++;
  const known =
    (source === undefined ? 0 : EVENT.source) |
    (target === undefined ? 0 : EVENT.target) |
    (resume === undefined ? 0 : EVENT.resume);
  events.record[at] = record;
  events.kind[at] = kind;
  events.flags[at] = flags | known;
  events.cpu[at] = sink.cpu;
  events.sourceLow[at] = source?.addressLow ?? 0;
  events.sourceHigh[at] = source?.addressHigh ?? 0;
  events.targetLow[at] = target?.addressLow ?? 0;
  events.targetHigh[at] = target?.addressHigh ?? 0;
  const low = resume === undefined ? 0 : (resume.addressLow + resume.size) >>> 0;
  events.resumeLow[at] = low;
  events.resumeHigh[at] =
    resume === undefined ? 0 : low < resume.addressLow ? (resume.addressHigh + 1) >>> 0 : resume.addressHigh;
  events.operandSize[at] = 0;
  events.instructions[at] = sink.since;
  sink.since = 0;
}

const UNDEFINED = 1;
const SOFTWARE_INTERRUPT = 2;
const PREFETCH_ABORT = 3;
const DATA_ABORT = 4;
const IRQ = 6;
const FIQ = 7;

/** Returns the number of the ARM vector at an address; 0 if there is none. */
export function vectorOf({ addressLow, addressHigh }: FlowPoint): number {
  const low = addressLow >= 0xffff0000 ? addressLow - 0xffff0000 : addressLow;
  return addressHigh === 0 && low < 32 && (low & 3) === 0 ? low >>> 2 : 0;
}

/** Returns BRANCH.interrupt, BRANCH.exception, or BRANCH.unknown if there is no evidence of either. */
function interruptionOf(last: FlowPoint, next: FlowPoint): number {
  const noted = (last.mark | next.mark) & INTERRUPTED;
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

/** Returns the same after an indirect branch. A supervisor call would have run in between, so the branch itself went to that vector. */
function afterIndirect(branching: FlowPoint, next: FlowPoint): number {
  const kind = interruptionOf(branching, next);
  const noted = ((branching.mark | next.mark) & INTERRUPTED) !== 0;
  return kind === BRANCH.exception && !noted && vectorOf(next) === SOFTWARE_INTERRUPT ? BRANCH.unknown : kind;
}

/** Returns true if the mode proves that code at a vector was not reached by its exception. */
function isOtherMode(vector: number, { mark }: FlowPoint): boolean {
  if ((mark & POINT.moded) === 0) return false;
  const mode = mark >>> MODE_SHIFT;
  return mode !== MODE_AFTER[vector] && mode !== MONITOR_MODE && mode !== HYPERVISOR_MODE;
}

/** Mode after each vector, by number. */
const MODE_AFTER: readonly number[] = [
  SUPERVISOR_MODE,
  UNDEFINED_MODE,
  SUPERVISOR_MODE,
  ABORT_MODE,
  ABORT_MODE,
  SUPERVISOR_MODE,
  IRQ_MODE,
  FIQ_MODE,
];

/** Returns EVENT.inferred if only the vector indicates the interruption. */
function certainty(last: FlowPoint, next: FlowPoint): number {
  const mode = next.mark >>> MODE_SHIFT;
  const changed = mode !== last.mark >>> MODE_SHIFT && (mode === IRQ_MODE || mode === FIQ_MODE);
  return changed ? 0 : unlessNoted(last, next);
}

/** Returns EVENT.inferred if no record reported the interruption. */
function unlessNoted(last: FlowPoint, next: FlowPoint): number {
  return ((last.mark | next.mark) & INTERRUPTED) === 0 ? EVENT.inferred : 0;
}
