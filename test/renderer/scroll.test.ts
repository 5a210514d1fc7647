import { expect, test } from 'vitest';
import {
  clampTop,
  createWholeRows,
  lastTop,
  reveal,
  thumbOf,
  topOf,
  wheelPixels,
} from '../../renderer/widgets/scroll.ts';

const short = { rows: 100, visible: 20 };
const huge = { rows: 3_000_000_000, visible: 25.5 };

test('the thumb of a short list is the visible share of the track', () => {
  expect(thumbOf(0, short, 500)).toEqual({ start: 0, length: 100 });
  expect(thumbOf(80, short, 500)).toEqual({ start: 400, length: 100 });
  expect(thumbOf(40, short, 500)).toEqual({ start: 200, length: 100 });
});

test('the thumb of a list that fits fills the track', () => {
  expect(thumbOf(0, { rows: 5, visible: 20 }, 300)).toEqual({ start: 0, length: 300 });
  expect(topOf(120, { rows: 5, visible: 20 }, 300)).toBe(0);
});

test('the thumb for three billion rows can be grabbed and reaches both ends exactly', () => {
  expect(thumbOf(0, huge, 600).length).toBe(28);
  expect(topOf(0, huge, 600)).toBe(0);
  expect(topOf(572, huge, 600)).toBe(2_999_999_974.5);
  expect(topOf(10_000, huge, 600)).toBe(lastTop(huge));
});

test('a dragged thumb stays where it was dragged', () => {
  for (const list of [short, huge]) {
    for (const start of [0, 1, 137.25, 399])
      expect(thumbOf(topOf(start, list, 600), list, 600).start).toBeCloseTo(start, 6);
  }
});

test('limits positions to both ends', () => {
  expect(clampTop(-3, short)).toBe(0);
  expect(clampTop(81, short)).toBe(80);
  expect(clampTop(5, { rows: 3, visible: 20 })).toBe(0);
});

test('does not scroll to a row in sight, and scrolls minimally to a row at the edge', () => {
  expect(reveal(50, 40, short, 3)).toBe(40);
  expect(reveal(58, 40, short, 3)).toBe(42);
  expect(reveal(41, 40, short, 3)).toBe(38);
  expect(reveal(0, 40, { rows: 100, visible: 50 }, 3)).toBe(0);
});

test('shows a distant row a third below the edge, exactly beyond 2^31', () => {
  const top = reveal(2_500_000_000, 0, { rows: 3_000_000_000, visible: 30 }, 3);
  expect(top).toBe(2_499_999_990);
});

test('can show the last row', () => {
  expect(reveal(2_999_999_999, 0, { rows: 3_000_000_000, visible: 30 }, 3)).toBe(2_999_999_970);
});

test('reads wheel deltas in pixels, lines or pages', () => {
  expect([0, 1, 2].map((deltaMode) => wheelPixels({ deltaY: -3, deltaMode }, 20, 500))).toEqual([-3, -60, -1500]);
});

test('adds up small moves to whole rows', () => {
  const whole = createWholeRows();
  const moves = Array.from({ length: 50 }, () => whole(0.25));
  expect(moves.reduce((sum, rows) => sum + rows, 0)).toBe(12);
  expect(moves.slice(0, 5)).toEqual([0, 0, 0, 1, 0]);
  expect([whole(0.25), whole(-0.75), whole(-0.5), whole(7.5)]).toEqual([0, -0, -1, 7]);
});

test('a wheel reaches every one of a billion rows by pixels and notches', () => {
  const billion = { rows: 1_000_000_000, visible: 24.65 };
  let top = 999_999_900;
  const seen = new Set<number>();
  for (let notch = 0; notch < 220; notch += 1) {
    for (let row = Math.floor(top); row < Math.min(billion.rows, top + billion.visible); row += 1) seen.add(row);
    top = clampTop(top + wheelPixels({ deltaY: 7, deltaMode: 0 }, 20, 493) / 20, billion);
  }
  expect(seen.size).toBe(100);
  expect(top).toBe(billion.rows - billion.visible);
  const pixel = clampTop(500_000_000 + 1 / 20, billion);
  expect((pixel - 500_000_000) * 20).toBeCloseTo(1, 5);
});
