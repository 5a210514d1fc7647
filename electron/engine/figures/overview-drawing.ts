/** Query for the figure of an overview: records per kind in each column. */
import { overviewFigure } from '../../../present/overview/overview-figure.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { FigureRequest } from '../../../shared/report/plan.ts';
import { overview } from '../queries/heat/overview.ts';
import { withoutProgress, type Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import type { Drawing } from './drawing.ts';
import { recordsOf } from './range.ts';

const COLUMNS = 430;

export async function overviewDrawing(
  trace: Trace,
  request: Extract<FigureRequest, { readonly figure: 'overview' }>,
  name: string,
  task: Task<unknown>,
): Promise<Result<Drawing>> {
  const found = await overview(trace, { ...recordsOf(trace, request), columns: COLUMNS }, withoutProgress(task));
  if (!found.ok) return found;
  const data = { name, overview: found.value };
  return ok({ from: found.value.from, to: found.value.to, draw: (look) => overviewFigure(data, look) });
}
