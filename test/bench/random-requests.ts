// Sends random requests about an indexed trace, some at a time, and prints how long each kind took and how much memory was used:
//
//     node test/bench/random-requests.ts TRACE [MINUTES] [AT_ONCE] [SEED]
//
// Ends with 1 if a request failed that the program should have answered or refused. Needs dist/ and Node 24.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine, EngineSettings } from '../../electron/engine/engine.ts';
import { createRandom, type Random } from '../../electron/sample/random.ts';
import { ask } from '../engine/ask.ts';
import { factsOf, QUESTIONS, type Facts } from '../engine/moment-questions.ts';

/** Codes of failures that a sound program does not have. All others refuse questions, some of which have absurd values. */
const FAULTS = new Set(['internal', 'worker', 'io', 'closed', 'engine-stopped', 'index-damaged', 'not-open']);
/** Requests that change the notebook. */
const LEFT_OUT = new Set<string>(['changeNotebook', 'importNotes']);
const SAMPLE_MS = 10_000;

const [path = '', minutes = '10', atOnce = '8', seed = '1'] = process.argv.slice(2);
const random = createRandom(Number(seed));
const times = new Map<string, number[]>();
const failures = new Map<string, number>();
const memory: number[] = [];

const folder = mkdtempSync(join(tmpdir(), 'tracebench-random-'));
const built = (await import(new URL('../../dist/engine.js', import.meta.url).href)) as {
  startEngine(settings?: EngineSettings): Engine;
};
const engine = built.startEngine({ indexDirectory: folder });
try {
  const { trace } = await ask(engine, 'open', { path });
  await ask(engine, 'index', { trace });
  const facts = await factsOf(engine, trace, path, []);
  const end = performance.now() + Number(minutes) * 60_000;
  const timer = setInterval(() => memory.push(process.memoryUsage.rss()), SAMPLE_MS);
  await Promise.all(Array.from({ length: Number(atOnce) }, () => askUntil(end, trace, facts)));
  clearInterval(timer);
  await engine.request('close', { trace });
} finally {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
}
print();

async function askUntil(end: number, trace: string, facts: Facts): Promise<void> {
  const names = (Object.keys(QUESTIONS) as (keyof typeof QUESTIONS)[]).filter((name) => !LEFT_OUT.has(name));
  while (performance.now() < end) {
    const name = pick(random, names);
    const args = pick(random, QUESTIONS[name](await elsewhere(facts, trace), trace));
    const before = performance.now();
    const answer = await engine.request(name, args);
    const list = times.get(name) ?? [];
    times.set(name, list);
    list.push(performance.now() - before);
    if (!answer.ok) {
      const what = `${name}: ${answer.error.code}: ${answer.error.message}`;
      failures.set(what, (failures.get(what) ?? 0) + 1);
    }
  }
}

/** The same facts with a random record, byte, time, and the addresses of random records in place of the last and the middle ones. */
async function elsewhere(facts: Facts, trace: string): Promise<Facts> {
  const records = 1 + Math.floor(fraction() * facts.records);
  const near = await ask(engine, 'records', { trace, from: Math.max(0, records - 20), count: 20 });
  const addresses = near.records.flatMap(({ address }) => (address === undefined ? [] : [address]));
  const value = near.records.find((record) => record.value !== undefined)?.value ?? facts.value;
  return {
    ...facts,
    records,
    bytes: 1 + Math.floor(fraction() * facts.bytes),
    lastTime: fraction() * facts.lastTime,
    addresses: [...facts.addresses.slice(0, 1), ...addresses.slice(0, 3)],
    value,
  };
}

function pick<T>(from: Random, list: readonly T[]): T {
  return list[from.below(list.length)]!;
}

function fraction(): number {
  return random.below(2 ** 30) / 2 ** 30;
}

function print(): void {
  const rows = [...times].map(([name, list]) => row(name, list)).sort((a, b) => b.slowest - a.slowest);
  const all = row('all', [...times.values()].flat());
  process.stdout.write('request            count      p50      p99  slowest   mean ms\n');
  for (const { name, count, p50, p99, slowest, mean } of [all, ...rows]) {
    const numbers = [p50, p99, slowest, mean].map((ms) => ms.toFixed(1).padStart(9)).join('');
    process.stdout.write(`${name.padEnd(16)}${String(count).padStart(8)}${numbers}\n`);
  }
  const mega = memory.map((bytes) => Math.round(bytes / 1e6));
  process.stdout.write(`memory in MB every ${SAMPLE_MS / 1000} s: ${mega.join(' ')}\n`);
  for (const [what, count] of failures) process.stdout.write(`${count} x ${what}\n`);
  const faults = [...failures.keys()].filter((what) => FAULTS.has(what.split(': ')[1] ?? ''));
  process.stdout.write(`${faults.length} kinds of faults\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

function row(
  name: string,
  list: readonly number[],
): Record<'p50' | 'p99' | 'slowest' | 'mean' | 'count', number> & { name: string } {
  const sorted = list.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  const mean = list.reduce((sum, ms) => sum + ms, 0) / list.length;
  return { name, count: list.length, p50: at(0.5), p99: at(0.99), slowest: at(1), mean };
}
