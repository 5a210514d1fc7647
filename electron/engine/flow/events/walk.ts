/**
 * Walks over the branch events of a range of records. Threads of the pool read blocks in any order; the visitor gets the events of
 * each CPU in order, with the kinds that the image shows.
 *
 * The state of a CPU before the range is searched for in the preceding blocks. A CPU that does not occur there starts without one.
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
import { createJoiner, type Joiner } from './join.ts';
import { lookBack } from './look-back.ts';
import { createRefiner } from '../classify/refine.ts';
import { followedOf } from './image-flows.ts';
import { readAhead, readBlock } from './read-ahead.ts';

export interface FlowVisitor {
  /**
   * Called with the first instruction that a CPU executes in the walk, before its events. Never called for traces of messages.
   */
  begin?: (cpu: number, point: FlowPoint) => void;
  /** Takes events of records of the range. The columns are valid during the call. Returns false to end the walk. */
  take: (events: Events) => boolean;
  /**
   * `lean`: the visitor uses only `record` and `alike`, or calls `setApart` first (see Events). `once`: the visitor needs each
   * distinct branch only once per block, without its record.
   */
  readonly reading?: 'lean' | 'once';
  /** Maximum number of events of one call, PART by default: fewer if the visitor decodes records for them. */
  readonly part?: number;
  /** Called when all records before `at` have been read. */
  progress?: (at: RecordNumber) => void;
  /** Called when the records of the range before `at`, and no later ones, have been read. `ends`: the state of each CPU there. */
  reached?: (at: RecordNumber, ends: () => readonly FlowRun[]) => void;
}

/** Records [from, to), all of them indexed. */
export interface WalkedRange {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
}

/** Events per call of the visitor by default, and how long this thread may be busy before it lets others run. */
const PART = 16_384;
const SLICE_MS = 8;

/** Returns the state of each CPU after the last block of the range, for traces of instructions. */
export async function walkFlow<E>(
  trace: Trace,
  { from, to }: WalkedRange,
  task: Task<E>,
  visitor: FlowVisitor,
): Promise<Result<readonly FlowRun[]>> {
  const { flow } = trace.reader.decoder;
  if (flow === undefined)
    return fail(NO_FLOW, `${trace.file.path}: records of this format do not show where a program branched`);
  if (from >= to) return ok([]);
  const { blocks } = trace;
  const own = blocks.blockOfRecord(from);
  // A recording is followed from its beginning.
  const first = followedOf(trace)?.flow.blocksAround(trace, own, own)[0] ?? own;
  const end = blocks.blockOfRecord(to - 1) + 1;
  const joiner = createJoiner(flow);
  const refiner = await createRefiner(trace);
  const reading = refiner === undefined ? (visitor.reading ?? 'whole') : 'whole';
  const starts = createStarts(visitor);
  const { part = PART } = visitor;
  let sliceEnd = performance.now() + SLICE_MS;

  /** `inside`: all of these events are known to be in the range. */
  const handOn = (events: Events, start: number, stop: number, inside: boolean): boolean => {
    starts.pass(events, start, stop, from);
    const own = inside ? sliceEvents(events, start, stop) : within(events, start, stop, from, to);
    return own.count === 0 || visitor.take(own);
  };
  /** `isWithin`: its records are in the range. */
  const addStretch = async (stretch: FlowStretch, isWithin: boolean): Promise<boolean> => {
    const before = await lookBack(trace, joiner, stretch, first, task);
    if (!before.ok) return false;
    const joined = joiner.add(stretch);
    const events = refiner?.add(joined) ?? joined;
    // Events between two stretches may have records of another one.
    const inside = isWithin && events === stretch.events;
    for (const { cpu, first: point } of stretch.runs) starts.note(cpu, point);
    for (let at = 0; at < events.count; at += part) {
      if (!handOn(events, at, Math.min(events.count, at + part), inside)) return false;
      if (performance.now() < sliceEnd) continue;
      await breathe();
      if (task.cancelled()) return false;
      sliceEnd = performance.now() + SLICE_MS;
    }
    return true;
  };
  const stop = { wanted: false };
  const read = await readAhead(trace, { first, end, reading }, task, async (stretch, next) => {
    const reached = next < blocks.length ? blocks.firstRecord(next) : blocks.records;
    stop.wanted = !(await addStretch(stretch, from === 0 && reached <= to));
    visitor.progress?.(Math.min(to, reached));
    if (reached <= to) visitor.reached?.(reached, joiner.runs);
    return !stop.wanted;
  });
  if (!read.ok) return read;
  // Later records complete the events that are open at the end of the range.
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

/** Returns the events [start, stop) whose records are in [from, to). */
function within(events: Events, start: number, stop: number, from: RecordNumber, to: RecordNumber): Events {
  const { record } = events;
  let inside = 0;
  let [first, last] = [start, start - 1];
  for (let at = start; at < stop; at++) {
    if (record[at]! < from || record[at]! >= to) continue;
    if (inside++ === 0) first = at;
    last = at;
  }
  // They are adjacent in most cases.
  if (inside === last - first + 1) return sliceEvents(events, first, last + 1);
  const chosen = createEvents(inside);
  for (let at = start; at < stop; at++)
    if (record[at]! >= from && record[at]! < to) appendEvents(chosen, events, at, at + 1);
  return chosen;
}

interface Starts {
  /** Notes the first instruction of a CPU in a stretch. */
  note(cpu: number, point: FlowPoint): void;
  /** Moves starts to the targets of events before `from`. Calls `begin` before the visitor gets the first event of the range. */
  pass(events: Events, start: number, stop: number, from: RecordNumber): void;
  flush(): void;
}

function createStarts({ begin }: FlowVisitor): Starts {
  /** Starts of CPUs that the visitor has not begun. */
  const waiting = new Map<number, FlowPoint>();
  const begun = new Set<number>();
  return { note, pass, flush };

  function note(cpu: number, point: FlowPoint): void {
    if (point.size > 0 && !begun.has(cpu) && !waiting.has(cpu)) waiting.set(cpu, point);
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
      begun.add(cpu);
    }
    waiting.clear();
  }
}
