/**
 * Collects evidence from a trace and infers the kinds of its branches (infer-kinds.ts). The result for a trace of messages is
 * cached while the trace is open, and kept in the index.
 */
import type { Events } from '../../../../shared/flow/events.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { createAddressMap, type AddressTable } from '../../collections/address-map.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { walkFlow } from '../events/walk.ts';
import { createWholeTraceResult, type StoredForm } from '../whole-trace.ts';
import { createEvidence } from './evidence.ts';
import { inferKinds, type InferredKinds } from './infer-kinds.ts';

/** Inferred kinds as the index stores them. */
export interface InferredTable extends Omit<InferredKinds, 'bySource' | 'handlers'> {
  readonly bySource: AddressTable;
  readonly handlers: AddressTable;
}

export const STORED_KINDS: StoredForm<InferredKinds, InferredTable> = {
  name: 'inferred kinds',
  toTable: (kinds) => ({ ...kinds, bySource: kinds.bySource.table(), handlers: kinds.handlers.table() }),
  fromTable: (table) => ({
    ...table,
    bySource: createAddressMap(table.bySource),
    handlers: createAddressMap(table.handlers),
  }),
};

const KNOWN = createWholeTraceResult<InferredKinds, InferredTable>(STORED_KINDS);

/** Evidence comes from the beginnings of so many parts of the trace, as a program runs other code late than early. */
const PARTS = 32;

/** Returns the kinds inferred from the first `records` records of a trace of messages; undefined if the messages or an image show the kinds. */
export async function inferredKinds(
  trace: Trace,
  records: RecordNumber,
  task: Task<FlowProgress>,
): Promise<Result<InferredKinds | undefined>> {
  const hasCode = trace.images.list.some(({ segments }) => segments.length > 0);
  if (trace.reader.decoder.format.branches?.pentium !== true || hasCode) return ok(undefined);
  const known = KNOWN.get(trace, records);
  if (known !== undefined) return ok(known);
  const inferred = await inferKindsOf(trace, records, task, (events) => events);
  if (inferred.ok) KNOWN.set(trace, records, inferred.value);
  return inferred;
}

/** Infers kinds from the branches in the first `records` records of any trace. `prepare` adds what is otherwise known about them. */
export async function inferKindsOf(
  trace: Trace,
  records: RecordNumber,
  task: Task<FlowProgress>,
  prepare: (events: Events) => Events,
): Promise<Result<InferredKinds>> {
  const evidence = createEvidence();
  for (let part = 0; part < PARTS; part++) {
    const [from = 0, to = 0] = [part, part + 1].map((n) => Math.floor((records * n) / PARTS));
    evidence.begin();
    const walked = await walkFlow(trace, { from, to }, task, {
      reading: 'lean',
      take(events) {
        evidence.add(prepare(events));
        return !evidence.isFull();
      },
    });
    if (!walked.ok) return walked;
  }
  return ok(inferKinds(evidence.observed()));
}
