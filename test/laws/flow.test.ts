/** Branch events do not depend on where the index cuts a trace into blocks. */
import { expect, test } from 'vitest';
import { formatById } from '../../shared/formats/index.ts';
import { NIGHTLY } from '../short-form.ts';
import { eventsOf } from './flow.ts';
import { findSamples, openSample } from './samples.ts';
import { assert } from '../../shared/base/result.ts';

const SAMPLES = findSamples().filter(({ format }) => format === 'tarmac' || format === 'armtracer');
const LENGTHS = [1, 2, 3, 5, 7, 16, 40];
/** Longest sample that is cut into two stretches at each of its records. */
const SHORT = NIGHTLY ? 1500 : 100;

test.each(SAMPLES.map((sample) => ({ name: `${sample.format} ${sample.name}`, sample })))('$name', ({ sample }) => {
  const format = formatById(sample.format);
  assert(format !== undefined, 'the format exists');
  const decoder = openSample(format, sample);
  const whole = eventsOf(decoder, sample.bytes, { cuts: () => false, batchRecords: 65_536 });
  for (const batchRecords of LENGTHS)
    expect(eventsOf(decoder, sample.bytes, { cuts: () => false, batchRecords }), `batches of ${batchRecords}`).toEqual(
      whole,
    );
  for (const length of LENGTHS)
    expect(eventsOf(decoder, sample.bytes, { cuts: (n) => n % length === 0 }), `stretches of ${length}`).toEqual(whole);
  let records = 0;
  eventsOf(decoder, sample.bytes, { cuts: (n) => (records = n) < 0 });
  for (let cut = 1; cut <= records && records <= SHORT; cut++)
    expect(eventsOf(decoder, sample.bytes, { cuts: (n) => n === cut }), `cut before record ${cut}`).toEqual(whole);
});
