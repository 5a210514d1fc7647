/** What a call graph's figure asks the trace: who called whom; and which part of it is drawn. */
import { defaultCentre, indexCallGraph } from '../../../present/call-graph/call-graph.ts';
import { choosePart } from '../../../present/call-graph/call-part.ts';
import { graphFigure } from '../../../present/call-graph/graph-figure.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import type { FigureRequest } from '../../../shared/report/plan.ts';
import type { ReportProgress } from '../../../shared/requests/reports.ts';
import { calls } from '../queries/calls/calls.ts';
import type { Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import type { Drawing } from './drawing.ts';
import { recordsOf, walking } from './range.ts';

const STEPS = 2;
const MOST = 24;

export async function graphDrawing(
  trace: Trace,
  wish: Extract<FigureRequest, { readonly figure: 'graph' }>,
  name: string,
  task: Task<ReportProgress>,
): Promise<Result<Drawing>> {
  const range = recordsOf(trace, wish);
  const found = await calls(trace, range, walking(task, 'following calls'));
  if (!found.ok) return found;
  const answer = found.value;
  const graph = indexCallGraph(answer);
  const wished = wish.centre === undefined ? undefined : graph.place(wish.centre);
  if (wish.centre !== undefined && wished === undefined) {
    return fail('usage', `there is no function ${wish.centre} in the calls of these records`);
  }
  const part =
    answer.functions.length === 0
      ? undefined
      : choosePart(graph, {
          centre: wished ?? defaultCentre(graph),
          steps: wish.steps ?? STEPS,
          most: wish.most ?? MOST,
          collapse: wish.collapse ?? true,
          opened: new Set((wish.opened ?? []).flatMap((id) => graph.place(id) ?? [])),
        });
  const data = { name, answer, graph, ...range, ...(part && { part }) };
  return ok({ ...range, draw: (look) => graphFigure(data, look) });
}
