/**
 * Reads the events of traces whose records are messages: each branch message is an event as it stands.
 *
 * A format says what its messages are by filling in a row of events. Most need nothing of what came before; those that do
 * leave something open at the end of a stretch, as a run.
 */
import type { Batch } from '../batch.ts';
import { FLAG } from '../batch.ts';
import { createEvents, EVENT, packEvents, reserveEvents, type Events } from '../flow.ts';
import type { FlowReader, Window } from '../format.ts';
import { KIND } from '../record.ts';

/** Finishes event `at`, which has the ends and the cpu of row `row`, and answers its kind by code; -1 where it is none. */
export type ReadMessage = (batch: Batch, row: number, events: Events, at: number, window: Window) => number;

export function createMessageReader(read: ReadMessage): FlowReader {
  const events = createEvents();
  return {
    add(window, batch): void {
      const { kind, count } = batch;
      for (let row = 0; row < count; row++) {
        const code = kind[row]!;
        if (code === KIND.branch || code === KIND.exception) addMessage(batch, row, events, window, read);
      }
    },
    finish() {
      const packed = packEvents(events);
      events.count = 0;
      return { events: packed, runs: [] };
    },
    join: () => undefined,
    end: () => undefined,
  };
}

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
