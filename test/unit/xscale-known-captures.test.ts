/** Known captures are found by their bytes, at any address, and cleared all at once. */
import { expect, test } from 'vitest';
import { createKnownCaptures, type KnownCaptures } from '../../electron/engine/flow/captures/xscale/known-captures.ts';
import { createRandom } from '../laws/random.ts';

function noteAt(known: KnownCaptures, bytes: Uint8Array, at: number, records: number, events: readonly number[]): void {
  expect(known.find(bytes, at)).toBe(-1);
  known.note(records, Int32Array.from(events), events.length);
}

function eventsOf(known: KnownCaptures, capture: number): readonly number[] {
  return [...known.events.subarray(known.start(capture), known.start(capture + 1))];
}

test('finds a capture by all of its bytes, with its noted events', () => {
  const known = createKnownCaptures(8);
  const bytes = Uint8Array.of(9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 0);
  noteAt(known, bytes, 1, 3, [70, 71]);
  // All but the last byte match.
  noteAt(known, bytes, 10, 5, []);
  const first = known.find(bytes, 1);
  const second = known.find(bytes, 10);
  expect([known.records(first), eventsOf(known, first)]).toEqual([3, [70, 71]]);
  expect([known.records(second), eventsOf(known, second)]).toEqual([5, []]);
  expect(known.find(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), 0)).toBe(first);
  expect(known.find(bytes, 0)).toBe(-1);
  known.clear();
  expect(known.find(bytes, 1)).toBe(-1);
});

test('keeps captures up to a byte limit and clears them all beyond it', () => {
  const unit = 1 << 18;
  const known = createKnownCaptures(unit);
  const bytes = new Uint8Array(17 * unit);
  for (let capture = 0; capture < 17; capture++) bytes[capture * unit + 7 * capture] = 1 + capture;
  for (let capture = 0; capture < 16; capture++) noteAt(known, bytes, capture * unit, capture, [capture]);
  for (let capture = 0; capture < 16; capture++) {
    const found = known.find(bytes, capture * unit);
    expect([known.records(found), eventsOf(known, found)]).toEqual([capture, [capture]]);
  }
  noteAt(known, bytes, 16 * unit, 16, [16]);
  expect(eventsOf(known, known.find(bytes, 16 * unit))).toEqual([16]);
  expect(known.find(bytes, 0)).toBe(-1);
});

test('distinguishes thousands of captures, even with one different bit', () => {
  const random = createRandom(11);
  const known = createKnownCaptures(64);
  const all = new Uint8Array(3000 * 64).map(() => random.below(256));
  for (let capture = 1; capture < 3000; capture += 2) {
    all.copyWithin(capture * 64, (capture - 1) * 64, capture * 64);
    all[capture * 64 + random.below(64)]! ^= 1 << random.below(8);
  }
  for (let capture = 0; capture < 3000; capture++)
    noteAt(known, all, capture * 64, capture, [capture, -capture].slice(0, capture % 3));
  for (let capture = 0; capture < 3000; capture++) {
    const found = known.find(all, capture * 64);
    const noted = [capture, -capture].slice(0, capture % 3);
    expect([known.records(found), eventsOf(known, found)]).toEqual([capture, noted]);
  }
});
