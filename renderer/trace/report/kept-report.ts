/**
 * How the report that is being composed is kept in the notebook: as a view of its own, so that it is there the next day, and travels with
 * the notes. It may come from a file of somebody else's: nothing in it is believed.
 */
import type { View, ViewDraft } from '../../../shared/requests/notes.ts';
import { parsePlan } from '../../../shared/report/plan.ts';
import type { Result } from '../../../shared/base/result.ts';
import { fail } from '../../../shared/base/result.ts';
import type { ReportPlan } from '../../../shared/report/plan.ts';
import { planOf, type Draft } from './report-draft.ts';

/** The same in every notebook: two that are put together have one report. */
const KEPT_REPORT = '5b0a6c1e-7d0f-4e55-9c1a-2f6d3e8b4a70';

/** True of the view that is none to go to. */
export function isKeptReport({ id }: Pick<View, 'id'>): boolean {
  return id === KEPT_REPORT;
}

export function keptView(draft: Draft, revision: number | undefined): ViewDraft {
  const content = JSON.stringify({ report: VERSION, plan: planOf(draft) });
  return { id: KEPT_REPORT, name: 'Report', content, ...(revision === undefined ? {} : { revision }) };
}

/** Fails where the content is not a report that this program could have kept. */
export function keptPlan({ content }: View): Result<ReportPlan> {
  const value = parse(content);
  const isReport = typeof value === 'object' && value !== null && 'report' in value && 'plan' in value;
  return isReport && value.report === VERSION
    ? parsePlan(value.plan)
    : fail('plan', 'it is of another form; a newer Tracebench may have written it');
}

const VERSION = 1;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
