/**
 * Rule: a branch to an entry point is a tail call if the function that it enters returns in place of the one that branched.
 *
 * Example: f calls g (return address 0x1015), g branches to the entry point of h, and a return in the body of h goes to 0x1015.
 * If that holds each time, the branch from g to h is a tail call.
 */
import { countBelow } from '../../collections/address-order.ts';
import type { InferredCalls } from './calls.ts';
import { GAP } from './evidence.ts';
import type { Body } from './function-bodies.ts';
import type { Marked } from './passed-branches.ts';

const NOWHERE = -1;
const MOST_OPEN = 1 << 16;

interface OpenCall {
  /** Its return address. */
  readonly low: number;
  readonly high: number;
  /** Branches since the call that may be tail calls, and the function that the last one entered. */
  readonly tails: number[];
  into: number;
}

/** Returns by source 1 if it is a tail call. */
export function inferTailCalls(
  marked: Marked,
  { lengths, returns, jumps }: InferredCalls,
  bodies: readonly Body[],
): Uint8Array {
  const { lows, highs, edges, taken, interrupts, ends, lone } = marked;
  const entered = edges
    .map(({ low, high }) => functionAt(low, high))
    .map((fn, edge) => (bodies[fn]?.low === edges[edge]!.low ? fn : NOWHERE));
  const owners = lows.map((low, id) => functionAt(low, highs[id]!));
  const good = new Uint32Array(lows.length);
  const bad = new Uint32Array(lows.length);
  for (const list of taken.values()) replay(list);
  return Uint8Array.from(good, (times, id) => Number(times > 0 && bad[id] === 0));

  /** Returns the last function that begins at an address or before it. */
  function functionAt(low: number, high: number): number {
    const fn = countBelow(bodies, { low, high }, true) - 1;
    return bodies[fn]?.high === high ? fn : NOWHERE;
  }

  function replay(list: readonly number[]): void {
    const open: OpenCall[] = [];
    for (const edge of list) {
      if (edge === GAP || open.length >= MOST_OPEN) open.length = 0;
      if (edge === GAP) continue;
      const { source, low, high } = edges[edge]!;
      if (interrupts[edge] === 1 || lengths[source]! > 0) {
        const bytes = interrupts[edge] === 1 ? 0 : lengths[source]!;
        open.push({ low: lows[source]! + bytes, high: highs[source]!, tails: [], into: NOWHERE });
      } else if (returns[source] === 1 || ends[source] === 1) returnTo(open, source, low, high);
      else if (jumps[source] === 0 && lone[source]! >= 0 && entered[edge]! >= 0) {
        const top = open.at(-1);
        top?.tails.push(source);
        if (top !== undefined) top.into = entered[edge]!;
      }
    }
  }

  function returnTo(open: OpenCall[], source: number, low: number, high: number): void {
    let at = open.length - 1;
    while (at >= 0 && (open[at]!.low !== low || open[at]!.high !== high)) at--;
    if (at < 0) return;
    for (let above = at; above < open.length; above++) {
      const { tails, into } = open[above]!;
      const fits = at === open.length - 1 && owners[source] === into;
      for (const tail of tails) (fits ? good : bad)[tail]!++;
    }
    open.length = at;
  }
}
