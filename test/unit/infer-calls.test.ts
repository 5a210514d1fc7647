// Calls and returns are inferred from ends of branches alone: never wrongly, and nearly all of them.
import { describe, expect, test } from 'vitest';
import { createCallTally } from '../../electron/engine/flow/call-tally.ts';
import { classify } from '../../electron/engine/flow/classify.ts';
import { createFunctions, type Functions } from '../../electron/engine/flow/functions.ts';
import { createEvidence, RETURNS } from '../../electron/engine/flow/infer-calls.ts';
import { createShadowStack } from '../../electron/engine/flow/shadow-stack.ts';
import { NO_IMAGES } from '../../electron/engine/image/images.ts';
import { runCode } from './code-model.ts';

const EVENTS = 20_000;
const SEEDS = Array.from({ length: 40 }, (_, i) => i + 1);

test.each(SEEDS)('what is inferred of program %i is true', (seed) => {
  const { events, calls, returns, returned } = runCode(seed, EVENTS);
  const evidence = createEvidence();
  evidence.add(events);
  const inferred = evidence.infer();
  const wrong: string[] = [];
  inferred.bySource.each((source, _high, value) => {
    const isRight = value === RETURNS ? returns.has(source) : calls.has(source);
    if (!isRight) wrong.push(`${source.toString(16)} ${value}`);
  });
  expect(wrong).toEqual([]);
  console.log(seed, inferred.matched, returned, inferred.bySource.size, calls.size + returns.size);
});
