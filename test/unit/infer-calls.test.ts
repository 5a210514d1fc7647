// Calls and returns are inferred from the ends of branches alone. Random programs with known calls measure how many are right.
import { expect, test } from 'vitest';
import { ABSENT } from '../../electron/engine/collections/address-map.ts';
import { EDGE } from '../../electron/engine/flow/tally/call-edges.ts';
import { createCallTally } from '../../electron/engine/flow/tally/call-tally.ts';
import { createEvidence } from '../../electron/engine/flow/infer/evidence.ts';
import {
  applyInferredKinds,
  inferKinds,
  JUMPS,
  RETURNS,
  type InferredKinds,
} from '../../electron/engine/flow/infer/infer-kinds.ts';
import { createFunctions } from '../../electron/engine/flow/functions/functions.ts';

import { createShadowStack } from '../../electron/engine/flow/stack/shadow-stack.ts';
import { NO_IMAGES } from '../../electron/engine/image/images.ts';
import { BRANCH, createEvents, EVENT, sliceEvents, type Events } from '../../shared/flow/events.ts';
import { runCode, type CodeRun } from './code-model.ts';

const SEEDS = Array.from({ length: 60 }, (_, i) => i + 1);

function infer(events: Events): InferredKinds {
  const evidence = createEvidence();
  evidence.add(events);
  return inferKinds(evidence.observed());
}

function wrongSites({ bySource }: InferredKinds, { calls, returns }: CodeRun): number {
  let wrong = 0;
  bySource.each((source, _high, value) => {
    const isRight = value === RETURNS ? returns.has(source) : value === JUMPS ? true : calls.has(source);
    if (!isRight) wrong++;
  });
  return wrong;
}

test.each([200, 4000])('infers nearly all calls and returns after %i branches', (length) => {
  let [wrong, sites, matched, returned] = [0, 0, 0, 0];
  for (const seed of SEEDS) {
    const run = runCode(seed, length);
    const inferred = infer(run.events);
    wrong += wrongSites(inferred, run);
    sites += run.calls.size + run.returns.size;
    matched += inferred.matched;
    returned += run.returned;
  }
  expect(wrong / sites).toBeLessThan(0.005);
  expect(matched / returned).toBeGreaterThan(0.97);
  expect(matched / returned).toBeLessThan(1.01);
});

test('call stacks are the innermost parts of the true stacks', () => {
  let [right, all] = [0, 0];
  for (const seed of SEEDS) {
    const { events, stacks } = runCode(seed, 3000);
    const inferred = infer(events);
    const functions = createFunctions(NO_IMAGES);
    for (const [low, high] of inferred.entered) functions.noteCall(low, high, 'call', -1);
    const stack = createShadowStack({ functions, tally: createCallTally(), messages: true });
    applyInferredKinds(events, inferred);
    for (let i = 0; i < events.count; i++) {
      stack.add(events, i);
      const { count, columns } = stack.state().frames;
      const open = [...columns.fn.subarray(0, count)].map((fn) => Number(functions.address(fn) ?? 0n));
      all++;
      // The outermost frame stands for all unknown callers.
      if (count === 1 || open.slice(1).join() === stacks[i]!.slice(1 - count).join()) right++;
    }
  }
  expect(right / all).toBeGreaterThan(0.95);
});

test('executed instructions without evidence of a branch do not become calls', () => {
  let [wrong, all] = [0, 0];
  for (const seed of SEEDS) {
    const { events, stacks, edges } = runCode(seed, 3000);
    events.flags.fill(EVENT.source | EVENT.target | EVENT.broken | EVENT.resume);
    const inferred = infer(sliceEvents(events, 0, 300));
    const functions = createFunctions(NO_IMAGES);
    functions.setBodies(inferred.bodies);
    for (const [low, high] of inferred.entered) functions.noteCall(low, high, 'call', -1);
    const tally = createCallTally();
    const stack = createShadowStack({ functions, tally, messages: false });
    applyInferredKinds(events, inferred);
    let deepest = 0;
    for (let i = 0; i < events.count; i++) {
      stack.add(events, i);
      deepest = Math.max(deepest, stack.state().frames.count);
    }
    expect(deepest, `seed ${String(seed)}`).toBeLessThan(4 * Math.max(...stacks.map(({ length }) => length)));
    const { count, columns } = tally.edges;
    for (let edge = 0; edge < count; edge++) {
      const [caller, callee] = [columns.caller[edge]!, columns.callee[edge]!].map((fn) => functions.address(fn));
      if (caller === undefined || callee === undefined || columns.kind[edge]! >> 1 === EDGE['tail call']) continue;
      const times = columns.times[edge]!;
      wrong += Math.max(0, times - (edges.get(`${String(caller)} ${String(callee)}`) ?? 0));
      all += times;
    }
  }
  expect(wrong / all).toBeLessThan(0.01);
});

test('does not mark an inferred jump among executed instructions as computed', () => {
  const events = branches(
    Array.from({ length: 4 }, () => [
      [0x1040, 0x1010] as const,
      [0x1020, 0x1042] as const,
      [0x1060, 0x1000] as const,
    ]).flat(),
  );
  events.flags.fill(EVENT.source | EVENT.target | EVENT.broken | EVENT.resume);
  applyInferredKinds(events, infer(events));
  expect(events.kind[0]).toBe(BRANCH.jump);
  expect(events.flags[0]! & EVENT.computed).toBe(0);
});

test('infers the same for kernel addresses as for low addresses', () => {
  const kindsOf = ({ bySource }: InferredKinds): string[] => {
    const kinds: string[] = [];
    bySource.each((low, _high, value) => kinds.push(`${low} ${value}`));
    return kinds.sort();
  };
  for (const seed of SEEDS) {
    const { events } = runCode(seed, 4000);
    const low = infer(events);
    events.sourceHigh.fill(0xffff_ffff);
    events.targetHigh.fill(0xffff_ffff);
    const high = infer(events);
    expect(kindsOf(high)).toEqual(kindsOf(low));
    expect(high.matched).toBe(low.matched);
  }
});

/** Branches as pairs of ends. */
function branches(pairs: readonly (readonly [source: number, target: number])[]): Events {
  const events = createEvents(pairs.length);
  for (const [source, target] of pairs) {
    const i = events.count++;
    events.record[i] = i;
    events.kind[i] = BRANCH.unknown;
    events.flags[i] = EVENT.source | EVENT.target;
    events.sourceLow[i] = source;
    events.targetLow[i] = target;
  }
  return events;
}

function kindAt({ bySource }: InferredKinds, source: number): number {
  return bySource.get(source, 0);
}

test('infers a function that is called from two places', () => {
  const inferred = infer(
    branches([
      [0x1010, 0x2000],
      [0x2020, 0x1015],
      [0x1030, 0x2000],
      [0x2020, 0x1035],
    ]),
  );
  expect([0x1010, 0x1030, 0x2020].map((source) => kindAt(inferred, source))).toEqual([5, 5, RETURNS]);
  expect(inferred.matched).toBe(2);
});

test('does not infer a call from a loop whose exit follows its last jump', () => {
  const round: readonly (readonly [number, number])[] = [
    [0x1040, 0x1010], // the last jump, of two bytes
    [0x1040, 0x1010],
    [0x1020, 0x1042], // the exit
    [0x1060, 0x1000],
  ];
  const inferred = infer(branches([...round, ...round, ...round]));
  expect(kindAt(inferred, 0x1040)).toBe(JUMPS);
  // Execution also ran straight past it, so it is neither a call nor a return.
  expect(kindAt(inferred, 0x1020)).toBe(JUMPS);
  expect(inferred.matched).toBe(0);
});

test('does not infer calls from switch cases that each end with a jump right before the next case', () => {
  const cases = [0x1100, 0x1120, 0x1140];
  const pairs = Array.from({ length: 30 }, (_, i): (readonly [number, number])[] => {
    const at = cases[(i * i + 1) % 3]!;
    return [
      [0x1020, at], // through the table
      [at + 0x1e, 0x1180], // to the end of the switch: 0x111e + 2 is the next case
      [0x1190, 0x1000],
    ];
  }).flat();
  const inferred = infer(branches(pairs));
  const kinds = [0x1020, ...cases.map((at) => at + 0x1e)].map((source) => kindAt(inferred, source));
  expect(kinds.filter((kind) => kind !== ABSENT && kind !== JUMPS)).toEqual([]);
});

test('ignores branches that lack an end, without using memory for them', () => {
  const events = createEvents(2 ** 14);
  events.count = 2 ** 14;
  events.flags.fill(EVENT.target);
  const evidence = createEvidence();
  const before = process.memoryUsage().heapUsed;
  for (let times = 0; times < 2 ** 10; times++) evidence.add(events);
  // One word per branch would take 128 MB.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2 ** 26);
  expect(evidence.isFull()).toBe(false);
  expect(inferKinds(evidence.observed()).entered).toEqual([]);
});
