/**
 * Watches: values, changes, histories and plots agree with a replay of all records, for every block size, and with a history that was worked
 * out by hand.
 */
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import fixtures from '../unit/debug-programs.json' with { type: 'json' };
import type { Engine } from '../../electron/engine/engine.ts';
import { toHex } from '../../shared/base/units.ts';
import type { HistoryRow, WatchSubject } from '../../shared/requests/watches.ts';
import { createRandom, type Random } from '../laws/random.ts';
import { rounds } from '../short-form.ts';
import { ask, refusal } from './ask.ts';
import { memoryAt, registersAt, stepsOf, type Step } from './state-oracle.ts';
import { allRecords } from './state-questions.ts';
import { stateTarmac } from './state-traces.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();

afterAll(() => {
  place.dispose();
});

async function openIndexed(engine: Engine, path: string): Promise<string> {
  const { trace } = await ask(engine, 'open', { path, format: 'tarmac' });
  await ask(engine, 'index', { trace });
  return trace;
}

/** Contents after record `at`, from a replay. */
function contentsAt(
  steps: readonly Step[],
  { address, bytes = 1, register = '', cpu }: WatchSubject,
  at: number,
): string {
  if (address !== undefined)
    return memoryAt(steps, at, BigInt(address), bytes)
      .bytes.map((byte) => byte?.toString(16).padStart(2, '0') ?? '??')
      .join('');
  const known =
    registersAt(steps, at).find((file) => file.cpu === cpu)?.registers ?? new Map<string, { value: string }>();
  const whole = known.get(register)?.value;
  const parts = [...known].filter(([name]) => name.startsWith(`${register}<`));
  return (
    whole ??
    parts
      .map(([name, { value }]) => `${name}=${value}`)
      .sort(byLowestBit)
      .join(' ')
  );
}

function byLowestBit(a: string, b: string): number {
  const [one, other] = [a, b].map((text) => Number(/:(\d+)>/.exec(text)?.[1]));
  return one! - other!;
}

/** The changes of the contents, each as `record before after`, from a replay. */
function changesOf(steps: readonly Step[], subject: WatchSubject): string[] {
  const found: string[] = [];
  let before = contentsAt(steps.slice(0, 0), subject, 0);
  for (const { n, kind, access, sets } of steps) {
    if (subject.address === undefined ? kind !== 'register' || sets.length === 0 : access === undefined) continue;
    const after = contentsAt(steps, subject, n);
    if (after !== before) found.push(`${n} ${before} ${after}`);
    before = after;
  }
  return found;
}

function textOf({ n, before, after }: Pick<HistoryRow, 'n' | 'before' | 'after'>): string {
  return `${n} ${before} ${after}`;
}

const SUBJECTS: readonly WatchSubject[] = [
  { address: '0x8004', bytes: 4 },
  { address: '0x103e', bytes: 8 },
  { address: '0x1ffc', bytes: 16 },
  { address: '0xfffffffe', bytes: 4 },
  { address: toHex(2n ** 64n - 8n), bytes: 8 },
  { register: 'r5', cpu: 0 },
  { register: 'r5' },
  { register: 'V3' },
  { register: 'cpsr' },
];

test.each([600, 12_000, 1_200_000])('changes agree with a replay in blocks of %i bytes', async (blockBytes) => {
  const file = place.file(
    `hostile-${blockBytes}.log`,
    stateTarmac(700, 5, { cpus: 1, contradicting: 100, damaged: 40 }),
  );
  const engine = sharedEngine(blockBytes);
  const trace = await openIndexed(engine, file);
  const steps = stepsOf(await allRecords(engine, trace), 'tarmac', {});
  const random = createRandom(blockBytes);
  let total = 0;
  for (const subject of SUBJECTS) {
    const changes = changesOf(steps, subject);
    expect(await historyOf(engine, trace, subject, 7), JSON.stringify(subject)).toEqual(changes);
    total += changes.length;
    for (let i = 0; i < rounds(6, 60); i++) await expectMoment(engine, trace, steps, subject, changes, random);
  }
  expect(total).toBeGreaterThan(40);
  await engine.close();
});

/** The whole history in pages of `most` changes. */
async function historyOf(engine: Engine, trace: string, subject: WatchSubject, most: number): Promise<string[]> {
  const rows: string[] = [];
  for (let from: number | null = 0; from !== null;) {
    const page: { changes: readonly HistoryRow[]; next: number | null } = await ask(engine, 'watchHistory', {
      trace,
      subject,
      from,
      most,
    });
    rows.push(...page.changes.map(textOf));
    from = page.next;
  }
  return rows;
}

/** Compares the value and the neighbouring changes at a random record. */
async function expectMoment(
  engine: Engine,
  trace: string,
  steps: readonly Step[],
  subject: WatchSubject,
  changes: readonly string[],
  random: Random,
): Promise<void> {
  const at = random.below(steps.length);
  const { values } = await ask(engine, 'watchValues', { trace, at, subjects: [subject] });
  const here = changes.find((text) => Number.parseInt(text) === at);
  expect(values[0]!.contents).toBe(contentsAt(steps, subject, at));
  expect(values[0]!.here === 'changed').toBe(here !== undefined);
  const last = await ask(engine, 'watchChange', { trace, subject, way: 'last', at });
  const next = await ask(engine, 'watchChange', { trace, subject, way: 'next', at });
  expect(last.change && textOf(last.change)).toBe(changes.findLast((text) => Number.parseInt(text) <= at) ?? null);
  expect(next.change && textOf(next.change)).toBe(changes.find((text) => Number.parseInt(text) > at) ?? null);
}

/** The bars keep this file from looking like a trace. */
const COUNTER = `
| 1 clk 0 IT (1) 00008000 e5801000 A svc : str r1, [r0]
| 1 clk MW4 00001000 00000001
| 2 clk 0 IT (2) 00008004 e5801000 A svc : str r1, [r0]
| 2 clk MW4 00001000 00000001
| 3 clk 0 IT (3) 00008008 e5801000 A svc : str r1, [r0]
| 3 clk MW4 00001000 00000005
| 4 clk 0 IT (4) 0000800c e5901000 A svc : ldr r1, [r0]
| 4 clk MR4 00001000 00000009
| 4 clk R r1 00000009
| 5 clk 0 IT (5) 00008010 e5c01000 A svc : strb r1, [r0]
| 5 clk MW1 00001000 xx
`
  .trimStart()
  .replaceAll('| ', '');

test('a history says what each record did, and which instruction it belongs to', async () => {
  const engine = sharedEngine();
  const trace = await openIndexed(engine, place.file('counter.log', COUNTER));
  const subject = { address: '0x1000', bytes: 4 } as const;
  const history = await ask(engine, 'watchHistory', { trace, subject, most: 100 });
  const by = (n: number, address: `0x${string}`) => ({ n, address });
  expect(history).toMatchObject({ start: '????????', next: null, rewrites: 0 });
  expect(history.changes).toEqual([
    { n: 1, before: '????????', after: '01000000', how: 'write', rewrites: 0, by: by(0, '0x8000') },
    { n: 5, before: '01000000', after: '05000000', how: 'write', rewrites: 1, by: by(4, '0x8008') },
    // The read shows that something else changed the memory.
    { n: 7, before: '05000000', after: '09000000', how: 'read', rewrites: 0, by: by(6, '0x800c') },
    { n: 10, before: '09000000', after: '??000000', how: 'write', rewrites: 0, by: by(9, '0x8010') },
  ]);
  const { values } = await ask(engine, 'watchValues', { trace, at: 3, subjects: [subject, { register: 'r1' }] });
  expect(values).toEqual([{ contents: '01000000', here: 'rewritten' }, { contents: '' }]);
  expect((await refusal(engine, 'watchValues', { trace, at: 11, subjects: [subject] })).message).toContain('11');
  await engine.close();
});

test('a plot has the lowest, highest and last value of each column, and gaps where it is unknown', async () => {
  const engine = sharedEngine();
  const trace = await openIndexed(engine, place.file('plot.log', COUNTER));
  const plot = await ask(engine, 'watchPlot', {
    trace,
    subject: { address: '0x1000', bytes: 4 },
    columns: 4,
    form: 'unsigned',
    endian: 'little',
    width: 4,
  });
  // Records 0 and 1; 2 to 4; 5 to 7; 8 to 10.
  expect([...plot.edges]).toEqual([0, 2, 5, 8, 11]);
  expect([...plot.low]).toEqual([1, 1, 5, 9]);
  expect([...plot.high]).toEqual([1, 1, 9, 9]);
  expect([...plot.last]).toEqual([1, 1, 9, Number.NaN]);
  expect([...plot.changes]).toEqual([1, 0, 2, 1]);
  expect([...plot.gaps]).toEqual([1, 0, 0, 1]);
  await engine.close();
});

test('a bit-field changes only with its own bits, whatever else is written to its byte', async () => {
  const engine = sharedEngine();
  const lines = ['05', '0d', '0e', 'xx', '06'].map((byte, n) => `${n + 1} clk MW1 00001000 ${byte}`);
  const trace = await openIndexed(engine, place.file('bits.log', `${lines.join('\n')}\n`));
  // The three lowest bits: 5, 5, 6, unknown, 6.
  const subject = { address: '0x1000', bytes: 1, mask: '07' } as const;
  const { changes } = await ask(engine, 'watchHistory', { trace, subject, most: 9 });
  expect(changes.map(textOf)).toEqual(['0 ?? 05', '2 05 06', '3 06 ??', '4 ?? 06']);
  expect(changes[1]?.rewrites).toBe(1);
  await engine.close();
});

test('variables have addresses of the trace and their types, from the image thread', async () => {
  const program = gunzipSync(Buffer.from(fixtures.programs.arm5, 'base64'));
  const image = place.file('program.elf', program);
  const engine = sharedEngine();
  const opened = await ask(engine, 'open', {
    path: place.file('moved.log', COUNTER),
    format: 'tarmac',
    images: [{ path: image, shift: '0x1000' }],
  });
  const { trace } = opened;
  const found = await ask(engine, 'variables', { trace, text: 'HEAD', most: 5 });
  expect(found.variables).toEqual([{ name: 'head', address: '0xa0b8', type: 'struct node *', bytes: 4 }]);
  expect(found.notes).toEqual([expect.stringContaining('(1)')]);
  const { variable } = await ask(engine, 'variable', { trace, name: 'main::calls' });
  expect(variable).toMatchObject({ type: 'long int', bytes: 4, endian: 'little' });
  expect(variable?.types[variable.root]).toEqual({ kind: 'base', name: 'long int', bytes: 4, form: 'signed' });
  expect((await ask(engine, 'variable', { trace, name: 'local' })).variable).toBeNull();
  await engine.close();
});

test('images give the contents before the first access, apart from what was observed', async () => {
  const engine = sharedEngine();
  // readelf: .data holds hidden = 7 at 0x90c0 and paint = 5 at 0x90bc; pool in .bss is at 0x90c4.
  const image = place.file('initial.elf', gunzipSync(Buffer.from(fixtures.programs.arm5, 'base64')));
  const lines = ['1 clk MW1 00001000 01', '2 clk MR1 000090bc 05', '3 clk MW4 000090c0 00000009'];
  const { trace } = await ask(engine, 'open', {
    path: place.file('initial.log', `${lines.join('\n')}\n`),
    format: 'tarmac',
    images: [{ path: image }],
  });
  await ask(engine, 'index', { trace });
  const hidden = { address: '0x90c0', bytes: 4 } as const;
  const subjects = [
    hidden,
    { ...hidden, bytes: 1, mask: '03' },
    { address: '0x90c4', bytes: 4 },
    { register: 'r0' },
  ] as const;
  const before = await ask(engine, 'watchImage', { trace, subjects: [...subjects] });
  expect(before.values).toEqual([{ contents: '07000000' }, { contents: '03' }, {}, {}]);
  expect((await ask(engine, 'watchImage', { trace, at: 1, subjects: [hidden] })).values).toEqual(
    before.values.slice(0, 1),
  );
  // The write of record 2 is known.
  expect((await ask(engine, 'watchImage', { trace, at: 2, subjects: [hidden] })).values).toEqual([{}]);
  expect((await ask(engine, 'watchValues', { trace, at: 1, subjects: [hidden] })).values).toEqual([
    { contents: '????????' },
  ]);
  await engine.close();
});

test('an image that a read contradicts gives no contents, and says why', async () => {
  const engine = sharedEngine();
  const image = place.file('wrong.elf', gunzipSync(Buffer.from(fixtures.programs.arm5, 'base64')));
  const { trace } = await ask(engine, 'open', {
    path: place.file('wrong.log', '1 clk MW1 00001000 01\n2 clk MR1 000090bc 06\n'),
    format: 'tarmac',
    images: [{ path: image }],
  });
  await ask(engine, 'index', { trace });
  const { values } = await ask(engine, 'watchImage', { trace, subjects: [{ address: '0x90c0', bytes: 4 }] });
  expect(values).toEqual([{ unused: 'a read at 0x90bc returned another value than the image has' }]);
  await engine.close();
});
