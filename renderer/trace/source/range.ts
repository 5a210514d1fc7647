/** Range of records that counts of code are about, as arguments of a request. */
import { callsKey, type CallsKey } from '../flow/calls.svelte.ts';
import type { TraceBase } from '../trace-base.ts';

/** Returns a key without the progress of the index, which no request takes. */
export function withoutStep<K extends CallsKey>(key: K): Omit<K, 'step'> {
  return Object.fromEntries(Object.entries(key).filter(([name]) => name !== 'step')) as Omit<K, 'step'>;
}

/** The range that the charts show. */
export function shownRecords(trace: TraceBase): Omit<CallsKey, 'step'> {
  return withoutStep(callsKey(trace.cursor.range, trace.reach));
}
