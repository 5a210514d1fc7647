// Hundreds of thousands of damaged inputs: node test/laws/fuzz-long.ts [--inputs 200000] [--format ID] [--seed 1] [--only I]
//
// Each format runs in a process of its own, which is ended when an input takes longer than HANG_SECONDS. Fails on the first
// input that breaks a law, hangs or takes more than SLOW_SECONDS of processor time, and if memory grows between the two halves of the run.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FORMATS, formatById } from '../../shared/formats/index.ts';
import { createFuzzer } from './fuzz.ts';

const HANG_SECONDS = 20;
/** Seconds of processor time of the slowest input that passes, decoded about four times. */
const SLOW_SECONDS = 1;
/** Inputs between two progress messages. */
const STEP = 50;
/** Bytes by which memory may grow after the first half of a run. */
const MOST_GROWTH = 16 * 2 ** 20;

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '200000' },
    format: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    child: { type: 'boolean', default: false },
  },
});
const inputs = Number(values.inputs);
const seed = Number(values.seed);

if (values.child) runChild(values.format ?? '');
else if (values.only !== undefined) runOne(values.format ?? '', Number(values.only));
else await runAll();

async function runAll(): Promise<void> {
  const chosen = FORMATS.filter((format) => values.format === undefined || format.id === values.format);
  if (chosen.length === 0 || !(inputs > 0)) {
    console.log('nothing was tried: name a format of `tracebench formats`, and a number of inputs');
    process.exitCode = 1;
    return;
  }
  let failed = 0;
  for (const { id } of chosen) {
    const started = performance.now();
    const { problem, slowest } = await runFormat(id);
    const slow =
      slowest === undefined
        ? ''
        : `, the slowest is input ${String(slowest.input)}: ${(slowest.seconds * 1000).toFixed(0)} ms`;
    const text = problem ?? `${String(inputs)} inputs passed${slow}`;
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    console.log(`${id}: ${text}, seed ${String(seed)}, ${seconds} s`);
    if (problem !== undefined) failed++;
  }
  process.exitCode = failed === 0 ? 0 : 1;
}

interface Sign {
  readonly done: number;
  readonly problem?: string;
  readonly slowest?: { readonly input: number; readonly seconds: number };
}

interface Run {
  readonly problem: string | undefined;
  readonly slowest: Sign['slowest'];
}

function runFormat(id: string): Promise<Run> {
  return new Promise((resolve) => {
    const args = ['--child', '--format', id, '--inputs', String(inputs), '--seed', String(seed)];
    const child = fork(fileURLToPath(import.meta.url), args, { execArgv: ['--expose-gc'] });
    let done = 0;
    let problem: string | undefined;
    let slowest: Sign['slowest'];
    const hang = (): NodeJS.Timeout =>
      setTimeout(() => {
        problem = `an input from ${String(done)} on takes longer than ${String(HANG_SECONDS)} s`;
        child.kill('SIGKILL');
      }, HANG_SECONDS * 1000);
    let watch = hang();
    child.on('message', (sign: Sign) => {
      clearTimeout(watch);
      watch = hang();
      done = sign.done;
      problem ??= sign.problem;
      slowest = sign.slowest ?? slowest;
    });
    child.on('exit', (code) => {
      clearTimeout(watch);
      problem ??= code === 0 && done === inputs ? undefined : `the process ended with ${String(code)}`;
      resolve({ problem, slowest });
    });
  });
}

function runChild(id: string): void {
  const format = formatById(id);
  if (format === undefined) throw new Error(`there is no format ${id}`);
  const fuzzer = createFuzzer(format, seed);
  let before = 0;
  let slowest = { input: 0, seconds: 0 };
  for (let i = 0; i < inputs; i++) {
    const cpu = process.threadCpuUsage();
    try {
      fuzzer.tryInput(i);
    } catch (error) {
      process.send?.({ done: i, problem: `input ${String(i)}: ${String(error).slice(0, 2000)}` } satisfies Sign);
      process.disconnect();
      return;
    }
    const { user, system } = process.threadCpuUsage(cpu);
    const seconds = (user + system) / 1e6;
    if (seconds > slowest.seconds) slowest = { input: i, seconds };
    if ((i + 1) % STEP === 0 || i + 1 === inputs) process.send?.({ done: i + 1, slowest } satisfies Sign);
    if (i === Math.floor(inputs / 2)) before = memory();
  }
  if (slowest.seconds > SLOW_SECONDS) {
    const problem = `input ${String(slowest.input)} takes ${slowest.seconds.toFixed(1)} s of processor time`;
    process.send?.({ done: inputs, problem } satisfies Sign);
  }
  const growth = memory() - before;
  if (growth > MOST_GROWTH) {
    process.send?.({ done: inputs, problem: `memory grew by ${String(growth)} bytes` } satisfies Sign);
  }
  process.disconnect();
}

function memory(): number {
  // Buffers are released asynchronously after a collection finds them unused; the next collection waits for that.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Prints one input and lets its failure through. */
function runOne(id: string, i: number): void {
  const format = formatById(id);
  if (format === undefined) throw new Error(`there is no format ${id}`);
  const fuzzer = createFuzzer(format, seed);
  const { sample, bytes } = fuzzer.input(i);
  console.log(
    `from sample ${sample}, ${String(bytes.length)} bytes: ${JSON.stringify(Buffer.from(bytes).toString('latin1'))}`,
  );
  fuzzer.tryInput(i);
}
