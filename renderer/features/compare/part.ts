import type { ReportPart } from '../../../shared/report/plan.ts';
import { compareOptions } from '../../trace/compare-options.ts';
import type { TraceBase } from '../../trace/trace-base.ts';
import { questionOf } from './pair/question.ts';

/** Returns the part of a report with the differences of a trace and the one that it is compared with. */
export function differencePart(trace: TraceBase): ReportPart {
  return { kind: 'diff', question: questionOf(compareOptions(trace)) };
}
