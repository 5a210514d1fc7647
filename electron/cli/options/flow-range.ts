/** Shared parts of the commands about program flow: the range options, indexing, progress. */
import { fail } from '../../../shared/base/result.ts';
import type { Result } from '../../../shared/base/result.ts';
import type { Context } from '../command.ts';
import { searchProgress } from '../print/search-progress.ts';
import { recordNumber } from './options.ts';
import { withTrace, type OpenTrace } from '../trace.ts';

export const flowRange = (what: string) => ({
  from: recordNumber(`only ${what} in this record and later ones`),
  to: recordNumber(`only ${what} in records before this one`),
});

/** Help text about costs within a range. */
export const RANGE_NOTE =
  'In a range, a straight run of instructions counts fully if the branch at its end is in the range.';

interface Range {
  readonly from?: number;
  readonly to?: number;
}

/** Runs `work` on the indexed trace with the range as arguments; `onEvent` shows progress.  */
export async function withFlow(
  context: Context,
  { from, to }: { readonly from: number | undefined; readonly to: number | undefined },
  work: (trace: OpenTrace, range: Range, onEvent: (event: { readonly at: number }) => void) => Promise<Result<void>>,
): Promise<Result<void>> {
  if (from !== undefined && to !== undefined && from > to)
    return fail('usage', `${context.command}: --from must not be greater than --to`);
  return withTrace(context, async (trace) => {
    const indexed = await trace.index();
    if (!indexed.ok) return indexed;
    const { records } = indexed.value;
    const searched = { from: from ?? 0, to: Math.min(to ?? records, records), newest: false };
    const onEvent = searchProgress(context, trace.opened.file.bytes, searched);
    return work(trace, { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }, onEvent);
  });
}
