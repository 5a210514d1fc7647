/** Shared by the queries of figures: the range of records and the forwarding of progress. */
import type { FlowProgress } from '../../../shared/requests/flow.ts';
import type { ReportProgress } from '../../../shared/requests/reports.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { createTask, type Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';

/** Returns the requested records [from, to), limited to the indexed prefix. */
export function recordsOf(
  { blocks }: Trace,
  request: { readonly from?: RecordNumber; readonly to?: RecordNumber },
): { readonly from: RecordNumber; readonly to: RecordNumber } {
  const from = Math.min(request.from ?? 0, blocks.records);
  return { from, to: Math.max(from, Math.min(request.to ?? blocks.records, blocks.records)) };
}

/** Returns a task for a walk over branches whose progress is the progress of the figure. */
export function walkTask(task: Task<ReportProgress>, what: string): Task<FlowProgress> {
  return createTask<FlowProgress>(
    () => task.cancelled(),
    ({ at, to }) => task.report({ done: at, of: to, what }),
  );
}
