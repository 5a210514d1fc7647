/** What figures' questions have in common: the records they are about, and whom they tell how far they are. */
import type { FlowProgress } from '../../../shared/requests/flow.ts';
import type { ReportProgress } from '../../../shared/requests/reports.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { createTask, type Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';

/** The records [from, to) that a wish is about, as far as the index goes. */
export function recordsOf(
  { blocks }: Trace,
  wish: { readonly from?: RecordNumber; readonly to?: RecordNumber },
): { readonly from: RecordNumber; readonly to: RecordNumber } {
  const from = Math.min(wish.from ?? 0, blocks.records);
  return { from, to: Math.max(from, Math.min(wish.to ?? blocks.records, blocks.records)) };
}

/** A question that tells nobody. */
export function quietly(task: Task<unknown>): Task {
  return createTask<never>(
    () => task.cancelled(),
    () => undefined,
  );
}

/** A walk whose progress is that of the figure. */
export function walking(task: Task<ReportProgress>, what: string): Task<FlowProgress> {
  return createTask<FlowProgress>(
    () => task.cancelled(),
    ({ at, to }) => task.report({ done: at, of: to, what }),
  );
}
