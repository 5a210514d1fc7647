/** Calls that end or begin at an interrupt, and calls in which the trace began: short programs, worked out by hand. */
import { afterAll, describe, expect, test } from 'vitest';
import { STEPS } from '../../shared/requests/flow.ts';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engine = sharedEngine();
afterAll(async () => {
  await engine.close();
  place.dispose();
});

/** Addresses, opcodes from `arm-none-eabi-as`, and modes other than `svc`. */
const CODE = {
  'vector swi': '00000008 ea000006 : b 28',
  'vector irq': '00000018 ea000007 irq : b 3c',
  'vector fiq': '0000001c ea00000c fiq : b 54',
  swi: '00000028 e52de004 : push {lr}',
  'swi end': '00000030 e8fd8000 : ldm sp!, {pc}^',
  'irq call': '00000044 eb000000 irq : bl 4c',
  ack: '0000004c e1a00000 irq : nop',
  'ack end': '00000050 e12fff1e irq : bx lr',
  'irq end': '00000048 e8fd8001 irq : ldm sp!, {r0, pc}^',
  irq: '0000003c e24ee004 irq : sub lr, lr, #4',
  'irq push': '00000040 e92d4001 irq : push {r0, lr}',
  fiq: '00000054 e1a00000 fiq : nop',
  'fiq end': '00000058 e25ef004 fiq : subs pc, lr, #4',
  main: '0000005c e92d4010 : push {r4, lr}',
  'main call': '00000060 eb000003 : bl 74',
  'main swi': '00000064 ef000001 : svc 1',
  'main on': '00000068 e1a00000 : nop',
  'main end': '00000070 e8bd8010 : pop {r4, pc}',
  f: '00000074 e1a00000 : nop',
  'f middle': '0000007c e1a00000 : nop',
  'f end': '00000084 e12fff1e : bx lr',
  g: '00000088 e1a00000 : nop',
  'g end': '0000008c e12fff1e : bx lr',
  'calls main': '0000009c ebffffee : bl 5c',
  'nameless end': '000000a0 e12fff1e : bx lr',
} as const;
type Place = keyof typeof CODE;

/** One instruction per record, `name` or `cpu:name`. */
async function open(name: string, ran: readonly (Place | `1:${Place}`)[]): Promise<string> {
  const lines = ran.map((each, n) => {
    const [cpu, where] = each.startsWith('1:') ? [1, each.slice(2)] : [0, each];
    const [, head, mode = ' svc', text] = / ?(\S+ \S+)( \S+)? : (.*)/.exec(CODE[where as Place])!;
    return `${n + 1} clk ${cpu} IT (${n + 1}) ${head} A${mode} : ${text}\n`;
  });
  const symbols = place.file(
    'symbols.txt',
    ['08 04 vector8', '18 04 vector18', '1c 04 vector1c', '28 14 swi', '3c 10 irq', '4c 08 ack', '54 08 fiq']
      .concat(['5c 18 main', '74 14 f', '88 08 g'])
      .map((line) => line.replace(/^(\S+) (\S+) /, (_, address, size) => `000000${address} 000000${size} T `))
      .join('\n'),
  );
  const file = place.file(name, lines.join(''));
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', images: [{ path: symbols }] });
  await ask(engine, 'index', { trace });
  return trace;
}

async function eventsOf(trace: string): Promise<readonly string[]> {
  const { events } = await ask(engine, 'branchEvents', { trace, count: 100 });
  return events.map(({ n, kind, source = '?', target = '?', inferred }) =>
    [n, kind, source, target, ...(inferred ? ['inferred'] : [])].join(' '),
  );
}

async function stackOf(trace: string, at: number): Promise<string> {
  const { frames } = await ask(engine, 'stack', { trace, at });
  return frames
    .map((frame) => frame.function)
    .reverse()
    .join(' ');
}

describe('steps skip an interrupt that coincides with the end of a call', async () => {
  const trace = await open('steps.txt', [
    'main', // 0
    'main call',
    'f', // 2
    'f end',
    'vector irq', // 4: f has returned; the interrupt comes before main continues
    'irq',
    'irq push', // 6
    'irq call',
    'ack', // 8
    'ack end',
    'irq end', // 10
    'main swi',
  ]);
  test.each([
    // From the call in `main`: not into the handler. Out of `f`: to its caller, not to the handler at the same depth.
    { at: 1, steps: [11, null, 0, null] },
    { at: 2, steps: [3, 11, 1, 1] },
    { at: 3, steps: [4, 11, 2, 1] },
    // From the handler, backwards: `f` ran before at the same depth.
    { at: 4, steps: [5, 11, 3, 1] },
    { at: 8, steps: [9, 10, 7, 7] },
    { at: 11, steps: [null, null, 1, null] },
  ])('at record $at', async ({ at, steps }) => {
    const found = [];
    for (const step of STEPS) found.push((await ask(engine, 'step', { trace, at, step })).n);
    expect(found).toEqual(steps);
  });
});

test("reports a fast interrupt right after a SWI as an interrupt of the SWI handler's vector", async () => {
  const trace = await open('swi.txt', [
    'main swi', // 0
    'vector fiq',
    'fiq', // 2
    'fiq end',
    'vector swi', // 4
    'swi',
    'swi end', // 6
    'main on',
  ]);
  const events = await eventsOf(trace);
  expect(events.slice(0, 2)).toEqual(['1 exception 0x64 0x8 inferred', '1 interrupt 0x8 0x1c']);
  expect(events).toContain('7 return 0x30 0x68');
  expect(await stackOf(trace, 2)).toBe('main vector8 fiq');
  expect(await stackOf(trace, 4)).toBe('main vector8');
  expect(await stackOf(trace, 6)).toBe('main swi');
  expect(await stackOf(trace, 7)).toBe('main');
  const { edges, notes } = await ask(engine, 'calls', { trace });
  expect(edges.map(({ caller, callee, kind }) => `${caller} ${callee} ${kind}`).sort()).toEqual([
    '0x1c 0x54 tail call',
    '0x5c 0x8 exception',
    '0x8 0x1c interrupt',
    '0x8 0x28 tail call',
  ]);
  expect(notes).toEqual([]);
});

test('closes a handler that returns to the address right after its end', async () => {
  const trace = await open('right-behind.txt', [
    'calls main', // 0
    'vector fiq',
    'fiq', // 2
    'fiq end',
    'main', // 4
    'main call',
    'f', // 6
  ]);
  expect(await eventsOf(trace)).toEqual([
    '1 call 0x9c 0x5c',
    '1 interrupt 0x5c 0x1c',
    '2 jump 0x1c 0x54',
    '4 return 0x58 0x5c',
    '6 call 0x60 0x74',
  ]);
  expect(await stackOf(trace, 3)).toBe('(unknown) main fiq');
  expect(await stackOf(trace, 6)).toBe('(unknown) main f');
});

test('connects a vector to its handler for an interrupt right after a return', async () => {
  const trace = await open('behind-return.txt', [
    'main', // 0
    'main call',
    'f', // 2
    'f end',
    'vector irq', // 4
    'irq',
    'irq push', // 6
    'irq call',
    'ack', // 8
    'ack end',
    'irq end', // 10
    'main swi',
  ]);
  expect((await eventsOf(trace)).slice(2, 5)).toEqual([
    '4 return 0x84 ?',
    '4 interrupt ? 0x18 inferred',
    '5 jump 0x18 0x3c',
  ]);
  expect(await stackOf(trace, 6)).toBe('main irq');
  expect(await stackOf(trace, 8)).toBe('main irq ack');
  expect((await ask(engine, 'calls', { trace })).notes).toEqual([]);
});

test('recognises a fast interrupt between the vector of IRQ and its handler', async () => {
  const trace = await open('irq-fiq.txt', [
    'main', // 0
    'main call',
    'f', // 2
    'vector irq',
    'vector fiq', // 4
    'fiq',
    'fiq end', // 6
    'irq',
    'irq push', // 8
  ]);
  expect((await eventsOf(trace)).slice(1)).toEqual([
    '3 interrupt 0x78 0x18',
    '4 jump 0x18 0x3c',
    '4 interrupt 0x3c 0x1c',
    '5 jump 0x1c 0x54',
    '7 return 0x58 0x3c',
  ]);
  expect(await stackOf(trace, 4)).toBe('main f irq vector1c');
  expect(await stackOf(trace, 5)).toBe('main f irq fiq');
  expect(await stackOf(trace, 8)).toBe('main f irq');
  const { edges } = await ask(engine, 'calls', { trace });
  expect(edges.map(({ caller, callee, kind }) => `${caller} ${callee} ${kind}`).sort()).toEqual([
    '0x18 0x3c tail call',
    '0x1c 0x54 tail call',
    '0x3c 0x1c interrupt',
    '0x5c 0x74 call',
    '0x74 0x18 interrupt',
  ]);
});

describe('a trace that begins inside calls', () => {
  const ran = ['g', 'g end', 'f middle', 'f end', 'main end', 'swi'] as const;

  test('has the depths that later returns prove, from its first instruction', async () => {
    const trace = await open('deep.txt', ran);
    const { start, changes } = await ask(engine, 'depths', { trace, from: 0, count: 100 });
    expect(start).toEqual([]);
    expect(changes.map(({ n, depth, enters }) => ({ n, depth, enters }))).toEqual([
      { n: 0, depth: 2, enters: false },
      { n: 2, depth: 1, enters: false },
      { n: 4, depth: 0, enters: false },
    ]);
    const later = await ask(engine, 'depths', { trace, from: 1, count: 100 });
    expect(later.start.map(({ depth }) => depth)).toEqual([2]);
  });

  test('has depths for a second processor too, in the order of records', async () => {
    const trace = await open('deep-two.txt', [
      'g',
      'g end',
      'f middle',
      '1:ack',
      'f end',
      'main end',
      '1:ack end',
      '1:irq end',
    ]);
    const { changes } = await ask(engine, 'depths', { trace, from: 0, count: 100 });
    expect(changes.map(({ n, cpu, depth }) => `${n} ${cpu!} ${depth}`)).toEqual([
      '0 0 2',
      '2 0 1',
      '3 1 1',
      '5 0 0',
      '7 1 0',
    ]);
  });

  test('keeps frames without names between named callers', async () => {
    const trace = await open('unnamed.txt', ['g', 'g end', 'nameless end', 'main end']);
    expect(await stackOf(trace, 1)).toBe('main (unknown) g');
    expect(await stackOf(trace, 2)).toBe('main (unknown)');
  });
});
