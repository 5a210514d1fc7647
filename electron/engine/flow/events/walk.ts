/**
 * The program's flow through a range of records: threads of the pool read runs of blocks in any order, and this hands on what
 * they found as the events of each cpu, in order.
 *
 * Where a cpu came from is looked for in blocks before the range; one that was not seen for long begins anew.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import {
  appendEvents,
  createEvents,
  EVENT,
  setApart,
  sliceEvents,
  type Events,
  type FlowPoint,
  type FlowRun,
  type FlowStretch,
} from '../../../../shared/flow/events.ts';
import { NO_FLOW } from '../../../../shared/requests/failures.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { createJoiner, firstEventOf, type Joiner } from './join.ts';
import { createRefiner } from '../classify/refine.ts';
import { followedOf } from './image-flows.ts';
import { readAhead, readBlock } from './read-ahead.ts';

export interface FlowVisitor {
  /**
   * Where a cpu is when the walk begins, or when it is seen first: the instruction at `point` is the first one that it executes.
   * Called before its events; never for traces of messages.
   */
  begin?: (cpu: number, point: FlowPoint) => void;
  /** Events of records of the range, those of each cpu in order. The columns are valid during the call; false ends the walk. */
  take: (events: Events) => boolean;
  /**
   * `lean`: it looks at records and what is alike, or calls `setApart` first (see Events). `once`: it need not hear of a branch more
   * than once for each block, nor at which record.
   */
  readonly reading?: 'lean' | 'once';
  /** All records before `at` are looked through. */
  progress?: (at: RecordNumber) => void;
}

/** Records [from, to), all of them indexed. */
export interface WalkedRange {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
}

/** Events that are handed on at once, and how long this thread may be busy before it looks who else waits. */
const PART = 16_384;
const SLICE_MS = 8;

/** So many blocks before the range is looked for what a cpu did last. */
const LOOKED_BACK = 64;

/** Answers where each cpu was behind the range's last block, for traces of instructions. */
export async function walkFlow<E>(
  trace: Trace,
  { from, to }: WalkedRange,
  task: Task<E>,
  visitor: FlowVisitor,
): Promise<Result<readonly FlowRun[]>> {
  const reader = trace.reader.decoder.flow?.();
  if (reader === undefined)
    return fail(NO_FLOW, `${trace.file.path}: records of this format do not tell where a program went`);
  if (from >= to) return ok([]);
  const { blocks } = trace;
  const own = blocks.blockOfRecord(from);
  // A recording is followed as a whole.
  const first = followedOf(trace)?.flow.blocksAround(trace, own, own)[0] ?? own;
  const end = blocks.blockOfRecord(to - 1) + 1;
  const joiner = createJoiner(reader);
  const refiner = await createRefiner(trace);
  const reading = refiner === undefined ? (visitor.reading ?? 'whole') : 'whole';
  const starts = createStarts(visitor);
  let sliceEnd = performance.now() + SLICE_MS;

  /** `inside`: all of them are known to lie in the range. */
  const handOn = (events: Events, start: number, stop: number, inside: boolean): boolean => {
    starts.pass(events, start, stop, from);
    const part = inside ? sliceEvents(events, start, stop) : within(events, start, stop, from, to);
    return part.count === 0 || visitor.take(part);
  };
  /** `isWithin`: its records lie in the range. */
  const addStretch = async (stretch: FlowStretch, isWithin: boolean): Promise<boolean> => {
    const before = await beginCpus(stretch);
    if (!before.ok) return false;
    const joined = joiner.add(stretch);
    const events = refiner?.add(joined) ?? joined;
    // What happened between two stretches may belong to no record.
    const inside = isWithin && events === stretch.events;
    for (const { cpu, first: point } of stretch.runs) starts.see(cpu, point);
    for (let at = 0; at < events.count; at += PART) {
      if (!handOn(events, at, Math.min(events.count, at + PART), inside)) return false;
      if (performance.now() < sliceEnd) continue;
      await breathe();
      if (task.cancelled()) return false;
      sliceEnd = performance.now() + SLICE_MS;
    }
    return true;
  };
  /** Where cpus that are seen first were before, as far as that is not too long ago. */
  const beginCpus = async (stretch: FlowStretch): Promise<Result<undefined>> => {
    const wanted = first === 0 ? [] : joiner.unseen(stretch);
    const searched = new Set(wanted);
    const earlier: FlowStretch[] = [];
    for (let block = first - 1; block >= Math.max(0, first - LOOKED_BACK) && searched.size > 0; block--) {
      const read = await readBlock(trace, block, task);
      if (!read.ok) return read;
      earlier.push(read.value);
      // What a single instruction is may depend on the one before it; a straight run is counted from the branch on that began it.
      const { runs, events } = read.value;
      for (const run of runs)
        if (run.first.record < run.last.record && firstEventOf(events, run.cpu) >= 0) searched.delete(run.cpu);
    }
    joiner.lookBack(earlier.reverse(), wanted);
    return ok(undefined);
  };

  const stop = { wanted: false };
  const read = await readAhead(trace, { first, end, reading }, task, async (stretch, next) => {
    const reached = next < blocks.length ? blocks.firstRecord(next) : blocks.records;
    stop.wanted = !(await addStretch(stretch, from === 0 && reached <= to));
    visitor.progress?.(Math.min(to, reached));
    return !stop.wanted;
  });
  if (!read.ok) return read;
  // What is open at the end of the range is settled by what comes behind it.
  const isOpen = (): boolean => refiner?.waits({ from, to }) === true || leavesOpen(joiner, from, to);
  for (let block = end; block < blocks.length && !stop.wanted && isOpen(); block++) {
    const further = await readBlock(trace, block, task);
    if (!further.ok) return further;
    stop.wanted = !(await addStretch(further.value, false));
  }
  if (task.cancelled()) return task.cancel();
  if (!stop.wanted) {
    for (const last of [refiner?.end(), joiner.end()]) if (last !== undefined) handOn(last, 0, last.count, false);
    starts.flush();
  }
  return ok(joiner.runs().filter(({ last: point }) => point.size > 0));
}

function leavesOpen(joiner: Joiner, from: RecordNumber, to: RecordNumber): boolean {
  const { record, count } = joiner.end();
  return record.subarray(0, count).some((n) => n >= from && n < to);
}

/** The events [start, stop) whose records lie in [from, to). */
function within(events: Events, start: number, stop: number, from: RecordNumber, to: RecordNumber): Events {
  const { record } = events;
  let inside = 0;
  let [first, last] = [start, start - 1];
  for (let at = start; at < stop; at++) {
    if (record[at]! < from || record[at]! >= to) continue;
    if (inside++ === 0) first = at;
    last = at;
  }
  // Mostly they lie together.
  if (inside === last - first + 1) return sliceEvents(events, first, last + 1);
  const chosen = createEvents(inside);
  for (let at = start; at < stop; at++)
    if (record[at]! >= from && record[at]! < to) appendEvents(chosen, events, at, at + 1);
  return chosen;
}

interface Starts {
  see(cpu: number, point: FlowPoint): void;
  /** Notes what events before `from` say, and tells the visitor where cpus begin before it gets the first one behind that. */
  pass(events: Events, start: number, stop: number, from: RecordNumber): void;
  flush(): void;
}

function createStarts({ begin }: FlowVisitor): Starts {
  /** Of cpus of which the visitor was not told yet. */
  const waiting = new Map<number, FlowPoint>();
  const told = new Set<number>();
  return { see, pass, flush };

  function see(cpu: number, point: FlowPoint): void {
    if (point.size > 0 && !told.has(cpu) && !waiting.has(cpu)) waiting.set(cpu, point);
  }

  function pass(events: Events, start: number, stop: number, from: RecordNumber): void {
    if (waiting.size === 0 || begin === undefined) return;
    for (let at = start; at < stop; at++) {
      if (events.record[at]! >= from) {
        flush();
        return;
      }
      setApart(events);
      const point = waiting.get(events.cpu[at]!);
      if (point === undefined || (events.flags[at]! & EVENT.target) === 0) continue;
      waiting.set(events.cpu[at]!, {
        ...point,
        record: events.record[at]!,
        addressLow: events.targetLow[at]!,
        addressHigh: events.targetHigh[at]!,
      });
    }
  }

  function flush(): void {
    for (const [cpu, point] of waiting) {
      begin?.(cpu, point);
      told.add(cpu);
    }
    waiting.clear();
  }
}
