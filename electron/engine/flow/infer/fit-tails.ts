/**
 * Which branches to where functions begin are tail calls? What was entered so returns in place of what branched there: a return in
 * its code, before the next function, goes behind the call that is innermost.
 */
import type { Body } from './fit-bodies.ts';
import type { CallFit } from './fit-calls.ts';
import { countBelow, GAP, type Marked } from './observed.ts';

const NOWHERE = -1;
const MOST_OPEN = 1 << 16;

interface Open {
  /** Where its caller goes on. */
  readonly low: number;
  readonly high: number;
  /** Branches since that may be tail calls, and the function that the last one went to. */
  readonly tails: number[];
  into: number;
}

/** By source: 1 where it calls in place of returning. */
export function fitTails(marked: Marked, { lengths, returns, jumps }: CallFit, bodies: readonly Body[]): Uint8Array {
  const { lows, highs, edges, taken, interrupts, ends, lone } = marked;
  const entered = edges
    .map(({ low, high }) => regionOf(low, high))
    .map((fn, edge) => (bodies[fn]?.low === edges[edge]!.low ? fn : NOWHERE));
  const regions = lows.map((low, id) => regionOf(low, highs[id]!));
  const good = new Uint32Array(lows.length);
  const bad = new Uint32Array(lows.length);
  for (const list of taken.values()) replay(list);
  return Uint8Array.from(good, (times, id) => Number(times > 0 && bad[id] === 0));

  /** The last function that begins at an address or before it. */
  function regionOf(low: number, high: number): number {
    const fn = countBelow(bodies, { low, high }, true) - 1;
    return bodies[fn]?.high === high ? fn : NOWHERE;
  }

  function replay(list: readonly number[]): void {
    const open: Open[] = [];
    for (const edge of list) {
      if (edge === GAP || open.length >= MOST_OPEN) open.length = 0;
      if (edge === GAP) continue;
      const { source, low, high } = edges[edge]!;
      if (interrupts[edge] === 1 || lengths[source]! > 0) {
        const bytes = interrupts[edge] === 1 ? 0 : lengths[source]!;
        open.push({ low: lows[source]! + bytes, high: highs[source]!, tails: [], into: NOWHERE });
      } else if (returns[source] === 1 || ends[source] === 1) comeBack(open, source, low, high);
      else if (jumps[source] === 0 && lone[source]! >= 0 && entered[edge]! >= 0) {
        const top = open.at(-1);
        top?.tails.push(source);
        if (top !== undefined) top.into = entered[edge]!;
      }
    }
  }

  function comeBack(open: Open[], source: number, low: number, high: number): void {
    let at = open.length - 1;
    while (at >= 0 && (open[at]!.low !== low || open[at]!.high !== high)) at--;
    if (at < 0) return;
    for (let above = at; above < open.length; above++) {
      const { tails, into } = open[above]!;
      const fits = at === open.length - 1 && regions[source] === into;
      for (const tail of tails) (fits ? good : bad)[tail]!++;
    }
    open.length = at;
  }
}
