/**
 * Programs with a fault on purpose (test/engine/compiled/programs/fault-*.c): the origin of the wrong value names the faulty function
 * within three interactions, which are the question and two further steps at most.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { Why, WhyStep } from '../../../shared/requests/why.ts';
import { ask } from '../ask.ts';
import { sharedEngine } from '../shared-engine.ts';
import type { WhyQuestion } from './questions.ts';

const SAMPLES = fileURLToPath(new URL('../../samples/tarmac/', import.meta.url));

const engine = sharedEngine();
afterAll(() => engine.close());

async function originOf(name: string, question: WhyQuestion): Promise<Why> {
  const folder = path.join(SAMPLES, name);
  const { trace } = await ask(engine, 'open', {
    path: path.join(folder, 'trace.txt'),
    format: 'tarmac',
    images: [{ path: path.join(folder, 'program.elf') }],
  });
  await ask(engine, 'index', { trace });
  return ask(engine, 'why', { trace, ...question });
}

/** Returns the steps that a person sees after the question and so many further ones. */
function within({ origin, steps }: Why, clicks: number): readonly WhyStep[] {
  let uses = origin;
  const seen: WhyStep[] = [];
  for (let k = 0; k <= clicks; k++) {
    const next = uses.flatMap(({ step }) => (step === null ? [] : [steps[step]!]));
    seen.push(...next);
    uses = next.flatMap((step) => step.uses);
  }
  return seen;
}

const functionOf = ({ symbol = '' }: WhyStep): string => symbol.replace(/\+.*/, '');

test('an uninitialised offset comes from a function that left it on the stack', async () => {
  // 0x390 = 912 = 2 * 3 + 906: the offset should be 0, but nothing of the filter's own functions set it.
  const why = await originOf('fault-uninitialised', { at: 297, register: 'r0' });
  expect(why.of).toMatchObject({ register: 'r0', value: '0x390' });
  const [product, ...sources] = within(why, 1);
  expect(product).toMatchObject({ symbol: 'apply+0xc', kind: 'computed', line: 'fault-uninitialised.c:27' });
  expect(sources.map(functionOf).sort()).toEqual(['checksum', 'prepare', 'run']);
  const stale = sources.find((step) => functionOf(step) === 'checksum')!;
  expect(stale).toMatchObject({ defines: [{ register: 'r0', value: '0x38a' }], line: 'fault-uninitialised.c:16' });
});

test('a stray write into a structure comes from the function that wrote too far', async () => {
  // The carry flag of the comparison decides about the false alarm: the limit 50 has become 33, the character "!".
  const why = await originOf('fault-stray-write', { at: 283, register: 'cpsr.c' });
  const [comparison, load, ...writers] = within(why, 2);
  expect(comparison).toMatchObject({ symbol: 'measure+0x2', line: 'fault-stray-write.c:23' });
  expect(load).toMatchObject({ symbol: 'measure', defines: [{ register: 'r3', value: '0x21' }] });
  expect(new Set(writers.map(functionOf))).toEqual(new Set(['set_name', 'set_limit']));
});

test('a copy that goes one item too far is where the wrong total comes from', async () => {
  const why = await originOf('fault-off-by-one', { at: 178, address: '0x9200', length: 4 });
  expect(why.of).toMatchObject({ value: '0f270000' });
  expect(within(why, 2).map(functionOf)).toContain('copy');
});
