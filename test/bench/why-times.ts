// Asks why registers of an indexed trace have their values and where these went, and prints how long the answers take:
//
//     node test/bench/why-times.ts TRACE [QUESTIONS] [INDEX_FOLDER]
//
// QUESTIONS is 40 by default: at random records, each for 50 steps back without copies and with all, for 1,000 with all, and for 50 steps
// forward. Times are milliseconds by the clock, and of processor time, which other programs disturb less. The first answers count too: they
// load the code and fill the caches. Needs dist/ and Node 24.
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
interface Kind {
  readonly name: string;
  readonly how: { readonly steps: number; readonly allCopies?: true; readonly forward?: true };
  readonly clock: number[];
  readonly processor: number[];
}
const kinds: readonly Kind[] = [
  { name: '50 folded steps', how: { steps: 50 }, clock: [], processor: [] },
  { name: '50 steps', how: { steps: 50, allCopies: true }, clock: [], processor: [] },
  { name: '1,000 steps', how: { steps: 1000, allCopies: true }, clock: [], processor: [] },
  { name: '50 steps forward', how: { steps: 50, forward: true }, clock: [], processor: [] },
];
for (let question = 0; question < Number(questions); question++) {
  const at = random.below(Math.min(records, 2 ** 31 - 1));
  const { files } = await ask(engine, 'registers', { trace, at });
  const known = files[0]?.registers ?? [];
  const register = known[random.below(Math.max(1, known.length))]?.name;
  if (register === undefined) continue;
  for (const { name, how, clock, processor } of kinds) {
    const [start, before] = [performance.now(), process.cpuUsage()];
    const { steps: found } = await ask(engine, 'why', { trace, at, register, ...how });
    clock.push(performance.now() - start);
    const { user, system } = process.cpuUsage(before);
    processor.push((user + system) / 1000);
    const taken = `${Math.round(clock.at(-1)!)} ms, ${Math.round(processor.at(-1)!)} of processor time`;
    console.log(`record ${at} ${register}, ${name}: ${found.length} found, ${taken}`);
  }
}
for (const { name, clock, processor } of kinds) {
  const figures = [clock, processor].map((taken) => {
    const sorted = taken.toSorted((a, b) => a - b);
    const at = (part: number): number => Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0);
    return `median ${at(0.5)}, 95 % ${at(0.95)}, most ${at(1)}`;
  });
  console.log(`${name}: ${figures[0]} ms; processor time ${figures[1]}`);
}
console.log(`memory at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`);
await engine.close();
