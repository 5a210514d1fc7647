/** Which returns come back to which calls where calls nest: what is called last is returned from first. */
import type { Guesses } from './guess-calls.ts';
import { GAP, type Marked } from './observed.ts';
import type { Weighed } from './weigh-calls.ts';

interface Nested {
  /** By guess: how often it was come back to; by source: how often it came back behind a call. */
  readonly came: Float64Array;
  readonly hit: Float64Array;
  /** By guess: the sources that came back to it; by source: the guesses that it came back to. */
  readonly returnsOf: readonly ReadonlySet<number>[];
  readonly callsOf: readonly ReadonlySet<number>[];
}

/** More open calls are forgotten. */
const MOST_OPEN = 1 << 16;

export function nestCalls(marked: Marked, { all, bySource, behind }: Guesses, { holds, returns }: Weighed): Nested {
  const { lows, edges, taken, interrupts } = marked;
  const came = new Float64Array(all.length);
  const hit = new Float64Array(lows.length);
  const returnsOf = Array.from(all, () => new Set<number>());
  const callsOf = Array.from(lows, () => new Set<number>());
  for (const list of taken.values()) replay(list);
  return { came, hit, returnsOf, callsOf };

  function replay(list: readonly number[]): void {
    const open: number[] = [];
    /** By open call: the one of the same guess below it; by guess: its innermost open call. */
    const below: number[] = [];
    const innermost = new Int32Array(all.length).fill(-1);
    const close = (down: number): void => {
      while (open.length > down) innermost[open.pop()!] = below.pop()!;
    };
    for (const edge of list) {
      if (edge === GAP || open.length >= MOST_OPEN) close(0);
      if (edge === GAP || interrupts[edge] === 1) continue;
      const { source } = edges[edge]!;
      let at = -1;
      if (returns[source] === 1) {
        for (const guess of behind[edge]!) if (holds[guess] === 1 && innermost[guess]! > at) at = innermost[guess]!;
      }
      if (at >= 0) {
        const guess = open[at]!;
        came[guess]!++;
        hit[source]!++;
        returnsOf[guess]!.add(source);
        callsOf[source]!.add(guess);
        close(at);
        // Other guesses of the same call.
        while (open.length > 0 && open.at(-1) !== guess && all[open.at(-1)!]!.source === all[guess]!.source)
          close(open.length - 1);
        continue;
      }
      for (const guess of bySource[source]!) {
        if (holds[guess] === 0) continue;
        below.push(innermost[guess]!);
        innermost[guess] = open.length;
        open.push(guess);
      }
    }
  }
}
