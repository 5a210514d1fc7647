/** Finds traces whose format records program flow, but which have no record of it. */
import { FLOW_KINDS, KIND } from '../../../../shared/records/record.ts';
import type { Trace } from '../../trace.ts';

/** Returns true if no record shows program flow. False while the index grows, because such records may follow. */
export function lacksFlowRecords({ ingest }: Trace): boolean {
  return ingest.complete && FLOW_KINDS.every((kind) => ingest.totals.kinds[KIND[kind]] === 0);
}
