/**
 * Time of instructions, lines and functions, on runs of two processors with random times. The oracle takes, for each executed instruction,
 * the next one of its processor from the list that the trace was written from.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, refusal } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

interface Step {
  readonly cpu: number;
  readonly address: number;
  readonly time: number;
  /** Instructions are missing before it. */
  readonly gap?: boolean;
}

/** Main calls f again and again, then jumps back; f has four instructions. */
const MAIN = 0x8000;
const F = 0x8100;
const SYMBOLS = `${hex(MAIN)} T main\n${hex(F)} T f\n`;

function hex(value: number): string {
  return value.toString(16).padStart(8, '0');
}

/** Addresses, opcodes and texts of one round. */
const CALL = [MAIN, 0xeb000000 + (((F - MAIN - 8) >> 2) & 0xffffff), `BL 0x${hex(F)}`] as const;
const ROUND = [
  CALL,
  ...[0, 4, 8].map((at) => [F + at, 0xe1a00000, 'NOP'] as const),
  [F + 12, 0xe1a0f00e, 'MOV pc, lr'] as const,
  [MAIN + 4, 0xe1a00000, 'NOP'] as const,
  [MAIN + 8, 0xeafffffc, `B 0x${hex(MAIN)}`] as const,
];

/** @param missing number of an instruction of the first processor that the trace lacks, with its two followers */
function run(rounds: number, missing = -1): { readonly text: string; readonly steps: readonly Step[] } {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const steps: Step[] = [];
  const lines: string[] = [];
  const done = [0, 0];
  const clocks = [10, 10];
  while (done.some((own) => own < rounds * ROUND.length)) {
    const cpu = random(3) === 0 ? 1 : 0;
    const n = done[cpu]!;
    if (n >= rounds * ROUND.length) continue;
    const [address, opcode, text] = ROUND[n % ROUND.length]!;
    clocks[cpu]! += random(9);
    done[cpu] = n + 1;
    if (cpu === 0 && n >= missing && n < missing + 3) continue;
    const gap = cpu === 0 && n === missing + 3;
    steps.push({ cpu, address, time: clocks[cpu]!, ...(gap && { gap }) });
    const time = String(clocks[cpu]!);
    lines.push(
      `${time} clk cpu${String(cpu)} IT (${String(n + 1)}) ${hex(address)} ${hex(opcode >>> 0)} A svc_ns : ${text}\n`,
    );
  }
  return { text: lines.join(''), steps };
}

/** Time and number of unknown times by address, of the steps [from, to). */
function timesOf(steps: readonly Step[], from: number, to: number): ReadonlyMap<number, readonly [number, number]> {
  const times = new Map<number, readonly [number, number]>();
  steps.forEach(({ cpu, address, time }, at) => {
    if (at < from || at >= to) return;
    const next = steps.find((other, later) => later > at && other.cpu === cpu);
    const known = next !== undefined && next.gap !== true;
    const [sum, unknown] = times.get(address) ?? [0, 0];
    times.set(address, known ? [sum + next.time - time, unknown] : [sum, unknown + 1]);
  });
  return times;
}

const engine = sharedEngine();
const place = scratch();
const whole = run(40);
const broken = run(12, 30);
let trace = '';
let images: { path: string }[] = [];

async function open(name: string, text: string): Promise<string> {
  const path = place.file(name, text);
  const opened = await ask(engine, 'open', { path, format: 'tarmac', images });
  await ask(engine, 'index', { trace: opened.trace });
  return opened.trace;
}

beforeAll(async () => {
  images = [{ path: place.file('program.nm', SYMBOLS) }];
  trace = await open('whole.txt', whole.text);
});
afterAll(async () => {
  await engine.close();
  place.dispose();
});

test.each([{}, { from: 3, to: 200 }, { from: 100, to: 101 }])(
  'sums the time up to the next instruction of the processor, of %o',
  async (range) => {
    const { from = 0, to = whole.steps.length } = range;
    const expected = timesOf(whole.steps, from, to);
    const { instructions, cost, unit } = await ask(engine, 'codeTimes', { trace, ...range });
    const found = new Map(instructions.map(({ address, time, unknown = 0 }) => [Number(address), [time, unknown]]));
    expect(found).toEqual(new Map(expected));
    expect([unit, cost]).toEqual(['clk', [...expected.values()].reduce((sum, [time]) => sum + time, 0)]);
    // A function takes the time of its instructions; calls take it once.
    const ofFunction = (isIn: (address: number) => boolean): number =>
      [...expected].reduce((sum, [address, [time]]) => sum + (isIn(address) ? time : 0), 0);
    const [f, main] = [ofFunction((address) => address >= F), ofFunction((address) => address < F)];
    const { functions } = await ask(engine, 'profile', { trace, ...range, by: 'time' });
    const self = (name: string): number => functions.find((one) => one.name === name)?.self ?? 0;
    // A run can be of a function that is not known yet where a processor begins.
    expect([self('f') + self('(unknown)'), self('main')]).toEqual([f, main]);
    const { roots, unit: unitOfTree } = await ask(engine, 'tree', { trace, ...range, by: 'time' });
    expect([unitOfTree, roots.reduce((sum, { total }) => sum + total, 0)]).toEqual(['clk', f + main]);
  },
);

test('counts no time across a gap of the trace', async () => {
  const gapped = await open('broken.txt', broken.text);
  const { instructions, notes } = await ask(engine, 'codeTimes', { trace: gapped });
  const found = new Map(instructions.map(({ address, time, unknown = 0 }) => [Number(address), [time, unknown]]));
  expect(found).toEqual(new Map(timesOf(broken.steps, 0, broken.steps.length)));
  expect(notes.join(' ')).toContain('The time of 3 executions is unknown');
  const { functions, notes: ofProfile } = await ask(engine, 'profile', { trace: gapped, by: 'time' });
  const self = functions.reduce((sum, one) => sum + one.self, 0);
  const time = instructions.reduce((sum, one) => sum + one.time, 0);
  // A straight run with a gap behind it is unknown as a whole, and its instructions one by one.
  expect(self).toBeLessThanOrEqual(time);
  expect(self).toBeGreaterThan(time - 40);
  expect(ofProfile.join(' ')).toMatch(/The time of 3 straight runs is unknown/);
});

test('says that a format has no time', async () => {
  const path = place.file('lackey.txt', 'I  8000,4\nI  8004,4\n');
  const opened = await ask(engine, 'open', { path, format: 'lackey' });
  await ask(engine, 'index', { trace: opened.trace });
  const refused = await refusal(engine, 'profile', { trace: opened.trace, by: 'time' });
  expect(JSON.stringify(refused)).toContain('have no time; ask for counts instead');
});
