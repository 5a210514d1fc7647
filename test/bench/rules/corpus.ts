/**
 * Traces of programs with known branches and open calls, on which inference rules are measured. Compiled programs need gcc for x86 and
 * arm-none-eabi-gcc; cases of a missing compiler are left out.
 */
import fs from 'node:fs';
import path from 'node:path';
import { createProgram } from '../../../electron/sample/program.ts';
import { createRandom as createSampleRandom } from '../../../electron/sample/random.ts';
import { OP } from '../../../electron/sample/assembler.ts';
import { sample } from '../../../electron/sample/sample.ts';
import type { Arguments } from '../../../shared/requests/requests.ts';
import { asCapture, runPentium, type Report } from '../../engine/btm-programs.ts';
import { asQemu } from '../../engine/flow-programs.ts';
import { runArm } from '../../engine/compiled/arm-machine.ts';
import {
  branchListOf as armBranchesOf,
  interruptsOf as armInterruptsOf,
  stepsOf,
} from '../../engine/compiled/arm-trace.ts';
import { ARM, compileArm, compileX86, PROGRAMS, X86, type CompiledFunction } from '../../engine/compiled/compile.ts';
import type { Interrupts, Run } from '../../engine/compiled/run.ts';
import { namesOf, truthOf } from '../../engine/compiled/truth.ts';
import { runX86 } from '../../engine/compiled/x86-machine.ts';
import {
  branchListOf as x86BranchesOf,
  interruptsBehind,
  interruptsOf,
  linesOf,
  messagesOf,
  type Message,
} from '../../engine/compiled/x86-trace.ts';
import { createRandom } from '../../laws/random.ts';
import { runCode } from '../../unit/code-model.ts';

export interface TrueBranch {
  readonly kind: string;
  readonly source: number;
  readonly target: number;
}

/** Branches by event number, if each is one message; by the record that they reach; or only the kind of each source. */
export type TrueBranches =
  | { readonly by: 'event' | 'record'; readonly all: ReadonlyMap<number, readonly TrueBranch[]> }
  | { readonly by: 'source'; readonly kinds: ReadonlyMap<number, string>; readonly handler: number };

/** A plain value, so that it can be passed to another process. */
export interface Case {
  /** Cases of one corpus are counted together. */
  readonly corpus: string;
  readonly open: Arguments<'open'>;
  readonly branches: TrueBranches;
  /** Open functions after some events, or while some records execute, outermost first. Undefined if known calls alone are enough. */
  readonly stacks: ReadonlyMap<number, readonly string[]> | undefined;
  /** Functions that stacks name by their symbols; absent if stacks name them by their entry points, as hex digits. */
  readonly functions?: readonly CompiledFunction[];
  /** Answers name functions by symbols of an image. */
  readonly hasImage: boolean;
}

const HEADER = 'M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]';
/** Bytes that a call of x86 puts on the stack. */
const PUSHED = 4;
const MOST_EVENTS = 10_000;
const MOST_INSTRUCTIONS = 20_000;
/** Number of stacks compared in each case. */
export const MOST_STACKS = 10;

/** Writes the traces into a folder. */
export async function makeCases(folder: string): Promise<readonly Case[]> {
  const objects = path.join(folder, 'objects');
  fs.mkdirSync(objects);
  let files = 0;
  const write = (content: string | Uint8Array): string => {
    const file = path.join(folder, `${files++}.trace`);
    fs.writeFileSync(file, content);
    return file;
  };
  return [
    ...(X86.missing === undefined ? compiledForX86(objects, write) : []),
    ...(ARM.missing === undefined ? compiledForArm(objects, write) : []),
    ...randomPentium(write),
    ...randomCode(write),
    ...(await samples(folder)),
  ];
}

type Write = (content: string | Uint8Array) => string;

function compiledForX86(objects: string, write: Write): Case[] {
  return PROGRAMS.flatMap((program) =>
    ['-O2', '-Os'].flatMap((how) => {
      const compiled = compileX86(objects, program, how);
      const { image, at, elf, functions } = compiled;
      const names = namesOf(functions);
      const run = (interrupt: Interrupts, nests = false): Run =>
        beginningOf(
          runX86({ image, start: at('_start'), finished: at('finished'), interrupt, nests }, at('int_handler')),
        );
      const plain = run(() => undefined);
      const interrupted = run(interruptsOf(createRandom(5), compiled));
      const anywhere = run(interruptsOf(createRandom(11), compiled, true));
      const messages = (corpus: string, done: Run, report: Report, hasImage: boolean): Case => {
        const taken = messagesOf(done, compiled, report === 'pairing' ? createRandom(3) : undefined).slice(
          0,
          MOST_EVENTS,
        );
        const { stacks } = truthOf(done, names, PUSHED);
        return {
          corpus,
          open: opened(write(asCapture({ taken }, report)), report, hasImage ? elf : undefined),
          branches: { by: 'event', all: byEvent(taken) },
          stacks: some(taken.length, (m) => stackBehind(taken[m]!, done, stacks)),
          functions,
          hasImage,
        };
      };
      const instructions = (corpus: string, done: Run, hasImage: boolean): Case => {
        const { stacks } = truthOf(done, names, PUSHED);
        return {
          corpus,
          open: { path: write(linesOf(done, compiled)), format: 'tarmac', images: hasImage ? [{ path: elf }] : [] },
          branches: { by: 'record', all: byRecord(x86BranchesOf(done)) },
          stacks: some(stacks.length, (n) => stacks[n]),
          functions,
          hasImage,
        };
      };
      const behind = (seed: number, where: 'anything' | 'only', nests = false): Run =>
        run(interruptsBehind(createRandom(seed), compiled, where), nests);
      const apart =
        how === '-O2'
          ? [
              messages('x86 messages', plain, 'normal', true),
              messages('x86 fast messages', plain, 'fast', true),
              instructions('x86 instructions, interrupts', behind(1, 'anything'), true),
              instructions('x86 instructions, interrupts', behind(5, 'only'), true),
            ]
          : [
              messages('x86 messages', plain, 'pairing', true),
              messages('x86 fast messages', interrupted, 'fast', true),
              instructions('x86 instructions, interrupts', behind(6, 'anything', true), true),
            ];
      return [
        ...apart,
        messages('x86 messages, interrupts', anywhere, 'normal', true),
        messages('x86 messages, no image', plain, 'normal', false),
        messages('x86 messages, no image', plain, 'pairing', false),
        messages('x86 messages, no image, interrupts', interrupted, 'normal', false),
        instructions('x86 instructions, no symbols', behind(1, 'anything'), false),
      ];
    }),
  );
}

function compiledForArm(objects: string, write: Write): Case[] {
  return PROGRAMS.flatMap((program) =>
    ['-O2 -marm', '-Os -mthumb'].flatMap((how) => {
      const compiled = compileArm(objects, program, how);
      const { image, at, elf, functions } = compiled;
      const names = namesOf(functions);
      const run = (interrupt: Interrupts): Run =>
        beginningOf(runArm({ image, start: at('_start'), finished: at('finished'), interrupt }));
      const instructions = (corpus: string, done: Run, hasImage: boolean): Case => {
        const { stacks } = truthOf(done, names, 0);
        const text = asQemu({ steps: stepsOf(done, compiled), taken: [], rest: 0 });
        return {
          corpus,
          open: { path: write(text), format: 'tarmac', images: hasImage ? [{ path: elf }] : [] },
          branches: { by: 'record', all: byRecord(armBranchesOf(done)) },
          stacks: some(stacks.length, (n) => stacks[n]),
          functions,
          hasImage,
        };
      };
      const anywhere = run(armInterruptsOf(createRandom(how.includes('thumb') ? 11 : 12), compiled, 'anywhere'));
      return [
        instructions('ARM instructions, interrupts', anywhere, true),
        instructions('ARM instructions, no symbols', anywhere, false),
      ];
    }),
  );
}

function beginningOf({ ran, answer }: Run): Run {
  return { ran: ran.slice(0, MOST_INSTRUCTIONS), answer };
}

/** Programs of test/engine/btm-programs.ts: jump tables, software interrupts, instructions that serialise. */
function randomPentium(write: Write): Case[] {
  return [1, 2, 3, 4].flatMap((seed) => {
    const run = runPentium(createRandom(seed), 3000);
    const elf = write(run.elf);
    return (['normal', 'pairing', 'fast'] as const).map((report): Case => {
      const corpus = report === 'fast' ? 'random Pentium code, fast messages' : 'random Pentium code, messages';
      const taken = run.taken.map((each) => (report === 'pairing' ? each : { ...each, reported: each.source }));
      return {
        corpus,
        open: opened(write(asCapture(run, report)), report, elf),
        branches: { by: 'event', all: byEvent(taken) },
        stacks: new Map(),
        hasImage: true,
      };
    });
  });
}

/** Programs of test/unit/code-model.ts: functions as a compiler lays them out, without an image. */
function randomCode(write: Write): Case[] {
  return [1, 2, 3, 4].map((seed): Case => {
    const { events, calls, returns, stacks } = runCode(seed, 4000);
    const taken = Array.from(events.record.subarray(0, events.count), (_, i) => {
      const [source, target] = [events.sourceLow[i]!, events.targetLow[i]!];
      const kind = calls.has(source) ? 'call' : returns.has(source) ? 'return' : 'jump';
      return { source, reported: source, target, kind };
    });
    return {
      corpus: 'random code, no image',
      open: opened(write(asCapture({ taken }, 'normal')), 'normal', undefined),
      branches: { by: 'event', all: byEvent(taken) },
      stacks: some(stacks.length, (m) => stacks[m]!.map((entry) => entry.toString(16))),
      hasImage: false,
    };
  });
}

/** Traces of `tracebench sample`: the same program for all formats, so that its code shows the kind of each branch. */
async function samples(folder: string): Promise<Case[]> {
  const cases: Case[] = [];
  for (const [format, seed] of [
    ['btm', 1],
    ['btm', 2],
    ['btm-binary', 3],
    ['brstack', 1],
  ] as const) {
    const file = path.join(folder, `sample ${format} ${seed}.trace`);
    const made = await sample({ format, size: 1_000_000, path: file, seed, locality: 'spread' });
    if (!made.ok) throw new Error(made.error.message);
    const { lines, addressX86, vector } = createProgram(createSampleRandom(seed), 'spread');
    const kinds = new Map(lines.map(({ op }, i) => [addressX86[i]!, KINDS.get(op) ?? 'jump']));
    const handler = addressX86[vector]!;
    cases.push({
      corpus: `sample ${format}`,
      open: { path: file, format: format === 'btm-binary' ? 'btm' : format },
      branches: { by: 'source', kinds, handler },
      stacks: undefined,
      hasImage: false,
    });
  }
  return cases;
}

const KINDS: ReadonlyMap<number, string> = new Map<number, string>([
  [OP.call, 'call'],
  [OP.callRegister, 'call'],
  [OP.returns, 'return'],
  [OP.pop, 'return'],
  [OP.leave, 'return'],
]);

function opened(file: string, report: Report, image: string | undefined): Arguments<'open'> {
  const options = { mode: report === 'fast' ? 'fast' : 'normal', header: HEADER };
  return { path: file, format: 'btm', options, images: image === undefined ? [] : [{ path: image }] };
}

function stackBehind(
  message: Message,
  { ran }: Run,
  stacks: readonly (readonly string[])[],
): readonly string[] | undefined {
  // If an interrupt comes before the instruction that it reaches, the stack there is another one.
  const isInterrupted = ran[message.reaches]?.interruptions.some(({ target }) => target !== message.target) === true;
  return isInterrupted ? undefined : stacks[message.reaches];
}

/** Stacks at evenly spread positions. */
function some(
  positions: number,
  stackAt: (position: number) => readonly string[] | undefined,
): ReadonlyMap<number, readonly string[]> {
  const stacks = new Map<number, readonly string[]>();
  for (let at = 3; at < positions; at += Math.ceil(positions / MOST_STACKS)) {
    const stack = stackAt(at);
    if (stack !== undefined) stacks.set(at, stack);
  }
  return stacks;
}

function byEvent(
  taken: readonly (TrueBranch & { readonly reported: number })[],
): ReadonlyMap<number, readonly TrueBranch[]> {
  return new Map(taken.map(({ kind, reported, target }, i) => [i, [{ kind, source: reported, target }]]));
}

function byRecord(list: readonly (TrueBranch & { readonly at: number })[]): ReadonlyMap<number, readonly TrueBranch[]> {
  const all = new Map<number, TrueBranch[]>();
  for (const branch of list) all.set(branch.at, [...(all.get(branch.at) ?? []), branch]);
  return all;
}
