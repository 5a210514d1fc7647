/** A saved view restores position and display; a view from a foreign file can do no more than that. */
import { flushSync } from 'svelte';
import { expect, test } from 'vitest';
import { createCursor } from '../../renderer/trace/cursor.svelte.ts';
import { createPaneOptions } from '../../renderer/trace/kept-options.svelte.ts';
import { createCalls } from '../../renderer/trace/flow/calls.svelte.ts';
import { createDetails } from '../../renderer/trace/flow/details.svelte.ts';
import { createFolds } from '../../renderer/trace/flow/folds.svelte.ts';
import type { Client } from '../../shared/requests/requests.ts';
import { treeOptions } from '../../renderer/features/call-tree/options.ts';
import { hotSpotsOptions } from '../../renderer/features/hot-spots/options.ts';
import type { Layout } from '../../renderer/workbench/layout.svelte.ts';
import type { ThemeStore } from '../../renderer/workbench/theme.svelte.ts';
import { captureTraceView } from '../../renderer/workbench/trace-view.ts';
import { link } from '../../renderer/workbench/windows/link.svelte.ts';
import { EMPTY_FORM } from '../../renderer/trace/search/criteria.ts';
import { NO_FILTER } from '../../renderer/features/notes/note-filter.ts';
import { captureView, showView, summarise } from '../../renderer/features/notes/saved-view.ts';
import type { Pin } from '../../renderer/trace/search/highlights.svelte.ts';
import type { Trace } from '../../renderer/trace/trace.svelte.ts';
import type { FormatFacts } from '../../shared/requests/trace.ts';
import { createWatches } from '../../renderer/trace/watches/watches.svelte.ts';
import { createView } from '../../renderer/trace/view.svelte.ts';

const TARMAC: Format = { id: 'tarmac', dialect: 'qemu4v', options: { endian: 'little' } };
type Format = Pick<FormatFacts, 'id' | 'dialect' | 'options'>;

function open(format: Format = TARMAC) {
  const cursor = createCursor();
  const view = createView(cursor, () => 10_000);
  const watches = createWatches('little');
  const highlights = {
    pins: [] as readonly Pin[],
    restore: (pins: readonly Pin[]) => (highlights.pins = pins),
  };
  const search = { form: EMPTY_FORM, highlights };
  const calls = createCalls({} as Client, 't1', cursor, () => undefined);
  const details = createDetails(() => trace);
  const folds = createFolds(
    () => trace,
    () => undefined,
  );
  const notes = { filter: NO_FILTER };
  const restored: unknown[] = [];
  const layout = { saved: { closed: ['bytes'] }, restore: (saved: unknown) => restored.push(saved) };
  const paneOptions = createPaneOptions();
  const stores = { calls, cursor, view, search, details, folds, watches, paneOptions };
  const trace = { ...stores, last: 9999, opened: { format } } as unknown as Trace;
  return {
    ...stores,
    notes,
    restored,
    layout: layout as unknown as Layout,
    trace,
  };
}

test('restores cursor, view, search, filter and layout in another window', () => {
  const before = open();
  before.cursor.jump(1234, { low: 0xffff_ffff_0000_0000n, bytes: 16 });
  before.cursor.setRegister({ name: 'r3', cpu: 1 });
  before.view.folded = false;
  before.view.lens = { low: 0x8000n, high: 1n << 64n };
  before.view.kinds = ['write', 'read'];
  before.view.disassembly = false;
  before.view.showRecords(1000, 2000);
  before.view.showStretch({ bottom: 0.25, top: 0.5 });
  before.search.form = { ...EMPTY_FORM, text: 'ldr', kind: 'read', inRange: true };
  before.watches.add({ address: '0x1000', bytes: 4, name: 'table', form: 'signed' });
  before.watches.add({ register: 'r3', cpu: 1 });
  before.watches.endian = 'big';
  before.search.highlights.pins = [{ form: { ...EMPTY_FORM, register: 'r3' }, colour: 'green', shown: false }];
  before.view.columns = { order: ['text', 'number'], shown: { time: false, opcode: true }, widths: { address: 14 } };
  before.notes.filter = { text: 'x', tag: 'bug', colour: 'red' };
  before.details.set(17, true);
  before.details.set(19, true);
  before.folds.restore([{ head: 20, from: 21, to: 30 }]);
  before.calls.centreOn('0x8000');
  before.calls.cpu = 2;
  treeOptions(before.trace).heavyPath = ['0x8000', '0x8010'];
  hotSpotsOptions(before.trace).order = 'calls';
  const content = captureView(before.trace, before.notes, before.layout);

  const after = open();
  expect(showView(content, after.trace, after.notes, after.layout)).toBe('all');
  expect([after.cursor.n, after.cursor.address, after.cursor.register, after.cursor.about]).toEqual([
    1234,
    { low: 0xffff_ffff_0000_0000n, bytes: 16 },
    { name: 'r3', cpu: 1 },
    'register',
  ]);
  expect(after.view.lens).toEqual({ low: 0x8000n, high: 1n << 64n });
  expect([after.cursor.range, after.view.stretch, after.view.folded, after.view.kinds, after.view.disassembly]).toEqual(
    [{ from: 1000, to: 2000 }, { bottom: 0.25, top: 0.5 }, false, ['write', 'read'], false],
  );
  expect(after.watches.saved).toEqual({
    endian: 'big',
    list: [
      { address: '0x1000', bytes: 4, name: 'table', form: 'signed' },
      { register: 'r3', cpu: 1 },
    ],
    chosen: 1,
  });
  expect([after.search.highlights.pins, after.view.columns]).toEqual([
    before.search.highlights.pins,
    before.view.columns,
  ]);
  expect([after.details.opened, after.folds.list]).toEqual([[17, 19], [{ head: 20, from: 21, to: 30 }]]);
  expect([after.calls.centre, after.calls.canGoBack, after.calls.cpu]).toEqual(['0x8000', false, 2]);
  const tree = treeOptions(after.trace);
  expect([tree.heavyPath, tree.upPath, hotSpotsOptions(after.trace).order]).toEqual([
    ['0x8000', '0x8010'],
    [],
    'calls',
  ]);
  before.paneOptions.restore({});
  expect([treeOptions(before.trace).heavyPath, hotSpotsOptions(before.trace).order]).toEqual([[], 'self']);
  expect([after.search.form, after.notes.filter, after.restored]).toEqual([
    before.search.form,
    before.notes.filter,
    [{ closed: ['bytes'] }],
  ]);
  expect(summarise(content, after.trace)).toEqual({
    n: 1234,
    range: { from: 1000, to: 2000 },
    address: '0xffffffff00000000',
    isElsewhere: false,
  });
});

test('a view saved with other decoding options keeps the current record and range', () => {
  const before = open();
  before.cursor.jump(1234, { low: 0x8000n, bytes: 4 });
  before.view.showRecords(1000, 2000);
  before.view.kinds = ['write'];
  const content = captureView(before.trace, before.notes, before.layout);
  const after = open({ ...TARMAC, options: { endian: 'big' } });
  after.cursor.jump(7);
  after.view.showRecords(5, 50);
  expect(showView(content, after.trace, after.notes, after.layout)).toBe('elsewhere');
  expect([after.cursor.n, after.cursor.range, after.cursor.address?.low, after.view.kinds]).toEqual([
    7,
    { from: 5, to: 50 },
    0x8000n,
    ['write'],
  ]);
  expect(summarise(content, after.trace)?.isElsewhere).toBe(true);
});

test('restores a view of the whole trace', () => {
  const { trace, notes, layout, cursor, view } = open();
  const content = captureView(trace, notes, layout);
  cursor.range = { from: 10, to: 500 };
  view.showStretch({ bottom: 0.1, top: 0.2 });
  view.kinds = ['read'];
  expect(showView(content, trace, notes, layout)).toBe('all');
  expect([cursor.range, view.stretch, view.kinds]).toEqual([null, { bottom: 0, top: 1 }, null]);
});

test.each(['', 'no JSON', '[]', 'null', '{}', '{"version":2}'])('%j is no view and changes nothing', (content) => {
  const { trace, notes, layout, cursor, restored } = open();
  cursor.jump(77);
  expect([showView(content, trace, notes, layout), summarise(content, trace), cursor.n, restored]).toEqual([
    'nothing',
    undefined,
    77,
    [],
  ]);
});

test('ignores invalid fields', () => {
  const { trace, layout, cursor, view, search, notes } = open();
  const content = JSON.stringify({
    version: 1,
    n: 1e300,
    address: '0x80; alert(1)',
    range: { from: 5, to: -1 },
    stretch: { bottom: -3, top: 'x' },
    kinds: ['read', '__proto__', 7],
    register: { name: 5 },
    columns: { order: ['address', 'x', 7], shown: { time: 'no', depth: false, x: true }, widths: { address: -1 } },
    pins: [{ form: {}, colour: 'pink' }],
    about: 'register',
    search: { text: 5, kind: 'constructor', register: 'r1' },
    filter: { colour: 'javascript', tag: {} },
  });
  expect(showView(content, trace, notes, layout)).toBe('all');
  expect([cursor.n, cursor.address, cursor.range, cursor.register]).toEqual([0, null, null, null]);
  expect([view.stretch, view.kinds]).toEqual([{ bottom: 0, top: 1 }, ['read']]);
  expect([view.columns, search.highlights.pins]).toEqual([
    { order: ['address'], shown: { depth: false }, widths: {} },
    [],
  ]);
  expect([search.form, notes.filter]).toEqual([{ ...EMPTY_FORM, register: 'r1' }, NO_FILTER]);
});

test('shows the last record if the saved one is beyond the end', () => {
  const { trace, notes, layout, cursor } = open();
  showView(JSON.stringify({ version: 1, n: 4_294_967_296 }), trace, notes, layout);
  expect(cursor.n).toBe(9999);
});

test('a view from a foreign file keeps only the watches that are sound', () => {
  const content = JSON.stringify({
    version: 1,
    watches: { endian: 'middle', list: [{ register: 'r1', address: '0x1' }, { address: '0x10', bytes: 2 }, 7] },
  });
  const { trace, notes, layout, watches } = open();
  showView(content, trace, notes, layout);
  expect(watches.saved).toEqual({ endian: 'little', list: [{ address: '0x10', bytes: 2 }], chosen: 0 });
});

test('keeps in the workbench what a person changes in a pane in its own window, and the other way round', () => {
  const [owner, popup] = [open(), open()];
  const theme = { current: 'dark', toggle: () => undefined } as unknown as ThemeStore;
  const sent: string[] = [];
  // A message is a copy.
  const toPopup = link(owner.trace, theme, (state) => {
    sent.push('to popup');
    toOwner.receive(structuredClone(state));
  });
  const toOwner = link(popup.trace, theme, (state) => {
    sent.push('to owner');
    toPopup.receive(structuredClone(state));
  });
  flushSync();
  hotSpotsOptions(popup.trace).order = 'calls';
  popup.watches.add({ register: 'r3', cpu: 1 });
  popup.view.tracks = [];
  popup.calls.cpu = 1;
  flushSync();
  const kept = captureTraceView(owner.trace, {});
  expect(kept).toMatchObject({
    options: { profile: { order: 'calls' } },
    watches: { list: [{ register: 'r3', cpu: 1 }] },
    tracks: [],
    callsCpu: 1,
  });
  expect(sent).toEqual(['to owner']);

  owner.calls.centreOn('0x8000');
  treeOptions(owner.trace).asTable = true;
  flushSync();
  expect([popup.calls.centre, treeOptions(popup.trace).asTable, hotSpotsOptions(popup.trace).order]).toEqual([
    '0x8000',
    true,
    'calls',
  ]);
  expect(sent).toEqual(['to owner', 'to popup']);
  toPopup.stop();
  toOwner.stop();
});
