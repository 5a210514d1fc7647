/** A dragged pane over a page of 1000 x 600 pixels: `a` and `b` share the left half, and `c` has the right one. Heads are 30 pixels high. */
import { expect, test } from 'vitest';
import { dropAt, type Target } from '../../renderer/workbench/docking/drops.ts';

const PAGE = { left: 0, top: 0, width: 1000, height: 600 };
const TARGETS: readonly Target[] = [
  {
    group: 1,
    panes: ['a', 'b'],
    box: { left: 0, top: 0, width: 500, height: 600 },
    head: { left: 0, top: 0, width: 500, height: 30 },
    tabs: [
      { pane: 'a', box: { left: 10, top: 0, width: 40, height: 30 } },
      { pane: 'b', box: { left: 60, top: 0, width: 40, height: 30 } },
    ],
  },
  {
    group: 2,
    panes: ['c'],
    box: { left: 500, top: 0, width: 500, height: 600 },
    head: { left: 500, top: 0, width: 500, height: 30 },
    tabs: [{ pane: 'c', box: { left: 510, top: 0, width: 40, height: 30 } }],
  },
];

/** The drop without its box. */
function at(pane: string, x: number, y: number): object | undefined {
  const drop = dropAt(pane, { x, y }, PAGE, TARGETS);
  return drop && { group: drop.group, side: drop.side, before: drop.before };
}

test('the nearest side of a group within a quarter of it splits the group, and the middle joins it', () => {
  expect(at('a', 600, 300)).toEqual({ group: 2, side: 'left' });
  expect(at('a', 700, 560)).toEqual({ group: 2, side: 'below' });
  expect(at('a', 750, 300)).toEqual({ group: 2 });
  // A pane can leave its own group, but not join it, nor split a group that it is alone in.
  expect(at('a', 250, 560)).toEqual({ group: 1, side: 'below' });
  expect(at('a', 250, 300)).toBeUndefined();
  expect(at('c', 750, 560)).toBeUndefined();
});

test('tabs are ordered by where the pane is dropped among them', () => {
  expect(at('c', 20, 15)).toEqual({ group: 1, before: 'a' });
  expect(at('c', 50, 15)).toEqual({ group: 1, before: 'b' });
  expect(at('c', 300, 15)).toEqual({ group: 1 });
  expect(at('b', 20, 15)).toEqual({ group: 1, before: 'a' });
  // It is there already.
  expect([at('a', 20, 15), at('a', 70, 15), at('b', 300, 15)]).toEqual([undefined, undefined, undefined]);
});

test('the border of the page takes a third of it, and outside of it nothing happens', () => {
  expect(dropAt('a', { x: 995, y: 300 }, PAGE, TARGETS)).toEqual({
    side: 'right',
    box: { left: 1000 - 1000 / 3, top: 0, width: 1000 / 3, height: 600 },
  });
  expect(at('a', 1001, 300)).toBeUndefined();
});
