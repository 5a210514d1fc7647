import { expect, test } from 'vitest';
import { PANES } from '../../renderer/features/index.ts';
import { createLayout } from '../../renderer/workbench/layout.svelte.ts';

/** The layout of a trace that is opened with a stored layout. */
function stored(saved: unknown) {
  const layout = createLayout(PANES, () => 't1');
  layout.add('t1', saved);
  return layout;
}

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

test('closing a pane leaves its area without a front pane, and a stored layout is the same', () => {
  const layout = createLayout(PANES);
  layout.open('bytes');
  layout.open('memory');
  layout.close('memory');
  expect([layout.front('left-lower'), layout.wasClosed('memory')]).toEqual([undefined, true]);
  const later = stored(layout.saved);
  expect([later.front('right-lower'), later.isOpen('memory'), later.front('left-lower')]).toEqual([
    'bytes',
    false,
    undefined,
  ]);
});

test('reads stored layouts without front panes, and ignores invalid ones', () => {
  const fractions = { overview: 0.2, left: 0.5, upper: 0.5, leftUpper: 0.5 };
  const small = stored({ fractions, closed: ['overview'] });
  expect([small.fractions.overview, small.isOpen('overview')]).toEqual([0.2, false]);
  const front = { 'left-lower': 'bytes', 'right-lower': 7 };
  const layout = stored({ fractions, closed: [], front });
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
  expect(stored(layout.saved).isOpen('report')).toBe(true);
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
  expect(stored({ fractions, closed: [] }).isOpen('report')).toBe(false);
  expect(stored('no layout').saved).toEqual(createLayout(PANES).saved);
});

test('each trace has its own layout, and a new one begins with the layout in use', () => {
  let active = '';
  const layout = createLayout(PANES, () => active);
  layout.close('bytes');
  layout.add('t1', undefined);
  active = 't1';
  layout.close('memory');
  layout.add('t2', undefined);
  active = 't2';
  expect([layout.isOpen('bytes'), layout.isOpen('memory')]).toEqual([false, false]);
  layout.open('memory');
  active = 't1';
  expect(layout.isOpen('memory')).toBe(false);
  layout.remove('t1');
  active = '';
  // The layout that was changed last is in use without a trace.
  expect(layout.isOpen('memory')).toBe(true);
});
