import { expect, test } from 'vitest';
import { isKind, KINDS, type RecordView } from '../../shared/records/record.ts';
import { effectsOf, ownerOf } from '../../renderer/features/instructions/attach.ts';
import { chipsOf } from '../../renderer/widgets/effects.ts';
import { fitting, NO_COLUMNS, template, widen } from '../../renderer/widgets/record-columns.ts';
import { occurring, stacked } from '../../present/base/kinds.ts';
import { layOut, rowWidth, type HexRecord } from '../../renderer/widgets/hex.ts';
import { markAt, placeMarks } from '../../renderer/features/heatmap/marks.ts';
import { trueAxis } from '../../present/base/axis.ts';
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

test('shows effects in a few characters', () => {
  const base = { n: 7, offset: 0, bytes: 1, native: '' };
  expect(
    [
      { ...base, kind: 'register', register: 'r3', value: '0x10' } as const,
      { ...base, kind: 'write', address: '0x8000', size: 4, value: '0x5' } as const,
      { ...base, kind: 'read', address: '0x8004', size: 4 } as const,
    ]
      .flatMap(chipsOf)
      .map(({ text }) => text),
  ).toEqual(['r3=0x10', '[0x8000]←0x5', '[0x8004]→?']);
});

test('adds columns with the first record that needs them and never shrinks them', () => {
  const bare = widen(
    NO_COLUMNS,
    [{ n: 0, offset: 0, bytes: 6, kind: 'read', native: 'D_READ', address: '0x8' }],
    1_000_000,
  );
  expect(bare).toEqual({ number: 7, time: 0, cpu: 0, address: 10, symbol: 0, native: 6, opcode: 0 });
  const timed = widen(
    bare,
    [{ n: 1, offset: 6, bytes: 6, kind: 'other', native: 'X', time: 1234567, cpu: 2 }],
    1_000_000,
  );
  expect(timed).toEqual({ number: 7, time: 9, cpu: 3, address: 10, symbol: 0, native: 6, opcode: 0 });
  expect(widen(timed, [], 10)).toEqual(timed);
  const named = (symbol: string) =>
    widen(bare, [{ n: 2, offset: 12, bytes: 6, kind: 'instruction', native: 'IT', symbol }], 1_000_000).symbol;
  expect([named('f'), named('quicksort+0x10'), named('a_name_that_is_much_too_long_for_a_list')]).toEqual([8, 14, 39]);
  expect(template(bare)).toBe('8.5ch 11.5ch 9.5ch minmax(0, 1fr)');
  expect(template({ ...bare, symbol: 20 })).toBe('8.5ch 11.5ch minmax(13.5ch, 21.5ch) 9.5ch minmax(26ch, 1fr)');
});

test('in a narrow list, drops opcodes first, then times, then symbols to keep room for the text', () => {
  const all = { number: 7, time: 7, cpu: 0, address: 10, symbol: 20, native: 6, opcode: 8 };
  const shown = (width: number): string => {
    const { time, symbol, opcode } = fitting(all, width);
    return `${time > 0 ? 'time ' : ''}${symbol > 0 ? 'symbol ' : ''}${opcode > 0 ? 'opcode' : ''}`.trim();
  };
  // 8.5 + 8.5 + 11.5 + 13.5 + 9.5 + 9.5 characters and 26 of text are 87: 658 pixels at 7.25 each, with 27 pixels of padding.
  expect([0, 2000, 658, 657, 590, 580, 530, 520, 430, 300].map(shown)).toEqual([
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
  // 700 pixels are 5.8 characters above the minimum; half of them go to symbols.
  expect([658, 700, 789, 2000].map((width) => fitting(all, width).symbol)).toEqual([12, 14, 20, 20]);
});

test('symbols of branch messages share the room with the longest native name', () => {
  const message = { n: 0, offset: 0, bytes: 4, kind: 'branch', native: 'CHECKPOINTED_INDIRECT' } as const;
  const ran = [{ address: '0x8444', symbol: 'partition.constprop.0+0x44' }];
  const needed = widen(NO_COLUMNS, [message], 1000, ran);
  expect(needed).toEqual({ number: 6, time: 0, cpu: 0, address: 10, symbol: 26, native: 21, opcode: 0 });
  // 7.5 + 11.5 + 13.5 + 13.5 characters and 26 of text are 72: 752 pixels have 28 more, and 600 have 7.
  expect(fitting(needed, 752)).toEqual({ ...needed, native: 21 });
  expect(fitting(needed, 725)).toEqual({ ...needed, symbol: 24, native: 21 });
  expect(fitting(needed, 600)).toEqual({ ...needed, symbol: 15, native: 14 });
  expect(fitting(needed, 2000)).toEqual(needed);
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
