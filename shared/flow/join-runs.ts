/** Joins two stretches of executed instructions: adds the events of a cpu between the end of one and the beginning of the next. */
import {
  EVENT,
  type Events,
  type FlowPoint,
  type FlowRun,
  type HeldLink,
  type JoinedRun,
  type LinkedJump,
  type LinkValue,
} from './events.ts';
import { hold, interrupts, isForeign, linkAfter, returns, take } from './held-links.ts';
import { countedBy, isMissing, NO_NUMBER, stepOf, withEach, type Step } from './numbering.ts';
import { INTERRUPTED, NOTED, POINT } from './point.ts';
import { putGap, putStep, vectorOf, type EventSink } from './transition.ts';

/**
 * Appends the events between two stretches, and those between the first and second instruction of the later one. A run without
 * instructions has only marks. `interruptions`: exceptions have numbers too. `inside`: the events of the later stretch.
 */
export function joinRuns(
  earlier: FlowRun | undefined,
  later: FlowRun,
  events: Events,
  interruptions: boolean,
  inside?: Events,
): JoinedRun {
  if (earlier !== undefined && later.first.record < 0) {
    const link = shownAfter(earlier, later.link);
    return { run: { ...earlier, link, last: noticed(earlier.last, later.first, 'after') }, carried: 0 };
  }
  const before = earlier === undefined || earlier.last.record < 0 ? undefined : earlier;
  const isNoticed = before === undefined && earlier !== undefined && earlier.last.mark !== 0;
  const after = isNoticed ? { ...later, first: noticed(later.first, earlier.last, 'before') } : later;
  const sink: EventSink = { events, cpu: after.cpu, since: before?.since ?? 0 };
  const step = before === undefined ? undefined : stepBetween(before, after);
  const from = events.count;
  const isGap = before !== undefined && step !== undefined && putBetween(before, after, step, interruptions, sink);
  const held = isGap ? [] : [...(before?.held ?? [])];
  /** Values of the link register at the beginning of straight runs, by their first record; AT_FIRST: at the first instruction. */
  const links = new Map<number, LinkValue | undefined>();
  const passOn = (at: number, last: FlowPoint, next: FlowPoint, link: LinkValue | undefined): LinkValue | undefined =>
    linkAfter(events, at, last, next, link, held, (its) => take(held, events.targetLow[its]!, events.targetHigh[its]!));
  if (before !== undefined && !isGap)
    links.set(AT_FIRST, passOn(from, before.last, after.first, shownAfter(before, after.first.link)));
  if (after.second !== undefined) {
    sink.since++;
    // These marks belong to records before the first instruction.
    const mark = after.first.mark & ~(NOTED | POINT.afterGap);
    const first = { ...after.first, mark, notices: undefined, link: links.get(AT_FIRST) };
    const at = events.count;
    putStep(isGap ? undefined : before?.last, first, after.second, sink, (after.second.mark & POINT.skips) !== 0);
    links.set(after.second.record, passOn(at, first, after.second, resolved(after.second.link, links)));
  }
  if (inside !== undefined && held.length > 0) passHeld(inside, after.cpu, held, links);
  for (const { low, high, link } of after.held ?? []) hold(held, low, high, resolved(link, links));
  const alone = before !== undefined && !isGap && after.last.record === after.first.record;
  const shown = step !== undefined && countedBy(step) === 'each' ? withEach(after) : after;
  const last = { ...shown.last, link: resolved(shown.last.link, links) };
  const calls = shown.linked?.filter((jump) => returnsBehind(jump, links));
  return {
    run: { ...shown, ...(alone && { before: before.last }), last, link: resolved(shown.link, links), held },
    carried: sink.since,
    ...(calls !== undefined && { calls }),
  };
}

const AT_FIRST = -1;

/** Returns the value of the link register after a run, and after records of the next stretch that give it `link`. */
function shownAfter({ link: its, last }: FlowRun, link: LinkValue | undefined): LinkValue | undefined {
  const isShown = link !== undefined && its !== undefined && link.entry !== 'kept' && !isForeign(link, last.mark);
  return isShown ? { low: link.low, high: link.high } : its;
}

/** Returns the value of the link register in a stretch. `links`: values at the beginning of its straight runs. */
function resolved(
  link: LinkValue | undefined,
  links: ReadonlyMap<number, LinkValue | undefined>,
): LinkValue | undefined {
  if (link?.entry === undefined) return link;
  const value = links.get(link.since ?? AT_FIRST);
  return value === undefined || link.entry === 'kept' ? value : { low: link.low, high: link.high };
}

/** Gives values that were held before a stretch to the straight runs in it to which handlers returned. */
function passHeld(
  { alike, ...events }: Events,
  cpu: number,
  held: HeldLink[],
  links: Map<number, LinkValue | undefined>,
): void {
  const its = alike?.each ?? events;
  for (let event = 0; event < events.count && held.length > 0; event++) {
    const at = alike?.numbers[event] ?? event;
    if (its.cpu[at] !== cpu) continue;
    if ((its.flags[at]! & EVENT.gap) !== 0) held.length = 0;
    else if (interrupts(its, at)) take(held, its.resumeLow[at]!, its.resumeHigh[at]!);
    else if (returns(its, at)) {
      const link = take(held, its.targetLow[at]!, its.targetHigh[at]!);
      if (link !== undefined) links.set(events.record[event]!, link);
    }
  }
}

/** Returns true if the link register holds the address after a jump. */
function returnsBehind(
  { link, resumeLow, resumeHigh }: LinkedJump,
  links: ReadonlyMap<number, LinkValue | undefined>,
): boolean {
  const value = resolved(link, links);
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
