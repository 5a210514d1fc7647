/**
 * Calls of a range with costs in time. The time from an instruction to the next one of the same processor is that of the first one, so a
 * straight run takes the time from its first instruction to the target of the branch that ends it. Time is unknown across gaps of the
 * trace, where records have no time of their own, and where it runs backwards: none of it is counted.
 */
import { EVENT, setApart, sliceEvents, type Events } from '../../../../shared/flow/events.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { NO_TIME } from '../../../../shared/requests/failures.ts';
import { counted } from '../../../../shared/base/numbers.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { knownCalls, statesAt, walkTo, type RangeCalls } from '../../flow/calls.ts';
import { createCpuStacks, type CpuStacks } from '../../flow/cpu-stacks.ts';
import { createCallTally } from '../../flow/tally/call-tally.ts';
import type { SpanSink } from '../../flow/tally/span-columns.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { createRecordTimes, type RecordTimes } from '../records/record-times.ts';

export interface TimedCalls extends Omit<RangeCalls, 'unit'> {
  /** Unit of the times. */
  readonly unit: string;
  /** Sentences about how time is counted, and about time that is unknown. */
  readonly timeNotes: readonly string[];
}

export const TIME_NOTE = 'The time from an instruction to the next one of the same processor counts for the first one.';
const MESSAGE_NOTE =
  'Only branch messages have times: the time from a message to the next one counts for the code that ran between them.';

/** Events between two interruptions: their records are decoded for their times. */
const PART = 256;

/** Returns the unit of the times of a trace; undefined if its records have none. */
export function timeUnitOf({ reader: { decoder } }: Trace): string | undefined {
  return decoder.timeUnit ?? decoder.format.timeUnit;
}

/** Fails with NO_TIME if records have no time, or run against it. */
export async function timedCalls(
  trace: Trace,
  { from, to }: { readonly from: RecordNumber; readonly to: RecordNumber },
  task: Task<FlowProgress>,
  spans?: (cpu: number) => SpanSink | undefined,
): Promise<Result<TimedCalls>> {
  const unit = timeUnitOf(trace);
  if (unit === undefined)
    return fail(NO_TIME, `${trace.file.path}: the records of this format have no time; ask for counts instead`);
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  const { functions, history, messages, inferred, backwards } = known.value;
  if (backwards) return fail(NO_TIME, `${trace.file.path}: its records run backwards in time; ask for counts instead`);
  const states = await statesAt(trace, known.value, from, task);
  if (!states.ok) return states;
  const tally = createCallTally();
  const settings = { functions, tally, counts: true, messages, ...(spans && { spans }) };
  const stacks = createCpuStacks(settings, states.value);
  const times = createRecordTimes(trace);
  const timed = createTimed(stacks, times, from);
  const walked = await walkTo(trace, { ...timed, part: PART }, { from, to }, known.value, [], task);
  if (!walked.ok) return walked;
  if (!messages)
    for (const { cpu, last, gap = false } of walked.value) timed.end(cpu, last.record, gap ? undefined : to);
  stacks.finish(to, []);
  const failure = times.failure();
  if (failure !== undefined) return { ok: false, error: failure };
  const unknown = timed.unknown();
  const timeNotes = [
    messages ? MESSAGE_NOTE : TIME_NOTE,
    ...(unknown > 0
      ? [
          `The time of ${counted(unknown, messages ? 'stretch between messages' : 'straight run', messages ? 'stretches between messages' : 'straight runs')} is unknown and not counted: ${unknown === 1 ? 'it is' : 'they are'} at an end of the trace or range, at gaps, or without times.`,
        ]
      : []),
  ];
  return ok({ functions, tally, history, unit, messages, inferred, timeNotes });
}

interface Timed extends Pick<CpuStacks, 'begin' | 'add'> {
  /** Counts the time after the last event: up to the next instruction of the CPU at or after `next`, otherwise up to the record `last`. */
  end(cpu: number, last: RecordNumber, next: RecordNumber | undefined): void;
  /** Number of straight runs whose time is not known, or not all of it. */
  unknown(): number;
}

/** Puts times in place of the numbers of instructions of events. */
function createTimed(stacks: CpuStacks, times: RecordTimes, from: RecordNumber): Timed {
  /** By CPU: time at which its straight run began, NaN if unknown. */
  const began = new Map<number, number>();
  let unknown = 0;

  /** Returns the time of the straight run that ends now, 0 if it is unknown. */
  function took(cpu: number, now: number, isGap: boolean): number {
    const time = isGap ? Number.NaN : now - (began.get(cpu) ?? Number.NaN);
    began.set(cpu, now);
    if (time >= 0) return time;
    unknown++;
    return 0;
  }

  return {
    begin(cpu, low, high, record) {
      stacks.begin(cpu, low, high, record);
      began.set(cpu, times.nextOf(cpu, Math.max(record, from)) ?? Number.NaN);
    },
    add(all) {
      const events = withOwnCounts(all);
      const { cpu: cpus, record, flags, instructions } = events;
      let added = 0;
      for (let at = 0; at < events.count; at++) {
        const cpu = cpus[at]!;
        const time = took(cpu, times.at(record[at]!), (flags[at]! & EVENT.gap) !== 0);
        const fits = Number.isInteger(time) && time <= MOST;
        instructions[at] = fits ? time : 0;
        if (fits) continue;
        if (at > added) stacks.add(sliceEvents(events, added, at));
        stacks.ran(cpu, time);
        added = at;
      }
      if (events.count > added) stacks.add(sliceEvents(events, added, events.count));
    },
    end(cpu, last, next) {
      if (!began.has(cpu)) return;
      const until = next === undefined ? undefined : times.nextOf(cpu, next);
      stacks.ran(cpu, took(cpu, until ?? times.at(last), false));
      // The last instruction runs until a next one, which the trace does not have.
      if (until === undefined) unknown++;
    },
    unknown: () => unknown,
  };
}

/** Largest number of a column of counts. */
const MOST = 0xffff_ffff;

/** Returns events whose counts may be changed: the columns of others can be those of the index. */
function withOwnCounts(events: Events): Events {
  const own = { ...events };
  setApart(own);
  return { ...own, alike: undefined, instructions: new Uint32Array(own.count) };
}
