/** Joins two stretches of executed instructions: adds the events of a cpu between the end of one and the beginning of the next. */
import type { Events, FlowRun, JoinedRun } from './events.ts';
import { countedBy, isMissing, NO_NUMBER, stepOf, withEach, type Step } from './numbering.ts';
import { NOTED, POINT } from './point.ts';
import { putGap, putTransition, vectorOf, type EventSink } from './transition.ts';

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
    const { last } = earlier;
    return { run: { ...earlier, last: { ...last, mark: last.mark | later.first.mark } }, carried: 0 };
  }
  const before = earlier === undefined || earlier.last.record < 0 ? undefined : earlier;
  const mark = before === undefined && earlier !== undefined ? earlier.last.mark : 0;
  const after = mark === 0 ? later : { ...later, first: { ...later.first, mark: later.first.mark | mark } };
  const sink: EventSink = { events, cpu: after.cpu, since: before?.since ?? 0 };
  const step = before === undefined ? undefined : stepBetween(before, after);
  const isGap = before !== undefined && step !== undefined && isGapBetween(before, after, step, interruptions);
  if (isGap) putGap(after.first, sink);
  else if (before !== undefined) putTransition(before.before, before.last, after.first, sink);
  if (after.second !== undefined) {
    sink.since++;
    // These marks belong to records before the first instruction.
    const first = { ...after.first, mark: after.first.mark & ~(NOTED | POINT.afterGap) };
    putTransition(isGap ? undefined : before?.last, first, after.second, sink);
  }
  const alone = before !== undefined && !isGap && after.last.record === after.first.record;
  const shown = step !== undefined && countedBy(step) === 'each' ? withEach(after) : after;
  return { run: alone ? { ...shown, before: before.last } : shown, carried: sink.since };
}

function stepBetween({ numbers: before }: FlowRun, { numbers: after }: FlowRun): Step {
  if (before === undefined || after === undefined) return stepOf(NO_NUMBER, 0, NO_NUMBER, 0);
  return stepOf(before.last, before.lastPlace, after.first, after.firstPlace);
}

function isGapBetween(
  { last, numbers: before }: FlowRun,
  { first, numbers: after }: FlowRun,
  step: Step,
  interruptions: boolean,
): boolean {
  if (((last.mark | first.mark) & POINT.afterGap) !== 0) return true;
  const interrupted = interruptions && (vectorOf(first) !== 0 || ((last.mark | first.mark) & NOTED) !== 0);
  return isMissing(step, before?.each === true || after?.each === true, interrupted);
}
