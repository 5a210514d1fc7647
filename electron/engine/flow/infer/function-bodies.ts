/**
 * Rule: a function's body is one piece of code that begins at its entry point. It extends as far as straight runs, known jumps and
 * calls that return lead from what belongs to it, but not to the next entry point.
 *
 * Example: 0x2000 is called, and runs, jumps and return addresses cover 0x2000 to 0x2034 without a hole. The next entry point is
 * 0x2040. So the body is 0x2000 to 0x2034, and a jump from 0x2030 to 0x2010 stays in its function.
 */
import { compareAddresses, countBelow } from '../../collections/address-order.ts';
import type { InferredCalls } from './calls.ts';
import type { Marked } from './passed-branches.ts';

export interface Body {
  /** The entry point. */
  readonly low: number;
  readonly high: number;
  /** The last address known to belong to it; in the same 4 GiB. */
  readonly last: number;
}

/** Returns the bodies of called functions and of handlers, ascending. */
export function inferBodies(marked: Marked, { lengths, jumps }: InferredCalls): readonly Body[] {
  const { lows, highs, edges, runs, interrupts, passed, inner } = marked;
  const called = edges.filter(({ source }, edge) => lengths[source]! > 0 || interrupts[edge] === 1);
  called.sort(compareAddresses);
  const entries = called.filter((entry, at) => at === 0 || compareAddresses(entry, called[at - 1]!) !== 0);
  const spans: { readonly low: number; readonly high: number; readonly last: number }[] = [];
  for (const [edge, end] of runs.values()) put(edges[edge]!.low, lows[end]!, edges[edge]!.high, highs[end]!);
  edges.forEach(({ source, low, high }, edge) => {
    const isInside = jumps[source] === 1 && interrupts[edge] === 0 && (passed[source] === 1 || inner[edge] === 1);
    if (isInside) put(Math.min(low, lows[source]!), Math.max(low, lows[source]!), high, highs[source]!);
  });
  // A function continues after its calls.
  lengths.forEach((length, id) => {
    if (length > 0) put(lows[id]!, lows[id]! + length, highs[id]!, highs[id]!);
  });
  spans.sort(compareAddresses);
  return entries.map(({ low, high }, fn) => {
    const next = entries[fn + 1];
    const end = next?.high === high ? next.low : Number.POSITIVE_INFINITY;
    let last = low;
    for (let at = countBelow(spans, { low, high }); at < spans.length; at++) {
      const span = spans[at]!;
      if (span.high !== high || span.low > last) break;
      if (span.last < end) last = Math.max(last, span.last);
    }
    return { low, high, last };
  });

  function put(low: number, last: number, high: number, highOfLast: number): void {
    if (high === highOfLast) spans.push({ low, high, last });
  }
}
