/** Equal fingerprints of other instructions: parts that count as equal are refuted by their records. */
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { NO_IMAGES } from '../../electron/engine/image/images.ts';
import { openTrace } from '../../electron/engine/open/open-trace.ts';
import { confirmed } from '../../electron/engine/queries/diff/paths/confirm.ts';
import { sidesOf } from '../../electron/engine/queries/diff/paths/sides.ts';
import { createPool } from '../../electron/engine/threads/pool.ts';
import { createTask } from '../../electron/engine/threads/task.ts';
import type { Trace } from '../../electron/engine/trace.ts';
import { assert } from '../../shared/base/result.ts';
import { createRandom } from '../laws/random.ts';
import { asQemu, runProgram, type Step } from './flow-programs.ts';
import { scratch } from './traces.ts';

const place = scratch();
const pool = createPool(1);
afterAll(async () => {
  await pool.close();
  place.dispose();
});

async function opened(name: string, steps: readonly Step[]): Promise<Trace> {
  const file = place.file(name, asQemu({ steps, taken: [], rest: 0 }));
  const settings = { blockBytes: 2000, indexDirectory: path.join(place.folder, `${name}-index`) };
  const trace = openTrace({ path: file, format: 'tarmac' }, { id: name, key: name, pool, settings, images: NO_IMAGES });
  assert(trace.ok, 'the trace opens');
  assert((await trace.value.ingest.run(() => true)).ok, 'the trace is indexed');
  return trace.value;
}

test('a part is equal up to the first other instruction, wherever it begins', async () => {
  const task = createTask<never>(
    () => false,
    () => undefined,
  );
  const random = createRandom(4);
  const steps: Step[] = [];
  while (steps.length < 300) steps.push(...runProgram(random, false, 300).steps);
  const changed = steps.map((step, at) => (at === 150 ? { ...step, address: step.address + 0x1_0000 } : step));
  const [a, b] = [await opened('a', steps), await opened('b', changed)];
  const sides = await sidesOf(a, b, { cpu: undefined, shift: '0' }, task);
  assert(sides.ok, 'the traces can be compared');
  const { length } = steps;
  const part = (kind: 'same' | 'not-aligned', record: number, skip: number, instructions: number) => ({
    kind,
    a: { record, skip },
    b: { record, skip },
    instructionsA: instructions,
    instructionsB: instructions,
  });
  for (const from of [0, 149, 150]) {
    const found = await confirmed(sides.value, [part('same', 0, from, length - from)], task);
    assert(found.ok, 'the records are read');
    const equal = part('same', 0, from, 150 - from);
    const rest = part('not-aligned', 0, 150, length - 150);
    expect(found.value).toEqual(from === 150 ? [rest] : [equal, rest]);
  }
  const after = [part('same', 151, 0, length - 151)];
  expect(await confirmed(sides.value, after, task)).toEqual({ ok: true, value: after });
});
