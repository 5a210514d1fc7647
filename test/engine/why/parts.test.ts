/** Searches that pass parts of blocks by their fingerprints agree with a forward replay of all records. */
import { afterAll, expect, test } from 'vitest';
import { createRandom } from '../../laws/random.ts';
import { rounds } from '../../short-form.ts';
import { sharedEngine } from '../shared-engine.ts';
import { scratch } from '../traces.ts';
import { longLoops, thumbLoops } from './long-loops.ts';
import { answers, expectAgreement, expectForwardAgreement, openReplayed } from './questions.ts';

const place = scratch();
const BLOCK_BYTES = 250_000;
const engine = sharedEngine(BLOCK_BYTES);
afterAll(async () => {
  await engine.close();
  place.dispose();
});

test('a search passes loops that leave a register alone, and stops at code that sets it to the value that it has', async () => {
  const path = place.file('loops.log', Buffer.from(longLoops(10, createRandom(7), 240)));
  const opened = await openReplayed(engine, { path, format: 'tarmac', options: { dialect: 'qemu4v' } }, { isa: 'arm' });
  expect(opened.records.length).toBeGreaterThan(6000);
  const random = createRandom(3);
  for (let question = 0; question < rounds(12, 1000); question++) {
    const at = random.below(opened.records.length);
    const said = await answers(opened, {
      at,
      register: ['r5', 'r7', 'r6', 'r0'][question % 4]!,
      steps: 12,
      allCopies: true,
    });
    expect(said.engine).toBe(said.oracle);
  }
  await expectAgreement(opened, random, rounds(12, 1000));
  await expectForwardAgreement(opened, random, rounds(2, 200));
});

test('a search for the branch that decided passes loops of functions that returned before', async () => {
  const path = place.file('called.log', Buffer.from(longLoops(10, createRandom(5), 240, true)));
  const opened = await openReplayed(engine, { path, format: 'tarmac', options: { dialect: 'qemu4v' } }, { isa: 'arm' });
  const random = createRandom(4);
  // The search knows code from the questions before.
  for (let question = 0; question < rounds(10, 1000); question++) {
    const at = random.below(opened.records.length);
    const said = await answers(opened, {
      at,
      register: ['r5', 'r14'][question % 2]!,
      steps: 12,
      control: true,
      allCopies: true,
    });
    expect(said.engine).toBe(said.oracle);
  }
});

test('conditions that IT instructions give reach into the next part, also in the first Thumb code that is read', async () => {
  const random = createRandom(6);
  const arm = longLoops(4, random);
  const path = place.file('thumb.log', Buffer.from(arm + thumbLoops(700, random, lastNumber(arm))));
  const opened = await openReplayed(engine, { path, format: 'tarmac', options: { dialect: 'qemu4v' } }, { isa: 'arm' });
  const starts = Array.from({ length: Math.floor(opened.records.length / 1024) }, (_, part) => 1024 * (part + 1));
  expect(starts.some((n) => opened.records.slice(n - 2, n).some(({ text = '' }) => /^itt?e/.test(text)))).toBe(true);
  for (const start of starts)
    for (const [k, register] of ['r5', 'r6', 'r0', 'cpsr'].entries()) {
      const at = Math.min(opened.records.length - 1, start + random.below(6 * (k + 1)));
      const said = await answers(opened, { at, register, steps: 6, control: k % 2 === 0, allCopies: true });
      expect(said.engine).toBe(said.oracle);
    }
});

/** Returns the number of the last instruction of a trace. */
function lastNumber(text: string): number {
  return Number(text.slice(text.lastIndexOf(' (') + 2).split(')')[0]);
}
