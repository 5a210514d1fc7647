/** BYU 6-byte records counted without decoding, compared with the same records decoded. */
import { describe, expect, test } from 'vitest';
import { createBatch, FLAG, resetBatch, type Batch } from '../../shared/records/batch.ts';
import { rowStretches, type AddressCells } from '../../shared/format/address-cells.ts';
import type { Decoder, State, Window } from '../../shared/format/format.ts';
import { byu6 } from '../../shared/formats/byu6/byu6.ts';
import { KIND, READS, WRITES } from '../../shared/records/record.ts';
import { nastyByu } from '../engine/traces.ts';
import { createRandom } from '../laws/random.ts';

const LOW = 0x400;
const TOP = 3217;
/** Rows of 107 and 108 bytes, since bounds are rounded. */
const BOUNDS = Float64Array.from({ length: 31 }, (_, row) => Math.floor((TOP * row) / 30));
const READS_AND_WRITES = [...READS, ...WRITES].reduce((bits, kind) => bits | (1 << KIND[kind]), 0);

interface Counted {
  readonly counts: readonly number[];
  readonly records: number;
  readonly exit: State;
  readonly position: number;
  readonly diagnostics: readonly unknown[];
  readonly gaps: readonly unknown[];
}

describe.each(['big', 'little'])('%s-endian', (endian) => {
  test.each([1, 2, 3, 4])('counts plain records as decoding does (seed %i)', (seed) => {
    const bytes = nastyByu(20_000, seed, 2 ** 14);
    if (endian === 'little') for (let at = 0; at + 4 <= bytes.length; at += 6) bytes.subarray(at, at + 4).reverse();
    const decoder = open(endian);
    const wanted = readAll(decoder, bytes, 8192, () => 0);
    expect(wanted.counts.reduce((sum, count) => sum + count)).toBeGreaterThan(100);

    const random = createRandom(seed);
    let counted = 0;
    const read = readAll(decoder, bytes, 1 + random.below(40), () => {
      counted++;
      return random.below(200);
    });
    expect(counted).toBeGreaterThan(100);
    expect(read).toEqual(wanted);
  });
});

test.each([
  [4096, 1, 0],
  [4097, 1, 1],
  [3217, 30, 0],
  [2 ** 32, 5000, 20],
  [0x12b6_d000, 32, 17],
])('stretches of %i bytes in %i rows are in the rows of all of their addresses', (top, height, shift) => {
  const bounds = Float64Array.from({ length: height + 1 }, (_, row) => Math.ceil((top * row) / height));
  const stretches = rowStretches(bounds);
  expect(stretches.shift).toBe(shift);
  expect(stretches.rows).toHaveLength(Math.ceil(top / 2 ** shift));
  stretches.rows.forEach((row, stretch) => {
    const first = stretch * 2 ** shift;
    const last = Math.min(first + 2 ** shift, top) - 1;
    const [its, other] = [first, last].map((distance) => bounds.findLastIndex((bound) => bound <= distance));
    expect(row, `stretch ${stretch}`).toBe(its === other ? its : -1);
  });
});

test('stops after the requested number of records and before a record that is not plain', () => {
  const plain = [0x00, 0x00, 0x04, 0x00, 0xf0, 0x90];
  const halt = [0x00, 0x00, 0x00, 0x00, 0xfb, 0x30];
  const bytes = Uint8Array.from([...plain, ...plain, ...plain, ...halt, ...plain, 0, 0]);
  const decoder = open('big');
  const window = windowOf(bytes);
  const bounds = Float64Array.of(0, 4);
  const stretches = rowStretches(bounds);
  const cells = { low: 0x400, bounds, stretches, kinds: -1, counts: new Uint32Array(3), firstCell: 2 };
  let state = decoder.countPlain!(window, decoder.initial, 2, cells);
  expect([window.position, cells.counts[2]]).toEqual([12, 2]);
  state = decoder.countPlain!(window, state, 100, cells);
  expect([window.position, cells.counts[2]]).toEqual([18, 3]);
  window.position = 24;
  decoder.countPlain!(window, state, 100, { ...cells, kinds: 0 });
  expect([window.position, [...cells.counts]]).toEqual([30, [0, 0, 3]]);
});

function open(endian: string): Decoder {
  const decoder = byu6.open({ endian });
  if (!decoder.ok) throw new Error(decoder.error.message);
  return decoder.value;
}

function windowOf(bytes: Uint8Array): Window {
  const end = bytes.length;
  return { bytes, length: end, base: 0, position: 0, end, lastLineEnd: end, fileEnd: end };
}

/** Decodes `rows` records at a time, and before each time counts up to `skim` plain records instead. */
function readAll(decoder: Decoder, bytes: Uint8Array, rows: number, skim: () => number): Counted {
  const window = windowOf(bytes);
  const batch = createBatch(rows);
  const counts = new Uint32Array(BOUNDS.length - 1);
  const stretches = rowStretches(BOUNDS);
  const cells: AddressCells = { low: LOW, bounds: BOUNDS, stretches, kinds: READS_AND_WRITES, counts, firstCell: 0 };
  const diagnostics: unknown[] = [];
  const gaps: unknown[] = [];
  let state = decoder.initial;
  let records = 0;
  while (window.position < window.end) {
    const before = window.position;
    state = decoder.countPlain!(window, state, skim(), cells);
    records += (window.position - before) / 6;
    resetBatch(batch, records);
    state = decoder.decode(window, state, batch);
    records += batch.count;
    countDecoded(batch, counts);
    diagnostics.push(...batch.diagnostics.list());
    gaps.push(...batch.gaps);
  }
  return {
    counts: [...counts],
    records,
    exit: state,
    position: window.position,
    diagnostics: summed(diagnostics),
    gaps,
  };
}

/** Row of a record, found by testing every bound. */
function countDecoded(batch: Batch, counts: Uint32Array): void {
  for (let i = 0; i < batch.count; i++) {
    if ((batch.flags[i]! & FLAG.address) === 0 || (READS_AND_WRITES & (1 << batch.kind[i]!)) === 0) continue;
    const distance = batch.addressLow[i]! - LOW;
    const row = BOUNDS.findIndex((bound, at) => bound <= distance && distance < (BOUNDS[at + 1] ?? -1));
    if (row >= 0) counts[row] = counts[row]! + 1;
  }
}

/** Per code, how often a diagnostic was counted over all batches, and its first record. */
function summed(list: readonly unknown[]): readonly unknown[] {
  const sums = new Map<string, { count: number; first: number }>();
  for (const { code, count, firstRecord } of list as { code: string; count: number; firstRecord: number }[]) {
    const known = sums.get(code) ?? { count: 0, first: firstRecord };
    sums.set(code, { count: known.count + count, first: Math.min(known.first, firstRecord) });
  }
  return [...sums].sort();
}
