/**
 * Joins stretches, which were read independently, into one series of events. Adds the events between two stretches and the counts of
 * instructions that span both.
 */
import {
  addToEvent,
  appendEvents,
  BRANCH,
  copyEvent,
  createEvents,
  LEAN_COLUMNS,
  EVENT,
  makeCall,
  reserveEvents,
  type AlikeEvents,
  type Events,
  type FlowRun,
  type FlowStretch,
  type LinkedJump,
} from '../../../../shared/flow/events.ts';
import { passed, withEach } from '../../../../shared/flow/numbering.ts';
import type { ProgramFlow } from '../../../../shared/format/format.ts';

export interface Joiner {
  /** Returns the CPUs of a stretch that no earlier stretch has. */
  unseen(stretch: FlowStretch): readonly number[];
  /** Takes the state of some CPUs from stretches before the first one. */
  lookBack(stretches: readonly FlowStretch[], cpus: readonly number[]): void;
  /** Returns the events of the next stretch, with those between the previous stretch and it. */
  add(stretch: FlowStretch): Events;
  /** Returns the events after the last stretch. */
  end(): Events;
  /** Returns the state of each CPU. */
  runs(): readonly FlowRun[];
}

export function createJoiner(flow: ProgramFlow): Joiner {
  /** By CPU; `since` counts over all stretches. */
  const runs = new Map<number, FlowRun>();
  /** Numbered instructions in all stretches so far. */
  let added = 0;
  /** True once something shows that the trace numbers the instructions of each CPU separately. */
  let each = false;
  /** Free for the events between two stretches. */
  let between = createEvents(16);

  /** Takes over a stretch's runs of some CPUs. Returns the events between the previous stretch and it. */
  function take({ events, runs: next }: FlowStretch, isWanted: (cpu: number) => boolean): Events {
    if (between.count > 0) between = createEvents(16);
    each ||= next.some(({ numbers }) => numbers?.each === true);
    for (const after of next) {
      if (!isWanted(after.cpu)) continue;
      const before = runs.get(after.cpu);
      const { run, carried, calls = [] } = flow.join(before, each ? withEach(after) : after, between, events);
      for (const call of calls) {
        const at = eventFrom(events, run.cpu, call);
        if (at >= 0) makeCall(events, at, call);
      }
      each ||= run.numbers?.each === true;
      const first = firstEventOf(events, run.cpu);
      if (first >= 0) {
        const gap = before?.gap === true ? EVENT.gap : 0;
        // Instructions before a gap do not lead to what follows it: a message there counts only those after the gap.
        const isCounted = run.last.size > 0 || ((flagsOf(events, first) | gap) & EVENT.gap) === 0;
        if (gap !== 0 || (isCounted && carried > 0)) addToEvent(events, first, gap, isCounted ? carried : 0);
      }
      runs.set(run.cpu, first >= 0 ? run : { ...run, since: run.since + carried });
    }
    pass(allOf(next), isWanted);
    return between;
  }

  function pass(all: number, isWanted: (cpu: number) => boolean): void {
    for (const [cpu, run] of runs)
      if (run.numbers !== undefined && isWanted(cpu)) runs.set(cpu, { ...run, numbers: passed(run.numbers, all) });
  }

  return {
    unseen: (stretch) => stretch.runs.filter(({ cpu }) => !runs.has(cpu)).map(({ cpu }) => cpu),
    lookBack(stretches, cpus) {
      const isWanted = (cpu: number): boolean => cpus.includes(cpu);
      for (const stretch of stretches) take(stretch, isWanted);
      pass(added, isWanted);
    },
    add(stretch) {
      added += allOf(stretch.runs);
      return merged(
        take(stretch, () => true),
        stretch.events,
      );
    },
    end() {
      const last = createEvents(16);
      for (const run of runs.values()) flow.end(run, last);
      return last;
    },
    runs: () => [...runs.values()],
  };
}

/** Returns how many instructions of a stretch have numbers. */
function allOf(runs: readonly FlowRun[]): number {
  return runs.find(({ numbers }) => numbers !== undefined)?.numbers?.all ?? 0;
}

/** Returns the index of the first event of a CPU; -1 if there is none. */
export function firstEventOf({ cpu, count, alike }: Events, wanted: number): number {
  if (alike !== undefined) return alike.numbers.findIndex((number) => alike.each.cpu[number] === wanted);
  const at = cpu.indexOf(wanted);
  return at < count ? at : -1;
}

/** Returns the index of the event of a linked jump; -1 if there is none. */
function eventFrom(events: Events, cpu: number, { record: wanted, sourceLow, sourceHigh }: LinkedJump): number {
  const isIt = (its: Events, at: number): boolean =>
    its.cpu[at] === cpu &&
    its.kind[at] !== BRANCH.interrupt &&
    its.kind[at] !== BRANCH.exception &&
    (its.flags[at]! & EVENT.source) !== 0 &&
    its.sourceLow[at] === sourceLow &&
    its.sourceHigh[at] === sourceHigh;
  const { alike, count, record } = events;
  const find = (first: number): number =>
    record
      .subarray(0, count)
      .findIndex(
        (its, at) => its >= first && (alike === undefined ? isIt(events, at) : isIt(alike.each, alike.numbers[at]!)),
      );
  const at = find(wanted);
  // Of distinct events that are read once, the records are not known.
  return at >= 0 ? at : find(0);
}

function flagsOf({ flags, alike }: Events, at: number): number {
  return (alike === undefined ? flags[at] : alike.each.flags[alike.numbers[at]!])!;
}

/** Merges two series by record; of equal records those of `few` come first. */
function merged(few: Events, many: Events): Events {
  if (few.count === 0) return many;
  const order = Array.from({ length: few.count }, (_, at) => at).sort((a, b) => few.record[a]! - few.record[b]!);
  if (many.alike !== undefined && many.kind.length < many.count) return mergedAlike(few, order, many, many.alike);
  const all = createEvents(few.count + many.count);
  let from = 0;
  for (const at of order) {
    let to = from;
    while (to < many.count && many.record[to]! < few.record[at]!) to++;
    appendEvents(all, many, from, to);
    appendEvents(all, few, at, at + 1);
    from = to;
  }
  appendEvents(all, many, from, many.count);
  return all;
}

/** Merges into events that share their columns. The few are distinct from all others. */
function mergedAlike(few: Events, order: readonly number[], many: Events, alike: AlikeEvents): Events {
  const { numbers, each } = alike;
  const count = few.count + many.count;
  const all = { record: new Float64Array(count), numbers: new Int32Array(count) };
  reserveEvents(each, few.count);
  let from = 0;
  let to = 0;
  order.forEach((at, before) => {
    while (to < many.count && many.record[to]! < few.record[at]!) to++;
    copyUpTo(before);
    all.record[to + before] = few.record[at]!;
    all.numbers[to + before] = each.count;
    copyEvent(each, few, at, each.count++);
  });
  to = many.count;
  copyUpTo(few.count);
  return { ...LEAN_COLUMNS, count, record: all.record, alike: { ...alike, numbers: all.numbers } };

  /** Copies the many up to `to`, after `before` of the few. */
  function copyUpTo(before: number): void {
    all.record.set(many.record.subarray(from, to), from + before);
    all.numbers.set(numbers.subarray(from, to), from + before);
    from = to;
  }
}
