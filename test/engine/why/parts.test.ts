/** Searches that pass parts of blocks by their fingerprints agree with a forward replay of all records. */
import { afterAll, expect, test } from 'vitest';
import { createRandom } from '../../laws/random.ts';
import { rounds } from '../../short-form.ts';
import { sharedEngine } from '../shared-engine.ts';
import { scratch } from '../traces.ts';
import { longLoops } from './long-loops.ts';
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
