/**
 * Only all of a trace tells where handlers of interrupts are, and only traces of processors that may have them anywhere need it: who
 * reads branches tries without, and begins again once a branch comes that needs it.
 */
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { Events } from '../../../../shared/flow/events.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
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

/** Asks with the handlers of the trace where branches need them. `ask` ends as soon as its handlers do not serve, whatever it answers then. */
export async function withHandlers<T>(
  trace: Trace,
  task: Task<FlowProgress>,
  ask: (handlers: Handlers) => Promise<Result<T>>,
): Promise<Result<T>> {
  const known = KNOWN.get(trace);
  if (known !== undefined) return ask(known);
  const missed: { any: boolean; looked?: Events } = { any: false };
  const without = createHandlers(undefined, (events) => {
    // Of a block's events, which come in parts, what is alike is the same.
    const those = events.alike?.each ?? events;
    if (those !== missed.looked) missed.any ||= hasIndirect(those);
    missed.looked = those;
    return !missed.any;
  });
  const answer = await ask(without);
  if (!missed.any) return answer;
  const found = await findHandlers(trace, task);
  return found.ok ? ask(found.value) : found;
}

async function findHandlers(trace: Trace, task: Task<FlowProgress>): Promise<Result<Handlers>> {
  const { records } = trace.blocks;
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
