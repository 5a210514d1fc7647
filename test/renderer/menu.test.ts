/** Menus: how keys move between items, and where a context menu opens. */
import { expect, test } from 'vitest';
import { cornerOf, nextItem } from '../../renderer/widgets/menu.ts';

const TITLES = ['Close', 'Close others', 'Copy path', 'Program images…'];

test('arrow keys wrap around, Home and End go to the ends', () => {
  expect(['ArrowDown', 'ArrowUp', 'Home', 'End'].map((key) => nextItem(TITLES, 0, key))).toEqual([1, 3, 0, 3]);
  expect(['ArrowDown', 'ArrowUp'].map((key) => nextItem(TITLES, 3, key))).toEqual([0, 2]);
  expect(['ArrowDown', 'ArrowUp'].map((key) => nextItem(TITLES, -1, key))).toEqual([0, 3]);
});

test('a character goes to the next item that starts with it', () => {
  expect([0, 1, 2].map((at) => nextItem(TITLES, at, 'c'))).toEqual([1, 2, 0]);
  expect([nextItem(TITLES, 0, 'P'), nextItem(TITLES, 3, 'p')]).toEqual([3, 3]);
});

test('other keys do not move', () => {
  expect(['x', ' ', 'Enter', 'F2', 'Escape'].map((key) => nextItem(TITLES, 0, key))).toEqual(Array(5).fill(undefined));
  expect(nextItem([], -1, 'ArrowDown')).toBe(undefined);
});

test('a context menu opens at the pointer, or moved into the window', () => {
  const size = { width: 100, height: 50 };
  const window = { width: 400, height: 300 };
  expect(cornerOf({ x: 10, y: 20 }, size, window)).toEqual({ x: 10, y: 20 });
  expect(cornerOf({ x: 390, y: 290 }, size, window)).toEqual({ x: 292, y: 240 });
  // It keeps away from the edges of the window.
  expect(cornerOf({ x: 296, y: 246 }, size, window)).toEqual({ x: 292, y: 196 });
  expect(cornerOf({ x: 2, y: 3 }, size, window)).toEqual({ x: 8, y: 8 });
  expect(cornerOf({ x: 10, y: 40 }, { width: 384, height: 280 }, window)).toEqual({ x: 8, y: 12 });
  expect(cornerOf({ x: 10, y: 40 }, { width: 384, height: 284 }, window)).toEqual({ x: 8, y: 8 });
});
