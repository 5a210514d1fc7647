/**
 * Steps by source line. A step ends where control comes to another line, or to the same line once more: where a branch leads back to the same
 * or a lower address of it. Code without lines is passed. A step backwards goes to the beginning of the line, or of the one that ran
 * before it.
 */
import type { Arguments } from '../../../../shared/requests/requests.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { LineStep } from '../../../../shared/requests/source/answers.ts';
import { BRANCH } from '../../../../shared/flow/events.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { highHalf, lowHalf } from '../../../../shared/base/units.ts';
import { knownCalls, statesAt, type KnownCalls } from '../../flow/calls.ts';
import type { ImageCode } from '../../flow/classify/image-code.ts';
import type { SourceLine } from '../../image/line-table.ts';
import type { Task } from '../../threads/task.ts';
import { beyond, reachOf, type Trace } from '../../trace.ts';
import { step as stepCall } from '../calls/step.ts';
import { codeOf } from './describe.ts';
import { executedAfter, executedAt, executedBefore, type Executed } from './walk.ts';

export async function lineStep(
  trace: Trace,
  { at, step }: Omit<Arguments<'lineStep'>, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<LineStep>> {
  const reach = reachOf(trace);
  if (at >= reach.records) return beyond(at, reach);
  const start = await executedAt(trace, at, task);
  if (!start.ok) return start;
  if (start.value === undefined) return ok({ n: null, reason: 'No instruction ran before this record.', reach });
  const over = step.endsWith('over');
  const calls = over ? await knownCalls(trace, task) : undefined;
  if (calls?.ok === false) return calls;
  const walk: Walk = { trace, task, over, calls: calls?.value, code: await codeOf(trace), left: MOST_CALLS };
  const found = await (step.startsWith('back') ? back(walk, start.value) : onward(walk, start.value));
  if (!found.ok) return found;
  if (found.value !== undefined) return ok({ n: found.value.n, reach });
  const isLost = over && lineOf(trace, start.value) === undefined;
  const reason = step.startsWith('back')
    ? isLost
      ? 'This code has no source lines, and neither has what called it. Step back into calls instead.'
      : 'No other source line ran before this record.'
    : isLost
      ? 'This code has no source lines, and neither has what it returns to. Step into calls instead.'
      : 'No other source line runs after this record.';
  return ok({ n: null, reason, reach });
}

interface Walk {
  readonly trace: Trace;
  readonly task: Task<FlowProgress>;
  /** Calls are passed. */
  readonly over: boolean;
  readonly calls: KnownCalls | undefined;
  readonly code: ImageCode;
  /** Number of calls that may still be passed: each costs a walk to its end. */
  left: number;
}

/** Calls that one step passes at most. */
const MOST_CALLS = 50;

type Place = Promise<Result<Executed | undefined>>;
type Test = (one: Executed) => boolean;

async function onward(walk: Walk, start: Executed): Place {
  const line = lineOf(walk.trace, start);
  if (line === undefined && walk.over) return lined(walk, start, 'out');
  let last = start;
  return next(walk, start, (one) => {
    const its = lineOf(walk.trace, one);
    if (its === undefined) return false;
    if (!isSame(its, line) || one.address <= last.address) return true;
    last = one;
    return false;
  });
}

async function back(walk: Walk, start: Executed): Place {
  if (lineOf(walk.trace, start) === undefined && walk.over) {
    const caller = await lined(walk, start, 'back out');
    return caller.ok && caller.value !== undefined ? beginningOf(walk, caller.value) : caller;
  }
  const own = await beginningOf(walk, start);
  if (!own.ok || own.value.n < start.n) return own;
  const before = await previous(walk, start, (one) => lineOf(walk.trace, one) !== undefined);
  return before.ok && before.value !== undefined ? beginningOf(walk, before.value) : before;
}

/** Leaves functions until one has lines. What code without lines calls may be anything, so it is not searched. */
async function lined({ trace, task }: Walk, start: Executed, how: 'out' | 'back out'): Place {
  for (let at = start; ;) {
    const stepped = await stepCall(trace, { at: at.n, step: how }, task);
    if (!stepped.ok) return stepped;
    if (stepped.value.n === null) return ok(undefined);
    const landed = await executedAt(trace, stepped.value.n, task);
    if (!landed.ok || landed.value === undefined || lineOf(trace, landed.value) !== undefined) return landed;
    at = landed.value;
  }
}

/** Returns the first instruction of the execution of a line that an instruction belongs to. */
async function beginningOf(walk: Walk, of: Executed): Promise<Result<Executed>> {
  const line = lineOf(walk.trace, of);
  if (line === undefined) return ok(of);
  let first = of;
  const ended = await previous(walk, of, (one) => {
    const its = lineOf(walk.trace, one);
    if (its === undefined) return false;
    if (!isSame(its, line) || one.address >= first.address) return true;
    first = one;
    return false;
  });
  return ended.ok ? ok(first) : ended;
}

/** Returns the first instruction after `start` that passes the test. Those of calls are not tested if calls are passed. */
async function next(walk: Walk, start: Executed, test: Test): Place {
  const { trace, task, over } = walk;
  if (!over) return executedAfter(trace, start, task, test);
  let own = functionOf(trace, start);
  for (let at = start; ;) {
    const passed = { test: false };
    const found = await executedAfter(trace, at, task, (one) => {
      // Control may have come from another function, or into this one again.
      if (functionOf(trace, one) !== own || one.address === own) return true;
      passed.test = test(one);
      return passed.test;
    });
    if (!found.ok || found.value === undefined || passed.test) return found;
    const landed = await outside(walk, found.value, start, 'out');
    if (!landed.ok || landed.value === undefined || test(landed.value)) return landed;
    own = functionOf(trace, landed.value);
    at = landed.value;
  }
}

/** Returns the last instruction before `start` that passes the test. Those of calls are not tested if calls are passed. */
async function previous(walk: Walk, start: Executed, test: Test): Place {
  const { trace, task, over, code } = walk;
  if (!over) return executedBefore(trace, start, task, test);
  let own = functionOf(trace, start);
  for (let at = start; ;) {
    const passed = { test: false };
    let later = at;
    const found = await executedBefore(trace, at, task, (one) => {
      const isReturn = code.at(lowHalf(one.address), highHalf(one.address), undefined)?.branch === BRANCH.return;
      if (functionOf(trace, one) !== own || isReturn || later.address === own) return true;
      later = one;
      passed.test = test(one);
      return passed.test;
    });
    if (!found.ok || found.value === undefined || passed.test) return found;
    const landed = await outside(walk, found.value, start, 'back out');
    if (!landed.ok || landed.value === undefined || test(landed.value)) return landed;
    own = functionOf(trace, landed.value);
    at = landed.value;
  }
}

/** Leaves the calls that an instruction is in and `start` is not. */
async function outside(walk: Walk, one: Executed, start: Executed, how: 'out' | 'back out'): Place {
  const { trace, task } = walk;
  const own = await levelOf(walk, start);
  if (!own.ok) return own;
  for (let at = one; ;) {
    const there = await levelOf(walk, at);
    if (!there.ok) return there;
    if (there.value.begun !== own.value.begun || there.value.level <= own.value.level) return ok(at);
    if (walk.left-- <= 0)
      return fail(
        TOO_MANY_CALLS,
        `more than ${MOST_CALLS} calls come before another source line; step into calls instead`,
      );
    const stepped = await stepCall(trace, { at: at.n, step: how }, task);
    if (!stepped.ok) return stepped;
    if (stepped.value.n === null) return ok(undefined);
    const landed = await executedAt(trace, stepped.value.n, task);
    if (!landed.ok || landed.value === undefined) return landed;
    at = landed.value;
  }
}

const TOO_MANY_CALLS = 'too-many-calls';

/** Returns how many calls are open after an instruction, and since when its stack is known. */
async function levelOf(
  { trace, task, calls }: Walk,
  { n, cpu }: Executed,
): Promise<Result<{ readonly level: number; readonly begun: number }>> {
  const states = calls && (await statesAt(trace, calls, n + 1, task));
  if (states?.ok === false) return states;
  const frames = states?.value.get(cpu)?.frames;
  return ok({ level: frames === undefined ? 0 : frames.base + frames.count, begun: frames?.begun ?? -1 });
}

/** Returns the address of the function that contains an instruction. */
export function functionOf({ images }: Trace, { address }: Executed): bigint | undefined {
  const hit = images.symbolAt(address);
  return hit && address - hit.offset;
}

export function lineOf({ images }: Trace, { address }: Executed): SourceLine | undefined {
  return images.lineAt(address);
}

export function isSame(a: SourceLine, b: SourceLine | undefined): boolean {
  return a.line === b?.line && a.file === b.file;
}
