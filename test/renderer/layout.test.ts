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

test('opening a pane brings it to the front of its area and leaves other areas unchanged', () => {
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

test('closing a pane leaves its area without a front pane, and the layout is stored', () => {
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

test('reads stored layouts without front panes, and ignores invalid ones', () => {
  const fractions = { overview: 0.2, left: 0.5, upper: 0.5, leftUpper: 0.5 };
  kept.set('tracebench.layout', JSON.stringify({ fractions, closed: ['overview'] }));
  expect([createLayout(PANES).fractions.overview, createLayout(PANES).isOpen('overview')]).toEqual([0.2, false]);
  const front = { 'left-lower': 'bytes', 'right-lower': 7 };
  kept.set('tracebench.layout', JSON.stringify({ fractions, closed: [], front }));
  const layout = createLayout(PANES);
  expect([layout.front('left-lower'), layout.front('right-lower')]).toEqual([undefined, undefined]);
});

test('a pane that replaces others is closed when one of them is opened, and they are as before', () => {
  const layout = createLayout(PANES);
  expect([layout.isOpen('report'), layout.wasClosed('report')]).toEqual([false, false]);
  layout.open('bytes');
  layout.close('memory');
  layout.open('report');
  expect([layout.isOpen('report'), layout.isOpen('bytes'), layout.front('right-lower')]).toEqual([true, true, 'bytes']);
  // The report stays open after a reload, and next to panes above it.
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
  // Layouts stored before the report pane existed do not open it.
  const fractions = { overview: 0.2, left: 0.5, upper: 0.5, leftUpper: 0.5 };
  kept.set('tracebench.layout', JSON.stringify({ fractions, closed: [] }));
  expect(createLayout(PANES).isOpen('report')).toBe(false);
});
