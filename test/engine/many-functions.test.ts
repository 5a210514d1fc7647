/** Many functions: what each of them took is exact for all of them. */
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

test('a function that calls nothing takes what it executes itself, however many there are', async () => {
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
