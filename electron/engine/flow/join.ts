/** Stretches one after another as one series of events: what happened between two of them, and what was counted across. */
import {
  appendEvents,
  createEvents,
  EVENT,
  type Events,
  type FlowRun,
  type FlowStretch,
} from '../../../shared/flow.ts';
import type { FlowReader } from '../../../shared/format.ts';

export interface Joiner {
  /** The cpus of a stretch that were not seen before. */
  unseen(stretch: FlowStretch): readonly number[];
  /** The events of the next stretch, and those between the one before and it. */
  add(stretch: FlowStretch): Events;
  /** What is known now where nothing follows. */
  end(): Events;
  /** Where each cpu is. */
  runs(): readonly FlowRun[];
}

export function createJoiner(reader: FlowReader): Joiner {
  /** By cpu; `since` is counted over all stretches. */
  const runs = new Map<number, FlowRun>();

  return {
    unseen: (stretch) => stretch.runs.filter(({ cpu }) => !runs.has(cpu)).map(({ cpu }) => cpu),
    add({ events, runs: next }) {
      const between = createEvents(16);
      for (const after of next) {
        const before = runs.get(after.cpu);
        const { run, carried } = reader.join(before, after, between);
        const first = firstOf(events, run.cpu);
        if (first >= 0 && before?.gap === true) events.flags[first]! |= EVENT.gap;
        // What ran before a gap did not run towards what comes behind it.
        if (first >= 0 && (events.flags[first]! & EVENT.gap) === 0) events.instructions[first]! += carried;
        runs.set(run.cpu, first >= 0 ? run : { ...run, since: run.since + carried });
      }
      return merged(between, events);
    },
    end() {
      const last = createEvents(16);
      for (const run of runs.values()) reader.end(run, last);
      return last;
    },
    runs: () => [...runs.values()],
  };
}

function firstOf({ cpu, count }: Events, wanted: number): number {
  const at = cpu.indexOf(wanted);
  return at < count ? at : -1;
}

/** Both in the order of records; `few` before `many` where that is the same. */
function merged(few: Events, many: Events): Events {
  if (few.count === 0) return many;
  const order = Array.from({ length: few.count }, (_, at) => at).sort((a, b) => few.record[a]! - few.record[b]!);
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
