/** Splits the address spans of a small trace finer than pages, because a page with one touched line is mostly empty. */
import type { Span } from '../base/axis.ts';

/** Size of a line in bytes. */
export const LINE = 64;
/** Gaps shorter than this are not folded: folding them would only add seams. */
const LEAST_GAP = 512n;

/**
 * Returns the touched parts of spans, at most `most` of them.
 * @param spans touched pages, lowest first, in whole lines
 * @param counts accesses per line of all spans together, in order
 */
export function foldLines(spans: readonly Span[], counts: Float64Array, most: number): readonly Span[] {
  const touched: Span[] = [];
  let at = 0;
  for (const span of spans) {
    for (let low = span.low; low < span.high; low += BigInt(LINE), at += 1) {
      if ((counts[at] ?? 0) > 0) touched.push({ low, high: low + BigInt(LINE) });
    }
  }
  let gap = LEAST_GAP;
  let joined = join(touched, gap);
  while (joined.length > most) {
    gap *= 2n;
    joined = join(touched, gap);
  }
  return joined;
}

function join(spans: readonly Span[], gap: bigint): readonly Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last && span.low - last.high < gap) joined[joined.length - 1] = { low: last.low, high: span.high };
    else joined.push(span);
  }
  return joined;
}
