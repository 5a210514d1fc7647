/**
 * Damaged inputs for a format: each is sniffed, decoded whole, decoded again in blocks from guessed states, and described. Input i of a
 * seed is always the same, so a failing input can be examined alone.
 */
import assert from 'node:assert/strict';
import type { Decoder, Format } from '../../shared/format/format.ts';
import { decodeAll } from './drive.ts';
import { mutate } from './mutate.ts';
import { createRandom } from './random.ts';
import { columns, guesses } from './same.ts';
import { findSamples, headOf, openSample, type Sample } from './samples.ts';

/** Maximum bytes of an input: several of the longest records fit, and each input takes little time. */
const MOST_BYTES = 1200;

export interface Fuzzer {
  /** Tries input `i`; throws on behaviour that no decoder may show for any bytes. */
  tryInput(i: number): void;
  input(i: number): { readonly sample: string; readonly bytes: Uint8Array; readonly decoder: Decoder };
}

export function createFuzzer(format: Format, seed: number): Fuzzer {
  const all = findSamples();
  const own = all
    .filter((sample) => sample.format === format.id)
    .map((sample) => ({ sample, decoder: openSample(format, sample) }));
  return { tryInput, input };

  function input(i: number): ReturnType<Fuzzer['input']> {
    const random = createRandom(seed * 1_000_003 + i);
    const { sample, decoder } = own[random.below(own.length)]!;
    const other = all[random.below(all.length)]!;
    const bytes = mutate(excerpt(sample, random.below), other.bytes.subarray(0, 4 * MOST_BYTES), random, MOST_BYTES);
    return { sample: sample.name, bytes, decoder };
  }

  function tryInput(i: number): void {
    const { bytes, decoder } = input(i);
    const random = createRandom(i + 1);
    const claim = format.sniff(headOf(bytes));
    assert.ok(claim === undefined || (claim.confidence >= 0 && claim.confidence <= 1), 'a confidence is from 0 to 1');
    if (claim !== undefined) {
      const dialect = claim.dialect === undefined ? {} : { dialect: claim.dialect };
      const opened = format.open({ ...claim.options, ...dialect });
      // A guess may lack settings that only a user can give, such as column names.
      assert.ok(opened.ok || claim.confidence < 0.5, 'what a sure claim suggests can be opened');
      if (opened.ok) tryDecoder(opened.value, bytes, random.below);
    }
    tryDecoder(decoder, bytes, random.below);
  }
}

function tryDecoder(decoder: Decoder, bytes: Uint8Array, below: (bound: number) => number): void {
  const whole = decodeAll(decoder, bytes, { describe: () => true });
  for (const { code } of whole.diagnostics) {
    assert.ok(decoder.format.diagnostics[code] !== undefined, `diagnostic ${code} has a sentence`);
  }
  const blockBytes = 1 + below(400);
  const { states } = decodeAll(decoder, bytes, { blockBytes, batchRecords: 1 + below(20) });
  const guess = guesses(decoder, states)[below(3)]!;
  const inBlocks = decodeAll(decoder, bytes, { blockBytes, guess });
  assert.deepEqual(columns(inBlocks), columns(whole), `the same records in blocks of ${String(blockBytes)} bytes`);
  assert.deepEqual(inBlocks.gaps, whole.gaps, `the same gaps in blocks of ${String(blockBytes)} bytes`);
  assert.deepEqual(
    inBlocks.diagnostics,
    whole.diagnostics,
    `the same diagnostics in blocks of ${String(blockBytes)} bytes`,
  );
}

function excerpt({ bytes }: Sample, below: (bound: number) => number): Uint8Array {
  const start = below(2) === 0 ? 0 : below(Math.max(1, bytes.length - MOST_BYTES));
  return bytes.subarray(start, start + 100 + below(MOST_BYTES - 100));
}
