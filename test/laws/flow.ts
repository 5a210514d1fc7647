/** Reads the branch events of bytes in stretches of any length, which are stored as index rows and joined as the engine does. */
import { decodeFlow, encodeFlow, type FlowReading } from '../../electron/engine/index/builders/flow-row.ts';
import { createJoiner } from '../../electron/engine/flow/events/join.ts';
import { assert } from '../../shared/base/result.ts';
import { joinAddress, toHex } from '../../shared/base/units.ts';
import { appendEvents, BRANCH_KINDS, createEvents, EVENT, setApart, type Events } from '../../shared/flow/events.ts';
import type { Decoder, FlowReader } from '../../shared/format/format.ts';
import { createBatch, resetBatch } from '../../shared/records/batch.ts';

export interface Division {
  /** Returns true if a stretch ends before this record. */
  readonly cuts: (record: number) => boolean;
  /** Records in a batch; 1 if there are cuts. */
  readonly batchRecords?: number;
  readonly reading?: FlowReading;
}

/** Readers are large. */
const readers = new WeakMap<Decoder, FlowReader>();

/** Returns all branch events, one text each. */
export function eventsOf(decoder: Decoder, bytes: Uint8Array, division: Division): readonly string[] {
  const { flow } = decoder;
  assert(flow !== undefined, 'the format has branches');
  const size = bytes.length;
  const window = { bytes, length: size, base: 0, position: 0, end: size, lastLineEnd: size, fileEnd: size };
  const reader = readers.get(decoder) ?? flow.createReader();
  readers.set(decoder, reader);
  const joiner = createJoiner(flow);
  const batch = createBatch(division.batchRecords ?? 1);
  const all = createEvents(16);
  const take = (events: Events): void => {
    appendEvents(all, events, 0, events.count);
  };
  let from = 0;
  let records = 0;
  const finish = (): void => {
    take(joiner.add(decodeFlow(encodeFlow(reader.finish()), from, division.reading ?? 'lean')));
    from = records;
  };
  for (let state = decoder.initial; window.position < window.end; records += batch.count) {
    if (records > from && division.cuts(records)) finish();
    resetBatch(batch, records - from);
    state = decoder.decode(window, state, batch);
    reader.add(window, batch);
  }
  finish();
  take(joiner.end());
  setApart(all);
  return Array.from({ length: all.count }, (_, at) => textOf(all, at));
}

function textOf(events: Events, at: number): string {
  const { record, kind, flags, cpu, instructions } = events;
  const has = (flag: number): boolean => (flags[at]! & flag) !== 0;
  const place = (low: Uint32Array, high: Uint32Array): string => toHex(joinAddress(low[at]!, high[at]!));
  return [
    `${record[at]}: ${BRANCH_KINDS[kind[at]!]}`,
    has(EVENT.source) ? place(events.sourceLow, events.sourceHigh) : '?',
    has(EVENT.target) ? place(events.targetLow, events.targetHigh) : '?',
    ...(has(EVENT.resume) ? [`resume ${place(events.resumeLow, events.resumeHigh)}`] : []),
    `flags ${flags[at]} cpu ${cpu[at]} after ${instructions[at]}`,
  ].join(' ');
}
