/** The costs of the code of a trace, which outlive the pane. */
import type { CodeCosts } from '../../../shared/requests/answers/code-costs.ts';
import type { CostMeasure } from '../../../shared/requests/flow.ts';
import type { Hex } from '../../../shared/base/units.ts';
import { attached } from '../../trace/attached.svelte.ts';
import type { CallsKey } from '../../trace/flow/calls.svelte.ts';
import { createFlowQuestion } from '../../trace/questions/flow-question.svelte.ts';
import { withoutStep } from '../../trace/source/range.ts';
import type { TraceBase } from '../../trace/trace-base.ts';

export interface CodeKey extends CallsKey {
  /** Functions whose lines are wanted. */
  readonly opened: readonly Hex[];
}

export const codeQuestion = attached((trace: TraceBase) => costsBy(trace, 'counts'));
/** The same in the time of the trace. It reads all records of the range. */
export const timedCodeQuestion = attached((trace: TraceBase) => costsBy(trace, 'time'));

function costsBy({ client, id }: TraceBase, by: CostMeasure) {
  return createFlowQuestion<CodeKey, CodeCosts>(
    (key, events) => client.request('codeCosts', { trace: id, ...withoutStep(key), by }, events),
    ({ from = 0 }) => from,
  );
}
