// The access search, against an engine controlled by the test.
import { expect, test } from 'vitest';
import type { Kind, RecordView } from '../../shared/records/record.ts';
import type { RegisterValue } from '../../shared/records/registers.ts';
import { flagsOf, groupRegisters } from '../../renderer/widgets/register-words.ts';
import { createAccesses, MEMORY_LINES } from '../../renderer/trace/access/accesses.svelte.ts';
import { changeText, accessText } from '../../renderer/trace/access/access-search.svelte.ts';
import { playEngine, WHOLE as reach } from './played-engine.ts';

/** The cursor is at record 500 and two bytes are chosen. */
function play() {
  const played = playEngine();
  played.trace.cursor.jump(500, { low: 0x8000n, bytes: 2 });
  return played;
}

function record(n: number, kind: Kind = 'write'): RecordView {
  return { n, offset: n, bytes: 10, kind, native: 'MW2', address: '0x8000', size: 2 };
}

test('finds the last write before the cursor, goes there and shows the change', async () => {
  const { trace, of } = play();
  const asking = trace.accessSearch.find('last-write');
  expect(of('access')[0]?.args).toEqual({
    trace: 't1',
    way: 'last-write',
    at: 499,
    address: { low: '0x8000', high: '0x8001' },
  });
  await of('find')[0]?.answer({ records: [], reach });
  await of('access')[0]?.answer({ record: record(63), before: '00??', after: '0067', reach });
  expect((await asking)?.n).toBe(63);
  expect([trace.cursor.n, trace.cursor.canGoBack]).toEqual([63, true]);
  const { answer } = trace.accessSearch;
  expect(answer && [accessText(answer), changeText(answer)]).toEqual([
    '0x8000 (2 bytes) last written',
    '00 ?? → 00 67',
  ]);
  trace.cursor.step(64);
  expect(trace.accessSearch.answer).toBeNull();
});

test('counts execution at an address as an access, and goes to the nearer of both', async () => {
  for (const [memory, other, expected] of [
    [700, 650, 650],
    [620, 650, 620],
    [null, 650, 650],
  ] as const) {
    const { trace, of } = play();
    const asking = trace.accessSearch.find('next-access');
    await of('find')[0]?.answer({ records: [record(other, 'instruction')], reach });
    await of('access')[0]?.answer({ record: memory === null ? null : record(memory), reach });
    expect((await asking)?.n).toBe(expected);
  }
});

test('the latest request wins, and the one before is cancelled', async () => {
  const { trace, of } = play();
  const first = trace.accessSearch.find('next-read');
  const second = trace.accessSearch.find('next-write');
  expect(of('access').map(({ signal }) => signal?.aborted)).toEqual([true, false]);
  for (const { answer } of of('find')) await answer({ records: [], reach });
  await of('access')[0]?.answer({ record: record(900), reach });
  expect([await first, trace.cursor.n]).toEqual([undefined, 500]);
  await of('access')[1]?.answer({ record: record(600), reach });
  await second;
  expect(trace.cursor.n).toBe(600);
});

test('explains why no access was found or searched', async () => {
  const { trace, announced, of } = play();
  const none = trace.accessSearch.find('next-write');
  await of('find')[0]?.answer({ records: [], reach });
  await of('access')[0]?.answer({ record: null, reach: { ...reach, complete: false } });
  await none;
  trace.cursor.setRegister({ name: 'r3', cpu: 1 });
  await trace.accessSearch.find('next-read');
  trace.cursor.setAddress(null);
  await trace.accessSearch.find('next-read');
  expect(announced).toEqual([
    'There is no later write to 0x8000 (2 bytes) in the indexed part.',
    'The trace records writes of r3 of CPU 1, but not reads.',
    'Choose an address or a register first: click a row, a byte or a register, or go to an address.',
  ]);
});

test('asks about a chosen register until an address is chosen, and going back restores it', async () => {
  const { trace, of } = play();
  trace.cursor.setRegister({ name: 'r3', cpu: 0 });
  const asking = trace.accessSearch.find('last-write');
  expect(of('access')[0]?.args).toEqual({ trace: 't1', way: 'last-write', at: 499, register: 'r3', cpu: 0 });
  await of('access')[0]?.answer({ record: record(11, 'register'), after: '0x7', reach });
  await asking;
  const { answer } = trace.accessSearch;
  expect(answer && [accessText(answer), changeText(answer)]).toEqual(['r3 last set', '? → 0x7']);
  trace.cursor.jump(20, { low: 0x10n, bytes: 1 });
  expect([trace.cursor.register?.name, trace.accessSearch.subject?.kind]).toEqual(['r3', 'memory']);
  trace.cursor.back();
  expect(trace.accessSearch.subject).toEqual({ kind: 'register', register: { name: 'r3', cpu: 0 } });
});

test('finds the accesses around a byte one after another and drops those of an older choice', async () => {
  const { trace, of } = play();
  const accesses = createAccesses(trace, MEMORY_LINES);
  const key = (low: bigint, complete = true) => ({
    subject: { kind: 'memory' as const, span: { low, bytes: 1 } },
    at: 500,
    complete,
  });
  accesses.ask(key(1n));
  accesses.ask(key(2n));
  expect(of('access').map(({ signal }) => signal?.aborted)).toEqual([true, false]);
  for (const { answer } of of('find')) await answer({ records: [], reach });
  await of('access')[0]?.answer({ record: record(1), reach });
  await of('access')[1]?.answer({ record: record(2), reach });
  const [written, previous] = MEMORY_LINES;
  expect([accesses.find(key(1n), written!), accesses.find(key(2n), previous!)]).toEqual([undefined, undefined]);
  expect(accesses.find(key(2n), written!)).toMatchObject({ record: { n: 2 } });
  expect(of('access')[2]?.args).toMatchObject({ way: 'last-access', at: 499 });
  // An answer for an incomplete index does not apply to the complete trace.
  expect(accesses.find(key(2n, false), written!)).toBeUndefined();
});

test('groups registers: general ones first, then flags, banks, others and vectors', () => {
  const register = (name: string, value: `0x${string}` = '0x1'): RegisterValue => ({ name, value, since: 0 });
  const names = ['cpsr', 'fpscr', 'r0', 'R1 (USR)', 'r13_irq', 'R14 (SVC)', 'SCTLR_EL1', 'sp', 'spsr_irq', 'V0', 'x30'];
  const groups = groupRegisters(names.map((name) => register(name, name === 'V0' ? '0x123456789abcdef01' : '0x1d3')));
  expect(groups.map(({ title, registers }) => [title, registers.map(({ name }) => name)])).toEqual([
    ['', ['r0', 'R1 (USR)', 'sp', 'x30']],
    ['Flags', ['cpsr', 'fpscr', 'spsr_irq']],
    ['Bank irq', ['r13_irq']],
    ['Bank svc', ['R14 (SVC)']],
    ['EL1', ['SCTLR_EL1']],
    ['Floating point and vectors', ['V0']],
  ]);
  expect(flagsOf(register('cpsr', '0x600001d3'))).toBe('nZCv q A I F t svc');
});

test('a register group is as wide as its longest name and value', () => {
  const widths = (...registers: readonly [string, `0x${string}`][]): readonly number[] =>
    groupRegisters(registers.map(([name, value]) => ({ name, value, since: 0 }))).map(({ width }) => width);
  // Short names take five characters with the following blank; values are padded to 8 or 16 digits.
  expect(widths(['r0', '0x1'], ['r12', '0x2'])).toEqual([5 + 8]);
  expect(widths(['x0', '0x1'], ['x30', '0x123456789'])).toEqual([5 + 16]);
  expect(widths(['V0', `0x${'1'.repeat(32)}`])).toEqual([5 + 32]);
  expect(widths(['SCTLR_EL1', '0x30c50830'])).toEqual([10 + 8]);
  expect(widths(['cpsr', '0x600001d3'])).toEqual([5 + 8 + 2 + 'nZCv q A I F t svc'.length]);
});

test('the search for a change of a watch shows how far it is, and can be cancelled', async () => {
  const { trace, announced, last } = play();
  const target = { label: 'r3', subject: { register: 'r3' } };
  const cancelled = trace.changeSearch.find(target, 'last');
  expect([last('watchChange').args, trace.changeSearch.running]).toEqual([
    { trace: 't1', subject: { register: 'r3' }, way: 'last', at: 499 },
    { label: 'the previous change of r3', at: null },
  ]);
  last('watchChange').report({ at: 300 });
  expect(trace.changeSearch.running).toEqual({ label: 'the previous change of r3', at: 300 });
  trace.changeSearch.cancel();
  expect([last('watchChange').signal?.aborted, trace.changeSearch.running]).toEqual([true, null]);
  await last('watchChange').answer({ change: { n: 20 }, reach });
  await cancelled;
  expect(trace.cursor.n).toBe(500);

  const found = trace.changeSearch.find(target, 'next');
  await last('watchChange').answer({ change: { n: 700 }, reach });
  await found;
  expect([trace.cursor.n, trace.changeSearch.running]).toEqual([700, null]);
  const none = trace.changeSearch.find(target, 'next');
  await last('watchChange').answer({ change: null, reach });
  await none;
  expect(announced.at(-1)).toBe('There is no later change of r3.');
});
