/** Stacks that an engine reports at many records, against those that were truly open: what is wrong must be marked. */
import { expect } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import type { StackFrame } from '../../shared/requests/flow.ts';
import { ask } from './ask.ts';

/** By record, outermost first: the functions that are open while it executes. */
export type TrueStacks = readonly (readonly string[])[];

/**
 * Asks at each of the records; answers what share is exactly right, marked or not. Where a stack has no mark it must be; and what is
 * not marked in one must be open, in that order.
 */
export async function expectHonestStacks(
  engine: Engine,
  trace: string,
  stacks: TrueStacks,
  records: readonly number[],
  nameOf: (name: string) => string,
): Promise<number> {
  let right = 0;
  const wrong: string[] = [];
  for (const at of records) {
    const { frames } = await ask(engine, 'stack', { trace, at });
    const said = frames.toReversed().map((frame) => ({ name: nameOf(frame.function), isMarked: isMarked(frame) }));
    const isRight = said.map(({ name }) => name).join(';') === stacks[at]!.join(';');
    right += Number(isRight);
    // Where it is not known since when the outermost one is open, nor is what called it.
    const isInner =
      frames.at(-1)?.since === undefined &&
      said.map(({ name }) => name).join(';') === stacks[at]!.slice(-said.length).join(';');
    const sure = said.filter((frame) => !frame.isMarked).map(({ name }) => name);
    const isHonest = (isInner && frames.length > 0) || (sure.length < said.length && isWithin(sure, stacks[at]!));
    if (!isRight && !isHonest)
      wrong.push(
        `${at}: ${said.map(({ name, isMarked }) => name + (isMarked ? '*' : '')).join(' ')}: ${stacks[at]!.join(' ')}`,
      );
  }
  expect(wrong).toEqual([]);
  return right / records.length;
}

/** At every record the depth is right, or marked as inferred. */
export async function expectHonestDepths(engine: Engine, trace: string, stacks: TrueStacks): Promise<void> {
  const wrong: number[] = [];
  for (let from = 0; from < stacks.length; from += PAGE) {
    const { start, changes } = await ask(engine, 'depths', { trace, from, count: PAGE });
    let [depth, inferred] = [start[0]?.depth ?? 0, start[0]?.inferred];
    let next = 0;
    for (let n = from; n < Math.min(stacks.length, from + PAGE); n++) {
      for (; changes[next]?.n === n; next++) ({ depth, inferred } = { inferred: undefined, ...changes[next]! });
      if (inferred !== true && depth !== stacks[n]!.length - 1) wrong.push(n);
    }
  }
  expect(wrong).toEqual([]);
}

const PAGE = 10_000;

function isMarked({ inferred, function: name }: StackFrame): boolean {
  return inferred === true || name === '(unknown)';
}

/** Whether all of them are among the others, in that order. */
function isWithin(some: readonly string[], all: readonly string[]): boolean {
  let found = 0;
  for (const each of all) if (each === some[found]) found++;
  return found === some.length;
}
