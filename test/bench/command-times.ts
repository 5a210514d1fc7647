// Runs the questions of the command line about an indexed trace as whole processes, and prints the medians of their times:
//
//     node test/bench/command-times.ts TRACE [ROUNDS] [INDEX_FOLDER] [COMMAND...]
//
// ROUNDS is 9 by default. COMMANDs are names such as `heat`, by default all that the trace can answer. Every round runs each command once, so
// that a slow minute of the machine concerns all of them. A first run that is not measured puts everything into the caches and builds the
// index, if INDEX_FOLDER has none. Processor time is that of all threads, and hardly depends on other programs. Needs dist/, Node 24, and
// bash, which has the only portable `time` of a child process.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MEMORY } from '../../build/follow.mjs';

/** Limits of the requirement in milliseconds, on an idle machine. */
const QUESTION_MS = 250;
const HELP_MS = 60;

const ACCESSES = 'read,write,fetch,bus-read,bus-write';
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const [trace, rounds = '9', folder, ...only] = process.argv.slice(2);
if (trace === undefined)
  throw new Error('usage: node test/bench/command-times.ts TRACE [ROUNDS] [INDEX_FOLDER] [COMMAND...]');
const place = [trace, '--quiet', ...(folder === undefined ? [] : ['--index-dir', folder])];

const wanted = questions().filter(([name]) => only.length === 0 || only.includes(name));
const rows = wanted.map(([name, ...args]) => ({
  label: [name, ...args].join(' '),
  limit: name === 'help' ? HELP_MS : QUESTION_MS,
  command: name === 'help' ? [name] : [...name.split(' '), ...place, ...args],
  runs: [] as Run[],
}));
const answering = rows.filter(({ label, command }) => {
  const { status, stderr } = run(command);
  if (status !== 0) console.log(`left out ${label}: ${stderr.trim()}`);
  return status === 0;
});
for (let round = 0; round < Number(rounds); round++) for (const row of answering) row.runs.push(run(row.command));

console.log(`${trace}, medians of ${rounds}, ms`);
console.log('  wall  processor      bytes  command');
for (const { label, limit, runs } of answering) {
  const wall = median(runs.map((one) => one.wall));
  const processor = median(runs.map((one) => one.processor));
  const columns = [String(wall).padStart(6), String(processor).padStart(9), String(runs[0]?.bytes ?? 0).padStart(9)];
  console.log(`${columns.join('  ')}  ${label}${wall > limit ? `  (more than ${limit})` : ''}`);
}

type Question = readonly [name: string, ...args: string[]];

/**
 * Returns commands and their arguments: questions about one place in the middle, and tables of the whole trace. `captures` is not among
 * them: it prints a line for each of the million buffers of a long trace.
 */
function questions(): readonly Question[] {
  const { records = 0 } = json('info') as { readonly records?: number };
  const at = String(Math.floor(records / 2));
  const { address = '0x0' } = json('find', '--kind', ACCESSES, '--after', at) as { readonly address?: string };
  const { registers = {} } = json('registers', '--at', at) as { readonly registers?: object };
  const [register] = Object.keys(registers);
  const ofRegister: readonly Question[] =
    register === undefined
      ? []
      : [
          ['last-write', '--at', at, '--register', register],
          ['watch', '--at', at, '--register', register],
          ['history', '--register', register, '--from', at, '--limit', '20'],
        ];
  const accesses = ['last-write', 'last-read', 'last-access', 'next-write', 'next-read', 'next-access'];
  return [
    ['help'],
    ['info'],
    ['records', '--from', at],
    ['registers', '--at', at],
    ['find', '--kind', ACCESSES, '--after', at],
    ['find', '--address', address, '--before', at],
    ['memory', '--at', at, '--address', address, '--length', '512'],
    ...accesses.map((name): Question => [name, '--at', at, '--address', address]),
    ['watch', '--at', at, '--address', address],
    ['history', '--address', address, '--from', at, '--limit', '20'],
    ...ofRegister,
    ['overview'],
    ['heat'],
    ['pages'],
    ['pages', '--json'],
    ['branches'],
    ['branches', '--events', '--from', at, '--limit', '100'],
    ['calls'],
    ['tree'],
    ['profile'],
    ['loops'],
    ['stack', '--at', at],
    ['phases'],
    ['flow', '--capture', '1'],
    ['notes list'],
  ];
}

function json(name: string, ...args: readonly string[]): unknown {
  const { status, stdout } = spawnSync(process.execPath, [CLI, name, ...place, ...args, '--json'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  if (status !== 0 || stdout === '') return {};
  return JSON.parse(stdout);
}

interface Run {
  readonly status: number | null;
  /** Milliseconds. */
  readonly wall: number;
  readonly processor: number;
  readonly bytes: number;
  readonly stderr: string;
}

/** Runs the command line with the flags of the tracebench command (build/follow.mjs), and writes its output through a pipe. */
function run(args: readonly string[]): Run {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@"';
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', process.execPath, CLI, ...args], {
    env: { ...MEMORY, ...process.env, LC_ALL: 'C' },
    maxBuffer: 2 ** 30,
  });
  const lines = stderr.toString().trimEnd().split('\n');
  const [wall = 0, user = 0, system = 0] = (lines.pop() ?? '')
    .split(' ')
    .map((text) => Math.round(Number(text) * 1000));
  return { status, wall, processor: user + system, bytes: stdout.length, stderr: lines.join('\n') };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
