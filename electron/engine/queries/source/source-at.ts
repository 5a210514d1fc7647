/** Returns the place in the source of the instruction at a record. */
import type { Arguments } from '../../../../shared/requests/requests.ts';
import type { SourcePlace } from '../../../../shared/requests/source/answers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { symbolText } from '../../image/symbols.ts';
import type { Task } from '../../threads/task.ts';
import { beyond, reachOf, type Trace } from '../../trace.ts';
import { executedAt } from './walk.ts';

/** An instruction farther before a record is not what this record belongs to. */
const MOST_BLOCKS = 2;

export async function sourceAt(
  trace: Trace,
  { at }: Omit<Arguments<'sourceAt'>, 'trace'>,
  task: Task,
): Promise<Result<SourcePlace>> {
  const { images } = trace;
  const reach = reachOf(trace);
  if (at >= reach.records) return beyond(at, reach);
  const found = await executedAt(trace, at, task, MOST_BLOCKS);
  if (!found.ok) return found;
  const one = found.value;
  const place = one && { n: one.n, address: toHex(one.address) };
  if (images.list.length === 0) return ok({ ...place, missing: 'no-image', reach });
  const hit = one && images.symbolAt(one.address);
  const symbol = hit && { symbol: symbolText(hit) };
  if (!images.list.some(({ lines }) => (lines?.().rows ?? 0) > 0))
    return ok({ ...place, ...symbol, missing: 'no-lines', reach });
  if (one === undefined) return ok({ missing: 'no-instruction', reach });
  const line = images.lineAt(one.address);
  return ok({ ...place, ...symbol, ...(line ?? { missing: 'no-line' }), reach });
}
