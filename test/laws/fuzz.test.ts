/** A few hundred damaged inputs for each format; `node test/laws/fuzz-long.ts` tries any number. */
import { expect, test } from 'vitest';
import { FORMATS } from '../../shared/formats/index.ts';
import { rounds } from '../short-form.ts';
import { createFuzzer } from './fuzz.ts';

const INPUTS = rounds(120, 400);

test.each(FORMATS.map((format) => [format.id, format] as const))(
  '%s decodes damaged inputs without breaking a law',
  (_, format) => {
    const fuzzer = createFuzzer(format, 1);
    const failed: string[] = [];
    for (let i = 0; i < INPUTS; i++) {
      try {
        fuzzer.tryInput(i);
      } catch (error) {
        failed.push(`input ${String(i)}: ${String(error)}`);
      }
    }
    expect(failed.slice(0, 3)).toEqual([]);
  },
);
