/** Paints a track below the overview over its whole canvas. */
import { TRACK_TEXT } from '../../../present/overview/track-shapes.ts';
import type { Shape } from '../../../present/svg/shape.ts';
import { paintPaths } from '../../widgets/paint-shapes.ts';

export function drawTrack(context: CanvasRenderingContext2D, shapes: readonly Shape[], mono: string): void {
  paintPaths(
    context,
    shapes.filter(({ name }) => name === 'path'),
  );
  context.font = `${TRACK_TEXT}px ${mono}`;
  for (const { name, attributes, words = '' } of shapes) {
    if (name !== 'text') continue;
    context.fillStyle = String(attributes['fill']);
    context.fillText(words, Number(attributes['x']), Number(attributes['y']));
  }
}
