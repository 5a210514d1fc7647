/** The profile of a trace in its time, which outlives the pane. It reads all records of the range. */
import type { Profile } from '../../../shared/requests/profile.ts';
import { attached } from '../../trace/attached.svelte.ts';
import type { CallsKey } from '../../trace/flow/calls.svelte.ts';
import { createFlowQuestion } from '../../trace/questions/flow-question.svelte.ts';
import { withoutStep } from '../../trace/source/range.ts';
import type { TraceBase } from '../../trace/trace-base.ts';

export const timedProfile = attached((trace: TraceBase) =>
  createFlowQuestion<CallsKey, Profile>(
    (key, events) => trace.client.request('profile', { trace: trace.id, ...withoutStep(key), by: 'time' }, events),
    ({ from = 0 }) => from,
  ),
);
