/** The code that two runs executed, as panes that compare code share it. */
import type { CodeDifference } from '../../../shared/requests/answers/code-changes.ts';
import { attached } from '../attached.svelte.ts';
import { createFlowQuestion } from '../questions/flow-question.svelte.ts';
import type { TraceBase } from '../trace-base.ts';

/** Id of the other trace. */
export interface OtherKey {
  readonly other: string;
}

export const codeDifference = attached((trace: TraceBase) =>
  createFlowQuestion<OtherKey, CodeDifference>((key, events) =>
    trace.client.request('codeDifference', { trace: trace.id, ...key }, events),
  ),
);
