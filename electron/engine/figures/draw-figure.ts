/**
 * A chart of a trace as SVG: a wish becomes questions to the trace, their answers a drawing. The same for the page, the
 * command line and reports; the same trace, wish and look give the same bytes.
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
import type { Drawing } from './drawing.ts';
import { flameDrawing } from './flame-drawing.ts';
import { graphDrawing } from './graph-drawing.ts';
import { heatDrawing } from './heat-drawing.ts';
import { overviewDrawing } from './overview-drawing.ts';

export interface DrawnFigure extends Figure {
  /** The records [from, to) that it shows: it may be more than was wished for, where whole blocks of the index are shown. */
  readonly from: RecordNumber;
  readonly to: RecordNumber;
}

export async function drawFigure(
  trace: Trace,
  wish: FigureRequest,
  look: Look,
  task: Task<ReportProgress>,
): Promise<Result<DrawnFigure>> {
  const drawing = await prepareFigure(trace, wish, basename(trace.file.path), task);
  if (!drawing.ok) return drawing;
  const { from, to, draw } = drawing.value;
  return ok({ ...draw(look), from, to });
}

/** `name`: name of the trace in titles. */
export function prepareFigure(
  trace: Trace,
  wish: FigureRequest,
  name: string,
  task: Task<ReportProgress>,
): Promise<Result<Drawing>> {
  switch (wish.figure) {
    case 'heat':
      return heatDrawing(trace, wish, name, task);
    case 'overview':
      return overviewDrawing(trace, wish, name, task);
    case 'graph':
      return graphDrawing(trace, wish, name, task);
    case 'flame':
      return flameDrawing(trace, wish, name, task);
  }
}
