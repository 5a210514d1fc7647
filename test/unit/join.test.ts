// Stretches of index rows join into the same events whether they are read whole or without columns of their own.
import fs from 'node:fs';
import { expect, test } from 'vitest';
import { decodeFlow, encodeFlow, type FlowReading } from '../../electron/engine/index/builders/flow-row.ts';
import { createJoiner } from '../../electron/engine/flow/events/join.ts';
import { createBatch, resetBatch } from '../../shared/records/batch.ts';
import { appendEvents, createEvents, setApart, type Events } from '../../shared/flow/events.ts';
import { formatById } from '../../shared/formats/index.ts';

/** All events of a sample, and how many events joining its stretches of `stretch` records added. */
function joined(id: string, sample: string, stretch: number, reading: FlowReading): { all: Events; between: number } {
  const opened = formatById(id)?.open({});
  if (opened?.ok !== true || opened.value.flow === undefined) throw new Error(`${id} has no branches`);
  const bytes = fs.readFileSync(`${import.meta.dirname}/../samples/${id}/${sample}/trace.txt`);
  const size = bytes.length;
  const window = { bytes, length: size, base: 0, position: 0, end: size, lastLineEnd: size, fileEnd: size };
  const reader = opened.value.flow.createReader();
  const joiner = createJoiner(opened.value.flow);
  const batch = createBatch(stretch);
  const all = createEvents(16);
  let between = 0;
  let state = opened.value.initial;
  for (let first = 0; window.position < window.end; first += batch.count) {
    resetBatch(batch, 0);
    state = opened.value.decode(window, state, batch);
    reader.add(window, batch);
    const read = decodeFlow(encodeFlow(reader.finish()), first, reading);
    const before = read.events.count;
    const events = joiner.add(read);
    between += events.count - before;
    const { alike } = events;
    const isAscending = events.record.subarray(0, events.count).every((n, at, those) => n >= (those[at - 1] ?? 0));
    if (alike?.ascending === true) expect(isAscending).toBe(true);
    appendEvents(all, events, 0, events.count);
  }
  setApart(all);
  return { all, between };
}

test.each([
  ['tarmac', 'arm-matrix', 7],
  ['tarmac', 'arm-sort', 40],
  ['tarmac', 'cpus', 2],
  ['armtracer', 'real-swi', 9],
])('reading without columns joins like reading whole rows: %s %s in stretches of %i records', (id, sample, stretch) => {
  const whole = joined(id, sample, stretch, 'whole');
  expect(whole.between).toBeGreaterThan(0);
  const { all, between } = joined(id, sample, stretch, 'lean');
  expect(between).toBe(whole.between);
  for (const column of Object.keys(createEvents(0)).filter((name) => name !== 'count') as 'record'[])
    expect([...all[column].subarray(0, all.count)]).toEqual([...whole.all[column].subarray(0, whole.all.count)]);
});
