/**
 * Two runs of compiled programs: one built again with other options, compared by symbol, and one with interrupts that are ignored. What was
 * executed is known from the simulated processor.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Diff, DiffQuestion } from '../../../shared/requests/diff.ts';
import { createRandom } from '../../laws/random.ts';
import { ask, refusal } from '../ask.ts';
import { asQemu } from '../flow-programs.ts';
import { sharedEngine } from '../shared-engine.ts';
import { scratch } from '../traces.ts';
import { runArm } from './arm-machine.ts';
import { interruptsOf, stepsOf } from './arm-trace.ts';
import { ARM, compileArm, type Compiled } from './compile.ts';
import type { Interrupts, Ran, Run } from './run.ts';

const place = scratch();
const engine = sharedEngine(240_000);
afterAll(async () => {
  await engine.close();
  place.dispose();
});

const objects = path.join(place.folder, 'objects');
fs.mkdirSync(objects);

const none: Interrupts = () => undefined;

function run(compiled: Compiled, interrupt: Interrupts): Run {
  const { image, at } = compiled;
  return runArm({ image, start: at('_start'), finished: at('finished'), interrupt });
}

function traced(compiled: Compiled, interrupt = none): Traced {
  return { compiled, run: run(compiled, interrupt) };
}

interface Traced {
  readonly compiled: Compiled;
  readonly run: Run;
}

async function opened(
  { compiled, run: done }: Traced,
  name: 'a' | 'b',
  images = [{ path: compiled.elf }],
): Promise<string> {
  const file = place.file(`${name}.txt`, asQemu({ steps: stepsOf(done, compiled), taken: [], rest: 0 }));
  const { trace } = await ask(engine, 'open', { path: file, images });
  await ask(engine, 'index', { trace });
  return trace;
}

async function compared(a: Traced, b: Traced, question: DiffQuestion): Promise<Diff> {
  const [trace, other] = [await opened(a, 'a'), await opened(b, 'b')];
  const found = await ask(engine, 'diff', { trace, other, ...question, most: 100_000 });
  const first = await ask(engine, 'diff', { trace, other, ...question, only: 'first' });
  expect(first).toEqual({ ...found, regions: [], left: 0, functions: [], functionsLeft: 0, matched: undefined });
  for (const each of [trace, other]) await ask(engine, 'close', { trace: each });
  return found;
}

/** The function that contains an instruction. */
function functionOf({ functions }: Compiled, { address }: Ran): string | undefined {
  return functions.find((each) => address >= each.address && address < each.end)?.name;
}

const counted = (found: Diff, kind: string, of: 'instructionsA' | 'instructionsB'): number =>
  found.regions.reduce((sum, region) => sum + (region.kind === kind ? region[of] : 0), 0);

describe.skipIf(ARM.missing !== undefined)('a program', () => {
  test('that is built again at other addresses takes the same path by symbol', async () => {
    const [a, b] = [
      compileArm(objects, 'sorts', '-O2 -mthumb'),
      compileArm(objects, 'sorts', '-O2 -mthumb -falign-functions=64'),
    ];
    const [one, other] = [traced(a), traced(b)];
    expect(b.at('program')).not.toBe(a.at('program'));
    const found = await compared(one, other, { by: 'symbol' });
    expect(found).toMatchObject({ same: true, matched: 1, functions: [], withoutSymbol: { a: 0, b: 0 } });
    expect(found.instructionsA).toBe(one.run.ran.length);
  });

  test.each(['-O2 -marm', '-Os -mthumb'])(
    'with one more instruction in each function differs by it alone, with %s',
    async (how) => {
      const [a, b] = [
        compileArm(objects, 'unwind', how),
        compileArm(objects, 'unwind', `${how} -fpatchable-function-entry=1`),
      ];
      const [one, other] = [traced(a), traced(b)];
      const entries = new Set(b.functions.map(({ address }) => address));
      const added = other.run.ran.filter(
        ({ address }) => entries.has(address) && /^(nop|mov r8, r8)/.test(b.textAt(address)),
      );
      expect(added.length).toBe(other.run.ran.length - one.run.ran.length);
      const found = await compared(one, other, { by: 'symbol' });
      expect([counted(found, 'a-only', 'instructionsA'), counted(found, 'b-only', 'instructionsB')]).toEqual([
        0,
        added.length,
      ]);
      expect(counted(found, 'not-aligned', 'instructionsA')).toBe(0);
      const times = new Map<string, number>();
      for (const each of added) times.set(functionOf(b, each)!, (times.get(functionOf(b, each)!) ?? 0) + 1);
      expect(new Map(found.functions.map(({ name, onlyB }) => [name, onlyB]))).toEqual(times);
    },
  );

  test('that was interrupted differs by nothing but its ignored handlers, and all that they call', async () => {
    const compiled = compileArm(objects, 'words', '-O1 -marm');
    const one = traced(compiled);
    const other = traced(compiled, interruptsOf(createRandom(5), compiled, 'quietly'));
    const ignore = ['vector_irq', 'irq_handler', 'vector_fiq', 'fiq_handler'];
    const found = await compared(one, other, { ignore });
    const { length } = one.run.ran;
    expect(found).toMatchObject({ same: true, matched: 1, instructionsA: length, instructionsB: length });
    const ignored = { registers: [], functions: ignore, ranges: [], callsKnown: true };
    expect(found.ignored).toEqual({ ...ignored, instructionsA: 0, instructionsB: other.run.ran.length - length });
    expect((await compared(one, other, {})).same).toBe(false);
  });

  test('is refused by symbol without its symbols, and with names that neither run has', async () => {
    const compiled = compileArm(objects, 'words', '-O1 -marm');
    const both = traced(compiled);
    const [trace, other] = [await opened(both, 'a'), await opened(both, 'b', [])];
    const bare = await refusal(engine, 'diff', { trace, other, by: 'symbol' });
    expect(bare.message).toMatch(/b\.txt: the trace has no program with symbols/);
    const wrong = await refusal(engine, 'diff', { trace, other, ignore: ['vector_irq', 'irq_handle'] });
    expect(wrong.message).toMatch(/^'irq_handle' cannot be ignored: it is no register of the traces, and no function/);
  });
});
