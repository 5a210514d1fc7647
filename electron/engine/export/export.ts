/** Tables of a trace for other tools: which files they have, and the rows of these, group by group. */
import type { ExportGroupArguments } from '../../../shared/requests/tables/export.ts';
import type { RowGroup } from '../../../shared/requests/tables/row-group.ts';
import type { FlowProgress } from '../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { unlessCancelled, type Task } from '../threads/task.ts';
import { beyond, reachOf, type Trace } from '../trace.ts';
import { branchRows } from './branch-rows.ts';
import { callRows } from './call-rows.ts';
import { ENCODE_RECORDS } from './encode-records.ts';
import type { RecordTable } from './record-columns.ts';

export { exportPlan } from './plan.ts';

export async function exportGroup(
  trace: Trace,
  args: Omit<ExportGroupArguments, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<RowGroup>> {
  const { table, from, to, signed = false, all = { from, to } } = args;
  const reach = reachOf(trace);
  // Which branches are calls may depend on the whole trace.
  if (!reach.complete || to > reach.records) return beyond(to, reach);
  switch (table) {
    case 'records':
    case 'accesses':
      return recordRows(trace, { table, from, to, signed }, task);
    case 'branches':
      return branchRows(trace, { from, to, signed }, task);
    case 'calls':
      return callRows(trace, { from, to, signed, all }, task);
  }
}

async function recordRows(
  trace: Trace,
  rows: { readonly table: RecordTable; readonly from: number; readonly to: number; readonly signed: boolean },
  task: Task<FlowProgress>,
): Promise<Result<RowGroup>> {
  const { blocks, pool, reader } = trace;
  const { from, to } = rows;
  const starts = [];
  for (let block = from < to ? blocks.blockOfRecord(from) : blocks.length; block < blocks.length; block++) {
    const firstRecord = blocks.firstRecord(block);
    if (firstRecord >= to) break;
    starts.push({ block, entry: blocks.entry(block), firstRecord });
  }
  const control = new AbortController();
  try {
    const group = await unlessCancelled(
      pool.run(ENCODE_RECORDS, { trace: reader.ref, ...rows, blocks: starts }, control.signal),
      task,
    );
    return group.ok ? ok(group.value) : group;
  } finally {
    control.abort();
  }
}
