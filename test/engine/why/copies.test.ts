/** Copies that answers leave out or join: those of loops, and saved registers that an instruction restores. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { Why, WhyArguments } from '../../../shared/requests/why.ts';
import { createRandom } from '../../laws/random.ts';
import { rounds } from '../../short-form.ts';
import { ask } from '../ask.ts';
import { sharedEngine } from '../shared-engine.ts';
import { scratch } from '../traces.ts';
import { openReplayed, randomQuestion } from './questions.ts';

const place = scratch();
const engine = sharedEngine();
afterAll(async () => {
  await engine.close();
  place.dispose();
});

/** Asks a trace of QEMU4V whose lines have no times. */
async function whyIn(lines: readonly string[], question: Omit<WhyArguments, 'trace'>, endian = 'little'): Promise<Why> {
  const path = place.file('copies.txt', lines.map((line, k) => `${k + 1} clk cpu0 ${line}\n`).join(''));
  const { trace } = await ask(engine, 'open', { path, format: 'tarmac', options: { endian } });
  await ask(engine, 'index', { trace });
  const answer = await ask(engine, 'why', { trace, ...question });
  await ask(engine, 'close', { trace });
  return answer;
}

const hex = (number: number, digits = 8): string => number.toString(16).padStart(digits, '0');

const START = [
  'IT (1) 00008000 e3a00a01 A svc_s : mov r0, #0x1000',
  'R r0 00001000',
  'IT (2) 00008004 e3a01a02 A svc_s : mov r1, #0x2000',
  'R r1 00002000',
];

/** Copies bytes from 0x1000 to 0x2000, one by one. Each takes six records, of which the load is the first and the store the fourth. */
function byteLoop(values: readonly number[]): string[] {
  return values.flatMap((value, k) => [
    'IT (3) 00008008 e4d02001 A svc_s : ldrb r2, [r0], #1',
    `MR1 ${hex(0x1000 + k)} ${hex(value, 2)}`,
    `R r2 ${hex(value)}`,
    'IT (4) 0000800c e4c12001 A svc_s : strb r2, [r1], #1',
    `MW1 ${hex(0x2000 + k)} ${hex(value, 2)}`,
    `R r1 ${hex(0x2001 + k)}`,
  ]);
}

const TEXT = [0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x21, 0x0d, 0x0a];

test('a loop that copied bytes one by one is one step', async () => {
  const why = await whyIn([...START, ...byteLoop(TEXT)], { at: 51, address: '0x2000', length: 8 });
  expect(why.origin).toEqual([{ edge: 'data', step: 0, address: '0x2000', length: 8, value: '48656c6c6f210d0a' }]);
  expect(why.steps).toHaveLength(1);
  const [step] = why.steps;
  expect(step).toMatchObject({
    n: 49,
    address: '0x800c',
    kind: 'input',
    moved: 8,
    defines: [{ address: '0x2000', length: 8, value: '48656c6c6f210d0a' }],
    uses: [{ address: '0x1000', length: 8, value: '48656c6c6f210d0a', step: null }],
    inferred: false,
  });
  // Records 4 to 51 are eight pairs of load and store.
  const records = TEXT.flatMap((_, k) => [4 + 6 * k, 7 + 6 * k]);
  expect(step!.copies).toEqual(records.filter((n) => n !== 49).reverse());
  expect(why.ended.reason).toBe('origins');
});

test('a word that was copied byte by byte is one step, in either byte order', async () => {
  for (const endian of ['little', 'big']) {
    const load = ['IT (5) 00008010 e5113008 A svc_s : ldr r3, [r1, #-8]', 'MR4 00002000 WORD', 'R r3 WORD'];
    const word = endian === 'little' ? '6c6c6548' : '48656c6c';
    const lines = [...START, ...byteLoop(TEXT), ...load.map((line) => line.replace('WORD', word))];
    const why = await whyIn(lines, { at: 54, register: 'r3' }, endian);
    expect(why.steps, endian).toHaveLength(1);
    expect(why.steps[0]).toMatchObject({
      n: 25,
      kind: 'input',
      moved: 4,
      defines: [{ address: '0x2000', length: 4, value: '48656c6c' }],
      uses: [{ address: '0x1000', length: 4, value: '48656c6c' }],
      copies: [52, 22, 19, 16, 13, 10, 7, 4],
    });
  }
});

test('copies are not joined if one of the bytes has another origin', async () => {
  const lines = [...START, ...byteLoop(TEXT)];
  // The fourth byte is written again, with a constant.
  const more = [
    'IT (6) 00008014 e3a02077 A svc_s : mov r2, #0x77',
    'R r2 00000077',
    'IT (7) 00008018 e5412005 A svc_s : strb r2, [r1, #-5]',
    'MW1 00002003 77',
  ];
  const why = await whyIn([...lines, ...more], { at: 55, address: '0x2000', length: 8 });
  expect(
    why.steps.map(({ kind, moved, uses }) => [kind, moved, uses.map((use) => 'address' in use && use.address)]),
  ).toEqual([
    ['constant', undefined, []],
    ['input', 4, ['0x1004']],
    ['input', 3, ['0x1000']],
  ]);
});

test('a loop that copied bytes which others use too stays in steps', async () => {
  // The upper half of the word is loaded alone, too.
  const sum = [
    'IT (5) 00008010 e5113008 A svc_s : ldr r3, [r1, #-8]',
    'MR4 00002000 6c6c6548',
    'R r3 6c6c6548',
    'IT (6) 00008014 e15150b6 A svc_s : ldrh r5, [r1, #-6]',
    'MR2 00002002 6c6c',
    'R r5 00006c6c',
    'IT (7) 00008018 e0834005 A svc_s : add r4, r3, r5',
    'R r4 6c6cd1b4',
  ];
  const why = await whyIn([...START, ...byteLoop(TEXT), ...sum], { at: 59, register: 'r4' });
  expect(why.steps.length).toBeGreaterThan(4);
  expect(why.steps.filter(({ moved }) => moved !== undefined)).toEqual([]);
});

test('registers that were saved and restored together are connected with what made them', async () => {
  const lines = [
    'IT (1) 00008000 e3a0da03 A svc_s : mov sp, #0x3000',
    'R r13 00003000',
    'IT (2) 00008004 e3a04005 A svc_s : mov r4, #5',
    'R r4 00000005',
    'IT (3) 00008008 e3a05006 A svc_s : mov r5, #6',
    'R r5 00000006',
    'IT (4) 0000800c e92d0030 A svc_s : push {r4, r5}',
    'MW4 00002ff8 00000005',
    'MW4 00002ffc 00000006',
    'R r13 00002ff8',
    'IT (5) 00008010 e3a04000 A svc_s : mov r4, #0',
    'R r4 00000000',
    'IT (6) 00008014 e3a05000 A svc_s : mov r5, #0',
    'R r5 00000000',
    'IT (7) 00008018 e8bd0030 A svc_s : pop {r4, r5}',
    'MR4 00002ff8 00000005',
    'MR4 00002ffc 00000006',
    'R r4 00000005',
    'R r5 00000006',
    'R r13 00003000',
    'IT (8) 0000801c e0846005 A svc_s : add r6, r4, r5',
    'R r6 0000000b',
  ];
  const why = await whyIn(lines, { at: 21, register: 'r6' });
  expect(why.steps.map(({ n, kind, copies }) => [n, kind, copies])).toEqual([
    [20, 'computed', undefined],
    [4, 'constant', [14, 6]],
    [2, 'constant', [14, 6]],
  ]);
  expect(why.ended.reason).toBe('origins');
});

const SAMPLES = fileURLToPath(new URL('../../samples/tarmac/', import.meta.url));

test.each(['fault-off-by-one', 'fault-stray-write', 'arm-sort'])('only copies are left out of %s', async (name) => {
  const opened = await openReplayed(engine, { path: path.join(SAMPLES, name, 'trace.txt'), format: 'tarmac' });
  const random = createRandom(5);
  for (let i = 0; i < rounds(60, 2000); i++) {
    const question = { ...randomQuestion(random, opened), trace: opened.trace, control: false, steps: 10_000 };
    if (!opened.replay.cpus.has(question.cpu ?? opened.records[question.at]!.cpu ?? -1)) continue;
    const all = await ask(engine, 'why', { ...question, allCopies: true });
    const folded = await ask(engine, 'why', { ...question, allCopies: false });
    const made = ({ steps }: Why): readonly number[] =>
      steps.flatMap(({ n, kind }) => (['computed', 'constant', 'unknown'].includes(kind) ? [n] : []));
    expect(made(folded), JSON.stringify(question)).toEqual(made(all));
    // Every step is shown, or counted as a copy.
    const counted = new Set(folded.steps.flatMap(({ n, copies = [] }) => [n, ...copies]));
    expect(
      [...counted].sort((a, b) => b - a),
      JSON.stringify(question),
    ).toEqual(all.steps.map(({ n }) => n));
  }
});
