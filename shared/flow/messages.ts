/** Branch events of traces whose records are branch messages: one event per message. The format keeps state between messages if it needs any. */
import type { Batch } from '../records/batch.ts';
import { FLAG } from '../records/batch.ts';
import { EVENT, reserveEvents, type Events } from './events.ts';
import type { Window } from '../format/format.ts';

/** Completes event `at`, which has source, target and cpu of row `row`. Returns the code of its kind, or -1 if the row is no branch. */
export type ReadMessage = (batch: Batch, row: number, events: Events, at: number, window: Window) => number;

/** Appends the event of a message unless `read` returns -1. */
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
