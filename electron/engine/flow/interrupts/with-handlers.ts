/**
 * Computes something from the branches of a trace, with the handlers of interrupts if it needs them. Only a pass over the whole
 * trace finds handlers, and only traces of processors that may have them anywhere need it. So the computation first runs
 * without, and starts again once it meets a branch that may lead to a handler.
 */
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { Events } from '../../../../shared/flow/events.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { AddressTable } from '../../collections/address-map.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { createHandlerEvidence } from './handler-evidence.ts';
import { createHandlers, isIndirect, type Handlers } from './handlers.ts';
import { walkFlow } from '../events/walk.ts';
import { createWholeTraceResult } from '../whole-trace.ts';

const KNOWN = createWholeTraceResult<Handlers, AddressTable>({
  name: 'handlers',
  toTable: (handlers) => handlers.table(),
  fromTable: (table) => createHandlers(table),
});

/**
 * Calls `compute` with the handlers in the first `records` records, or without if its branches do not need them. `compute` has to end as soon as
 * `suffice` returns false for its events; that result is ignored.
 */
export async function withHandlers<T>(
  trace: Trace,
  records: RecordNumber,
  task: Task<FlowProgress>,
  compute: (handlers: Handlers) => Promise<Result<T>>,
): Promise<Result<T>> {
  const known = KNOWN.get(trace, records);
  if (known !== undefined) return compute(known);
  const missed: { any: boolean; looked?: Events } = { any: false };
  const without = createHandlers(undefined, (events) => {
    // The batches of a block share their distinct events.
    const distinct = events.alike?.each ?? events;
    if (distinct !== missed.looked) missed.any ||= hasIndirect(distinct);
    missed.looked = distinct;
    return !missed.any;
  });
  const answer = await compute(without);
  if (!missed.any) return answer;
  const found = await findHandlers(trace, records, task);
  return found.ok ? compute(found.value) : found;
}

async function findHandlers(trace: Trace, records: RecordNumber, task: Task<FlowProgress>): Promise<Result<Handlers>> {
  const evidence = createHandlerEvidence();
  const walked = await walkFlow(trace, { from: 0, to: records }, task, {
    take(events) {
      evidence.add(events);
      return true;
    },
  });
  if (!walked.ok) return walked;
  const found = createHandlers(evidence.handlers().table());
  KNOWN.set(trace, records, found);
  return ok(found);
}

function hasIndirect(events: Events): boolean {
  for (let i = 0; i < events.count; i++) if (isIndirect(events, i)) return true;
  return false;
}
