/** The ground, the folds, the unknown rest and the cursor of the heatmap: everything but its cells. */
import type { ChartColours } from '../../../present/base/theme.ts';
import { hatch } from '../../widgets/hatch.ts';
import type { AddressAxis } from '../../../present/base/axis.ts';
import type { HeatWindow } from '../../../present/heat/heat.ts';
import type { MarkBox } from './marks.ts';
import { KIND_LOOKS } from '../../../present/base/kinds.ts';

export function drawGround(
  context: CanvasRenderingContext2D,
  axis: AddressAxis,
  window: HeatWindow,
  known: number,
  width: number,
  height: number,
  colours: ChartColours,
): void {
  context.fillStyle = colours.chart;
  context.fillRect(0, 0, width, height);
  const knownX = ((known - window.from) / (window.to - window.from)) * width;
  const left = Math.max(0, knownX);
  hatch(context, left, width - left, height, colours.line);
  context.strokeStyle = colours.lineStrong;
  context.lineWidth = 1;
  context.setLineDash([3, 4]);
  context.beginPath();
  for (const [below, band] of axis.slice(1).entries()) {
    // Nothing is folded away at the edge of the lens.
    if (axis[below]?.high === band.low) continue;
    const y = Math.round(((window.top - band.start) / (window.top - window.bottom)) * height) + 0.5;
    if (y <= 0 || y >= height) continue;
    context.moveTo(0, y);
    context.lineTo(width, y);
  }
  context.stroke();
  context.setLineDash([]);
}

export function drawMarks(context: CanvasRenderingContext2D, boxes: readonly MarkBox[], colours: ChartColours): void {
  for (const { mark, x, y, width, height } of boxes) {
    context.fillStyle = colours.hues[KIND_LOOKS[mark.kind].hue];
    context.beginPath();
    context.roundRect(x, y, width, height, Math.min(2, width / 3));
    context.fill();
  }
}
