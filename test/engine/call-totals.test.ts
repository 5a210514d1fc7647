/** Total cost of functions including their callees, worked out by hand. */
import { afterAll, expect, test } from 'vitest';
import type { CallTreeNode } from '../../shared/requests/flow.ts';
import { createRandom, type Random } from '../laws/random.ts';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engine = sharedEngine();
afterAll(async () => {
  await engine.close();
  place.dispose();
});

test('the total of a leaf function equals its self cost, for any number of functions', async () => {
  const COUNT = 700;
  const ran = [];
  for (let i = 0; i < COUNT; i++) {
    ran.push('00001000 e12fff33 A svc : blx r3');
    ran.push(`${(0x8000 + 8 * i).toString(16).padStart(8, '0')} e12fff1e A svc : bx lr`);
    ran.push('00001004 eafffffd A svc : b 1000');
  }
  const file = place.file('leaves.txt', ran.map((line, n) => `${n + 1} clk 0 IT (${n + 1}) ${line}\n`).join(''));
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
  await ask(engine, 'index', { trace });
  const { functions } = await ask(engine, 'calls', { trace });
  const leaves = functions.filter(({ id }) => id !== 'unknown');
  expect(leaves).toHaveLength(COUNT);
  expect(leaves.filter(({ calls, self, total }) => calls !== 1 || self !== 1 || total !== 1)).toEqual([]);
  const { functions: later } = await ask(engine, 'calls', { trace, from: 600 });
  expect(later.filter(({ id, self, total }) => id !== 'unknown' && self !== total)).toEqual([]);
});

test('the total of a function found to be open from the start does not exceed the executed code', async () => {
  const symbols = place.file('symbols.txt', '00008000 00000020 T outer\n00008020 00000020 T inner\n');
  // The trace begins in `inner`, which calls `outer` and then returns to the `outer` that had called it.
  const ran = [
    '00008020 e1a00000 A svc : nop',
    '00008024 ebfffff5 A svc : bl 8000',
    '00008000 e1a00000 A svc : nop',
    '00008004 e12fff1e A svc : bx lr',
    '00008028 e12fff1e A svc : bx lr',
    '00008010 e1a00000 A svc : nop',
  ];
  const file = place.file('began-inside.txt', ran.map((line, n) => `${n + 1} clk 0 IT (${n + 1}) ${line}\n`).join(''));
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', images: [{ path: symbols }] });
  await ask(engine, 'index', { trace });
  const { functions } = await ask(engine, 'calls', { trace });
  expect(functions.map(({ name, self, total }) => ({ name, self, total }))).toEqual([
    { name: 'outer', self: 3, total: 6 },
    { name: 'inner', self: 3, total: 5 },
  ]);
  const { roots } = await ask(engine, 'tree', { trace });
  expect(roots.map((root) => `${root.function} ${root.total}`)).toEqual(['outer 6']);
});

/** Random calls and returns, some of which return without a call: threads, and calls from before the trace. */
function wander(random: Random, steps: number): string {
  const lines: string[] = [];
  const stack: number[] = [];
  const entry = (): number => 0x8000 + 0x100 * random.below(8);
  for (let n = 0, pc = entry(); n < steps; n++) {
    const sort = random.below(10);
    let [code, next] = ['e1a00000 A svc : nop', pc + 4];
    if (sort < 3) {
      [code, next] = ['e12fff33 A svc : blx r3', entry()];
      stack.push(pc + 4);
    } else if (sort < 5) {
      const known = random.below(6) > 0 ? stack.pop() : undefined;
      [code, next] = ['e12fff1e A svc : bx lr', known ?? entry() + 4 * random.below(20)];
    }
    lines.push(`${n + 1} clk 0 IT (${n + 1}) ${pc.toString(16).padStart(8, '0')} ${code}\n`);
    pc = next;
  }
  return lines.join('');
}

test.each([1, 2, 3])('function totals match the call tree for any stacks, seed %i', async (seed) => {
  const names = Array.from({ length: 8 }, (_, i) => `0000${(0x8000 + 0x100 * i).toString(16)} 00000100 T f${i}\n`);
  const images = [{ path: place.file('functions.txt', names.join('')) }];
  const file = place.file(`wander-${seed}.txt`, wander(createRandom(seed), 2000));
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', images });
  await ask(engine, 'index', { trace });
  const { functions, notes } = await ask(engine, 'calls', { trace });
  expect(notes.join(' ')).toMatch(/an earlier return had left.*open before the trace began/);
  const { roots } = await ask(engine, 'tree', { trace });
  const totals = new Map<string, number>();
  const add = ({ id, total, children }: CallTreeNode, open: ReadonlySet<string>): void => {
    if (!open.has(id)) totals.set(id, (totals.get(id) ?? 0) + total);
    for (const child of children) add(child, new Set([...open, id]));
  };
  for (const root of roots) add(root, new Set());
  expect(functions.map(({ id, total }) => `${id} ${total}`)).toEqual(
    functions.map(({ id }) => `${id} ${totals.get(id) ?? 0}`),
  );
});
