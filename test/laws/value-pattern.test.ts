/** `Decoder.valuesAsDigits`: what a search for a value skips has no such value, in whole and in damaged samples. */
import { describe, expect, test } from 'vitest';
import { createNumberFilter, valuePattern } from '../../electron/engine/queries/find/value-test.ts';
import { latin1 } from '../../shared/base/bytes.ts';
import type { Decoder } from '../../shared/format/format.ts';
import { FORMATS } from '../../shared/formats/index.ts';
import { rounds } from '../short-form.ts';
import { decodeAll, type DrivenRecord } from './drive.ts';
import { createFuzzer } from './fuzz.ts';
import { findSamples, openEach, openSample } from './samples.ts';

const promising = FORMATS.filter((format) => openEach(format).some(({ valuesAsDigits }) => valuesAsDigits === true));

describe.each(promising.map((format) => [format.id, format] as const))('%s', (id, format) => {
  test('shows the values of its samples as digits', () => {
    const samples = findSamples().filter((sample) => sample.format === id);
    const found = samples.map((sample) => checkValues(openSample(format, sample), sample.bytes));
    expect(Math.max(...found)).toBeGreaterThan(50);
  });

  test('shows the values of damaged inputs as digits', () => {
    const fuzzer = createFuzzer(format, 3);
    let found = 0;
    for (let i = 0; i < rounds(300, 20_000); i++) {
      const { bytes, decoder } = fuzzer.input(i);
      found += checkValues(decoder, bytes);
    }
    expect(found).toBeGreaterThan(100);
  });
});

/** Returns the number of values that are long enough to be searched for in the text. */
function checkValues(decoder: Decoder, bytes: Uint8Array): number {
  let count = 0;
  for (const record of decodeAll(decoder, bytes, { describe: () => true }).records) {
    const text = latin1(bytes.subarray(record.start, record.end));
    for (const value of valuesOf(record)) {
      const isNumber = createNumberFilter(value);
      if (record.size === 0)
        expect(isNumber(bytes, record.start, record.end), `${text} has the number 0x${value.toString(16)}`).toBe(true);
      const pattern = valuePattern({ value, width: undefined });
      if (pattern === undefined) continue;
      count++;
      expect(pattern.test(text), `${text} shows 0x${value.toString(16)}`).toBe(true);
    }
  }
  return count;
}

function valuesOf({ value, fields }: DrivenRecord): readonly bigint[] {
  const described = [fields?.value, ...(fields?.registers ?? []).map(([, own]) => own)];
  return [...(value === '' ? [] : [`0x${value}`]), ...described.filter((own) => own !== undefined)].map(BigInt);
}
