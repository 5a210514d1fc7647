/** Queries for the figure of a call graph, and the choice of the part to draw. */
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
import { recordsOf, walkTask } from './range.ts';

const STEPS = 2;
const MOST = 24;

export async function graphDrawing(
  trace: Trace,
  request: Extract<FigureRequest, { readonly figure: 'graph' }>,
  name: string,
  task: Task<ReportProgress>,
): Promise<Result<Drawing>> {
  const range = recordsOf(trace, request);
  const found = await calls(trace, range, walkTask(task, 'following calls'));
  if (!found.ok) return found;
  const answer = found.value;
  const graph = indexCallGraph(answer);
  const chosenCentre = request.centre === undefined ? undefined : graph.place(request.centre);
  if (request.centre !== undefined && chosenCentre === undefined) {
    return fail('usage', `there is no function ${request.centre} in the calls of these records`);
  }
  const part =
    answer.functions.length === 0
      ? undefined
      : choosePart(graph, {
          centre: chosenCentre ?? defaultCentre(graph),
          steps: request.steps ?? STEPS,
          most: request.most ?? MOST,
          collapse: request.collapse ?? true,
          opened: new Set((request.opened ?? []).flatMap((id) => graph.place(id) ?? [])),
        });
  const data = { name, answer, graph, ...range, ...(part && { part }) };
  return ok({ ...range, draw: (look) => graphFigure(data, look) });
}
