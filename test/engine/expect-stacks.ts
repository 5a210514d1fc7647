/** Compares an engine's stacks at many records with the true ones: every wrong frame must be marked. */
import { expect } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import type { StackFrame } from '../../shared/requests/flow.ts';
import { ask } from './ask.ts';

/** Per record: functions that are open while it executes, outermost first. */
export type TrueStacks = readonly (readonly string[])[];

/**
 * Compares stacks at each record, and returns the share of exactly right ones, marked or not. A stack without marks must be right;
 * unmarked frames must be open, in the same order.
 */
export async function expectRightOrMarkedStacks(
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
    const found = frames.toReversed().map((frame) => ({ name: nameOf(frame.function), isMarked: isMarked(frame) }));
    const isRight = found.map(({ name }) => name).join(';') === stacks[at]!.join(';');
    right += Number(isRight);
    // If the outermost frame has no known entry, its caller is unknown too.
    const isInner =
      frames.at(-1)?.since === undefined &&
      found.map(({ name }) => name).join(';') === stacks[at]!.slice(-found.length).join(';');
    const sure = found.filter((frame) => !frame.isMarked).map(({ name }) => name);
    const isMarkedRight = (isInner && frames.length > 0) || (sure.length < found.length && isWithin(sure, stacks[at]!));
    if (!isRight && !isMarkedRight)
      wrong.push(
        `${at}: ${found.map(({ name, isMarked }) => name + (isMarked ? '*' : '')).join(' ')}: ${stacks[at]!.join(' ')}`,
      );
  }
  expect(wrong).toEqual([]);
  return right / records.length;
}

/** Checks that the depth at every record is right or marked as inferred. */
export async function expectRightOrMarkedDepths(engine: Engine, trace: string, stacks: TrueStacks): Promise<void> {
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

/** True if all of them occur among the others in the same order. */
function isWithin(some: readonly string[], all: readonly string[]): boolean {
  let found = 0;
  for (const each of all) if (each === some[found]) found++;
  return found === some.length;
}
