/** Condensed BYU 6-byte records compared with the same records decoded one by one. */
import { describe, expect, test } from 'vitest';
import { createBatch, FLAG, recordsOf, resetBatch, SPAN_WORDS } from '../../shared/records/batch.ts';
import type { Batch } from '../../shared/records/batch.ts';
import type { State, Window } from '../../shared/format/format.ts';
import { byu6 } from '../../shared/formats/byu6/byu6.ts';
import { nativeName } from '../../shared/formats/byu6/describe.ts';
import { KINDS } from '../../shared/records/record.ts';
import { createRandom } from '../laws/random.ts';

const COMMON_FLAGS = FLAG.address | FLAG.malformed | FLAG.noEffect | FLAG.value;

interface Decoded {
  /** Contents of equal records, with their count and the first and last record. */
  readonly alike: ReadonlyMap<string, string>;
  readonly diagnostics: readonly unknown[];
  readonly gaps: readonly unknown[];
  readonly exit: State;
  readonly position: number;
  /** Records that were condensed, and the rows they came to. */
  readonly condensed: number;
  readonly rows: number;
}

function decode(bytes: Uint8Array, condensable: boolean, endian = 'big'): Decoded {
  const decoder = byu6.open({ endian });
  if (!decoder.ok) throw new Error(decoder.error.message);
  const batch = createBatch();
  const end = bytes.length;
  const window: Window = { bytes, length: end, base: 0, position: 0, end, lastLineEnd: end, fileEnd: end };
  const alike = new Map<string, { times: number; first: number; last: number }>();
  const diagnostics: unknown[] = [];
  const gaps: unknown[] = [];
  let state = decoder.value.initial;
  let [records, condensed, rows] = [0, 0, 0];
  while (window.position < window.end) {
    resetBatch(batch, records);
    state =
      (condensable ? decoder.value.condense?.(window, state, batch) : undefined) ??
      decoder.value.decode(window, state, batch);
    addRows(batch, alike);
    diagnostics.push(...batch.diagnostics.list());
    gaps.push(...batch.gaps);
    records += recordsOf(batch);
    if (batch.condensed === undefined) continue;
    condensed += batch.condensed.records;
    rows += batch.count;
  }
  const reported = [...alike].map(
    ([what, { times, first, last }]) => [what, `${times} from ${first} to ${last}`] as const,
  );
  return { alike: new Map(reported), diagnostics, gaps, exit: state, position: window.position, condensed, rows };
}

function addRows(batch: Batch, alike: Map<string, { times: number; first: number; last: number }>): void {
  let before = Number.POSITIVE_INFINITY;
  for (let row = 0; row < batch.count; row++) {
    const what = [
      KINDS[batch.kind[row]!],
      nativeName(batch.native[row]!),
      batch.addressLow[row]!.toString(16),
      batch.size[row],
      batch.flags[row]! & COMMON_FLAGS,
    ].join(' ');
    const spans = batch.condensed?.spans;
    const [times = 1, earliest = row, latest = row] = spans?.subarray(row * SPAN_WORDS) ?? [];
    const first = batch.first + earliest;
    const last = batch.first + latest;
    if (spans !== undefined) expect(last).toBeLessThan(before);
    before = last;
    const known = alike.get(what) ?? { times: 0, first, last };
    alike.set(what, {
      times: known.times + times,
      first: Math.min(known.first, first),
      last: Math.max(known.last, last),
    });
  }
}

/** Loops over `distinct` memory accesses; every hundredth record comes from `between` instead. */
function loop(records: number, distinct: number, between?: (place: number) => readonly number[]): Uint8Array {
  const random = createRandom(7);
  const turn = Array.from({ length: distinct }, () => {
    const address = 0x100000 + 8 * random.below(4096);
    return [
      0,
      address >>> 16,
      address >>> 8,
      address,
      [0, 0xf0, 0xfc][random.below(3)]!,
      0xd0 + 0x10 * random.below(3),
    ];
  });
  const bytes = new Uint8Array(records * 6);
  for (let record = 0; record < records; record++) {
    const other = record % 100 === 99 ? between?.(record) : undefined;
    bytes.set(other ?? turn[record % distinct]!, record * 6);
  }
  return bytes;
}

describe('condensed records', () => {
  test('have the same count, kinds and places as single records', () => {
    const bytes = loop(40_000, 500);
    const joined = decode(bytes, true);
    expect(joined.condensed).toBe(40_000);
    expect(joined.rows).toBeLessThan(10_000);
    const { condensed, ...plain } = decode(bytes, false);
    expect(condensed).toBe(0);
    expect({ ...joined, condensed: undefined, rows: undefined }).toEqual({
      ...plain,
      condensed: undefined,
      rows: undefined,
    });
  });

  test('may be any cycle of a Pentium', () => {
    const others = [
      [0, 0, 0, 0, 0xfb, 0x30],
      [0, 0x40, 0x12, 0x38, 0xdf, 0x30],
      [0, 0, 3, 0xf8, 0xdf, 0x50],
      [0, 0, 0, 0, 0xef, 0x10],
      [0, 0, 0, 0, 0xfe, 0x10],
    ];
    const bytes = loop(20_000, 300, (record) => others[((record / 100) % 5) | 0]!);
    const joined = decode(bytes, true);
    expect(joined.condensed).toBe(20_000);
    expect(joined.alike).toEqual(decode(bytes, false).alike);
  });

  test('are condensed in the other byte order too', () => {
    const bytes = loop(20_000, 300);
    for (let at = 0; at < bytes.length; at += 6) bytes.subarray(at, at + 4).reverse();
    const joined = decode(bytes, true, 'little');
    expect(joined.condensed).toBe(20_000);
    expect(joined.alike).toEqual(decode(bytes, false, 'little').alike);
  });

  test.each([
    ['an invalid control byte', [0, 0x10, 0, 0, 0, 0x20]],
    ['an address that is not a multiple of eight', [0, 0x10, 0, 3, 0, 0xd0]],
    ['only ones', [255, 255, 255, 255, 255, 255]],
    ['only zeros', [0, 0, 0, 0, 0, 0]],
  ])('never include a record with a diagnostic: %s', (_, broken) => {
    const bytes = loop(120_000, 300);
    bytes.set(broken, 59_999 * 6);
    const joined = decode(bytes, true);
    const plain = decode(bytes, false);
    expect(joined.condensed).toBeGreaterThan(32_000);
    expect(joined.condensed).toBeLessThan(120_000);
    expect(joined.alike).toEqual(plain.alike);
    expect(joined.diagnostics).toEqual(plain.diagnostics);
    expect(plain.diagnostics).not.toHaveLength(0);
    expect(joined.exit).toEqual(plain.exit);
  });

  test('are split if they do not fit one batch', () => {
    const bytes = loop(65_536, 3_500);
    const joined = decode(bytes, true);
    expect(joined.condensed).toBe(65_536);
    expect(joined.alike).toEqual(decode(bytes, false).alike);
  });

  test('are not made from rarely repeated or truncated records', () => {
    const scattered = decode(loop(40_000, 40_000), true);
    expect(scattered.condensed).toBe(0);
    expect(scattered.alike).toEqual(decode(loop(40_000, 40_000), false).alike);
    const cut = loop(20_000, 300).subarray(0, 20_000 * 6 - 4);
    const joined = decode(cut, true);
    const plain = decode(cut, false);
    expect(joined.condensed).toBeGreaterThan(16_000);
    expect([joined.alike, joined.gaps, joined.diagnostics]).toEqual([plain.alike, plain.gaps, plain.diagnostics]);
    expect(joined.position).toBe(plain.position);
  });
});
