// Branches with numbers open and close the same calls as branches one by one.
import { describe, expect, test } from 'vitest';
import { decodeFlow, encodeFlow } from '../../electron/engine/index/builders/flow-row.ts';
import { createCpuStacks } from '../../electron/engine/flow/cpu-stacks.ts';
import { createCallTally } from '../../electron/engine/flow/tally/call-tally.ts';
import { createFunctions, type Functions } from '../../electron/engine/flow/functions/functions.ts';
import { NO_IMAGES } from '../../electron/engine/image/images.ts';
import { BRANCH, BRANCH_KINDS, createEvents, EVENT, setApart, type Events } from '../../shared/flow/events.ts';
import { createRandom } from '../laws/random.ts';

const BASE = 0x1000;
const SIZE = 0x40;
const FUNCTIONS = 6;

/** Branches between functions that call, return, jump inside themselves, and jump to random places. */
function program(seed: number, count: number, cpus: number): Events {
  const random = createRandom(seed);
  const events = createEvents(count);
  const open: number[] = [];
  let [at, record] = [BASE, 0];
  for (let i = 0; i < count; i++) {
    const source = at + 4 * random.below(2);
    const start = source - ((source - BASE) % SIZE);
    const way = random.below(20);
    let [kind, target, flags]: [keyof typeof BRANCH, number, number] = ['jump', start + 4 * random.below(12), 0];
    if (way < 4) [kind, target] = ['call', BASE + SIZE * random.below(FUNCTIONS)];
    else if (way < 8 && open.length > 0) [kind, target] = ['return', open.pop()!];
    else if (way === 8) [kind, target] = ['unknown', start + 4 * random.below(12)];
    else if (way === 9 && random.below(8) === 0)
      [kind, target] = [BRANCH_KINDS[random.below(BRANCH_KINDS.length)]!, BASE + 4 * random.below(100)];
    if (kind === 'jump' && random.below(6) === 0) flags = EVENT.computed;
    if (random.below(200) === 0) flags |= EVENT.gap;
    if (kind === 'call') open.push(source + 4);
    const hasTarget = random.below(100) > 0;
    events.record[i] = record += 1 + random.below(3);
    events.cpu[i] = Math.floor(i / 50) % cpus;
    events.kind[i] = BRANCH[kind];
    events.flags[i] = flags | EVENT.source | (hasTarget ? EVENT.target : 0) | (kind === 'call' ? EVENT.resume : 0);
    events.sourceLow[i] = source;
    events.targetLow[i] = hasTarget ? target : 0;
    events.resumeLow[i] = kind === 'call' ? source + 4 : 0;
    events.instructions[i] = 1 + random.below(2);
    at = target;
  }
  events.count = count;
  return events;
}

/** Folds twice: in the second pass all called functions are known from the start. */
function foldedTwice(all: readonly Events[], prepare: (functions: Functions) => void, settings: { messages: boolean }) {
  const functions = createFunctions(NO_IMAGES);
  prepare(functions);
  return [folded(all, functions, settings), folded(all, functions, settings)] as const;
}

function folded(all: readonly Events[], functions: Functions, settings: { messages: boolean }) {
  const tally = createCallTally();
  const fold = createCpuStacks({ functions, tally, counts: !settings.messages, ...settings });
  const depths = all.map((events) => {
    fold.add(events);
    return [...fold.byCpu].map(([cpu, stack]) => {
      const { frames, suspended, last } = stack.state();
      const { fn, known, since, called } = frames.columns;
      const columns = [fn, known, since, called].map((column) => [...column.subarray(0, frames.count)]);
      return { cpu, columns, suspended: suspended.length, last, base: frames.base };
    });
  });
  fold.finish(1e6, []);
  const { contexts, edges, calls, self, total, notes, deepest } = tally;
  return {
    depths,
    functions: functions.table(),
    backwards: fold.backwards(),
    counts: { calls, self, total, notes, deepest },
    edges: Object.values<Int32Array | Uint8Array | Float64Array>({ ...edges.columns }).map((column) => [
      ...column.subarray(0, edges.count),
    ]),
    contexts: Object.values<Int32Array | Uint16Array | Float64Array>({ ...contexts.columns }).map((column) => [
      ...column.subarray(0, contexts.count),
    ]),
  };
}

describe.each([
  { seed: 1, cpus: 1, messages: true, guessed: true },
  { seed: 2, cpus: 1, messages: true, guessed: false },
  { seed: 3, cpus: 1, messages: false, guessed: false },
  { seed: 4, cpus: 3, messages: true, guessed: true },
  { seed: 5, cpus: 2, messages: false, guessed: true },
])('with $cpus processors, messages: $messages, guessed functions: $guessed', ({ seed, cpus, messages, guessed }) => {
  const prepare = (functions: Functions): void => {
    const bodies = Array.from({ length: FUNCTIONS }, (_, i) => ({
      low: BASE + SIZE * i,
      high: 0,
      last: BASE + SIZE * (i + 1) - 4,
    }));
    // The last function is called before its entry is known.
    if (guessed) functions.setBodies(bodies.slice(0, -1));
  };

  test('numbered events have the same effect as plain events', () => {
    const rows = [0, 1, 2].map((part) => encodeFlow({ events: program(10 * seed + part, 4000, cpus), runs: [] }));
    const read = (): Events[] => rows.map((row, part) => decodeFlow(row, 20_000 * part).events);
    const plain = read();
    plain.forEach(setApart);
    const numbered = read();
    for (const { alike, count } of numbered) expect(alike?.each.count).toBeLessThan(count);
    const expected = foldedTwice(plain, prepare, { messages });
    expect(expected[0].edges[0]!.length).toBeGreaterThan(10);
    expect(foldedTwice(numbered, prepare, { messages })).toEqual(expected);
    const lean = rows.map((row, part) => decodeFlow(row, 20_000 * part, 'lean').events);
    expect(foldedTwice(lean, prepare, { messages })).toEqual(expected);
    lean.forEach(setApart);
    expect(lean).toEqual(plain);
  });
});

test.each([0, 1])('reports calls at kernel addresses as at low addresses, seed %i', (seed) => {
  const reported = (kernel: boolean): unknown => {
    const events = program(seed, 4000, 1);
    if (kernel) for (const highs of [events.sourceHigh, events.targetHigh, events.resumeHigh]) highs.fill(0xffff_ffff);
    const { depths, counts, edges, contexts } = folded([events], createFunctions(NO_IMAGES), { messages: true });
    return { frames: depths.map((stacks) => stacks.map(({ columns }) => columns)), counts, edges, contexts };
  };
  expect(reported(true)).toEqual(reported(false));
});
