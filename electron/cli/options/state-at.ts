/** The option `--at` of commands about the state at a record, and indexing up to that record. */
import { fail, ok } from '../../../shared/base/result.ts';
import type { Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { Context } from '../command.ts';
import { group } from '../../../shared/base/numbers.ts';
import { cpu } from '../../../shared/requests/schema.ts';
import { number, recordNumber } from './options.ts';
import { withTrace } from '../trace.ts';
import type { OpenTrace } from '../trace.ts';

export const AT_MISSING = 'give the record with --at N';
export const AT = recordNumber('state after this record has taken effect; required');
export const CPU = (text: string) => number('C', cpu, text);

/** Runs `work` after indexing up to record `at`, or the `whole` trace. Fails if there is no such record. */
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

/** Indexes up to record `at`, or the `whole` trace. Fails if there is no such record. */
export async function reach(trace: OpenTrace, at: RecordNumber, whole = false): Promise<Result<void>> {
  const indexed = await trace.index(whole ? {} : { records: at + 1 });
  if (!indexed.ok) return indexed;
  const { records } = indexed.value;
  if (at < records) return ok(undefined);
  const last = group(records - 1);
  const has = records === 0 ? 'no records' : records === 1 ? 'only record 0' : `records 0 to ${last}`;
  return fail('no-such-record', `there is no record ${group(at)}; the trace has ${has}`);
}

/** A failure of wrong usage, with the command's name. */
export function missing({ command }: Context, sentence: string): Result<never> {
  return fail('usage', `${command}: ${sentence}`);
}
