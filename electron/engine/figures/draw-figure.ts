/**
 * Draws a chart of a trace as SVG: runs the queries that the request needs and draws their answers. The page, the command line and reports
 * all use it. The same trace, request and look give the same bytes.
 */
import { basename } from 'node:path';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { FigureRequest } from '../../../shared/report/plan.ts';
import type { ReportProgress } from '../../../shared/requests/reports.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { Figure } from '../../../present/svg/figure.ts';
import type { Look } from '../../../present/svg/look.ts';
import type { Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import { changeDrawing } from './change-drawing.ts';
import type { Drawing } from './drawing.ts';
import { flameDrawing } from './flame-drawing.ts';
import { graphDrawing } from './graph-drawing.ts';
import { heatDrawing } from './heat-drawing.ts';
import { overviewDrawing } from './overview-drawing.ts';

export interface DrawnFigure extends Figure {
  /** Shown records [from, to). They exceed the requested range if whole blocks of the index are shown. */
  readonly from: RecordNumber;
  readonly to: RecordNumber;
}

/** The trace to which a figure shows the change. */
export interface Against {
  readonly other: Trace;
  /** Its addresses minus those of the first trace. */
  readonly shift: bigint;
}

export async function drawFigure(
  trace: Trace,
  request: FigureRequest,
  look: Look,
  task: Task<ReportProgress>,
  against?: Against,
): Promise<Result<DrawnFigure>> {
  const drawing =
    against === undefined
      ? await prepareFigure(trace, request, basename(trace.file.path), task)
      : await changeDrawing(trace, against.other, against.shift, request, task);
  if (!drawing.ok) return drawing;
  const { from, to, draw } = drawing.value;
  return ok({ ...draw(look), from, to });
}

/**
 * Runs the queries for a figure and returns a function that draws it.
 * @param name name of the trace in titles
 */
export function prepareFigure(
  trace: Trace,
  request: FigureRequest,
  name: string,
  task: Task<ReportProgress>,
): Promise<Result<Drawing>> {
  switch (request.figure) {
    case 'heat':
      return heatDrawing(trace, request, name, task);
    case 'overview':
      return overviewDrawing(trace, request, name, task);
    case 'graph':
      return graphDrawing(trace, request, name, task);
    case 'flame':
      return flameDrawing(trace, request, name, task);
  }
}
