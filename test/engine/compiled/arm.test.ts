/** Compiled ARM programs as traces of executed instructions: every branch, call, count and depth. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../../electron/engine/engine.ts';
import type { Arguments } from '../../../shared/requests/requests.ts';
import { createRandom } from '../../laws/random.ts';
import { ask } from '../ask.ts';
import { counted, expectCalls, pathsOf } from '../expect-calls.ts';
import { asQemu, asTracer } from '../flow-programs.ts';
import { expectRightOrMarkedDepths, expectRightOrMarkedStacks } from '../expect-stacks.ts';
import { few, NIGHTLY, pairs, rounds } from '../../short-form.ts';
import { sharedEngine } from '../shared-engine.ts';
import { scratch } from '../traces.ts';
import { runArm } from './arm-machine.ts';
import { branchesOf, interruptsOf, stepsOf } from './arm-trace.ts';
import { ANSWERS, ARM, compileArm, PROGRAMS, type Compiled } from './compile.ts';
import type { Interrupts, Run } from './run.ts';
import { callTruthOf, namesOf, truthOf } from './truth.ts';

if (ARM.missing !== undefined) console.warn(`Compiled programs of ARM are skipped: ${ARM.missing}`);

const place = scratch();
const engines = [12_000, 1_200_000].map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

const WAYS = ['-O2 -marm', '-O1 -marm -march=armv4t', '-Os -mthumb', '-O2 -mthumb -march=armv4t'];
const CASES = few(
  pairs(PROGRAMS, WAYS).map(([program, how]) => ({ program, how })),
  2,
);
const FORMATS = [
  { format: 'tarmac', write: asQemu },
  { format: 'armtracer', write: asTracer },
];

/** Seeds for interrupts anywhere: the last two cover every hard case. */
const SEEDS = NIGHTLY ? [11, 6, 12] : [12];

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

async function reported(engine: Engine, args: Arguments<'open'>): Promise<readonly string[]> {
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

describe.skipIf(ARM.missing !== undefined).each(CASES)('$program compiled with $how', ({ program, how }) => {
  test('reports all calls exactly, without interrupts and with interrupts that hide nothing', async () => {
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
      for (const engine of NIGHTLY ? engines : [engines[i]!])
        expect(await reported(engine, args)).toEqual(branchesOf(done));
      const wanted = {
        ...{ every: Math.ceil(done.ran.length / 12), first: 5 * i, nameOf: names.canonical },
        inferred: ['exception', 'interrupt'],
      };
      await expectCalls(engines[i]!, args, truth, wanted);
    }
  });

  test('marks every wrong answer as inferred with interrupts anywhere', async () => {
    const compiled = compileArm(objects, program, how);
    const names = namesOf(compiled.functions);
    for (const seed of SEEDS) {
      const done = run(compiled, interruptsOf(createRandom(seed), compiled, 'anywhere'));
      expect(done.answer).toBe(ANSWERS[program]);
      const { calls, stacks } = truthOf(done, names, 0);
      const args = opening(compiled, done, FORMATS[0]!);
      const wanted = branchesOf(done);
      for (const engine of engines) {
        const found = await reported(engine, args);
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
      const records = spread(3, done.ran.length, 200);
      const share = await expectRightOrMarkedStacks(engines[0]!, trace, stacks, records, names.canonical);
      expect(share).toBeGreaterThan(0.99);
      await expectRightOrMarkedDepths(engines[0]!, trace, stacks);
      const { roots } = await ask(engines[0]!, 'tree', { trace });
      const paths = Object.fromEntries(pathsOf(roots, '', names.canonical).sort());
      expect(paths).toEqual(counted(stacks.map((stack) => stack.join(';'))));
      await ask(engines[0]!, 'close', { trace });
    }
  });

  test('marks answers as inferred if the trace ends before an interrupt returns', async () => {
    const compiled = compileArm(objects, program, how);
    const names = namesOf(compiled.functions);
    const done = run(compiled, interruptsOf(createRandom(12), compiled, 'anywhere'));
    const { stacks } = truthOf(done, names, 0);
    const hidden = done.ran.flatMap(({ branch }, i) =>
      branch?.direct === false && (done.ran[i + 1]?.interruptions.length ?? 0) > 0 ? [i + 1] : [],
    );
    expect(hidden.length).toBeGreaterThan(0);
    for (const at of spread(0, hidden.length, rounds(2, 4)).map((i) => hidden[i]!)) {
      const part = { ...done, ran: done.ran.slice(0, at + 3) };
      const { trace } = await ask(engines[0]!, 'open', opening(compiled, part, FORMATS[0]!));
      await ask(engines[0]!, 'index', { trace });
      await expectRightOrMarkedStacks(engines[0]!, trace, stacks, [at - 1, at, at + 1, at + 2], names.canonical);
      await expectRightOrMarkedDepths(engines[0]!, trace, stacks.slice(0, at + 3));
      await ask(engines[0]!, 'close', { trace });
    }
  });
});

/** At most `most` numbers, evenly spread from `first` to `end`. */
function spread(first: number, end: number, most: number): readonly number[] {
  const step = Math.ceil((end - first) / most);
  return Array.from({ length: Math.ceil((end - first) / step) }, (_, i) => first + i * step);
}

/** Answers may omit unknown parts, but must not contradict the truth. */
function fits(found: string, wanted: string): boolean {
  const parts = wanted.split(' ');
  return found.split(' ').every((part, i) => part === parts[i] || part === '?' || part === 'unknown');
}
