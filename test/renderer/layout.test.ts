import { SvelteMap } from 'svelte/reactivity';
import { expect, test } from 'vitest';
import { PANES } from '../../renderer/features/index.ts';
import { createLayout } from '../../renderer/workbench/layout.svelte.ts';
import { isPlacedGroup } from '../../renderer/workbench/docking/boxes.ts';
import { contentOf, CONTENTS, initialTree, type Content } from '../../renderer/workbench/docking/templates.ts';
import { groupOf, groupsOf, tidy } from '../../renderer/workbench/docking/tree.ts';

type Layout = ReturnType<typeof createLayout>;

const INSTRUCTIONS = { instructions: true, registers: true, flow: true } as const;

/** The layout of a trace of instructions that is opened with a stored layout. */
function stored(saved: unknown): Layout {
  const layout = createLayout(PANES, () => 't1');
  layout.add('t1', saved && JSON.parse(JSON.stringify(saved)), INSTRUCTIONS);
  return layout;
}

/** Shown groups as `left,top,width,height: open panes`, in percent of the page. */
function shown({ places, isOpen }: Layout): readonly string[] {
  return places.filter(isPlacedGroup).map(({ group, box: { left, top, width, height } }) => {
    const percent = [left, top, width, height].map((part) => Math.round(part * 100)).join(',');
    return `${percent}: ${group.panes.filter(isOpen).join(' ')}`;
  });
}

/** Tabs of the group that contains a pane. */
function tabs({ places, isOpen }: Layout, pane: string): readonly string[] {
  const place = places.filter(isPlacedGroup).find(({ group }) => group.panes.includes(pane));
  return place?.group.panes.filter(isOpen) ?? [];
}

function groupIdOf({ places }: Layout, pane: string): number {
  return places.filter(isPlacedGroup).find(({ group }) => group.panes.includes(pane))!.group.id;
}

/** A small page: `a` and `b` share the left half, `c` is above `d` on the right. `e` starts closed beside `d`. */
function small(): Layout {
  const layout = createLayout(PANES, () => 't1');
  layout.add('t1', SMALL, INSTRUCTIONS);
  for (const pane of ALL) if (!['heatmap', 'memory', 'stack', 'bytes'].includes(pane)) layout.close(pane);
  return layout;
}
const ALL = PANES.filter(({ home }) => home !== 'whole').map(({ id }) => id);
const SMALL = {
  tree: {
    along: 'row',
    sizes: [0.5, 0.5],
    parts: [
      { panes: ['heatmap', 'memory'] },
      { along: 'column', sizes: [0.5, 0.5], parts: [{ panes: ['stack'] }, { panes: ['bytes'] }] },
    ],
  },
  closed: [],
};

test('every content has a layout in which each pane has one place', () => {
  for (const content of Object.keys(CONTENTS) as Content[]) {
    const placed = groupsOf(initialTree(content, PANES)).flatMap(({ panes }) => panes);
    expect({ content, placed: placed.toSorted() }).toEqual({ content, placed: ALL.toSorted() });
  }
});

test('a trace begins with the panes that its records are useful for', () => {
  const layout = createLayout(PANES, () => 't1');
  const group = (pane: string): readonly string[] => tabs(layout, pane);
  layout.add('t1', undefined, INSTRUCTIONS);
  // Registers and stack are visible together, and so are instructions and memory.
  expect([group('registers')[0], group('stack'), group('instructions'), group('memory')[0]]).toEqual([
    'registers',
    ['stack'],
    ['instructions'],
    'memory',
  ]);
  layout.add('t1', undefined, {});
  expect([layout.isOpen('registers'), layout.isOpen('stack'), layout.isOpen('graph'), group('heatmap')]).toEqual([
    false,
    false,
    false,
    ['heatmap'],
  ]);
  const large = layout.places.filter(isPlacedGroup).find(({ group: { panes } }) => panes.includes('heatmap'))!.box;
  expect([large.width > 0.6, large.height > 0.8]).toEqual([true, true]);
  layout.add('t1', undefined, { messages: true, flow: true });
  expect([group('graph')[0], group('tree'), group('branches')[0]]).toEqual(['graph', ['tree'], 'branches']);
  expect([
    contentOf({ instructions: true }),
    contentOf({ flow: true }),
    contentOf({ messages: true }),
    contentOf({ messages: true, followed: true }),
  ]).toEqual(['instructions', 'bus', 'branches', 'buffers']);
});

test('moves a pane step by step: out of its group, into the next one, and to the side of the page', () => {
  const layout = small();
  expect(shown(layout)).toEqual(['0,0,50,100: heatmap memory', '50,0,50,50: stack', '50,50,50,50: bytes']);
  expect(layout.step('memory', 'below')).toBe(true);
  expect(shown(layout)).toEqual([
    '0,0,50,50: heatmap',
    '0,50,50,50: memory',
    '50,0,50,50: stack',
    '50,50,50,50: bytes',
  ]);
  expect(layout.step('memory', 'right')).toBe(true);
  expect(shown(layout)).toEqual(['0,0,50,100: heatmap', '50,0,50,50: stack', '50,50,50,50: bytes memory']);
  layout.close('bytes');
  expect(layout.step('memory', 'right')).toBe(true);
  // A third of the page: the rest keeps its proportions.
  expect(shown(layout)).toEqual(['0,0,33,100: heatmap', '33,0,33,100: stack', '67,0,33,100: memory']);
  expect(layout.step('memory', 'right')).toBe(false);
});

test('docks a pane among the tabs of a group and at the sides of the page', () => {
  const layout = small();
  layout.join('stack', groupIdOf(layout, 'heatmap'), 'memory');
  expect(tabs(layout, 'stack')).toEqual(['heatmap', 'stack', 'memory']);
  layout.join('heatmap', groupIdOf(layout, 'stack'));
  expect(tabs(layout, 'stack')).toEqual(['stack', 'memory', 'heatmap']);
  layout.splitOff('heatmap', 'above');
  expect(shown(layout)).toEqual(['0,0,100,33: heatmap', '0,33,50,67: stack memory', '50,33,50,67: bytes']);
});

test('a closed pane reopens where it was, alone or beside others', () => {
  const layout = small();
  const before = shown(layout);
  layout.close('stack');
  layout.close('bytes');
  expect([shown(layout), layout.wasClosed('stack')]).toEqual([['0,0,100,100: heatmap memory'], true]);
  layout.open('bytes');
  layout.open('stack');
  expect(shown(layout)).toEqual(before);
  expect([layout.wasClosed('diagnostics'), layout.isOpen('diagnostics')]).toEqual([false, false]);
});

test('a border divides the space of its neighbours, within limits, and a reset restores the first sizes', () => {
  const layout = createLayout(PANES, () => 't1');
  layout.add('t1', undefined, INSTRUCTIONS);
  const first = layout.saved;
  const [, border] = layout.places;
  if (!border || isPlacedGroup(border)) throw new Error('the overview has no border');
  layout.move(border, 0.3);
  expect(shown(layout)[0]).toBe('0,0,100,30: overview');
  layout.move(border, 0.001);
  expect(shown(layout)[0]).toBe('0,0,100,8: overview');
  layout.resetBorder(border);
  expect(shown(layout)[0]).toBe('0,0,100,17: overview');
  layout.move(border, 0.4);
  layout.reset();
  expect(layout.saved).toEqual(first);
});

test('makes a pane higher at the cost of the one below, up to half of their space', () => {
  const layout = createLayout(PANES, () => 't1');
  const tree = { along: 'column', sizes: [0.2, 0.8], parts: [{ panes: ['overview'] }, { panes: ['heatmap'] }] };
  layout.add('t1', { tree, closed: [] }, INSTRUCTIONS);
  for (const pane of ALL) if (!['overview', 'heatmap'].includes(pane)) layout.close(pane);
  layout.heighten('overview', 2);
  expect(shown(layout)).toEqual(['0,0,100,40: overview', '0,40,100,60: heatmap']);
  layout.heighten('overview', 2);
  expect(shown(layout)[0]).toBe('0,0,100,50: overview');
  layout.heighten('heatmap', 2);
  expect(shown(layout)[1]).toBe('0,50,100,50: heatmap');
});

test('a group covers all others until it is restored or a covered pane is opened', () => {
  const layout = small();
  layout.toggleMaximised('memory');
  expect([shown(layout), layout.maximised]).toEqual([['0,0,100,100: heatmap memory'], 'memory']);
  layout.open('heatmap');
  expect(layout.maximised).toBe('memory');
  layout.open('stack');
  expect([shown(layout).length, layout.maximised]).toEqual([3, undefined]);
  layout.toggleMaximised('stack');
  layout.toggleMaximised('stack');
  expect(shown(layout).length).toBe(3);
  layout.toggleMaximised('stack');
  layout.close('stack');
  expect(shown(layout).length).toBe(2);
});

test('keeps the whole layout as JSON', () => {
  const layout = small();
  layout.step('memory', 'below');
  layout.close('bytes');
  layout.open('heatmap');
  const later = stored(layout.saved);
  expect(shown(later)).toEqual(shown(layout));
  expect([later.wasClosed('bytes'), later.isOpen('bytes')]).toEqual([true, false]);
  later.open('bytes');
  expect(shown(later)).toContain('50,50,50,50: bytes');
});

test('reads layouts of other versions and ignores invalid ones', () => {
  const first = stored(undefined).saved;
  const fractions = { overview: 0.2, left: 0.5, upper: 0.5, leftUpper: 0.5 };
  let deep: unknown = { panes: ['heatmap'] };
  for (let i = 0; i < 100; i += 1) deep = { along: 'row', sizes: [1], parts: [deep] };
  const invalid = [
    'no layout',
    { fractions, closed: ['overview'] },
    { closed: [], tree: { panes: ['no such pane'] } },
    { closed: [], tree: { along: 'row', sizes: [0.5, -1], parts: [{ panes: ['heatmap'] }, { panes: ['memory'] }] } },
    { closed: [], tree: deep },
  ];
  for (const saved of invalid) expect(stored(saved).saved).toEqual(first);
  // Unknown and repeated panes are left out, and panes that did not exist yet are beside those of their group.
  const tree = {
    along: 'row',
    sizes: [0.5, 0.5],
    parts: [{ panes: ['heatmap', 'old'] }, { panes: ['heatmap', 'stack'] }],
  };
  const other = stored({ tree, closed: ['stack'] });
  expect(shown(other)[0]).toMatch(/^0,0,100,100: heatmap/);
  expect([tabs(other, 'graph').includes('heatmap'), other.isOpen('stack'), other.isOpen('diagnostics')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('a pane that replaces others is closed when one of them is opened, and they are as before', () => {
  const layout = createLayout(PANES);
  const before = shown(layout);
  layout.open('report');
  expect([layout.isOpen('report'), layout.isOpen('bytes'), shown(layout)]).toEqual([
    true,
    true,
    ['0,0,100,17: overview', '0,17,100,83: report'],
  ]);
  const border = layout.places[1];
  if (!border || isPlacedGroup(border)) throw new Error('the report has no border');
  layout.move(border, 0.3);
  expect(shown(layout)).toEqual(['0,0,100,30: overview', '0,30,100,70: report']);
  layout.resetBorder(border);
  // The report stays open after a reload, and next to panes above it.
  layout.open('overview');
  expect(stored(layout.saved).isOpen('report')).toBe(true);
  layout.open('heatmap');
  expect([layout.isOpen('report'), shown(layout)]).toEqual([false, before]);
  layout.open('report');
  layout.close('report');
  expect([layout.isOpen('report'), layout.wasClosed('report')]).toEqual([false, false]);
});

test('each trace has its own layout, and a new one begins with the layout in use for its kind', () => {
  const shownTrace = new SvelteMap([['id', '']]);
  const show = (id: string): unknown => shownTrace.set('id', id);
  const layout = createLayout(PANES, () => shownTrace.get('id') ?? '');
  layout.close('bytes');
  layout.add('t1', undefined, INSTRUCTIONS);
  show('t1');
  layout.close('memory');
  layout.add('t2', undefined, INSTRUCTIONS);
  layout.add('t3', undefined, {});
  show('t3');
  expect([layout.isOpen('bytes'), layout.isOpen('memory')]).toEqual([true, true]);
  show('t2');
  expect([layout.isOpen('bytes'), layout.isOpen('memory')]).toEqual([false, false]);
  layout.open('memory');
  show('t1');
  expect(layout.isOpen('memory')).toBe(false);
  layout.remove('t1');
});

test('removes empty groups and joins splits of the same direction', () => {
  const leaf = (id: number, ...panes: string[]) => ({ id, panes });
  const tree = tidy({
    id: 1,
    along: 'row',
    sizes: [0.5, 0.25, 0.25],
    parts: [
      { id: 2, along: 'row', sizes: [0.5, 0.5], parts: [leaf(3, 'a'), leaf(4, 'b')] },
      leaf(5),
      { id: 6, along: 'column', sizes: [0.5, 0.5], parts: [leaf(7), leaf(8, 'c')] },
    ],
  });
  expect(tree).toEqual({
    id: 1,
    along: 'row',
    sizes: [1 / 3, 1 / 3, 1 / 3],
    parts: [leaf(3, 'a'), leaf(4, 'b'), leaf(8, 'c')],
  });
  expect(groupOf(tree, 'b').id).toBe(4);
});
