/** The costs of the code of a trace, which outlive the pane. */
import type { CodeCosts } from '../../../shared/requests/answers/code-costs.ts';
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

export const codeQuestion = attached((trace: TraceBase) =>
  createFlowQuestion<CodeKey, CodeCosts>(
    (key, events) => trace.client.request('codeCosts', { trace: trace.id, ...withoutStep(key) }, events),
    ({ from = 0 }) => from,
  ),
);
