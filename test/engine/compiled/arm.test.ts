/** Programs that a compiler made for ARM, as traces of executed instructions: every branch, call, count and depth. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../../electron/engine/engine.ts';
import type { Arguments } from '../../../shared/api.ts';
import { createRandom } from '../../laws/random.ts';
import { ask } from '../ask.ts';
import { counted, expectCalls } from '../expect-calls.ts';
import { asQemu, asTracer } from '../flow-programs.ts';
import { scratch } from '../traces.ts';
import { runArm } from './arm-machine.ts';
import { branchesOf, interruptsOf, stepsOf } from './arm-trace.ts';
import { ANSWERS, ARM, compileArm, PROGRAMS, type Compiled } from './compile.ts';
import type { Interrupts, Run } from './run.ts';
import { callTruthOf, namesOf, truthOf } from './truth.ts';

if (ARM.missing !== undefined) console.warn(`Compiled programs of ARM are skipped: ${ARM.missing}`);

const place = scratch();
const engines = [20_000, 1_200_000].map((blockBytes) =>
  startEngine({ blockBytes, jobs: 2, indexDirectory: path.join(place.folder, `cut-${blockBytes}`) }),
);
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

const WAYS = ['-O2 -marm', '-O1 -marm -march=armv4t', '-Os -mthumb', '-O2 -mthumb -march=armv4t'];
const CASES = PROGRAMS.flatMap((program) => WAYS.map((how) => ({ program, how })));
const FORMATS = [
  { format: 'tarmac', write: asQemu },
  { format: 'armtracer', write: asTracer },
];

const objects = path.join(place.folder, 'objects');
fs.mkdirSync(objects);

function run(compiled: Compiled, interrupt: Interrupts): Run {
  const { image, at } = compiled;
  return runArm({ image, start: at('_start'), finished: at('finished'), interrupt });
}

function opening(compiled: Compiled, done: Run, { format, write }: (typeof FORMATS)[number]): Arguments<'open'> {
  const text = write({ steps: stepsOf(done, compiled), taken: [], rest: 0 });
  return { path: place.file(`${format}.txt`, text), format, images: [{ path: compiled.elf }] };
}

async function told(engine: Engine, args: Arguments<'open'>): Promise<readonly string[]> {
  const { trace } = await ask(engine, 'open', args);
  await ask(engine, 'index', { trace });
  const all: string[] = [];
  for (let from: number | null = 0; from !== null;) {
    const page: Awaited<ReturnType<typeof events>> = await events(engine, trace, from);
    all.push(...page.events.map(({ kind, source, target }) => `${kind} ${source ?? '?'} ${target ?? '?'}`));
    from = page.next;
  }
  await ask(engine, 'close', { trace });
  return all;
}

const events = (engine: Engine, trace: string, from: number) =>
  ask(engine, 'branchEvents', { trace, from, count: 10_000 });

describe.skipIf(ARM.missing !== undefined).each(CASES)(
  '$program compiled with $how',
  { timeout: 240_000 },
  ({ program, how }) => {
    test('alone, and with interrupts where they hide nothing', async () => {
      const compiled = compileArm(objects, program, how);
      const names = namesOf(compiled.functions);
      for (const [i, interrupt] of [
        (): undefined => undefined,
        interruptsOf(createRandom(7), compiled, 'quietly'),
      ].entries()) {
        const done = run(compiled, interrupt);
        expect(done.answer).toBe(ANSWERS[program]);
        const truth = callTruthOf(truthOf(done, names, 0));
        const args = opening(compiled, done, FORMATS[i]!);
        for (const engine of engines) expect(await told(engine, args)).toEqual(branchesOf(done));
        const wishes = {
          ...{ every: Math.ceil(done.ran.length / 12), first: 5 * i, nameOf: names.canonical },
          inferred: ['exception', 'interrupt'],
        };
        await expectCalls(engines[i]!, args, truth, wishes);
      }
    });

    test('with interrupts anywhere nothing is wrong that is not marked', async () => {
      const compiled = compileArm(objects, program, how);
      const names = namesOf(compiled.functions);
      const done = run(compiled, interruptsOf(createRandom(11), compiled, 'anywhere'));
      expect(done.answer).toBe(ANSWERS[program]);
      const { calls, stacks } = truthOf(done, names, 0);
      const args = opening(compiled, done, FORMATS[0]!);
      const wanted = branchesOf(done);
      for (const engine of engines) {
        const found = await told(engine, args);
        expect(found).toHaveLength(wanted.length);
        expect(found.filter((line, i) => !fits(line, wanted[i]!))).toEqual([]);
      }
      const { trace } = await ask(engines[0]!, 'open', args);
      const graph = await ask(engines[0]!, 'calls', { trace });
      const nameOf = new Map(graph.functions.map(({ id, name }) => [id, names.canonical(name)]));
      const truth = counted(calls.map(({ caller, callee, kind }) => `${caller} ${callee} ${kind}`));
      const wrong = graph.edges.filter(({ caller, callee, kind, count, inferred }) => {
        const unknown = nameOf.get(callee) === '(unknown)';
        const most = truth[`${nameOf.get(caller)!} ${nameOf.get(callee)!} ${kind}`] ?? 0;
        return !inferred && !unknown && count > most;
      });
      expect(wrong).toEqual([]);
      let right = 0;
      let asked = 0;
      for (let at = 3; at < done.ran.length; at += Math.ceil(done.ran.length / 50)) {
        const { frames } = await ask(engines[0]!, 'stack', { trace, at });
        const said = frames.map((frame) => names.canonical(frame.function)).reverse();
        right += Number(said.join(';') === stacks[at]!.join(';'));
        asked++;
      }
      // The others have a call too many, or one that has just been left.
      expect(right / asked).toBeGreaterThan(0.7);
      await ask(engines[0]!, 'close', { trace });
    });
  },
);

/** What is told may leave out what is not known, and say nothing else. */
function fits(found: string, wanted: string): boolean {
  const parts = wanted.split(' ');
  return found.split(' ').every((part, i) => part === parts[i] || part === '?' || part === 'unknown');
}
