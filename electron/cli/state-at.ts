/** The record at which commands ask for the machine's state: given, indexed and within the trace. */
import { fail, ok } from '../../shared/base/result.ts';
import type { Result } from '../../shared/base/result.ts';
import type { RecordNumber } from '../../shared/base/units.ts';
import type { Context } from './command.ts';
import { group } from './print/numbers.ts';
import { count, recordNumber } from './options.ts';
import { withTrace } from './trace.ts';
import type { OpenTrace } from './trace.ts';

export const AT_MISSING = 'say at which record with --at N';
export const AT = recordNumber('once this record has taken effect; needed');
export const CPU = (text: string) => count('C', 0, 32767, text);

/** Runs `work` once record `at` is indexed, or the `whole` trace; fails where there is no such record. */
export async function withStateAt(
  context: Context,
  at: RecordNumber | undefined,
  work: (trace: OpenTrace, at: RecordNumber) => Promise<Result<void>>,
  whole = false,
): Promise<Result<void>> {
  if (at === undefined) return missing(context, AT_MISSING);
  return withTrace(context, async (trace) => {
    const reached = await reach(trace, at, whole);
    return reached.ok ? work(trace, at) : reached;
  });
}

/** Indexes up to record `at`, or the `whole` trace; fails where there is no such record. */
export async function reach(trace: OpenTrace, at: RecordNumber, whole = false): Promise<Result<void>> {
  const indexed = await trace.index(whole ? {} : { records: at + 1 });
  if (!indexed.ok) return indexed;
  const { records } = indexed.value;
  if (at < records) return ok(undefined);
  const last = group(records - 1);
  const has = records === 0 ? 'no records' : records === 1 ? 'only record 0' : `records 0 to ${last}`;
  return fail('no-such-record', `there is no record ${group(at)}; the trace has ${has}`);
}

/** Wrong usage of the command. */
export function missing({ command }: Context, sentence: string): Result<never> {
  return fail('usage', `${command}: ${sentence}`);
}
