/** Compiled Pentium programs as branch trace messages: every pair, kind, call and depth that the messages prove. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../../electron/engine/engine.ts';
import type { BranchEvent } from '../../../shared/requests/flow.ts';
import { createRandom } from '../../laws/random.ts';
import { ask } from '../ask.ts';
import { asCapture, type Report } from '../btm-programs.ts';
import { counted } from '../expect-calls.ts';
import { expectRightOrMarkedStacks } from '../expect-stacks.ts';
import { few, pairs } from '../../short-form.ts';
import { sharedEngine } from '../shared-engine.ts';
import { scratch } from '../traces.ts';
import { ANSWERS, compileX86, PROGRAMS, X86, type Compiled, type ProgramName } from './compile.ts';
import type { Interrupts, Run } from './run.ts';
import { namesOf, truthOf } from './truth.ts';
import { runX86 } from './x86-machine.ts';
import { branchesOf, interruptsBehind, interruptsOf, linesOf, messagesOf, type Message } from './x86-trace.ts';

if (X86.missing !== undefined) console.warn(`Compiled programs of x86 are skipped: ${X86.missing}`);

const place = scratch();
const engines = [6000, 1_200_000].map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

const INTERRUPTED = [
  ['anything', 6, true],
  ['only', 5, false],
  ['anything', 1, false],
  ['mostly', 4, false],
  ['anything', 3, false],
] as const;
const CASES = few(
  pairs(PROGRAMS, ['-O1', '-O2', '-Os']).map(([program, how]) => ({ program, how })),
  2,
);
const HEADER = 'M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]';
/** Bytes that a call puts on the stack. */
const PUSHED = 4;

const objects = path.join(place.folder, 'objects');
fs.mkdirSync(objects);

function run(program: ProgramName, { image, at }: Compiled, interrupt: Interrupts, nests = false): Run {
  const start = { image, start: at('_start'), finished: at('finished') };
  const done = runX86({ ...start, interrupt, nests }, at('int_handler'));
  expect(done.answer).toBe(ANSWERS[program]);
  return done;
}

async function open(engine: Engine, taken: readonly Message[], report: Report, elf?: string): Promise<string> {
  const capture = asCapture({ taken }, report);
  const file = place.file(`${report}.csv`, capture);
  const options = { mode: report === 'fast' ? 'fast' : 'normal', header: HEADER };
  const images = elf === undefined ? [] : [{ path: elf }];
  const { trace } = await ask(engine, 'open', { path: file, format: 'btm', options, images });
  await ask(engine, 'index', { trace });
  return trace;
}

async function eventsOf(engine: Engine, trace: string): Promise<readonly BranchEvent[]> {
  const { events, next } = await ask(engine, 'branchEvents', { trace, count: 10_000 });
  expect(next).toBe(null);
  return events;
}

/** Without an image, at least this share of each kind is found. */
const FOUND = { call: 0.85, return: 0.88, interrupt: 1 };

/** Minimum share of calls that must be found, by the mode in which the processor names them. */
const SHARES_FOUND = { normal: 0.6, pairing: 0.2 };

const hex = (address: number): string => `0x${address.toString(16)}`;
const never = (): undefined => undefined;

describe.skipIf(X86.missing !== undefined).each(CASES)('$program compiled with $how', ({ program, how }) => {
  const compiled = X86.missing === undefined ? compileX86(objects, program, how) : undefined;
  let whole: Run | undefined;
  const uninterrupted = (): Run => (whole ??= run(program, compiled!, never));

  test.each(['normal', 'pairing'] as const)(
    '%s messages with the image give exact branches and calls',
    async (report) => {
      const { elf, functions } = compiled!;
      const names = namesOf(functions);
      const done = uninterrupted();
      const { calls, stacks } = truthOf(done, names, PUSHED);
      const taken = messagesOf(done, compiled!, report === 'pairing' ? createRandom(3) : undefined);
      for (const engine of engines) {
        const trace = await open(engine, taken, report, elf);
        const events = await eventsOf(engine, trace);
        expect(events.map(({ kind, source, target }) => `${kind} ${source ?? '?'} ${target ?? '?'}`)).toEqual(
          taken.map(({ kind, reported, target }) => `${kind} ${hex(reported)} ${hex(target)}`),
        );
        const graph = await ask(engine, 'calls', { trace });
        const nameOf = new Map(graph.functions.map(({ id, name }) => [id, names.canonical(name)]));
        const found = graph.edges.flatMap(({ caller, callee, kind, count }) =>
          Array.from({ length: count }, () => `${nameOf.get(caller)!} ${nameOf.get(callee)!} ${kind}`),
        );
        expect(counted(found)).toEqual(counted(calls.map(({ caller, callee, kind }) => `${caller} ${callee} ${kind}`)));
        // A jump to a function whose end is not seen may have been an interrupt.
        expect(graph.edges.filter(({ inferred, kind }) => inferred && kind !== 'tail call')).toEqual([]);
        expect(graph.depth.max).toBe(Math.max(...stacks.map(({ length }) => length)) - 1);
        for (let m = 3; m < taken.length; m += Math.ceil(taken.length / 25)) {
          const wanted = stacks[taken[m]!.reaches];
          if (wanted === undefined) continue;
          const { frames } = await ask(engine, 'stack', { trace, at: events[m]!.n });
          expect(frames.map((frame) => names.canonical(frame.function)).reverse(), `message ${m}`).toEqual(wanted);
        }
        await ask(engine, 'close', { trace });
      }
    },
  );

  test('reports interrupts if no branch explains a message', async () => {
    const done = run(program, compiled!, interruptsOf(createRandom(5), compiled!));
    const taken = messagesOf(done, compiled!);
    expect(taken.filter(({ kind }) => kind === 'interrupt').length).toBeGreaterThan(10);
    const trace = await open(engines[0]!, taken, 'normal', compiled!.elf);
    const events = await eventsOf(engines[0]!, trace);
    expect(events.map(({ kind, source, target }) => `${kind} ${source ?? '?'} ${target ?? '?'}`)).toEqual(
      taken.map(({ kind, source, target }) => `${kind} ${hex(source)} ${hex(target)}`),
    );
    const graph = await ask(engines[0]!, 'calls', { trace });
    const names = namesOf(compiled!.functions);
    const nameOf = new Map(graph.functions.map(({ id, name }) => [id, names.canonical(name)]));
    const { calls } = truthOf(done, names, PUSHED);
    const truth = counted(calls.map(({ caller, callee, kind }) => `${caller} ${callee} ${kind}`));
    const found = graph.edges.map(
      ({ caller, callee, kind, count }) => [`${nameOf.get(caller)!} ${nameOf.get(callee)!} ${kind}`, count] as const,
    );
    expect(Object.fromEntries(found)).toEqual(truth);
    await ask(engines[0]!, 'close', { trace });
  });

  test('marks an interrupt right before a branch through a register or the stack as inferred', async () => {
    const done = run(program, compiled!, interruptsOf(createRandom(11), compiled!, true));
    const taken = messagesOf(done, compiled!);
    const isHidden = ({ kind, source }: Message): boolean =>
      kind === 'interrupt' && /^(ret|iret|call +\*|jmp +\*|int|cpuid)/.test(compiled!.textAt(source));
    expect(taken.filter(isHidden).length).toBeGreaterThan(1);
    const trace = await open(engines[0]!, taken, 'normal', compiled!.elf);
    const events = await eventsOf(engines[0]!, trace);
    expect(events.map(({ kind, source, target }) => `${kind} ${source ?? '?'} ${target ?? '?'}`)).toEqual(
      taken.map(({ kind, source, target }) => `${kind} ${hex(source)} ${hex(target)}`),
    );
    expect(events.filter(({ kind, inferred }) => kind === 'interrupt' && !inferred)).toEqual([]);
    const graph = await ask(engines[0]!, 'calls', { trace });
    const names = namesOf(compiled!.functions);
    const nameOf = new Map(graph.functions.map(({ id, name }) => [id, names.canonical(name)]));
    const found: Record<string, number> = {};
    for (const { caller, callee, kind, count } of graph.edges) {
      const edge = `${nameOf.get(caller)!} ${nameOf.get(callee)!} ${kind}`;
      found[edge] = (found[edge] ?? 0) + count;
    }
    const { calls } = truthOf(done, names, PUSHED);
    expect(found).toEqual(counted(calls.map(({ caller, callee, kind }) => `${caller} ${callee} ${kind}`)));
    await ask(engines[0]!, 'close', { trace });
  });

  test.each(few(INTERRUPTED, 3))(
    'executed instructions with interrupts give right or marked answers; interrupts after %s, seed %i; nested: %s',
    async (where, seed, nests) => {
      const { elf, functions } = compiled!;
      const names = namesOf(functions);
      const done = run(program, compiled!, interruptsBehind(createRandom(seed), compiled!, where), nests);
      const { stacks, calls } = truthOf(done, names, PUSHED);
      const file = place.file('executed.txt', linesOf(done, compiled!));
      const { trace } = await ask(engines[0]!, 'open', { path: file, format: 'tarmac', images: [{ path: elf }] });
      await ask(engines[0]!, 'index', { trace });
      const wanted = new Set(branchesOf(done));
      const events = await eventsOf(engines[0]!, trace);
      const wrong = events
        .filter(({ kind, inferred }) => kind !== 'unknown' && !inferred)
        .map(({ kind, source, target }) => `${kind} ${source ?? '?'} ${target ?? '?'}`)
        .filter((branch) => !wanted.has(branch));
      expect(wrong).toEqual([]);
      const graph = await ask(engines[0]!, 'calls', { trace });
      const nameOf = new Map(graph.functions.map(({ id, name }) => [id, names.canonical(name)]));
      const made = counted(calls.map(({ caller, callee, kind }) => `${caller} ${callee} ${kind}`));
      const found: Record<string, number> = {};
      for (const { caller, callee, kind, count, inferred } of graph.edges) {
        const edge = `${nameOf.get(caller)!} ${nameOf.get(callee)!} ${kind}`;
        if (!inferred) expect(count, edge).toBeLessThanOrEqual(made[edge] ?? 0);
        found[edge] = (found[edge] ?? 0) + count;
      }
      // Branches inferred from the returns of interrupts are right too.
      if (!nests) expect(found).toEqual(made);
      const step = Math.ceil(stacks.length / 100);
      const records = Array.from({ length: Math.floor(stacks.length / step) }, (_, i) => i * step + 3);
      const right = await expectRightOrMarkedStacks(
        engines[0]!,
        trace,
        stacks,
        records.filter((n) => n < stacks.length),
        names.canonical,
      );
      expect(right).toBeGreaterThanOrEqual(nests ? 0.98 : 1);
      await ask(engines[0]!, 'close', { trace });
    },
  );

  test('fast messages give no wrong answers, and targets of direct branches', async () => {
    const names = namesOf(compiled!.functions);
    const done = uninterrupted();
    const taken = messagesOf(done, compiled!);
    const trace = await open(engines[0]!, taken, 'fast', compiled!.elf);
    const events = await eventsOf(engines[0]!, trace);
    expect(events.map(({ source }) => source)).toEqual(taken.map(({ source }) => hex(source)));
    const wrong = events.filter(({ kind, target }, i) => {
      const truth = taken[i]!;
      return (kind !== 'unknown' && kind !== truth.kind) || (target !== undefined && target !== hex(truth.target));
    });
    expect(wrong).toEqual([]);
    const unresolved = taken.flatMap(({ direct, kind }, i) =>
      direct && kind !== 'exception' && i + 1 < taken.length && events[i]!.target === undefined ? [i] : [],
    );
    expect(unresolved).toEqual([]);
    const { calls, stacks } = truthOf(done, names, PUSHED);
    for (let m = 3; m < taken.length; m += Math.ceil(taken.length / 60)) {
      const wanted = stacks[taken[m]!.reaches];
      if (wanted === undefined) continue;
      const { frames } = await ask(engines[0]!, 'stack', { trace, at: events[m]!.n });
      // The target of the last jump is not known at once.
      const isOpen = events[m]!.kind === 'jump' && events[m]!.target === undefined && frames[0]!.inferred === true;
      const found = frames.map((frame) => names.canonical(frame.function)).reverse();
      if (!isOpen) expect(found, `message ${String(m)}`).toEqual(wanted);
    }
    const graph = await ask(engines[0]!, 'calls', { trace });
    const nameOf = new Map(graph.functions.map(({ id, name }) => [id, names.canonical(name)]));
    const made = counted(calls.map(({ caller, callee, kind }) => `${caller} ${callee} ${kind}`));
    for (const { caller, callee, kind, count } of graph.edges) {
      const edge = `${nameOf.get(caller)!} ${nameOf.get(callee)!} ${kind}`;
      expect(count, edge).toBeLessThanOrEqual(made[edge] ?? 0);
    }
    await ask(engines[0]!, 'close', { trace });
  });

  test.each([
    ['normal', false],
    ['pairing', false],
    ['normal', true],
  ] as const)(
    'without the image, %s messages give almost no wrong answers; interrupts: %s',
    async (report, interrupted) => {
      const names = namesOf(compiled!.functions);
      const done = interrupted ? run(program, compiled!, interruptsOf(createRandom(5), compiled!)) : uninterrupted();
      const { calls, stacks } = truthOf(done, names, PUSHED);
      const taken = messagesOf(done, compiled!, report === 'pairing' ? createRandom(3) : undefined);
      const trace = await open(engines[0]!, taken, report);
      const events = await eventsOf(engines[0]!, trace);
      expect(events.map(({ source, target }) => `${source ?? '?'} ${target ?? '?'}`)).toEqual(
        taken.map(({ reported, target }) => `${hex(reported)} ${hex(target)}`),
      );
      expect(events.filter(({ kind, inferred }) => inferred !== (kind !== 'unknown'))).toEqual([]);
      const wrong = events.filter(({ kind }, i) => kind !== 'unknown' && kind !== taken[i]!.kind);
      expect(wrong.length / events.length).toBeLessThan(0.01);
      for (const [kind, share] of Object.entries(FOUND)) {
        const all = taken.flatMap((message, i) => (message.kind === kind ? [events[i]!.kind === kind] : []));
        expect(all.filter(Boolean).length, `${kind} of ${String(all.length)}`).toBeGreaterThanOrEqual(
          share * all.length,
        );
      }

      const graph = await ask(engines[0]!, 'calls', { trace });
      const nameOf = new Map(graph.functions.map(({ id, address }) => [id, address && names.at(Number(address))]));
      expect(graph.edges.filter(({ inferred }) => !inferred)).toEqual([]);
      const made = new Map(
        Object.entries(counted(calls.map(({ caller, callee, kind }) => `${caller} ${callee} ${kind}`))),
      );
      // It is unknown that a software interrupt is no call.
      const softly = new Map(Object.entries(counted(calls.map(({ caller, callee }) => `${caller} ${callee} unknown`))));
      let reported = 0;
      for (const { caller, callee, kind, count } of graph.edges) {
        if (nameOf.get(caller) === undefined || nameOf.get(callee) === undefined) continue;
        const edge = `${nameOf.get(caller)!} ${nameOf.get(callee)!} ${kind}`;
        expect(count, edge).toBeLessThanOrEqual(made.get(edge) ?? softly.get(edge) ?? 0);
        reported += count;
      }
      expect(reported / calls.length).toBeGreaterThan(SHARES_FOUND[report]);

      const requested = Math.ceil(taken.length / 30);
      let same = 0;
      for (let m = 3; m < taken.length; m += requested) {
        const wanted = stacks[taken[m]!.reaches];
        // Interrupted before the next instruction, so the message is not about that instruction.
        if (
          wanted === undefined ||
          done.ran[taken[m]!.reaches]!.interruptions.some(({ target }) => target !== taken[m]!.target)
        )
          continue;
        const { frames } = await ask(engines[0]!, 'stack', { trace, at: events[m]!.n });
        const open = frames.map(({ address }) => address && names.at(Number(address)));
        // The outermost frame stands for all unknown callers.
        const differs = open.slice(0, -1).some((name, depth) => name !== undefined && name !== wanted.at(-1 - depth));
        if (!differs) same++;
        else expect(frames.some(({ inferred }) => inferred === true)).toBe(true);
      }
      expect(same).toBeGreaterThanOrEqual(0.9 * Math.floor(taken.length / requested - 1));
      await ask(engines[0]!, 'close', { trace });
    },
  );
});
