/** The address axis of the heatmap: folded or true to scale, and with a span magnified if the view has a lens. */
import {
  foldedAxis,
  magnifiedAxis,
  nearestEnd,
  nearestPosition,
  trueAxis,
  type AddressAxis,
  type Span,
} from '../../present/base/axis.ts';
import type { View } from './view.svelte.ts';

export function shownAxis({ folded, lens }: Pick<View, 'folded' | 'lens'>, bands: readonly Span[]): AddressAxis {
  const axis = folded ? foldedAxis(bands) : trueAxis(bands);
  return lens ? magnifiedAxis(axis, lens) : axis;
}

/** Returns how many times higher addresses in the lens are than without it; 1 if they are not. */
export function magnification({ folded, lens }: Pick<View, 'folded' | 'lens'>, bands: readonly Span[]): number {
  if (!lens) return 1;
  const [plain, magnified] = [shownAxis({ folded, lens: null }, bands), shownAxis({ folded, lens }, bands)];
  const heightOn = (axis: AddressAxis): number => nearestEnd(axis, lens.high) - nearestPosition(axis, lens.low);
  return heightOn(magnified) / heightOn(plain);
}
