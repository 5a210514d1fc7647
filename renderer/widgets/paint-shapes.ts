import type { Shape } from '../../present/svg/shape.ts';

/** Paints filled paths of a drawing on a canvas. */
export function paintPaths(context: CanvasRenderingContext2D, paths: readonly Shape[]): void {
  for (const { attributes } of paths) {
    context.fillStyle = String(attributes['fill']);
    context.fill(new Path2D(String(attributes['d'])));
  }
}
