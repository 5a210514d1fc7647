/** Origins of values in traces of compiled ARM programs: the engine agrees with a forward replay of all records. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createRandom } from '../../laws/random.ts';
import { few, pairs, rounds } from '../../short-form.ts';
import { runArm } from '../compiled/arm-machine.ts';
import { asFastModels, interruptsOf } from '../compiled/arm-trace.ts';
import { ANSWERS, ARM, compileArm, PROGRAMS } from '../compiled/compile.ts';
import { sharedEngine } from '../shared-engine.ts';
import { scratch } from '../traces.ts';
import { expectAgreement, expectForwardAgreement, openReplayed } from './questions.ts';

if (ARM.missing !== undefined) console.warn(`Origins in compiled programs are skipped: ${ARM.missing}`);

const place = scratch();
/** Some ten blocks: definitions lie in other blocks than uses. */
const engine = sharedEngine(rounds(12_000, 120_000));
afterAll(async () => {
  await engine.close();
  place.dispose();
});

const WAYS = ['-O2 -marm', '-Os -mthumb', '-O1 -marm -march=armv4t', '-O2 -mthumb -march=armv4t'];
const CASES = few(
  pairs(PROGRAMS, WAYS).map(([program, how], k) => ({ program, how, interrupted: k % 2 === 0 })),
  3,
);
const INSTRUCTIONS = rounds(1000, 10_000);

describe.skipIf(ARM.missing !== undefined)('a compiled program', () => {
  test.each(CASES)('agrees with a replay: $program, $how, interrupts: $interrupted', async (each) => {
    const { program, how, interrupted } = each;
    const objects = fs.mkdtempSync(path.join(place.folder, 'objects-'));
    const compiled = compileArm(objects, program, how);
    const { image, at } = compiled;
    const interrupt = interrupted ? interruptsOf(createRandom(7), compiled, 'anywhere') : (): undefined => undefined;
    const run = runArm({ image, start: at('_start'), finished: at('finished'), interrupt });
    expect(run.answer).toBe(ANSWERS[program]);
    const text = asFastModels({ ran: run.ran.slice(0, INSTRUCTIONS) }, compiled);
    const file = path.join(objects, 'trace.txt');
    fs.writeFileSync(file, text);
    const opened = await openReplayed(engine, { path: file, format: 'tarmac' });
    await expectAgreement(opened, createRandom(3), rounds(1000, 10_000));
    await expectForwardAgreement(opened, createRandom(3), rounds(100, 10_000));
  });
});
