/** The vertical scale of a chart of values over time. */
import { scaleLinear, type ScaleLinear } from 'd3';

/** Room above and below the values, in CSS pixels. */
export const SCALE_MARGIN = 8;

/** Returns the scale from the least to the greatest value, in CSS pixels. A single value lies in the middle. */
export function scaleOfValues(least: number, most: number, height: number): ScaleLinear<number, number> {
  const room = least === most ? Math.max(1, Math.abs(least)) / 2 : 0;
  return scaleLinear([least - room, most + room], [height - SCALE_MARGIN, SCALE_MARGIN]);
}

/** Draws a horizontal line at each tick. */
export function drawTicks(
  context: CanvasRenderingContext2D,
  scale: ScaleLinear<number, number>,
  ticks: readonly number[],
  width: number,
  colour: string,
): void {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  for (const tick of ticks) {
    const y = Math.round(scale(tick)) + 0.5;
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(width, y);
    context.stroke();
  }
}
