/** The profiles of two runs and their functions in pairs, which outlive the pane. */
import type { Result } from '../../../shared/base/result.ts';
import { fail, ok } from '../../../shared/base/result.ts';
import type { FlowProgress } from '../../../shared/requests/flow.ts';
import { attached } from '../../trace/attached.svelte.ts';
import { createFlowQuestion } from '../../trace/questions/flow-question.svelte.ts';
import type { OtherKey } from '../../trace/source/code-difference.svelte.ts';
import type { TraceBase } from '../../trace/trace-base.ts';
import { functionChanges, type FunctionChangeRow } from './change-rows.ts';

export interface ProfileDifference {
  readonly unit: string;
  readonly cost: { readonly a: number; readonly b: number };
  readonly rows: readonly FunctionChangeRow[];
  /** Sentences about uncertainty and omissions. */
  readonly notes: readonly string[];
}

export const profileDifference = attached((trace: TraceBase) => {
  const { client } = trace;
  return createFlowQuestion<OtherKey, ProfileDifference>(async ({ other }, { signal, onEvent }) => {
    const options = { signal, onEvent: (event: FlowProgress) => onEvent(event) };
    const shift = await client.request('shift', { trace: trace.id, other }, options);
    if (!shift.ok) return shift;
    const a = await client.request('profile', { trace: trace.id }, options);
    if (!a.ok) return a;
    const b = await client.request('profile', { trace: other }, options);
    if (!b.ok) return b;
    return ofBoth(a.value, b.value, BigInt(shift.value.shift));
  });
});

function ofBoth(a: Parameters<typeof functionChanges>[0], b: typeof a, shift: bigint): Result<ProfileDifference> {
  if (a.unit !== b.unit)
    return fail('units', `Costs cannot be compared: this trace counts ${a.unit}, and the other one ${b.unit}.`);
  return ok({
    unit: a.unit,
    cost: { a: a.cost, b: b.cost },
    rows: functionChanges(a, b, shift),
    notes: [...a.notes.map((note) => `A: ${note}`), ...b.notes.map((note) => `B: ${note}`)],
  });
}
