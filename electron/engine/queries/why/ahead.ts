/** Finds what every question about origins needs of the whole trace, and keeps it in the index, before there is such a question. */
import { KIND } from '../../../../shared/records/record.ts';
import type { SearchProgress } from '../../../../shared/requests/requests.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { findGaps } from './gaps.ts';
import { instructionSetOf } from './instruction-set.ts';

/** Ignores failures: the questions meet and report them. */
export async function whyAhead(trace: Trace, task: Task<SearchProgress>): Promise<void> {
  await findGaps(trace, task);
  if ((trace.ingest.totals.kinds[KIND.instruction] ?? 0) > 0) await instructionSetOf(trace);
}
