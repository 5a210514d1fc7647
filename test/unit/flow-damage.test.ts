/** Branches of damaged traces can always be read: nothing throws, and every answer is well-formed. */
import { expect, test } from 'vitest';
import { createBatch, resetBatch } from '../../shared/records/batch.ts';
import { assert } from '../../shared/base/result.ts';
import { BRANCH_KINDS, createEvents, type FlowStretch } from '../../shared/flow/events.ts';
import type { ProgramFlow } from '../../shared/format/format.ts';
import { FORMATS } from '../../shared/formats/index.ts';
import { createRandom, type Random } from '../laws/random.ts';
import { findSamples, openSample } from '../laws/samples.ts';

const CASES = FORMATS.flatMap((format) =>
  findSamples()
    .filter((sample) => sample.format === format.id && openSample(format, sample).flow !== undefined)
    .map((sample) => ({ name: `${sample.format} ${sample.name}`, format, sample })),
);

test.each(CASES)('$name', ({ format, sample }) => {
  const decoder = openSample(format, sample);
  const { flow } = decoder;
  assert(flow !== undefined, 'the sample has program flow');
  const reader = flow.createReader();
  for (let seed = 1; seed <= 12; seed++) {
    const bytes = damaged(sample.bytes, createRandom(seed));
    const size = bytes.length;
    const window = { bytes, length: size, base: 0, position: 0, end: size, lastLineEnd: size, fileEnd: size };
    const batch = createBatch(64);
    let state = decoder.initial;
    let records = 0;
    while (window.position < window.end) {
      resetBatch(batch, records);
      state = decoder.decode(window, state, batch);
      reader.add(window, batch);
      records += batch.count;
      // Stretches of any length.
      if (seed % 3 === 0) check(flow, reader.finish(), records);
    }
    check(flow, reader.finish(), records);
  }
});

function check(flow: ProgramFlow, { events, runs }: FlowStretch, records: number): void {
  for (let at = 0; at < events.count; at++) {
    expect(BRANCH_KINDS[events.kind[at]!]).toBeDefined();
    expect(events.record[at]).toBeGreaterThanOrEqual(0);
    expect(events.record[at]).toBeLessThan(records);
  }
  for (const run of runs) {
    const between = createEvents(4);
    const { carried } = flow.join(undefined, run, between);
    flow.join(run, run, between);
    flow.end(run, between);
    expect(carried).toBeGreaterThanOrEqual(0);
  }
}

/** Changes, removes and repeats bytes. */
function damaged(bytes: Uint8Array, random: Random): Uint8Array {
  const copy = bytes.slice(0, 1 + random.below(bytes.length));
  for (let i = 0; i < 1 + copy.length / 40; i++) copy[random.below(copy.length)] = random.below(256);
  const from = random.below(copy.length);
  copy.copyWithin(random.below(copy.length), from, from + random.below(100));
  return copy;
}
