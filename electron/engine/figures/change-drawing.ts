/** Queries for figures of the change from one run to another. */
import { basename } from 'node:path';
import { changeFigure } from '../../../present/flame/change-figure.ts';
import { treeChanges } from '../../../shared/against/tree-changes.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import type { FigureRequest } from '../../../shared/report/plan.ts';
import type { ReportProgress } from '../../../shared/requests/reports.ts';
import { callTree } from '../queries/calls/call-tree.ts';
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
    case 'overview':
      return fail('usage', 'only heatmaps and flame graphs can show the change to another trace');
  }
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
  const [{ unit, notes }, { unit: unitB, notes: notesB }] = [its.value, others.value];
  if (unit !== unitB)
    return fail('usage', `costs cannot be compared: the first trace counts ${unit}, and the other one ${unitB}`);
  const data = {
    a: basename(trace.file.path),
    b: basename(other.file.path),
    unit,
    roots: treeChanges(its.value, others.value, shift),
    notes: [...notes.map((note) => `A: ${note}`), ...notesB.map((note) => `B: ${note}`)],
  };
  return ok({ from: 0, to: trace.blocks.records, draw: (look) => changeFigure(data, look) });
}
