// Asks why registers of an indexed trace have their values, and prints how long the answers take:
//
//     node test/bench/why-times.ts TRACE [QUESTIONS] [INDEX_FOLDER]
//
// QUESTIONS is 40 by default: at random records, each for 50 steps and for 1,000, with all copies. Times are by the clock, in milliseconds.
// The first answers count too: they load the code and fill the caches. Needs dist/ and Node 24.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../../electron/sample/random.ts';
import type { Engine, EngineSettings } from '../../electron/engine/engine.ts';
import { ask } from '../engine/ask.ts';

const [path = '', questions = '40', folder = join(tmpdir(), 'tracebench-why-times')] = process.argv.slice(2);
const built = (await import(new URL('../../dist/engine.js', import.meta.url).href)) as {
  startEngine(settings?: EngineSettings): Engine;
};
const engine = built.startEngine({ indexDirectory: folder });
const { trace } = await ask(engine, 'open', { path });
const { records } = await ask(engine, 'index', { trace });
const random = createRandom(1);
const times = new Map<number, number[]>([
  [50, []],
  [1000, []],
]);
for (let question = 0; question < Number(questions); question++) {
  const at = random.below(Math.min(records, 2 ** 31 - 1));
  const { files } = await ask(engine, 'registers', { trace, at });
  const known = files[0]?.registers ?? [];
  const register = known[random.below(Math.max(1, known.length))]?.name;
  if (register === undefined) continue;
  for (const [steps, taken] of times) {
    const start = performance.now();
    const { steps: found } = await ask(engine, 'why', { trace, at, register, steps, allCopies: true });
    taken.push(performance.now() - start);
    console.log(`record ${at} ${register}: ${found.length} steps, ${Math.round(taken.at(-1)!)} ms`);
  }
}
for (const [steps, taken] of times) {
  const sorted = taken.toSorted((a, b) => a - b);
  const at = (part: number): number => Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0);
  console.log(`${steps} steps: median ${at(0.5)}, 95 % ${at(0.95)}, most ${at(1)} ms`);
}
console.log(`memory at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`);
await engine.close();
