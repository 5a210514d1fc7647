/** Draws diagonal lines over a part of a chart that is not indexed yet. */
export function hatch(
  context: CanvasRenderingContext2D,
  left: number,
  width: number,
  height: number,
  colour: string,
): void {
  if (width <= 0) return;
  context.save();
  context.beginPath();
  context.rect(left, 0, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let x = left - height - ((left - height) % GAP); x < left + width; x += GAP) {
    context.moveTo(x, height);
    context.lineTo(x + height, 0);
  }
  context.stroke();
  context.restore();
}

const GAP = 8;
