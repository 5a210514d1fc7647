/** A saved view restores position and display; a view from a foreign file can do no more than that. */
import { expect, test } from 'vitest';
import { createCursor } from '../../renderer/trace/cursor.svelte.ts';
import type { Layout } from '../../renderer/workbench/layout.svelte.ts';
import { EMPTY_FORM } from '../../renderer/trace/search/criteria.ts';
import { NO_FILTER } from '../../renderer/features/notes/note-filter.ts';
import { captureView, showView, summarise } from '../../renderer/features/notes/saved-view.ts';
import type { Trace } from '../../renderer/trace/trace.svelte.ts';
import type { FormatFacts } from '../../shared/requests/trace.ts';
import { createView } from '../../renderer/trace/view.svelte.ts';

const TARMAC: Format = { id: 'tarmac', dialect: 'qemu4v', options: { endian: 'little' } };
type Format = Pick<FormatFacts, 'id' | 'dialect' | 'options'>;

function open(format: Format = TARMAC) {
  const cursor = createCursor();
  const view = createView(cursor, () => 10_000);
  const search = { form: EMPTY_FORM };
  const notes = { filter: NO_FILTER };
  const restored: unknown[] = [];
  const layout = { saved: { closed: ['bytes'] }, restore: (saved: unknown) => restored.push(saved) };
  return {
    cursor,
    view,
    search,
    notes,
    restored,
    layout: layout as unknown as Layout,
    trace: { cursor, view, search, last: 9999, opened: { format } } as unknown as Trace,
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
  before.notes.filter = { text: 'x', tag: 'bug', colour: 'red' };
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
    about: 'register',
    search: { text: 5, kind: 'constructor', register: 'r1' },
    filter: { colour: 'javascript', tag: {} },
  });
  expect(showView(content, trace, notes, layout)).toBe('all');
  expect([cursor.n, cursor.address, cursor.range, cursor.register]).toEqual([0, null, null, null]);
  expect([view.stretch, view.kinds]).toEqual([{ bottom: 0, top: 1 }, ['read']]);
  expect([search.form, notes.filter]).toEqual([{ ...EMPTY_FORM, register: 'r1' }, NO_FILTER]);
});

test('shows the last record if the saved one is beyond the end', () => {
  const { trace, notes, layout, cursor } = open();
  showView(JSON.stringify({ version: 1, n: 4_294_967_296 }), trace, notes, layout);
  expect(cursor.n).toBe(9999);
});
