/** Finds where a line or an instruction first runs in a range. */
import { ok, type Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { Code } from '../../trace/flow/flow.svelte.ts';
import type { TraceBase } from '../../trace/trace-base.ts';

/** Returns null if it does not begin to run in the records [from, to). */
export async function firstExecution(
  { client, id }: Pick<TraceBase, 'client' | 'id'>,
  code: Code,
  { from, to }: { readonly from: RecordNumber; readonly to: RecordNumber },
): Promise<Result<RecordNumber | null>> {
  // Executions are searched for after a record, and there is none before the first one.
  if (from === 0) {
    const start = await client.request('sourceAt', { trace: id, at: 0 });
    if (!start.ok) return start;
    const { n, address, file, line } = start.value;
    const isHere = 'line' in code ? file === code.file && line === code.line : address === code.address;
    if (n === 0 && isHere) return ok(0);
  }
  const found = await client.request('lineExecution', { trace: id, at: Math.max(0, from - 1), ...code });
  if (!found.ok) return found;
  const { n } = found.value;
  return ok(n === null || n >= to ? null : n);
}
