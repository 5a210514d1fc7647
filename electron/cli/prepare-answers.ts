/** Requests the answers about a whole trace that take longer than other questions. The index keeps them, so later programs get them at once. */
import { CANCELLED } from '../../shared/requests/failures.ts';
import type { PreparedFlow } from '../../shared/requests/flow.ts';
import type { IndexReport } from '../../shared/requests/trace.ts';
import { ok, type Result } from '../../shared/base/result.ts';
import { PAGE_BYTES } from '../../shared/base/units.ts';
import type { Context } from './command.ts';
import { HEAT_COLUMNS, HEAT_ROWS, heatSpan } from './heat-grid.ts';
import { searchProgress } from './print/search-progress.ts';
import type { OpenTrace } from './trace.ts';

export interface Prepared {
  /** Time spent on all answers. */
  readonly seconds: number;
  /** Time spent looking for calls; undefined if the trace has none to look for. */
  readonly flowSeconds: number | undefined;
}

/** Fails only if the person cancels. Other failures are those of later questions, which meet and report them. */
export async function prepareAnswers(
  context: Context,
  trace: OpenTrace,
  report: IndexReport,
): Promise<Result<Prepared>> {
  const start = performance.now();
  const [flow, ...others] = await Promise.all([
    trace.opened.flow === true ? prepareFlow(context, trace, report) : undefined,
    trace.request('heat', {
      trace: trace.id,
      columns: HEAT_COLUMNS,
      bands: [{ ...heatSpan(report, {}), rows: HEAT_ROWS }],
      precision: 'even',
    }),
    trace.request('pages', { trace: trace.id, size: PAGE_BYTES }),
  ]);
  context.progress.clear();
  const cancelled = [flow, ...others].find(isCancelled);
  return (
    cancelled ??
    ok({ seconds: secondsSince(start), flowSeconds: flow?.ok === true ? flow.value.callSeconds : undefined })
  );
}

function prepareFlow(
  context: Context,
  { id, opened, request }: OpenTrace,
  { records }: IndexReport,
): Promise<Result<PreparedFlow>> {
  const whole = { from: 0, to: records, newest: false };
  const onEvent = searchProgress(context, opened.file.bytes, whole, 'following the program');
  return request('prepareFlow', { trace: id }, { onEvent });
}

function isCancelled(answer: Result<unknown> | undefined): answer is Extract<Result<never>, { readonly ok: false }> {
  return answer?.ok === false && answer.error.code === CANCELLED;
}

function secondsSince(start: number): number {
  return Math.round(performance.now() - start) / 1000;
}
