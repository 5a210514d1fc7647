/**
 * The laws that every format obeys, run over every sample folder of every format. A format takes part with
 * test/samples/<format>/<case>/ (samples.ts describes the folder). No law is needed for file names, since no name ever reaches a
 * format.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { HEAD_BYTES } from '../../shared/format/format.ts';
import type { Decoder, Format } from '../../shared/format/format.ts';
import { FORMATS } from '../../shared/formats/index.ts';
import { decodeAll } from './drive.ts';
import type { Driven } from './drive.ts';
import { goldenText } from './golden.ts';
import { NIGHTLY, rounds } from '../short-form.ts';
import { createRandom } from './random.ts';
import { columns, guesses } from './same.ts';
import { ORDERS, rearranged } from './rearrange.ts';
import { eachSettings, findSamples, headOf, openEach, openSample, openWith } from './samples.ts';
import type { Sample } from './samples.ts';

const SAMPLES = findSamples();
/** Bytes of a sample used by laws with many rounds. */
const SHORT = 4096;
/** Record ends used by the short form of the truncation law, evenly spread; a page of text has fewer, binary samples have hundreds. */
const RECORD_ENDS = 60;
/** Ends of the blocks into which `blockSizes` divides a short sample, and their neighbours. */
const BLOCK_ENDS = [64, 101, 601, 1000, 1025, 2048, 3000].flatMap((end) => [end - 1, end, end + 1]);

test('every format has samples and every sample folder has its format', () => {
  expect([...new Set(SAMPLES.map((sample) => sample.format))].sort()).toEqual(FORMATS.map(({ id }) => id).sort());
});

for (const format of FORMATS) {
  for (const sample of SAMPLES.filter((each) => each.format === format.id)) {
    describe(`${format.id} ${sample.name}`, () => laws(format, sample));
  }
  describe(`${format.id} on foreign bytes`, () => lawsForForeignBytes(format));
}

function laws(format: Format, sample: Sample): void {
  const decoder = openSample(format, sample);
  const short = sample.bytes.subarray(0, SHORT);
  let whole: Driven;
  beforeAll(() => {
    whole = decodeAll(decoder, sample.bytes, { describe: always });
  });

  test('matches its golden', () => {
    const text = goldenText(decoder, whole);
    if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(sample.goldenPath, text);
    expect(existsSync(sample.goldenPath), `${sample.goldenPath} exists; UPDATE_GOLDENS=1 writes it`).toBe(true);
    expect(text).toBe(readFileSync(sample.goldenPath, 'utf8'));
  });

  test.each(blockSizes(decoder, sample.bytes.length))('decodes the same in blocks of %i bytes', (blockBytes) => {
    const inOrder = decodeAll(decoder, sample.bytes, { blockBytes, batchRecords: 1 + (blockBytes % 13) });
    expectSame(inOrder, whole);
    for (const [round, guess] of guesses(decoder, inOrder.states).entries()) {
      const guessed = decodeAll(decoder, sample.bytes, { blockBytes, guess });
      expectSame(guessed, whole);
      expect(guessed.states, `states at block entries, guess ${String(round)}`).toEqual(inOrder.states);
    }
  });

  test('sniff claims the sample over all other formats', () => {
    const head = headOf(sample.bytes);
    const own = format.sniff(head)?.confidence ?? 0;
    const others = FORMATS.filter(({ id }) => id !== format.id).map((other) => other.sniff(head)?.confidence ?? 0);
    if (sample.claimed) expect(own).toBeGreaterThan(Math.max(0, ...others));
    else expect(own, 'a sample that sniff does claim is not marked "claimed": false').toBeLessThan(0.5);
  });

  test(
    NIGHTLY ? 'decodes the same up to the end if truncated at any byte' : 'decodes the same up to the end if truncated',
    () => {
      const uncut = decodeAll(decoder, short);
      const expected = columns(uncut);
      const slack = lookahead(decoder);
      for (const length of cutsOf(uncut, short.length)) {
        const cut = decodeAll(decoder, short.slice(0, length), {
          batchRecords: 64,
          describe: (n) => n > 0 && n % 97 === 0,
        });
        const sure = uncut.records.findIndex((record) => record.end + slack > length);
        const kept = sure === -1 ? expected.length : sure;
        expect(columns(cut).slice(0, kept), `cut after ${String(length)} bytes`).toEqual(expected.slice(0, kept));
        format.sniff(headOf(short.slice(0, length)));
      }
    },
  );

  test('decodes flipped bytes to the end, the same for every block size', () => {
    const random = createRandom(7);
    for (let round = 0; round < rounds(6, 60); round++) {
      const bytes = short.slice();
      for (let left = 1 + random.below(24); left > 0 && bytes.length > 0; left--) {
        bytes[random.below(bytes.length)] = random.below(256);
      }
      expectAnyBlocksSame(decoder, bytes, 1 + random.below(600));
    }
  });

  test('decodes lines in another order the same for every block size, with every option', () => {
    const number = SAMPLES.indexOf(sample);
    const settings = eachSettings(format);
    const decoders = NIGHTLY
      ? [decoder, ...openEach(format)]
      : [decoder, ...openWith(format, settings[number % settings.length]!)].slice(-1);
    for (const [round, bytes] of rearranged(short).entries()) {
      if (!NIGHTLY && round !== number % ORDERS) continue;
      for (const each of decoders) expectAnyBlocksSame(each, bytes, rounds(101, 1) + ((round * 97) % 600));
    }
  });

  test('decodes lost or repeated bytes to the end, the same for every block size', () => {
    const random = createRandom(11);
    for (let round = 0; round < rounds(5, 40); round++) {
      const at = random.below(short.length + 1);
      const rest = short.subarray(Math.max(0, at + random.below(17) - 8));
      expectAnyBlocksSame(decoder, Uint8Array.from([...short.subarray(0, at), ...rest]), 1 + random.below(600));
    }
  });
}

function lawsForForeignBytes(format: Format): void {
  const opened = format.open({});
  if (!opened.ok) throw new Error(`${format.id} does not open with its defaults: ${opened.error.message}`);
  const decoder = opened.value;

  // Only lines of text have a length that matters.
  const inputs = Object.entries(foreignBytes()).filter(
    ([name]) => NIGHTLY || decoder.framing.kind === 'lines' || !name.includes('long line'),
  );
  test.each(inputs)('decodes %s to the end, the same for every block size', (_, bytes) => {
    const whole = decodeAll(decoder, bytes, { describe: always });
    expect(whole.records.length).toBeLessThanOrEqual(bytes.length);
    expect(whole.diagnostics.map(({ code }) => format.diagnostics[code])).not.toContain(undefined);
    expectAnyBlocksSame(decoder, bytes, NIGHTLY || bytes.length < 50_000 ? 777 : 20_011);
  });

  test('does not claim foreign bytes', () => {
    for (const [name, bytes] of Object.entries(foreignBytes())) {
      expect(format.sniff(headOf(bytes))?.confidence ?? 0, name).toBeLessThan(0.5);
    }
  });

  test('refuses unknown settings with one sentence', () => {
    for (const option of format.options) {
      const refused = format.open({ [option.name]: 'no such value' });
      expect(refused.ok, option.name).toBe(false);
      if (!refused.ok) expect(refused.error.message).toContain('no such value');
      if (option.values.length > 0) expect(option.values).toContain(option.default);
    }
  });
}

/** Lengths for truncating a sample: every length in the nightly run; else some record ends, block ends, 20 random lengths, and 0. */
function cutsOf(uncut: Driven, bytes: number): readonly number[] {
  if (NIGHTLY) return Array.from({ length: bytes }, (_, length) => length);
  const random = createRandom(5);
  const ends = uncut.records.map(({ end }) => end);
  const step = Math.ceil(ends.length / RECORD_ENDS);
  const cuts = [0, bytes - 1, ...ends.filter((_, n) => n % step === 0), ...BLOCK_ENDS];
  for (let left = 20; left > 0; left--) cuts.push(random.below(bytes));
  return [...new Set(cuts)].filter((length) => length >= 0 && length < bytes).sort((a, b) => a - b);
}

const always = (): boolean => true;

function expectSame(driven: Driven, whole: Driven): void {
  expect(driven.gaps).toEqual(whole.gaps);
  expect(driven.diagnostics).toEqual(whole.diagnostics);
  expect(columns(driven)).toEqual(columns(whole));
}

function expectAnyBlocksSame(decoder: Decoder, bytes: Uint8Array, blockBytes: number): void {
  const whole = decodeAll(decoder, bytes, { describe: (n) => n % 5 === 0 });
  const { states } = decodeAll(decoder, bytes, { blockBytes });
  for (const guess of guesses(decoder, states)) {
    expectSame(decodeAll(decoder, bytes, { blockBytes, batchRecords: 64, guess }), whole);
  }
}

/** Tiny blocks, blocks that divide records and blocks that do not, and blocks just under and over the whole file. */
function blockSizes({ framing }: Decoder, bytes: number): readonly number[] {
  const unit = framing.kind === 'units' ? framing.bytes : 1;
  const sizes = [1, unit, unit + 1, 64, 100 * unit + 1, 1000, 4096, Math.ceil(bytes / 2), bytes - 1, bytes + 1];
  const blocks = (size: number): number => bytes / size;
  return [...new Set(sizes)].filter((size) => size > 0 && blocks(size) <= 6000).sort((a, b) => a - b);
}

/** Number of bytes after a record on which its decoding may depend. */
function lookahead({ framing }: Decoder): number {
  switch (framing.kind) {
    case 'lines':
      return 0;
    case 'units':
      return framing.lookahead;
    case 'whole':
      return Number.POSITIVE_INFINITY;
  }
}

function foreignBytes(): Readonly<Record<string, Uint8Array>> {
  const random = createRandom(3);
  const length = rounds(6000, 20_000);
  const text = (alphabet: string, length: number): Uint8Array =>
    Uint8Array.from({ length }, () => alphabet.charCodeAt(random.below(alphabet.length)));
  return {
    'an empty file': new Uint8Array(0),
    'one byte': new Uint8Array([0]),
    zeros: new Uint8Array(10_000),
    'all ones': new Uint8Array(10_000).fill(255),
    'line ends': new Uint8Array(3000).fill(10),
    'random bytes': random.bytes(length),
    'random letters and lines': text('abcdefghij klmn()0123456789:\t\r\n', length),
    'random hexadecimal': text('0123456789abcdef \n', length),
    'one long line': text('MRWITE 0123456789abcdef()_:', rounds(1.25, 3) * HEAD_BYTES),
    'a long line between short ones': Uint8Array.from([
      ...text('IT 012\n', 3000),
      ...text('IT 012', rounds(1.25, 2) * HEAD_BYTES),
      ...text('IT 012\n', 3000),
    ]),
    'a gzip head': Uint8Array.from([0x1f, 0x8b, 8, 0, ...random.bytes(5000)]),
    'an ELF head': Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 1, 1, 1, ...random.bytes(5000)]),
  };
}
