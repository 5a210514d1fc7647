/**
 * Stores the composed report in the notebook, as a view with a fixed id, so that it persists and is exported with the notes. The view may come
 * from someone else's file, so its content is checked when it is read.
 */
import type { View, ViewDraft } from '../../../shared/requests/notes.ts';
import { parsePlan } from '../../../shared/report/plan.ts';
import type { Result } from '../../../shared/base/result.ts';
import { fail } from '../../../shared/base/result.ts';
import type { ReportPlan } from '../../../shared/report/plan.ts';
import { planOf, type Draft } from './report-draft.ts';
import { jsonValue } from '../../../shared/base/json-value.ts';

/** Id of the view, the same in every notebook, so that merged notebooks have one report. */
const KEPT_REPORT = '5b0a6c1e-7d0f-4e55-9c1a-2f6d3e8b4a70';

/** Returns true for the view that holds the report instead of a saved view. */
export function isKeptReport({ id }: Pick<View, 'id'>): boolean {
  return id === KEPT_REPORT;
}

export function keptView(draft: Draft, revision: number | undefined): ViewDraft {
  const content = JSON.stringify({ report: VERSION, plan: planOf(draft) });
  return { id: KEPT_REPORT, name: 'Report', content, ...(revision === undefined ? {} : { revision }) };
}

/** Returns the plan in the view. Fails if the content is not a report of this version. */
export function keptPlan({ content }: View): Result<ReportPlan> {
  const value = jsonValue(content);
  const isReport = typeof value === 'object' && value !== null && 'report' in value && 'plan' in value;
  return isReport && value.report === VERSION
    ? parsePlan(value.plan)
    : fail('plan', 'it has an unknown format. A newer version of Tracebench may have written it');
}

const VERSION = 1;
