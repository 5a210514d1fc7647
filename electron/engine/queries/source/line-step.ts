/**
 * Steps by source line. A step ends where control comes to another line, or to the same line once more: where a branch leads back to the same
 * or a lower address of it. Code without lines is passed. A step backwards goes to the beginning of the line, or of the one that ran
 * before it.
 */
import type { Arguments } from '../../../../shared/requests/requests.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { LineStep } from '../../../../shared/requests/source/answers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { SourceLine } from '../../image/line-table.ts';
import type { Task } from '../../threads/task.ts';
import { beyond, reachOf, type Trace } from '../../trace.ts';
import { step as stepCall } from '../calls/step.ts';
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
  const walk: Walk = { trace, task, over: step.endsWith('over') };
  if (start.value === undefined) return ok({ n: null, reason: 'No instruction ran before this record.', reach });
  const found = await (step.startsWith('back') ? back(walk, start.value) : onward(walk, start.value));
  if (!found.ok) return found;
  if (found.value !== undefined) return ok({ n: found.value.n, reach });
  const reason = step.startsWith('back')
    ? 'No other source line ran before this record.'
    : 'No other source line runs after this record.';
  return ok({ n: null, reason, reach });
}

interface Walk {
  readonly trace: Trace;
  readonly task: Task<FlowProgress>;
  /** Calls are passed. */
  readonly over: boolean;
}

type Place = Promise<Result<Executed | undefined>>;

async function onward(walk: Walk, start: Executed): Place {
  const { trace, task, over } = walk;
  const line = lineOf(trace, start);
  let last = start;
  const isOther = (one: Executed): boolean => {
    const its = lineOf(trace, one);
    if (its === undefined) return false;
    if (!isSame(its, line) || one.address <= last.address) return true;
    last = one;
    return false;
  };
  if (!over) return executedAfter(trace, start, task, isOther);
  for (let at = start; ;) {
    const next = await nextOver(walk, at);
    if (!next.ok || next.value === undefined || isOther(next.value)) return next;
    at = next.value;
  }
}

async function back(walk: Walk, start: Executed): Place {
  const { trace, task, over } = walk;
  const own = await beginningOf(walk, start);
  if (!own.ok || own.value.n < start.n) return own;
  const hasLine = (one: Executed): boolean => lineOf(trace, one) !== undefined;
  let before = over ? await previousOver(walk, start) : await executedBefore(trace, start, task, hasLine);
  while (over && before.ok && before.value !== undefined && !hasLine(before.value))
    before = await previousOver(walk, before.value);
  return before.ok && before.value !== undefined ? beginningOf(walk, before.value) : before;
}

/** Returns the first instruction of the execution of a line that an instruction belongs to. */
async function beginningOf(walk: Walk, of: Executed): Promise<Result<Executed>> {
  const { trace, task, over } = walk;
  const line = lineOf(trace, of);
  if (line === undefined) return ok(of);
  const hasLine = (one: Executed): boolean => lineOf(trace, one) !== undefined;
  let [first, at] = [of, of];
  for (;;) {
    const before = over ? await previousOver(walk, at) : await executedBefore(trace, at, task, hasLine);
    if (!before.ok) return before;
    if (before.value === undefined) return ok(first);
    at = before.value;
    const its = lineOf(trace, at);
    if (its === undefined) continue;
    if (!isSame(its, line) || at.address >= first.address) return ok(first);
    first = at;
  }
}

/** Returns the instruction after one, or the one after the call that it made or the interrupt that came. */
async function nextOver({ trace, task }: Walk, at: Executed): Place {
  const next = await executedAfter(trace, at, task);
  if (!next.ok || next.value === undefined || isWithin(trace, at, next.value)) return next;
  return reached(trace, await stepCall(trace, { at: at.n, step: 'over' }, task), task);
}

async function previousOver({ trace, task }: Walk, at: Executed): Place {
  const before = await executedBefore(trace, at, task);
  if (!before.ok || before.value === undefined || isWithin(trace, before.value, at)) return before;
  return reached(trace, await stepCall(trace, { at: at.n, step: 'back over' }, task), task);
}

async function reached(trace: Trace, stepped: Awaited<ReturnType<typeof stepCall>>, task: Task<FlowProgress>): Place {
  if (!stepped.ok) return stepped;
  return stepped.value.n === null ? ok(undefined) : executedAt(trace, stepped.value.n, task);
}

/** Returns true if control went from one instruction to another within a function, so that no call, return or interrupt was between. */
function isWithin({ images }: Trace, from: Executed, to: Executed): boolean {
  const [source, target] = [images.symbolAt(from.address), images.symbolAt(to.address)];
  if (source === undefined || target === undefined) return false;
  return from.address - source.offset === to.address - target.offset && target.offset !== 0n;
}

export function lineOf({ images }: Trace, { address }: Executed): SourceLine | undefined {
  return images.lineAt(address);
}

export function isSame(a: SourceLine, b: SourceLine | undefined): boolean {
  return a.line === b?.line && a.file === b.file;
}
