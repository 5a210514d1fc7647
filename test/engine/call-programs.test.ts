/** Calls, trees, stacks and steps of programs with known calls are exact, however the trace is divided into blocks. */
import { afterAll, describe, test } from 'vitest';
import { createRandom } from '../laws/random.ts';
import { counted, expectCalls, type CallTruth } from './expect-calls.ts';
import { asQemu, asTracer, runProgram, type Run } from './flow-programs.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';
import { few, NIGHTLY } from '../short-form.ts';

const place = scratch();
const engines = (NIGHTLY ? [48, 480, 1_200_000] : [48, 1_200_000]).map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

/** Address ranges of the programs' functions, and targets of their exceptions. */
const BASE = 0x8000;
const SIZE = 0x100;
const HANDLER = 'handler';
const symbols = place.file(
  'symbols.txt',
  [`00000008 00000004 T ${HANDLER}`, ...Array.from({ length: 6 }, (_, i) => nmLine(BASE + i * SIZE, `f${i}`))].join(
    '\n',
  ),
);

function nmLine(address: number, name: string): string {
  return `${address.toString(16).padStart(8, '0')} ${SIZE.toString(16).padStart(8, '0')} T ${name}`;
}

/** Truth from the program's branches, with one record per step. */
function truthOf({ steps, taken }: Run): CallTruth {
  const stacks: string[][] = [];
  const calls: { readonly edge: string; readonly at: number }[] = [];
  const spans: { readonly fn: string; readonly depth: number; readonly from: number; to: number }[] = [];
  /** Entry points of the open functions, outermost first. */
  const staying = [enter('f0', 0, 0)];
  let open = ['f0'];
  let [branch, since] = [0, 0];
  steps.forEach((_, n) => {
    stacks.push(open);
    since++;
    const next = taken[branch];
    if (next?.instructions !== since) return;
    [branch, since] = [branch + 1, 0];
    const [caller, callee] = [open.at(-1)!, nameAt(next.target)];
    const isEntry = next.target === 8 || (next.target - BASE) % SIZE === 0;
    if (next.kind === 'return') {
      open = open.slice(0, -1);
      staying.pop()!.to = n + 1;
    } else if (next.kind === 'call' || next.kind === 'exception') {
      calls.push({ edge: `${caller} ${callee} ${next.kind}`, at: n + 1 });
      open = [...open, callee];
      staying.push(enter(callee, open.length - 1, n + 1));
    } else if (isEntry && callee !== caller) {
      calls.push({ edge: `${caller} ${callee} tail call`, at: n + 1 });
      open = [...open.slice(0, -1), callee];
      staying.pop()!.to = n + 1;
      staying.push(enter(callee, open.length - 1, n + 1));
    }
  });
  for (const stay of staying) stay.to = steps.length;
  return {
    stacks,
    spans: (from, to) =>
      spans
        .map((span) => ({ ...span, from: Math.max(from, span.from), to: Math.min(to, span.to) }))
        .filter((span) => span.from < span.to)
        .map((span) => `${span.fn} ${span.depth} ${span.from} ${span.to}`)
        .sort(),
    edges: (from, to) => counted(calls.filter(({ at }) => at >= from && at < to).map(({ edge }) => edge)),
  };

  function enter(fn: string, depth: number, from: number): (typeof spans)[number] {
    const span = { fn, depth, from, to: from };
    spans.push(span);
    return span;
  }
}

function nameAt(address: number): string {
  return address === 8 ? HANDLER : `f${Math.floor((address - BASE) / SIZE)}`;
}

const PROGRAMS = [
  { name: 'QEMU4V', thumb: false, format: 'tarmac', write: asQemu },
  { name: 'QEMU4V, Thumb', thumb: true, format: 'tarmac', write: asQemu },
  { name: 'Tracer', thumb: false, format: 'armtracer', write: asTracer },
];

describe.each(PROGRAMS)('programs traced as $name', ({ name, thumb, format, write }) => {
  test.each(few([1, 2], 1))('reports exact calls, trees, stacks and steps, with the seed %i', async (seed) => {
    const run = runProgram(createRandom(seed), thumb, 300);
    const file = place.file(`${name}-${seed}.txt`, write(run));
    const truth = truthOf(run);
    const opening = { path: file, format, images: [{ path: symbols }] };
    for (const engine of engines) await expectCalls(engine, opening, truth, { every: 41, first: seed });
  });
});
