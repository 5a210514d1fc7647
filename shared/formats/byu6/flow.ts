/**
 * Reads branch events from the branch trace messages of a BYU trace. Without the data bus a message keeps bits 31 to 4 of an address.
 * Whether it is a source or a target is inferred from neighbouring messages, so both ends of every event are marked as inferred.
 */
import {
  BRANCH,
  createEvents,
  EVENT,
  type Events,
  type FlowPoint,
  NO_BRANCH,
  reserveEvents,
  sliceEvents,
} from '../../flow/events.ts';
import type { FlowReader, ProgramFlow } from '../../format/format.ts';
import { NO_CPU } from '../../records/batch.ts';
import { KIND } from '../../records/record.ts';
import { POSSIBLE_FAST, POSSIBLE_SOURCE, POSSIBLE_TARGET } from './neighbours.ts';

/** Assumed role of a message, the `mark` of a point. A source completes the branch of the target directly before it. */
const ROLE = { unknown: 0, target: 1, source: 2, fast: 3 } as const;

export const BYU6_FLOW: ProgramFlow = {
  createReader,
  join(before, after, into) {
    putBetween(before?.last, after.first, into);
    return { run: after, carried: 0 };
  },
  end({ last }, into) {
    if (last.mark === ROLE.target) put(into, last.record, undefined, last);
  },
};

function createReader(): FlowReader {
  const events = createEvents();
  let first: FlowPoint | undefined;
  let last: FlowPoint | undefined;
  return {
    add(_, batch): void {
      const { kind, flags, addressLow, count } = batch;
      for (let row = 0; row < count; row++) {
        if (kind[row] !== KIND.branch) continue;
        const point = pointAt(batch.first + row, addressLow[row]!, roleOf(flags[row]!));
        if (last !== undefined) putBetween(last, point, events);
        first ??= point;
        last = point;
      }
    },
    finish() {
      const found = sliceEvents(events, 0, events.count);
      const runs = first === undefined || last === undefined ? [] : [{ cpu: NO_CPU, first, last, since: 0 }];
      events.count = 0;
      first = last = undefined;
      return { events: found, runs };
    },
  };
}

function roleOf(marks: number): number {
  if ((marks & POSSIBLE_SOURCE) !== 0) return (marks & POSSIBLE_FAST) === 0 ? ROLE.source : ROLE.fast;
  return (marks & POSSIBLE_TARGET) === 0 ? ROLE.unknown : ROLE.target;
}

/** Appends the events that a message and the previous one complete: the message's own event, and that of an unpaired target. */
function putBetween(before: FlowPoint | undefined, point: FlowPoint, into: Events): void {
  const target = before?.mark === ROLE.target ? before : undefined;
  if (target !== undefined && point.mark !== ROLE.source) put(into, target.record, undefined, target);
  if (point.mark === ROLE.target) return;
  put(
    into,
    point.record,
    point.mark === ROLE.unknown ? undefined : point,
    point.mark === ROLE.source ? target : undefined,
  );
}

function put(events: Events, record: number, source: FlowPoint | undefined, target: FlowPoint | undefined): void {
  reserveEvents(events, 1);
  const at = events.count++;
  events.record[at] = record;
  events.kind[at] = BRANCH.unknown;
  events.flags[at] =
    EVENT.inferred |
    EVENT.granular |
    (source === undefined ? 0 : EVENT.source) |
    (target === undefined ? 0 : EVENT.target);
  events.cpu[at] = NO_CPU;
  events.sourceLow[at] = source?.addressLow ?? 0;
  events.targetLow[at] = target?.addressLow ?? 0;
  events.sourceHigh[at] = events.targetHigh[at] = events.resumeLow[at] = events.resumeHigh[at] = 0;
  events.operandSize[at] = events.instructions[at] = 0;
}

function pointAt(record: number, addressLow: number, mark: number): FlowPoint {
  return { record, addressLow, addressHigh: 0, size: 0, branch: NO_BRANCH, mark, targetLow: 0, targetHigh: 0 };
}
