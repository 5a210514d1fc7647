/**
 * Events of traces whose records are messages: each branch message is one as it stands. What it needs of messages before it,
 * its format knows.
 */
import type { Batch } from '../records/batch.ts';
import { FLAG } from '../records/batch.ts';
import { EVENT, reserveEvents, type Events } from './events.ts';
import type { Window } from '../format/format.ts';

/** Finishes event `at`, which has the ends and the cpu of row `row`, and answers its kind by code; -1 where it is none. */
export type ReadMessage = (batch: Batch, row: number, events: Events, at: number, window: Window) => number;

/** Appends the event of a message, unless `read` says that it is none. */
export function addMessage(batch: Batch, row: number, events: Events, window: Window, read: ReadMessage): void {
  reserveEvents(events, 1);
  const at = events.count;
  const marks = batch.flags[row]!;
  events.record[at] = batch.first + row;
  events.cpu[at] = batch.cpu[row]!;
  events.flags[at] =
    ((marks & FLAG.address) === 0 ? 0 : EVENT.source) | ((marks & FLAG.target) === 0 ? 0 : EVENT.target);
  events.sourceLow[at] = batch.addressLow[row]!;
  events.sourceHigh[at] = batch.addressHigh[row]!;
  events.targetLow[at] = batch.targetLow[row]!;
  events.targetHigh[at] = batch.targetHigh[row]!;
  events.resumeLow[at] = 0;
  events.resumeHigh[at] = 0;
  events.operandSize[at] = 0;
  events.instructions[at] = 0;
  const kind = read(batch, row, events, at, window);
  if (kind < 0) return;
  events.kind[at] = kind;
  events.count++;
}
