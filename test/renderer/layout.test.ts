import { beforeEach, expect, test, vi } from 'vitest';
import { PANES } from '../../renderer/features/index.ts';
import { createLayout } from '../../renderer/workbench/layout.svelte.ts';

const kept = new Map<string, string>();

beforeEach(() => {
  kept.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
});

test('opening a pane brings it to the front of its area and leaves the others alone', () => {
  const layout = createLayout(PANES);
  expect([layout.front('left-lower'), layout.isOpen('diagnostics'), layout.isOpen('memory')]).toEqual([
    undefined,
    false,
    true,
  ]);
  layout.open('bytes');
  layout.open('diagnostics');
  expect([layout.front('left-lower'), layout.front('right-lower')]).toEqual(['diagnostics', 'bytes']);
  layout.open('memory');
  expect([layout.front('left-lower'), layout.isOpen('diagnostics')]).toEqual(['memory', true]);
});

test('a closed pane is in front of nothing, and what was chosen outlives the page', () => {
  const layout = createLayout(PANES);
  layout.open('bytes');
  layout.open('memory');
  layout.close('memory');
  expect([layout.front('left-lower'), layout.wasClosed('memory')]).toEqual([undefined, true]);
  const later = createLayout(PANES);
  expect([later.front('right-lower'), later.isOpen('memory'), later.front('left-lower')]).toEqual([
    'bytes',
    false,
    undefined,
  ]);
});

test('a layout kept before areas had fronts is taken as it is, and a front of nonsense is none', () => {
  const fractions = { overview: 0.2, left: 0.5, upper: 0.5, leftUpper: 0.5 };
  kept.set('tracebench.layout', JSON.stringify({ fractions, closed: ['overview'] }));
  expect([createLayout(PANES).fractions.overview, createLayout(PANES).isOpen('overview')]).toEqual([0.2, false]);
  const front = { 'left-lower': 'bytes', 'right-lower': 7 };
  kept.set('tracebench.layout', JSON.stringify({ fractions, closed: [], front }));
  const layout = createLayout(PANES);
  expect([layout.front('left-lower'), layout.front('right-lower')]).toEqual([undefined, undefined]);
});

test('a pane that takes the room of the others gives it back when one of them is wanted, and they are as they were', () => {
  const layout = createLayout(PANES);
  expect([layout.isOpen('report'), layout.wasClosed('report')]).toEqual([false, false]);
  layout.open('bytes');
  layout.close('memory');
  layout.open('report');
  expect([layout.isOpen('report'), layout.isOpen('bytes'), layout.front('right-lower')]).toEqual([true, true, 'bytes']);
  // It stays across visits, and beside what is above it.
  layout.open('overview');
  expect(createLayout(PANES).isOpen('report')).toBe(true);
  layout.open('heatmap');
  expect([layout.isOpen('report'), layout.isOpen('memory'), layout.front('right-lower')]).toEqual([
    false,
    false,
    'bytes',
  ]);
  layout.open('report');
  layout.close('report');
  expect([layout.isOpen('report'), layout.wasClosed('report')]).toEqual([false, false]);
  // Layouts of before there was one do not have it.
  const fractions = { overview: 0.2, left: 0.5, upper: 0.5, leftUpper: 0.5 };
  kept.set('tracebench.layout', JSON.stringify({ fractions, closed: [] }));
  expect(createLayout(PANES).isOpen('report')).toBe(false);
});
