/**
 * Drawings as plain data: SVG elements with their attributes. `drawn` writes them into a figure, `renderer/widgets/Shapes.svelte` renders
 * them on the page.
 */
import { visible } from '../../shared/base/visible.ts';
import { element, escaped, type Attributes } from './svg.ts';

export interface Shape {
  readonly name: 'rect' | 'path' | 'polygon' | 'text';
  readonly attributes: Attributes;
  /** Content of a text. */
  readonly words?: string;
}

/** A text on one line; no shape if it is empty. */
export function label(words: string, attributes: Attributes): readonly Shape[] {
  return words === '' ? [] : [{ name: 'text', attributes, words: visible(words) }];
}

/** Two texts, one over the other: not every renderer paints the outline of a text before its fill. */
export function haloed(words: string, attributes: Attributes, ground: string): readonly Shape[] {
  const halo = { stroke: ground, 'stroke-width': 6, 'stroke-linejoin': 'round', 'aria-hidden': 'true' };
  return [...label(words, { ...attributes, ...halo }), ...label(words, attributes)];
}

/** Writes shapes as SVG. */
export function drawn(shapes: readonly Shape[]): string {
  return shapes.map(({ name, attributes, words = '' }) => element(name, attributes, escaped(words))).join('');
}
