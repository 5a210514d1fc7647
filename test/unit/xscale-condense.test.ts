// Condensed batches of XScale captures report the same totals as batches with a row per record.
import { describe, expect, test } from 'vitest';
import { createBatch, FLAG, recordsOf, resetBatch, SPAN_WORDS, type Batch } from '../../shared/records/batch.ts';
import { Diagnostics } from '../../shared/format/diagnostics.ts';
import type { Decoder, State } from '../../shared/format/format.ts';
import { xscale } from '../../shared/formats/xscale/xscale.ts';
import { kindName } from '../../shared/records/record.ts';
import { mutate } from '../laws/mutate.ts';
import { createRandom, type Random } from '../laws/random.ts';
import { findSamples, openSample } from '../laws/samples.ts';
import { rounds } from '../short-form.ts';

interface Summary {
  readonly blocks: readonly {
    readonly position: number;
    readonly exit: State;
    readonly records: number;
    readonly diagnostics: unknown;
  }[];
  /** Number of records by kind, native code, address, target and size, with the first and last record that has an address. */
  readonly counts: Readonly<Record<string, readonly number[]>>;
}

interface Cut {
  readonly blockBytes: number;
  readonly batchRecords: number;
  /** Decodes each block from the initial state, not from the state after the previous block. */
  readonly guess?: true;
}

/** Decodes block by block. */
function summarise(decoder: Decoder, bytes: Uint8Array, cut: Cut, condensable: boolean): Summary & { joined: number } {
  const size = bytes.length;
  const batch = createBatch(cut.batchRecords);
  batch.placed = false;
  const blocks: Summary['blocks'][number][] = [];
  const counts: Record<string, number[]> = {};
  let state = decoder.initial;
  let joined = 0;
  let before = 0;
  for (let from = 0; from < size; from += cut.blockBytes) {
    if (cut.guess) state = decoder.initial;
    const position = decoder.framing.kind === 'units' ? decoder.framing.align(from, state) : from;
    const end = Math.min(size, from + cut.blockBytes);
    const window = { bytes, length: size, base: 0, position, end, lastLineEnd: end, fileEnd: size };
    const diagnostics = new Diagnostics();
    let records = 0;
    while (window.position < window.end) {
      resetBatch(batch, records);
      state =
        (condensable ? decoder.condense?.(window, state, batch) : undefined) ?? decoder.decode(window, state, batch);
      if (batch.condensed !== undefined) joined += batch.condensed.records - batch.count;
      count(batch, before + records, counts);
      records += recordsOf(batch);
      diagnostics.addAll(batch.diagnostics.list());
    }
    before += records;
    blocks.push({ position: window.position, exit: state, records, diagnostics: diagnostics.list() });
  }
  return { blocks, counts, joined };
}

function count(batch: Batch, before: number, counts: Record<string, number[]>): void {
  for (let row = 0; row < batch.count; row++) {
    const flags = batch.flags[row]!;
    const has = (flag: number, value: number): string => ((flags & flag) === 0 ? '-' : value.toString(16));
    const what = [
      kindName(batch.kind[row]!),
      batch.native[row]!,
      has(FLAG.address, batch.addressLow[row]!),
      has(FLAG.address, batch.addressHigh[row]!),
      has(FLAG.target, batch.targetLow[row]!),
      batch.size[row]!,
    ].join(' ');
    const known = (counts[what] ??= [0]);
    const [times = 1, earliest = row, latest = row] = batch.condensed?.spans.subarray(row * SPAN_WORDS) ?? [];
    known[0]! += times;
    if ((flags & FLAG.address) === 0) continue;
    const [, first = Infinity, last = -1] = known;
    known[1] = Math.min(first, before + earliest);
    known[2] = Math.max(last, before + latest);
  }
}

const CUTS: readonly Cut[] = [
  { blockBytes: 2 ** 20, batchRecords: 8192 },
  { blockBytes: 100_000, batchRecords: 700 },
  { blockBytes: 1000, batchRecords: 400 },
  { blockBytes: 5 * 264 + 256, batchRecords: 8192, guess: true },
];

/** Returns how many records condensing saved. */
function compare(decoder: Decoder, bytes: Uint8Array): number {
  let all = 0;
  for (const cut of CUTS) {
    const { joined, ...condensed } = summarise(decoder, bytes, cut, true);
    const { joined: none, ...plain } = summarise(decoder, bytes, cut, false);
    expect(condensed).toEqual(plain);
    expect(none).toBe(0);
    all += joined;
  }
  return all;
}

function open(settings: Record<string, string>): Decoder {
  const opened = xscale.open(settings);
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** Captures of a program, with rare events more often than usual; `trailer` bytes follow each. */
function captures(random: Random, count: number, trailer: number): Uint8Array {
  const places = Array.from({ length: 3000 }, () => random.bytes(4));
  const all: number[] = [];
  for (let k = 0; k < count; k++) {
    const buffer: number[] = [];
    while (buffer.length < 256) {
      const pick = random.below(100);
      const low = random.below(16);
      if (pick < 70) buffer.unshift(0x80 | low);
      else if (pick < 90) buffer.unshift(...places[random.below(places.length)]!, 0x90 | low);
      else if (pick < 93) buffer.unshift(...places[random.below(places.length)]!, 0xd0 | low);
      else if (pick < 95) buffer.unshift(0xc0 | low);
      else if (pick < 97) buffer.unshift(0xff);
      else if (pick < 99) buffer.unshift(((1 + random.below(7)) << 4) | low);
      else if (random.below(8) === 0) buffer.unshift(random.below(256));
    }
    const whole = buffer.slice(-256);
    if (random.below(6) === 0) whole.fill(0, 0, random.below(256));
    if (random.below(40) === 0) whole.fill(0);
    all.push(...whole, ...random.bytes(trailer));
  }
  return Uint8Array.from(all);
}

describe('condensed and plain batches agree', () => {
  const samples = findSamples().filter(({ format }) => format === 'xscale');

  test.each(samples.map((sample) => [sample.name, sample] as const))('for the sample %s', (_, sample) => {
    const decoder = openSample(xscale, sample);
    const bytes = decoder.framing.kind === 'whole' ? sample.bytes : repeated(sample.bytes, 12);
    compare(decoder, bytes);
  });

  test.each([
    ['raw', 0, {}],
    ['raw', 0, { base: '0xffff0000', checkpoints: '0x8540,0x8160,0x8000' }],
    ['raw', 0, { capture: '7' }],
    ['checkpoints', 8, {}],
    ['checkpoints', 8, { endian: 'big' }],
  ])('for random captures, %s, with %i bytes after each, %j', (dialect, trailer, settings) => {
    const decoder = open({ dialect, ...settings });
    const joined = compare(decoder, captures(createRandom(21), 600, trailer));
    if ('capture' in settings) expect(joined).toBe(0);
    else expect(joined).toBeGreaterThan(100_000);
  });

  test.each([
    ['raw', 0],
    ['checkpoints', 8],
  ])('for damaged captures, %s', (dialect, trailer) => {
    const random = createRandom(22);
    const decoder = open({ dialect });
    const whole = captures(random, 60, trailer);
    let joined = 0;
    for (let round = 0; round < rounds(20, 60); round++)
      joined += compare(decoder, mutate(whole, whole.subarray(3000), random, 20_000));
    expect(joined).toBeGreaterThan(rounds(30_000, 100_000));
  });
});

function repeated(bytes: Uint8Array, times: number): Uint8Array {
  const all = new Uint8Array(bytes.length * times);
  for (let k = 0; k < times; k++) all.set(bytes, k * bytes.length);
  return all;
}
