/** How far the program of one trace was loaded from that of another. */
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import { pathOf } from '../../../flow/path/path-chunks.ts';
import type { Task } from '../../../threads/task.ts';
import type { Trace } from '../../../trace.ts';
import { commonShift } from './chunk-symbols.ts';

/** Returns addresses of B minus those of A, found from equal stretches of their paths; 0 if there are none. */
export async function shiftBetween(
  a: Trace,
  b: Trace,
  task: Task<FlowProgress>,
): Promise<Result<{ readonly shift: string }>> {
  const [one, other] = [await pathOf(a, task), await pathOf(b, task)];
  if (!one.ok) return one;
  if (!other.ok) return other;
  const [chunksA, chunksB] = [one.value.cpus[0], other.value.cpus[0]];
  const shift = chunksA === undefined || chunksB === undefined ? 0n : commonShift(chunksA, chunksB);
  return ok({ shift: shift.toString() });
}
