/** Queries for figures of the change from one run to another. */
import { basename } from 'node:path';
import { changeGraphFigure } from '../../../present/call-graph/change-graph.ts';
import { changeFigure } from '../../../present/flame/change-figure.ts';
import { callChanges } from '../../../shared/against/call-changes.ts';
import { treeChanges } from '../../../shared/against/tree-changes.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import type { FigureRequest } from '../../../shared/report/plan.ts';
import type { ReportProgress } from '../../../shared/requests/reports.ts';
import { callTree } from '../queries/calls/call-tree.ts';
import { calls } from '../queries/calls/calls.ts';
import type { Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import type { Drawing } from './drawing.ts';
import { heatChange } from './heat-drawing.ts';
import { walkTask } from './range.ts';

/** @param shift addresses of the other trace minus those of this one */
export async function changeDrawing(
  trace: Trace,
  other: Trace,
  shift: bigint,
  request: FigureRequest,
  task: Task<ReportProgress>,
): Promise<Result<Drawing>> {
  switch (request.figure) {
    case 'heat':
      return heatChange(trace, other, shift, request, task);
    case 'flame':
      return flameChange(trace, other, shift, task);
    case 'graph':
      return graphChange(trace, other, shift, task);
    case 'overview':
      return fail('usage', 'only heatmaps, flame graphs and call graphs can show the change to another trace');
  }
}

async function graphChange(
  trace: Trace,
  other: Trace,
  shift: bigint,
  task: Task<ReportProgress>,
): Promise<Result<Drawing>> {
  const records = ({ blocks }: Trace) => ({ from: 0, to: blocks.records });
  const its = await calls(trace, records(trace), walkTask(task, 'following calls'));
  if (!its.ok) return its;
  const others = await calls(other, records(other), walkTask(task, 'following calls of the other trace'));
  if (!others.ok) return others;
  const sides = sidesOf([trace, other], [its.value, others.value]);
  if (!sides.ok) return sides;
  const data = { ...sides.value, changes: callChanges(its.value, others.value, shift) };
  return ok({ ...records(trace), draw: (look) => changeGraphFigure(data, look) });
}

async function flameChange(
  trace: Trace,
  other: Trace,
  shift: bigint,
  task: Task<ReportProgress>,
): Promise<Result<Drawing>> {
  const its = await callTree(trace, {}, walkTask(task, 'following calls'));
  if (!its.ok) return its;
  const others = await callTree(other, {}, walkTask(task, 'following calls of the other trace'));
  if (!others.ok) return others;
  const sides = sidesOf([trace, other], [its.value, others.value]);
  if (!sides.ok) return sides;
  const data = { ...sides.value, roots: treeChanges(its.value, others.value, shift) };
  return ok({ from: 0, to: trace.blocks.records, draw: (look) => changeFigure(data, look) });
}

interface Answer {
  readonly unit: string;
  readonly notes: readonly string[];
}

/** Returns what a figure says about both traces. Fails if they count costs in different units. */
function sidesOf(
  [trace, other]: readonly [Trace, Trace],
  [{ unit, notes }, { unit: unitB, notes: notesB }]: readonly [Answer, Answer],
): Result<{ readonly a: string; readonly b: string; readonly unit: string; readonly notes: readonly string[] }> {
  if (unit !== unitB)
    return fail('usage', `costs cannot be compared: the first trace counts ${unit}, and the other one ${unitB}`);
  return ok({
    a: basename(trace.file.path),
    b: basename(other.file.path),
    unit,
    notes: [...notes.map((note) => `A: ${note}`), ...notesB.map((note) => `B: ${note}`)],
  });
}
