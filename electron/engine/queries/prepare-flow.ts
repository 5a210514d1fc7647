/** Finds what questions about program flow need to know of the whole trace. The index keeps it, so later programs have it at once. */
import type { FlowProgress, PreparedFlow } from '../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { knownCalls } from '../flow/calls.ts';
import { pathOf } from '../flow/path/path-chunks.ts';
import { answerInSlices } from '../threads/in-slices.ts';
import type { Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import { branches } from './calls/branches.ts';
import { loops } from './calls/loops.ts';
import { programAhead } from './coverage/known-program.ts';
import { matchesAhead } from './images/matches.ts';
import { whyAhead } from './why/ahead.ts';

/** Fails as the first question would. */
export async function prepareFlow(trace: Trace, task: Task<FlowProgress>): Promise<Result<PreparedFlow>> {
  const start = performance.now();
  const calls = await knownCalls(trace, task);
  const callSeconds = Math.round(performance.now() - start) / 1000;
  const [, ...others] = await Promise.all([
    whyAhead(trace, task),
    branches(trace, {}, task),
    loops(trace, {}, task),
    pathOf(trace, task),
    answerInSlices(matchesAhead(trace), task),
    programAhead(trace, task),
  ]);
  return [calls, ...others].find((one) => !one.ok) ?? ok({ callSeconds });
}
