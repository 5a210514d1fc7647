/** Context menus: which items the facts about a thing give, what they run, and tables as CSV. */
import { expect, test } from 'vitest';
import { PANES } from '../../renderer/features/index.ts';
import { createCommands } from '../../renderer/shell/commands.ts';
import { itemsFor } from '../../renderer/workbench/context/actions.ts';
import { placeOf, recordFacts, type Facts } from '../../renderer/workbench/context/facts.ts';
import { listTable } from '../../renderer/workbench/context/record-table.ts';
import { rowCsv, tableCsv } from '../../renderer/widgets/table.ts';
import { RECORD_KEYS, type RecordView } from '../../shared/records/record.ts';
import { playEngine } from './played-engine.ts';

function play() {
  const played = playEngine();
  const { trace } = played;
  const shown: string[] = [];
  const workbench = { active: trace, say: trace.say };
  const layout = { open: () => undefined };
  const shell = { keys: {}, layouts: {}, focus: (pane: string) => shown.push(pane) };
  const app = { workbench, layout, shell, theme: {}, show: (pane: string) => shown.push(pane) };
  const commands = createCommands(app as never, PANES);
  const whole = { ...app, run: commands.run, command: commands.command, openMenu: () => undefined };
  const items = (facts: Facts) => itemsFor(whole as never, trace, facts);
  const item = (facts: Facts, title: string) => items(facts).find((one) => one.title === title);
  return { ...played, shown, items, item };
}

const WRITE: RecordView = {
  n: 7,
  offset: 70,
  bytes: 10,
  kind: 'write',
  native: 'MW4',
  address: '0x1000',
  size: 4,
  value: '0x5',
};

test('a record has the commands that apply, with their keys, in groups', () => {
  const { items } = play();
  const list = items(recordFacts(7, WRITE));
  expect(
    list.map(({ title, key = '', begins }) => `${begins === true ? '- ' : ''}${title}${key && ` (${key})`}`),
  ).toEqual([
    'Go there',
    '- Why this value (y)',
    'Where this value went (Alt+Y)',
    'Why this was reached (h)',
    'Who wrote this (Shift+W)',
    'Next read (r)',
    'Next write (w)',
    'Previous access (Shift+X)',
    'Next access (x)',
    'Watch (a)',
    '- Show callers and callees (e)',
    '- Bookmark here (b)',
    'Note here… (n)',
    '- Show as a track',
    'Search for these addresses',
    'Search for this value',
    '- Copy address',
    'Copy value',
  ]);
});

test('an access command is about the thing, not about the cursor', () => {
  const { trace, of, item } = play();
  trace.cursor.jump(500, { low: 0x8000n, bytes: 2 });
  item(recordFacts(7, WRITE), 'Who wrote this')?.run();
  expect(of('access')[0]?.args).toEqual({
    trace: 't1',
    way: 'last-write',
    at: 6,
    address: { low: '0x1000', high: '0x1003' },
  });
  expect(trace.cursor.n).toBe(7);
  trace.cursor.back();
  expect(trace.cursor.n).toBe(500);
});

test('items that cannot run say why', () => {
  const { trace, item } = play();
  const facts = { name: 'r1', register: { name: 'r1', cpu: 2 } };
  expect(item(facts, 'Next read')?.refusal).toBe('The trace records writes of r1 of CPU 2, but not reads.');
  expect(item(facts, 'Next write')?.refusal).toBeNull();
  trace.cursor.jump(7);
  expect(item(recordFacts(7, WRITE), 'Go there')?.refusal).toBe('The cursor is at this record.');
  const { from, to } = trace.shown;
  const zoom = (range: { from: number; to: number }) => item({ name: 'range', range }, 'Zoom to these records');
  expect(zoom({ from, to })?.refusal).toBe('The charts show no other records.');
  expect(zoom({ from, to: to - 1 })?.refusal).toBeNull();
});

test('a search for a value fills in the form and lists the matches', () => {
  const { trace, of, shown, item } = play();
  item(recordFacts(7, WRITE), 'Search for this value')?.run();
  expect([trace.search.form.value, shown]).toEqual(['0x5', ['search']]);
  expect(of('findAll')[0]?.args).toMatchObject({ value: '0x5' });
  item({ name: 'bytes', address: { low: 0x1000n, bytes: 16 } }, 'Search for these addresses')?.run();
  expect([trace.search.form.value, trace.search.form.address]).toEqual(['', '0x1000+16']);
});

test('a note is about the thing: its record, or its range and addresses', () => {
  const { trace } = play();
  trace.cursor.jump(500);
  expect(placeOf(trace, recordFacts(7, WRITE))).toEqual({ n: 7, address: '0x1000', length: 4 });
  const address = { low: 0x2000n, bytes: 1 };
  expect(placeOf(trace, { name: 'cell', range: { from: 10.5, to: 20 }, address })).toEqual({
    n: 10,
    to: 20,
    address: '0x2000',
  });
  expect(placeOf(trace, { name: 'byte', address })).toEqual({ n: 500, address: '0x2000' });
});

test('one of several registers that a record sets has its own value', () => {
  const record: RecordView = {
    n: 3,
    offset: 0,
    bytes: 4,
    kind: 'register',
    native: 'R',
    register: 'r0',
    value: '0x1',
    registers: [
      ['r0', '0x1'],
      ['r1', '0x2'],
    ],
  };
  expect(recordFacts(3, record, 'r1')).toEqual({ name: 'Record 3', record: 3, register: { name: 'r1' }, value: '0x2' });
});

test('a table as CSV neutralises formulas, quotes separators and keeps numbers', async () => {
  const rows = [
    ["=cmd|'x'!A0", -5],
    ['+1', 'a,b'],
    ['@sum', 'say "so"'],
    ['-x', 'line\nend'],
    [undefined, 10n],
  ];
  const table = { name: 'test', head: ['a', 'b'], count: rows.length, row: (index: number) => rows[index] ?? [] };
  expect(await tableCsv(table)).toBe(
    ['a,b', "'=cmd|'x'!A0,-5", '+1,"a,b"', '\'@sum,"say ""so"""', "'-x,line[U+000A]end", ',10', ''].join('\n'),
  );
  expect(rowCsv(table, 2)).toBe('a,b\n\'@sum,"say ""so"""\n');
});

test('matches that the page does not hold are fetched for their table, in parts', async () => {
  const { trace, of } = play();
  const numbers = Float64Array.from({ length: 1500 }, (_, index) => 2 * index);
  const csv = tableCsv(listTable(trace, numbers, () => undefined));
  const answer = async (part: number): Promise<void> => {
    const request = of('recordsAt')[part];
    const { numbers: wanted } = request?.args as { numbers: readonly number[] };
    await request?.answer({ records: wanted.map((n) => ({ ...WRITE, n })) });
  };
  await answer(0);
  await answer(1);
  const lines = (await csv)?.split('\n') ?? [];
  expect([lines.length, lines[0], lines[1500]?.split(',')[0]]).toEqual([1502, RECORD_KEYS.join(','), '2998']);
});
