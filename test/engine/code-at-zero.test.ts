/** Programs at the addresses of ARM's exception vectors, where a return is no exception. Worked out by hand. */
import { afterAll, expect, test } from 'vitest';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engine = sharedEngine();
afterAll(async () => {
  await engine.close();
  place.dispose();
});

const PROGRAMS = {
  ARM: {
    lines: [
      '00000000 eb000005 : bl 1c',
      '0000001c e92d4010 : push {r4, lr}',
      '00000020 eb000001 : bl 2c',
      '0000002c e12fff1e : bx lr',
      '00000024 e8bd8010 : pop {r4, pc}',
      '00000004 e1a00000 : nop',
      '00000008 eb000003 : bl 1c',
      '0000001c e92d4010 : push {r4, lr}',
      '00000020 eb000001 : bl 2c',
      '0000002c e12fff1e : bx lr',
      '00000024 e8bd8010 : pop {r4, pc}',
      '0000000c eafffffe : b c',
      '0000000c eafffffe : b c',
    ],
    edges: ['(unknown) 0x1c call 2', '0x1c 0x2c call 2'],
    depths: [0, 1, 1, 2, 1, 0, 0, 1, 1, 2, 1, 0, 0],
  },
  'RISC-V': {
    lines: [
      '00000000 00008137 : lui sp,0x8',
      '00000004 00c000ef : jal ra,0x10',
      '00000010 00000013 : nop',
      '00000014 00008067 : ret',
      '00000008 008000ef : jal ra,0x10',
      '00000010 00000013 : nop',
      '00000014 8082 : c.jr ra',
      '0000000c 0000006f : j 0xc',
      '0000000c 0000006f : j 0xc',
    ],
    edges: ['(unknown) 0x10 call 2'],
    depths: [0, 0, 1, 1, 0, 1, 1, 0, 0],
  },
} as const;

test.each(Object.entries(PROGRAMS))(
  'reports %s calls and depths in code at address 0',
  async (name, { lines, edges, depths }) => {
    const text = lines.map((line, n) => `${n + 1} clk 0 IT (${n + 1}) ${line.replace(' :', ' A svc :')}\n`).join('');
    const { trace } = await ask(engine, 'open', { path: place.file(`${name}.txt`, text), format: 'tarmac' });
    await ask(engine, 'index', { trace });
    const graph = await ask(engine, 'calls', { trace });
    const names = new Map(graph.functions.map((fn) => [fn.id, fn.name]));
    expect(
      graph.edges.map(
        ({ caller, callee, kind, count }) => `${names.get(caller)!} ${names.get(callee)!} ${kind} ${count}`,
      ),
    ).toEqual(edges);
    expect(graph.notes).toEqual([]);
    const { changes } = await ask(engine, 'depths', { trace, from: 0, count: lines.length });
    let depth = 0;
    expect(
      lines.map((_, at) => {
        for (const change of changes) if (change.n === at) ({ depth } = change);
        return depth;
      }),
    ).toEqual(depths);
  },
);

/** Lines as processor models write them, with the mode of the instruction. */
async function eventsOf(name: string, lines: readonly string[]): Promise<readonly string[]> {
  const text = lines.map((line, n) => {
    const [, address, opcode, mode, code] = /^(\S+) (\S+) (\S+) : (.*)$/.exec(line)!;
    return `${n + 1} clk ES (${address}:${opcode}) A ${mode}: ${code}\n`;
  });
  const { trace } = await ask(engine, 'open', { path: place.file(`${name}.log`, text.join('')), format: 'tarmac' });
  await ask(engine, 'index', { trace });
  const { events } = await ask(engine, 'branchEvents', { trace, count: 100 });
  return events.map(({ n, kind, source = '?', target = '?', inferred }) =>
    [n, kind, source, target, ...(inferred ? ['inferred'] : [])].join(' '),
  );
}

const NUMBERS = [0x4, 0x8, 0xc, 0x10, 0x18, 0x1c];

test.each(NUMBERS)("reports a return to %d as a return, if the mode is not the vector's", async (to) => {
  const call = (0xeb000000 + (0x40 - (to - 4) - 8) / 4).toString(16);
  const hex = (address: number): string => address.toString(16).padStart(8, '0');
  expect(
    await eventsOf(`return-${to}`, [
      `${hex(to - 4)} ${call} svc : BL 0x40`,
      '00000040 e12fff1e svc : BX lr',
      `${hex(to)} e1a00000 svc : NOP`,
    ]),
  ).toEqual([`1 call 0x${(to - 4).toString(16)} 0x40`, `2 return 0x40 0x${to.toString(16)}`]);
});

test('reports a jump to a vector in another mode as unknown, not as an interrupt', async () => {
  expect(await eventsOf('jump', ['00008000 e1a00000 usr : NOP', '00000018 e1a00000 usr : NOP'])).toEqual([
    '1 unknown 0x8000 0x18',
  ]);
});

test("reports the return from an interrupt to a pending call's vector as a return, not as an exception", async () => {
  expect(
    await eventsOf('waiting', [
      '00008008 ef000001 usr : SVC 1',
      '00000018 ea000007 irq : B 0x3c',
      '0000003c e25ef004 irq : SUBS pc,lr,#4',
      '00000008 ea000006 svc : B 0x28',
      '00000028 e1b0f00e svc : MOVS pc,lr',
      '0000800c e1a00000 usr : NOP',
    ]),
  ).toEqual([
    '1 exception 0x8008 0x8 inferred',
    '1 interrupt 0x8 0x18',
    '2 jump 0x18 0x3c',
    '3 return 0x3c 0x8',
    '4 jump 0x8 0x28',
    '5 return 0x28 0x800c',
  ]);
});

test("reports an interrupt after a return as an interrupt, if the mode is the vector's", async () => {
  expect(
    await eventsOf('real', [
      '00008008 e12fff1e svc : BX lr',
      '00000018 ea000007 irq : B 0x3c',
      '0000003c e25ef004 irq : SUBS pc,lr,#4',
      '00008004 e1a00000 svc : NOP',
    ]),
  ).toEqual(['1 return 0x8008 ?', '1 interrupt ? 0x18 inferred', '2 jump 0x18 0x3c', '3 return 0x3c 0x8004']);
});
