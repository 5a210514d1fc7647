/** The other trace of a report: parts that compare two runs need it open and indexed. */
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { comparesRuns, type ReportPlan } from '../../../shared/report/plan.ts';

/** The open trace that the trace of the report is compared with. */
export interface OtherTrace {
  readonly id: string;
  readonly name: string;
  readonly reach: { readonly complete: boolean };
}

/** Returns the argument of a report request that names the other trace; none if no part compares two runs. */
export function otherArgument(
  plan: Pick<ReportPlan, 'parts'>,
  other: OtherTrace | undefined,
): Result<{ readonly other?: string }> {
  if (!comparesRuns(plan)) return ok({});
  if (!other)
    return fail(
      'other',
      'A part of the report compares this trace with another one, which is not open. Open it in the pane Compare, or remove the part.',
    );
  if (!other.reach.complete)
    return fail('not-indexed', `The report compares this trace with ${other.name}, which is still being indexed.`);
  return ok({ other: other.id });
}
