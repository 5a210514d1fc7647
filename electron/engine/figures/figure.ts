/** Answers the `figure` request: a chart as a file. */
import type { Figure } from '../../../present/svg/figure.ts';
import type { FigureArguments, FigureFile, ReportProgress } from '../../../shared/requests/reports.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import { drawFigure } from './draw-figure.ts';
import { figureName } from './figure-name.ts';
import { toPng } from './to-png.ts';

/** @param other the trace of `against` */
export async function figure(
  trace: Trace,
  args: Omit<FigureArguments, 'trace'>,
  task: Task<ReportProgress>,
  other?: Trace,
): Promise<Result<FigureFile>> {
  const { figure: request, as, scale = 1, theme = 'light', title } = args;
  const against = other && { other, shift: BigInt(args.against?.shift ?? 0) };
  const drawn = await drawFigure(trace, request, { theme, ...(title !== undefined && { title }) }, task, against);
  if (!drawn.ok) return drawn;
  if (task.cancelled()) return task.cancel();
  return ok({ name: figureName(trace.file.path, request, as, scale), bytes: await bytesOf(drawn.value, as, scale) });
}

function bytesOf({ svg }: Figure, as: 'svg' | 'png', scale: 1 | 2): Uint8Array | Promise<Uint8Array> {
  switch (as) {
    case 'svg':
      return new TextEncoder().encode(svg);
    case 'png':
      return toPng(svg, scale);
  }
}
