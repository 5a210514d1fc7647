/** Programs that lie where ARM has its exception vectors: a return to there is no exception. Worked out by hand. */
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startEngine } from '../../electron/engine/engine.ts';
import { ask } from './ask.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engine = startEngine({ jobs: 1, indexDirectory: path.join(place.folder, 'index') });
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

test.each(Object.entries(PROGRAMS))('%s', async (name, { lines, edges, depths }) => {
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
});
