/**
 * The branch messages that a BYU trace has between its accesses. Without the data bus a message keeps bits 31 to 4 of an
 * address, and whether that is where a branch came from or went to is concluded from its neighbours: every end is inferred.
 */
import {
  BRANCH,
  createEvents,
  EVENT,
  NO_BRANCH,
  sliceEvents,
  reserveEvents,
  type Events,
  type FlowPoint,
} from '../../flow/events.ts';
import type { FlowReader } from '../../format/format.ts';
import { NO_CPU } from '../../records/batch.ts';
import { KIND } from '../../records/record.ts';
import { POSSIBLE_FAST, POSSIBLE_SOURCE, POSSIBLE_TARGET } from './neighbours.ts';

/** What a message seems to be, the `mark` of points. A source completes the branch of the target right before it. */
const ROLE = { unknown: 0, target: 1, source: 2, fast: 3 } as const;

export function createByu6Flow(): FlowReader {
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
      const its = sliceEvents(events, 0, events.count);
      const runs = first === undefined || last === undefined ? [] : [{ cpu: NO_CPU, first, last, since: 0 }];
      events.count = 0;
      first = last = undefined;
      return { events: its, runs };
    },
    join: (before, after, into) => {
      putBetween(before?.last, after.first, into);
      return { run: after, carried: 0 };
    },
    end: ({ last: point }, into) => {
      if (point.mark === ROLE.target) put(into, point.record, undefined, point);
    },
  };
}

function roleOf(marks: number): number {
  if ((marks & POSSIBLE_SOURCE) !== 0) return (marks & POSSIBLE_FAST) === 0 ? ROLE.source : ROLE.fast;
  return (marks & POSSIBLE_TARGET) === 0 ? ROLE.unknown : ROLE.target;
}

/** The events that a message makes known, with the message before it: its own, and that of a target that stays alone. */
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
