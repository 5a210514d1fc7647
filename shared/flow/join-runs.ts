/** Joins two stretches of executed instructions: adds the events of a cpu between the end of one and the beginning of the next. */
import type { Events, FlowPoint, FlowRun, JoinedRun, LinkedJump, LinkValue } from './events.ts';
import { countedBy, isMissing, NO_NUMBER, stepOf, withEach, type Step } from './numbering.ts';
import { INTERRUPTED, keepsLink, NOTED, POINT } from './point.ts';
import { putGap, putStep, vectorOf, type EventSink } from './transition.ts';

/**
 * Appends the events between two stretches, and those between the first and second instruction of the later one. A run without
 * instructions has only marks. `interruptions`: exceptions have numbers too.
 */
export function joinRuns(
  earlier: FlowRun | undefined,
  later: FlowRun,
  events: Events,
  interruptions: boolean,
): JoinedRun {
  if (earlier !== undefined && later.first.record < 0) {
    const link = resolved(later.link, earlier.link);
    return { run: { ...earlier, link, last: noticed(earlier.last, later.first, 'after') }, carried: 0 };
  }
  const before = earlier === undefined || earlier.last.record < 0 ? undefined : earlier;
  const isNoticed = before === undefined && earlier !== undefined && earlier.last.mark !== 0;
  const after = isNoticed ? { ...later, first: noticed(later.first, earlier.last, 'before') } : later;
  const sink: EventSink = { events, cpu: after.cpu, since: before?.since ?? 0 };
  const step = before === undefined ? undefined : stepBetween(before, after);
  const isGap = before !== undefined && step !== undefined && putBetween(before, after, step, interruptions, sink);
  const entry = isGap ? undefined : linkBetween(before, after);
  if (after.second !== undefined) {
    sink.since++;
    // These marks belong to records before the first instruction.
    const mark = after.first.mark & ~(NOTED | POINT.afterGap);
    const first = { ...after.first, mark, notices: undefined, link: resolved(after.first.link, entry) };
    putStep(isGap ? undefined : before?.last, first, after.second, sink, (after.second.mark & POINT.skips) !== 0);
  }
  const alone = before !== undefined && !isGap && after.last.record === after.first.record;
  const shown = step !== undefined && countedBy(step) === 'each' ? withEach(after) : after;
  const last = { ...shown.last, link: resolved(shown.last.link, entry) };
  const calls = shown.linked?.filter((jump) => returnsBehind(jump, entry));
  return {
    run: { ...shown, ...(alone && { before: before.last }), last, link: resolved(shown.link, entry) },
    carried: sink.since,
    ...(calls !== undefined && { calls }),
  };
}

/** Returns the value of the link register at the first instruction of a run, if it directly follows the run before. */
function linkBetween(before: FlowRun | undefined, { first }: FlowRun): LinkValue | undefined {
  return before !== undefined && keepsLink(before.last, first) ? before.link : undefined;
}

/** Returns the value of the link register in a stretch at whose beginning it is `entry`. */
function resolved(link: LinkValue | undefined, entry: LinkValue | undefined): LinkValue | undefined {
  if (link?.entry === undefined || entry === undefined) return link?.entry === undefined ? link : undefined;
  return link.entry === 'kept' ? entry : { low: link.low, high: link.high };
}

/** Returns true if the link register holds the address after a jump. */
function returnsBehind({ link, resumeLow, resumeHigh }: LinkedJump, entry: LinkValue | undefined): boolean {
  const value = resolved(link, entry);
  return value !== undefined && (value.low & ~1) >>> 0 === resumeLow && value.high === resumeHigh;
}

function stepBetween({ numbers: before }: FlowRun, { numbers: after }: FlowRun): Step {
  if (before === undefined || after === undefined) return stepOf(NO_NUMBER, 0, NO_NUMBER, 0);
  return stepOf(before.last, before.lastPlace, after.first, after.firstPlace);
}

/** Appends the events between two runs. Returns true if instructions are missing there. */
function putBetween(before: FlowRun, after: FlowRun, step: Step, interruptions: boolean, sink: EventSink): boolean {
  const { last } = before;
  const { first } = after;
  const mark = last.mark | first.mark;
  if ((mark & POINT.afterGap) !== 0) {
    putGap(first, sink);
    return true;
  }
  const interrupted = interruptions && (vectorOf(first) !== 0 || (mark & INTERRUPTED) !== 0);
  const each = before.numbers?.each === true || after.numbers?.each === true;
  return putStep(before.before, last, first, sink, isMissing(step, each, interrupted));
}

/** Returns a point with the marks and notices of records after it, or before it. */
function noticed(point: FlowPoint, { mark, notices: others }: FlowPoint, order: 'after' | 'before'): FlowPoint {
  const { notices: its = [] } = point;
  const notices = order === 'after' ? [...its, ...(others ?? [])] : [...(others ?? []), ...its];
  return { ...point, mark: point.mark | mark, ...(notices.length > 0 && { notices }) };
}
