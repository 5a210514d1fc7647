import { expect, test } from 'vitest';
import { isKind, KINDS, type RecordView } from '../../shared/records/record.ts';
import { effectsOf, fetchOf, ownerOf } from '../../shared/records/attach.ts';
import { chipsOf, fitChips } from '../../renderer/widgets/effects.ts';
import {
  fitting,
  NO_CHOICE,
  NO_COLUMNS,
  orderOf,
  present,
  template,
  widen,
  withMoved,
  withShown,
  withWidth,
} from '../../renderer/widgets/record-columns.ts';
import { occurring, stacked } from '../../present/base/kinds.ts';
import { layOut, rowWidth, type HexRecord } from '../../renderer/widgets/hex.ts';
import { createRowFacts } from '../../renderer/features/instructions/row-facts.ts';
import type { Trace } from '../../renderer/trace/trace.svelte.ts';
import { markAt, placeMarks } from '../../renderer/features/heatmap/marks.ts';
import { foldedAxis, trueAxis } from '../../present/base/axis.ts';
import { addressLabels } from '../../present/heat/address-labels.ts';
import { PANES } from '../../renderer/features/index.ts';
import { createCommands } from '../../renderer/shell/commands.ts';
import { keyOf, matchesKey } from '../../renderer/workbench/keys.ts';
import { matchingCommands } from '../../renderer/dialogs/palette-matches.ts';

const press = (key: string, held: Partial<Record<'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey', boolean>> = {}) => ({
  key,
  ctrlKey: false,
  altKey: false,
  shiftKey: false,
  metaKey: false,
  ...held,
});

test('command keys match exactly the pressed keys', () => {
  expect(matchesKey('Ctrl+Shift+P', press('P', { ctrlKey: true, shiftKey: true }))).toBe(true);
  expect(matchesKey('Ctrl+Shift+P', press('p', { ctrlKey: true }))).toBe(false);
  expect(matchesKey('Ctrl+O', press('o', { metaKey: true }))).toBe(true);
  expect(matchesKey('x', press('x'))).toBe(true);
  expect(matchesKey('x', press('X', { shiftKey: true }))).toBe(false);
  expect(matchesKey('Shift+X', press('X', { shiftKey: true }))).toBe(true);
  expect(matchesKey('?', press('?', { shiftKey: true }))).toBe(true);
  expect(matchesKey('+ =', press('='))).toBe(true);
  expect(matchesKey('+ =', press('+', { shiftKey: true }))).toBe(true);
  expect(matchesKey('Alt+Left', press('ArrowLeft', { altKey: true }))).toBe(true);
  expect(matchesKey('Down', press('ArrowDown', { altKey: true }))).toBe(false);
});

test('keys that type a character can be switched off', () => {
  expect(matchesKey('Down j', press('j'))).toBe(true);
  expect(matchesKey('Down j', press('j'), false)).toBe(false);
  expect(matchesKey('Down j', press('ArrowDown'), false)).toBe(true);
  expect(matchesKey('Shift+W', press('W', { shiftKey: true }), false)).toBe(false);
  expect(matchesKey('Ctrl+F /', press('f', { ctrlKey: true }), false)).toBe(true);
  expect(matchesKey('F3', press('F3'), false)).toBe(true);
});

test('a press becomes a key that matches it', () => {
  const presses = [
    press('q'),
    press('Q', { shiftKey: true }),
    press('+', { shiftKey: true }),
    press('?', { shiftKey: true }),
    press('k', { metaKey: true }),
    press('ArrowLeft', { altKey: true, shiftKey: true }),
    press('F7', { shiftKey: true }),
    press(' ', { ctrlKey: true }),
  ];
  const keys = presses.map((one) => keyOf(one));
  expect(keys).toEqual(['q', 'Shift+Q', '+', '?', 'Ctrl+K', 'Alt+Shift+Left', 'Shift+F7', 'Ctrl+Space']);
  expect(presses.every((one, at) => matchesKey(keys[at] ?? '', one))).toBe(true);
});

test('modifiers alone, and keys that lists and menus need, are no keys of commands', () => {
  const presses = [
    press('Shift', { shiftKey: true }),
    press('Tab'),
    press('Enter'),
    press(' '),
    press('F10', { shiftKey: true }),
  ];
  expect(presses.map((one) => keyOf(one))).toEqual([undefined, undefined, undefined, undefined, undefined]);
});

test('no two commands share a key', () => {
  const { list } = createCommands({ shell: { keys: {}, layouts: {} } } as never, PANES);
  const keys = list.flatMap(({ key }) => key?.split(' ') ?? []);
  expect(keys.length).toBe(new Set(keys).size);
});

test.each([
  ['elf', 'Program images…'],
  ['theme', 'Switch between dark and light'],
  ['flame', 'Call tree'],
  ['csv', 'Search'],
  ['loop', 'Branches'],
  ['svg', 'Export figure…'],
  ['pdf', 'Report'],
  ['backtrace', 'Stack'],
  ['last store', 'Who wrote this'],
  ['slice', 'Why this value'],
  ['taint', 'Why this value'],
])('the palette finds %s as %s', (typed, title) => {
  expect(
    matchingCommands(createCommands({ shell: { keys: {}, layouts: {} } } as never, PANES).list, typed)[0]?.title,
  ).toBe(title);
});

test('the palette puts titles before synonyms', () => {
  const titles = matchingCommands(createCommands({ shell: { keys: {}, layouts: {} } } as never, PANES).list, 'hex').map(
    (command) => command.title,
  );
  expect(titles).toEqual(expect.arrayContaining(['Program images…', 'Memory', 'Bytes']));
  expect(
    matchingCommands(createCommands({ shell: { keys: {}, layouts: {} } } as never, PANES).list, 'reg')[0]?.title,
  ).toBe('Registers');
});

test('every kind of record can be counted and stacked', () => {
  const counts = Object.fromEntries(KINDS.map((kind, index) => [kind, index + 1]));
  expect(occurring(counts).map(({ kind }) => kind)).toEqual([...KINDS].reverse());
  expect(occurring({ read: 0, write: 3 })).toEqual([{ kind: 'write', count: 3 }]);
  expect([...stacked(KINDS)].sort()).toEqual([...KINDS].sort());
  expect(stacked(['other', 'write', 'instruction', 'read'])).toEqual(['instruction', 'read', 'write', 'other']);
});

/** Records of these kinds on cpu 0: `1 read` is on cpu 1, `register <` reports a value before the instruction above it. */
function recordsAt(...looks: readonly string[]) {
  const records = looks.map((look, n): RecordView => {
    const [, cpu, kind = '', before] = /^(\d )?(\S+)( <)?$/.exec(look) ?? [];
    if (!isKind(kind)) throw new Error(look);
    const flags = before ? { flags: ['before-instruction'] } : {};
    return { n, offset: n, bytes: 1, kind, native: kind, cpu: Number(cpu ?? 0), ...flags };
  });
  return (n: number) => records[n];
}

test('assigns reads, writes and registers to the instruction above, and other records to none', () => {
  const at = recordsAt('read', 'instruction', 'read', 'register', 'other', 'write', 'skipped', 'register');
  expect([0, 1, 2, 3, 4, 5, 6, 7].map((n) => ownerOf(n, at))).toEqual([
    undefined,
    undefined,
    1,
    1,
    undefined,
    undefined,
    undefined,
    6,
  ]);
  expect(ownerOf(1000, (n) => ({ ...at(0)!, n, kind: n === 0 ? 'instruction' : 'read' }))).toBe(undefined);
});

test("assigns effects to their cpu's instruction, and registers of the preceding instruction to that one", () => {
  const at = recordsAt(
    'instruction',
    '1 instruction',
    'register',
    '1 write',
    'read',
    'instruction',
    'register <',
    'write',
    'exception',
    'register',
  );
  expect([0, 1, 5, 8].map((n) => effectsOf(n, at).map((effect) => effect.n))).toEqual([[2, 4, 6], [3], [7], []]);
  expect([3, 6, 7, 9].map((n) => ownerOf(n, at))).toEqual([1, 0, 5, undefined]);
});

test('assigns the fetch of an opcode to the instruction, and what the bus repeats', () => {
  const records: readonly RecordView[] = [
    ['fetch', '0x8000', 4],
    ['instruction', '0x8000', 4],
    ['write', '0x100', 4],
    ['bus-write', '0x100', 4],
    ['register', undefined, undefined],
    // The processor fetched two more words before the next instruction, and executed only one of them.
    ['fetch', '0x8004', 4],
    ['fetch', '0x8008', 4],
    ['instruction', '0x8004', 2],
    // Both halves of the word are instructions: the fetch belongs to neither here, because another one is between.
    ['fetch', '0x8008', 4],
    ['instruction', '0x800a', 2],
  ].map(([kind, address, size], n) => ({ n, offset: n, bytes: 1, native: '', kind, address, size }) as RecordView);
  const at = (n: number) => records[n];
  expect(records.map(({ n }) => ownerOf(n, at))).toEqual([
    1,
    undefined,
    1,
    1,
    1,
    7,
    undefined,
    undefined,
    9,
    undefined,
  ]);
  expect([1, 7, 9].map((n) => fetchOf(n, at))).toEqual([0, 5, 8]);
  expect(effectsOf(1, at).map(({ n }) => n)).toEqual([2, 3, 4]);
  expect(chipsOf(effectsOf(1, at)).map(({ n }) => n)).toEqual([2]);
});

test('shows effects in a few characters, and a loaded value once', () => {
  const base = { n: 7, offset: 0, bytes: 1, native: '' };
  const chips = chipsOf([
    { ...base, kind: 'register', register: 'r3', value: '0x10' },
    { ...base, kind: 'write', address: '0x8000', size: 4, value: '0x5', symbol: 'table' },
    { ...base, kind: 'read', address: '0x8004', size: 4 },
    { ...base, kind: 'read', address: '0x8008', size: 4, value: '0x7' },
    { ...base, kind: 'register', register: 'r5', value: '0x8' },
    { ...base, kind: 'register', register: 'r4', value: '0x7' },
  ]);
  const texts = ['r3=0x10', '[0x8000]←0x5', '[0x8004]→?', '[0x8008]→0x7', 'r4=0x7', 'r5=0x8'];
  expect(chips.map(({ text }) => text)).toEqual(texts);
  const fitted = (room: number): readonly [string, number] => {
    const { shown, left } = fitChips(chips, room);
    return [shown.map(({ text }) => text).join(' '), left];
  };
  expect(fitted(200)).toEqual(['r3=0x10 [0x8000 table]←0x5 [0x8004]→? [0x8008]→ r4=0x7 r5=0x8', 0]);
  // 7 + 12 + 10 + 9 + 6 + 6 characters of 0.92, and six spaces of 1.9, are 57.4.
  expect(fitted(58)).toEqual(['r3=0x10 [0x8000]←0x5 [0x8004]→? [0x8008]→ r4=0x7 r5=0x8', 0]);
  // The first three are 32.4 wide, the fourth 12.9 because it has to show its value, and the number of those left out 3.
  expect(fitted(49)).toEqual(['r3=0x10 [0x8000]←0x5 [0x8004]→? [0x8008]→0x7', 2]);
  expect(fitted(48)).toEqual(['r3=0x10 [0x8000]←0x5 [0x8004]→?', 3]);
  expect(fitted(5)).toEqual(['', 6]);
});

test('adds columns with the first record that needs them and never shrinks them', () => {
  const bare = widen(
    NO_COLUMNS,
    [{ n: 0, offset: 0, bytes: 6, kind: 'read', native: 'D_READ', address: '0x8' }],
    1_000_000,
  );
  expect(bare).toEqual({ ...NO_COLUMNS, number: 7, address: 10, native: 6 });
  const timed = widen(
    bare,
    [{ n: 1, offset: 6, bytes: 6, kind: 'other', native: 'X', time: 1234567, cpu: 2 }],
    1_000_000,
  );
  expect(timed).toEqual({ ...bare, time: 9, cpu: 3 });
  expect(widen(timed, [], 10)).toEqual(timed);
  const named = (symbol: string) =>
    widen(bare, [{ n: 2, offset: 12, bytes: 6, kind: 'instruction', native: 'IT', symbol }], 1_000_000).symbol;
  expect([named('f'), named('quicksort+0x10'), named('a_name_that_is_much_too_long_for_a_list')]).toEqual([8, 14, 39]);
  expect(widen(bare, [], 10, { depths: [2, 12_345], text: 300 })).toEqual({ ...bare, depth: 6, text: 50 });
  expect(template(bare)).toBe('9.5ch 11.5ch 9.5ch minmax(0, 1fr)');
  expect(template({ ...bare, symbol: 20 })).toBe('9.5ch 11.5ch minmax(13.5ch, 21.5ch) 9.5ch minmax(26ch, 1fr)');
});

test('in a narrow list, drops opcodes first, then times, then symbols to keep room for the text', () => {
  const all = { ...NO_COLUMNS, number: 7, time: 7, address: 10, symbol: 20, native: 6, opcode: 8 };
  const shown = (width: number): string => {
    const { time, symbol, opcode } = fitting(all, width);
    return `${time > 0 ? 'time ' : ''}${symbol > 0 ? 'symbol ' : ''}${opcode > 0 ? 'opcode' : ''}`.trim();
  };
  // 9.5 + 8.5 + 11.5 + 13.5 + 9.5 + 9.5 characters and 26 of text are 88: 665 pixels at 7.25 each, with 27 pixels of padding.
  expect([0, 2000, 665, 664, 597, 587, 537, 527, 437, 300].map(shown)).toEqual([
    'time symbol opcode',
    'time symbol opcode',
    'time symbol opcode',
    'time symbol',
    'time symbol',
    'symbol',
    'symbol',
    '',
    '',
    '',
  ]);
  expect(fitting({ ...all, symbol: 0 }, 2000)).toEqual({ ...all, symbol: 0 });
  // 708 pixels are 5.9 characters above the minimum; half of them go to symbols.
  expect([665, 708, 797, 2000].map((width) => fitting(all, width).symbol)).toEqual([12, 14, 20, 20]);
});

test('symbols of branch messages share the room with the longest native name', () => {
  const message = { n: 0, offset: 0, bytes: 4, kind: 'branch', native: 'CHECKPOINTED_INDIRECT' } as const;
  const ran = [{ address: '0x8444', symbol: 'partition.constprop.0+0x44' }];
  const needed = widen(NO_COLUMNS, [message], 1000, { ran });
  expect(needed).toEqual({ ...NO_COLUMNS, address: 10, symbol: 26, native: 21 });
  // 8.5 + 11.5 + 13.5 + 13.5 characters and 26 of text are 73: 760 pixels have 28 more, and 608 have 7.
  expect(fitting(needed, 760)).toEqual({ ...needed, native: 21 });
  expect(fitting(needed, 733)).toEqual({ ...needed, symbol: 24, native: 21 });
  expect(fitting(needed, 608)).toEqual({ ...needed, symbol: 15, native: 14 });
  expect(fitting(needed, 2000)).toEqual(needed);
});

test('a person hides, shows, moves and resizes columns', () => {
  const needed = { ...NO_COLUMNS, time: 7, address: 10, opcode: 8 };
  const names = (choice = NO_CHOICE, width = 2000): string =>
    present(fitting(needed, width, choice), orderOf(choice)).join(' ');
  expect([names(), names(NO_CHOICE, 450)]).toEqual([
    'number time address native opcode text',
    'number address native text',
  ]);
  // A column that a person wants stays, however narrow the list is.
  expect(names(withShown(NO_CHOICE, 'time', true), 300)).toBe('number time address text');
  expect(names(withShown(withShown(NO_CHOICE, 'address', false), 'text', false))).toBe(
    'number time native opcode text',
  );
  const moved = withMoved(NO_CHOICE, 'opcode', -1, ['number', 'address', 'opcode', 'text']) ?? NO_CHOICE;
  expect(names(moved)).toBe('number time opcode address native text');
  expect(withMoved(NO_CHOICE, 'text', 1, ['number', 'text'])).toBe(undefined);
  expect(fitting(needed, 2000, withWidth(NO_CHOICE, 'time', 12.4)).time).toBe(12);
  expect(fitting(needed, 2000, withWidth(NO_CHOICE, 'time', -3)).time).toBe(2);
  expect(orderOf({ ...NO_CHOICE, order: ['text', 'unknown', 'text'] })[0]).toBe('text');
});

const unit = (n: number): HexRecord => ({
  n,
  offset: n * 6,
  bytes: 6,
  native: 'D_READ',
  fields: [
    { name: 'address', start: 0, end: 4, text: '' },
    { name: 'control', start: 5, end: 6, text: '' },
  ],
});

test('rows of bytes contain whole records if all have the same short length', () => {
  expect(rowWidth([unit(0), unit(1)], 17)).toBe(12);
  expect(rowWidth([unit(0), { ...unit(1), bytes: 5 }], 17)).toBe(16);
  expect(rowWidth([], 15)).toBe(8);
});

test('maps every byte to its record and field, and gaps to none', () => {
  const rows = layOut(4, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), [unit(0), unit(2)], 6);
  expect(rows.map(({ offset }) => offset)).toEqual([4, 10]);
  expect(rows.flatMap(({ bytes }) => bytes.map(({ record, field }) => `${record?.n ?? '-'}/${field}`)).join(' ')).toBe(
    '0/-1 0/1 -/-1 -/-1 -/-1 -/-1 -/-1 -/-1 2/0 2/0 2/0 2/0',
  );
});

test('places marks at their record and address, and finds them within reach', () => {
  const axis = trueAxis([{ low: 0n, high: 100n }]);
  const marks = [
    { n: 5, kind: 'read' as const, low: 0n, bytes: 10 },
    { n: 7, kind: 'write' as const, low: 90n, bytes: 10 },
    { n: 30, kind: 'write' as const, low: 90n, bytes: 10 },
  ];
  const boxes = placeMarks(marks, axis, { from: 0, to: 10, bottom: 0, top: 1 }, 100, 100);
  expect(boxes.map(({ mark, y, height }) => [mark.n, Math.round(y), Math.round(height)])).toEqual([
    [5, 90, 10],
    [7, 0, 10],
  ]);
  expect(markAt(boxes, 55, 95)?.mark.n).toBe(5);
  expect(markAt(boxes, 82, 12)?.mark.n).toBe(7);
  expect(markAt(boxes, 10, 50)).toBeUndefined();
});

test('the edges of a heatmap cut neither marks nor labels, and no labels overlap there', () => {
  const axis = trueAxis([{ low: 0n, high: 100n }]);
  const marks = [0n, 99n].map((low, n) => ({ n, kind: 'read' as const, low, bytes: 1 }));
  // Addresses are one pixel high, and marks four.
  const boxes = placeMarks(marks, axis, { from: 0, to: 2, bottom: 0, top: 1 }, 100, 100);
  expect(boxes.map(({ y, height }) => [y, height])).toEqual([
    [96, 4],
    [0, 4],
  ]);

  const bands = foldedAxis([
    { low: 0n, high: 16n },
    { low: 0x1000n, high: 0x1100n },
  ]);
  for (let height = 40; height < 400; height += 1) {
    const drawnAt = (y: number): number => Math.min(height - 7, Math.max(7, y));
    const labels = addressLabels(bands, { bottom: 0, top: 1 }, (at) => height * (1 - at), drawnAt);
    const places = labels.map(({ y }) => drawnAt(y)).sort((one, other) => one - other);
    expect(places.every((place, at) => at === 0 || place - places[at - 1]! >= 13)).toBe(true);
  }
});

test('rows of records with an unknown call depth have no depth', () => {
  const rows = { at: (n: number): RecordView => ({ n, offset: n, bytes: 1, kind: 'other', native: '' }) };
  const depths = { of: (n: number) => (n < 5 ? undefined : 0), walk: { value: true } };
  const { depthOf } = createRowFacts({ rows, depths } as unknown as Trace);
  expect([4, 5].map(depthOf)).toEqual([undefined, 0]);
});
