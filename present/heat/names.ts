/** Names beside the address axis of a chart: the functions, objects and segments of the images. */
import { nearestEnd, nearestPosition, type AddressAxis, type Span } from '../base/axis.ts';

export interface Named extends Span {
  readonly name: string;
  readonly kind: 'function' | 'object' | 'label' | 'segment';
}

/** A name in pixels from the top of the chart. */
export interface PlacedName {
  readonly named: Named;
  readonly top: number;
  readonly bottom: number;
  /** Centre of the line of text; undefined if the text has no room. */
  readonly text: number | undefined;
}

/** Font size of names, and the height of their line, in pixels. */
export const NAME_SIZE = 10.5;
export const NAME_LINE = 13;
/** Lower spans look like a line. */
const LEAST = 1.5;

/**
 * Returns the visible names with their heights, highest first. Texts do not overlap: segments have a separate lane.
 */
export function placeNames(
  names: readonly Named[],
  axis: AddressAxis,
  { bottom, top, height }: { readonly bottom: number; readonly top: number; readonly height: number },
  line = NAME_LINE,
): readonly PlacedName[] {
  const y = (position: number): number => Math.min(height, Math.max(0, ((top - position) / (top - bottom)) * height));
  const seen = names
    .filter(({ low, high }) => axis.some((band) => low < band.high && high > band.low))
    .map((named) => ({ named, top: y(nearestEnd(axis, named.high)), bottom: y(nearestPosition(axis, named.low)) }))
    .filter((one) => one.bottom - one.top >= LEAST)
    .sort((a, b) => b.bottom - b.top - (a.bottom - a.top));
  const taken = { segment: [] as number[], other: [] as number[] };
  return seen.map((one) => {
    const lane = one.named.kind === 'segment' ? taken.segment : taken.other;
    const middle = Math.min(height - line / 2, Math.max(line / 2, (one.top + one.bottom) / 2));
    const fits = lane.every((other) => Math.abs(other - middle) >= line);
    if (!fits) return { ...one, text: undefined };
    lane.push(middle);
    return { ...one, text: middle };
  });
}

/** Returns the names in a span, symbols before segments; empty if it has none. */
export function nameOf(names: readonly Named[], { low, high }: Span): string {
  const inside = names.filter((one) => one.low < high && one.high > low);
  const symbols = inside.filter(({ kind }) => kind !== 'segment');
  const shown = symbols.length > 0 ? symbols : inside;
  const more = shown.length - MOST_NAMED;
  const named = shown.slice(0, MOST_NAMED).map(({ name }) => name);
  return more > 0 ? `${named.join(', ')} and ${String(more)} more` : named.join(', ');
}

const MOST_NAMED = 3;
