import { expect, test } from 'vitest';
import { clampTop, lastTop, reveal, thumbOf, topOf } from '../../renderer/draw/scroll.ts';

const short = { rows: 100, visible: 20 };
const huge = { rows: 3_000_000_000, visible: 25.5 };

test('the thumb of a short list has the share of the track that is visible', () => {
  expect(thumbOf(0, short, 500)).toEqual({ start: 0, length: 100 });
  expect(thumbOf(80, short, 500)).toEqual({ start: 400, length: 100 });
  expect(thumbOf(40, short, 500)).toEqual({ start: 200, length: 100 });
});

test('a list that fits has a thumb as long as the track', () => {
  expect(thumbOf(0, { rows: 5, visible: 20 }, 300)).toEqual({ start: 0, length: 300 });
  expect(topOf(120, { rows: 5, visible: 20 }, 300)).toBe(0);
});

test('the thumb of three billion rows can still be caught, and reaches both ends exactly', () => {
  expect(thumbOf(0, huge, 600).length).toBe(28);
  expect(topOf(0, huge, 600)).toBe(0);
  expect(topOf(572, huge, 600)).toBe(2_999_999_974.5);
  expect(topOf(10_000, huge, 600)).toBe(lastTop(huge));
});

test('dragging the thumb somewhere puts it there', () => {
  for (const list of [short, huge]) {
    for (const start of [0, 1, 137.25, 399])
      expect(thumbOf(topOf(start, list, 600), list, 600).start).toBeCloseTo(start, 6);
  }
});

test('positions past the ends are pulled back', () => {
  expect(clampTop(-3, short)).toBe(0);
  expect(clampTop(81, short)).toBe(80);
  expect(clampTop(5, { rows: 3, visible: 20 })).toBe(0);
});

test('a row in sight moves nothing, a row at the edge moves by what is missing', () => {
  expect(reveal(50, 40, short, 3)).toBe(40);
  expect(reveal(58, 40, short, 3)).toBe(42);
  expect(reveal(41, 40, short, 3)).toBe(38);
  expect(reveal(0, 40, { rows: 100, visible: 50 }, 3)).toBe(0);
});

test('a jump from afar puts the row a third below the edge, exact beyond 2^31', () => {
  const top = reveal(2_500_000_000, 0, { rows: 3_000_000_000, visible: 30 }, 3);
  expect(top).toBe(2_499_999_990);
});

test('the last row of all can be shown', () => {
  expect(reveal(2_999_999_999, 0, { rows: 3_000_000_000, visible: 30 }, 3)).toBe(2_999_999_970);
});
