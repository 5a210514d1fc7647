/**
 * Damaged inputs for a format: each is sniffed, decoded whole, decoded again in blocks from guessed states, and described. Input i of a
 * seed is always the same, so a failing input can be examined alone.
 */
import assert from 'node:assert/strict';
import { LONG_LINE, type Decoder, type Format } from '../../shared/format/format.ts';
import { decodeAll } from './drive.ts';
import { mutate } from './mutate.ts';
import { createRandom, type Random } from './random.ts';
import { columns, guesses } from './same.ts';
import { findSamples, headOf, openEach, openSample, type Sample } from './samples.ts';

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
  const others = openEach(format);
  return { tryInput, input };

  function input(i: number): ReturnType<Fuzzer['input']> {
    const random = createRandom(seed * 1_000_003 + i);
    const { sample, decoder: usual } = own[random.below(own.length)]!;
    const decoder = random.below(3) === 0 ? others[random.below(others.length)]! : usual;
    const other = all[random.below(all.length)]!;
    const start = mutate(excerpt(sample, random.below), other.bytes.subarray(0, 4 * MOST_BYTES), random, MOST_BYTES);
    // Only lines of text have a length that matters.
    const isLong = decoder.framing.kind === 'lines' && i % LONG_LINES === LONG_LINES - 1;
    const bytes = isLong ? withLongLine(start, random) : start;
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
      // Long lines take long, and the usual decoder of a sample is also that of its claim.
      if (opened.ok && bytes.length <= MOST_BYTES) tryDecoder(opened.value, bytes, random.below);
    }
    tryDecoder(decoder, bytes, random.below);
  }
}

function tryDecoder(decoder: Decoder, bytes: Uint8Array, below: (bound: number) => number): void {
  const whole = decodeAll(decoder, bytes, { describe: () => true });
  for (const { code } of whole.diagnostics) {
    assert.ok(decoder.format.diagnostics[code] !== undefined, `diagnostic ${code} has a sentence`);
  }
  // A long line in tiny blocks takes long in the driver, not in the decoder. The decoder searches a line for its end once for each batch.
  const isLong = bytes.length > MOST_BYTES;
  const blockBytes = isLong ? LONG_LINE / 4 + below(LONG_LINE) : 1 + below(400);
  const batchRecords = (1 + below(20)) * (isLong ? 100 : 1);
  const { states } = decodeAll(decoder, bytes, { blockBytes, batchRecords });
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

/** One input of this many contains a long line. */
const LONG_LINES = 100;

/** Repeats a part until it is almost as long as the longest line that is read, or longer. */
function withLongLine(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random.below(bytes.length + 1);
  const part = bytes.subarray(at, at + 1 + random.below(30)).filter((byte) => byte !== LF);
  const length = part.length === 0 ? 0 : (LONG_LINE * (1 + random.below(5))) / 4;
  const repeated = Uint8Array.from({ length }, (_, k) => part[k % part.length]!);
  return Uint8Array.from([...bytes.subarray(0, at), ...repeated, ...bytes.subarray(at)]);
}

const LF = 10;

function excerpt({ bytes }: Sample, below: (bound: number) => number): Uint8Array {
  const start = below(2) === 0 ? 0 : below(Math.max(1, bytes.length - MOST_BYTES));
  return bytes.subarray(start, start + 100 + below(MOST_BYTES - 100));
}
