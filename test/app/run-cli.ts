// Runs the command line: as a process on the bundles that users run, or within the test's own process.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { StartEngine } from '../../electron/cli/command.ts';
import { run } from '../../electron/cli/run.ts';
import { ownSurroundings } from '../../electron/cli/surroundings.ts';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import type { Answer } from '../../shared/requests/requests.ts';

export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Settings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input of `runInside`; empty by default. */
  readonly input?: string;
}

/** Runs a process of its own. */
export async function runCli(args: readonly string[], settings: Settings = {}): Promise<CliResult> {
  return finish(startCli(args, settings));
}

/** Starts a process and leaves output and signals to the caller. */
export function startCli(args: readonly string[], { cwd, env: more }: Settings = {}): ChildProcess {
  const env = { ...process.env, NO_COLOR: '1', ...more };
  return spawn(process.execPath, [CLI, ...args], {
    ...(cwd !== undefined && { cwd }),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The latest run within this process: standard input, working directory and environment belong to one run at a time. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the command line within this process, with the same answers and messages in a fraction of the time. Behaviour of a process
 * (signals, pipes, its end) needs `runCli`.
 */
export function runInside(args: readonly string[], settings: Settings = {}): Promise<CliResult> {
  const result = last.then(() => inside(args, settings));
  last = result.catch(() => undefined);
  return result;
}

async function inside(args: readonly string[], { cwd, env = {}, input = '' }: Settings): Promise<CliResult> {
  const folder = process.cwd();
  const environment = { ...process.env };
  const [stdout, stderr] = [collector(), collector()];
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([input]) });
  try {
    if (cwd !== undefined) process.chdir(cwd);
    Object.assign(process.env, env);
    const code = await run(args, shareEngine(JSON.stringify([cwd, env])), {
      ...ownSurroundings(),
      stdout: stdout.stream,
      stderr: stderr.stream,
      colour: false,
    });
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    Object.defineProperty(process, 'stdin', stdin);
    process.chdir(folder);
    for (const name of Object.keys(process.env)) if (!(name in environment)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, environment);
  }
}

/** Engines that runs share, by their settings and surroundings: starting one takes longer than most commands. */
const engines = new Map<string, Engine>();

export async function closeEngines(): Promise<void> {
  await Promise.all([...engines.values()].map((engine) => engine.close()));
  engines.clear();
}

/** Returns a start that takes over the engine of an earlier run. Its `close` closes the traces that the run opened. */
function shareEngine(surroundings: string): StartEngine {
  return (requested) => {
    const settings = { ...requested, decodes: false };
    const key = surroundings + JSON.stringify(settings);
    const engine = engines.get(key) ?? startEngine(settings);
    engines.set(key, engine);
    const traces = new Set<string>();
    return {
      async request(name, args, options) {
        const answer = await engine.request(name, args, options);
        if (answer.ok && name === 'open') traces.add((answer.value as Answer<'open'>).trace);
        return answer;
      },
      async close() {
        for (const trace of traces) await engine.request('close', { trace });
      },
    };
  };
}

/** A stream that collects its text. */
function collector(): { readonly stream: Writable; text(): string } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      text += chunk.toString();
      done();
    },
  });
  return { stream, text: () => text };
}

/**
 * Standard error without lines that depend on the machine: the notice of a missing memory map (the addon could not be built), and
 * progress, which a busy machine prints after three seconds.
 */
export function messagesOf(stderr: string): string {
  return stderr
    .replaceAll(/^tracebench: .*: the file is read without a memory map, which is slower: .*\n/gm, '')
    .replaceAll(/^[a-z ]+: \d+ % of .*\n/gm, '');
}

/** Reads all output of a process until it ends. */
export async function finish(child: ChildProcess): Promise<CliResult> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
