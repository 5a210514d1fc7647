/** Chooses the addresses that a heatmap's lens magnifies. */
import type { Span } from '../base/axis.ts';

/** Pages that the lens includes have at least this part of the accesses of the hottest one. */
const LEAST_SHARE = 1 / 256;
const PAGE = 4096n;

/**
 * Returns the run of adjacent pages around the hottest one; undefined without pages.
 * @param pages the hottest first
 */
export function densest(pages: readonly (Span & { readonly count: number })[]): Span | undefined {
  const hottest = pages[0];
  if (!hottest) return undefined;
  const dense = pages.filter(({ count }) => count >= hottest.count * LEAST_SHARE);
  const endOf = new Map(dense.map(({ low, high }) => [low, high]));
  const startOf = new Map(dense.map(({ low, high }) => [high, low]));
  let { low, high } = hottest;
  for (let next = endOf.get(high); next !== undefined; next = endOf.get(high)) high = next;
  for (let next = startOf.get(low); next !== undefined; next = startOf.get(low)) low = next;
  return { low, high };
}

/** Returns the pages that contain a span: the index counts whole pages, so a lens that cuts none is drawn faster. */
export function wholePages({ low, high }: Span): Span {
  return { low: low - (low % PAGE), high: ((high + PAGE - 1n) / PAGE) * PAGE };
}
