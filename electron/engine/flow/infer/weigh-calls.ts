/**
 * Strikes out what does not come out even: as often as something is called it is returned from, and each return comes back behind a
 * call that was made before and did not come back since. Calls that are left otherwise (longjmp) are few.
 */
import type { Guesses } from './guess-calls.ts';
import { GAP, type Marked } from './observed.ts';

export interface Weighed {
  /** By guess: 1 where it holds. */
  readonly holds: Uint8Array;
  /** By source: 1 where it may return. */
  readonly returns: Uint8Array;
}

/** Returns that have no call, for one that has: more of them at first, when what is no call yet stands in the way of what is one. */
const STRAYS = [1.5, 0.67, 0.43, 0.25, 0.25, 0.25];
/** Calls that are not returned from, for one that is. */
const LEFT = 1.5;
const PATIENCE = 2;

export function weighCalls(marked: Marked, guesses: Guesses): Weighed {
  const { lows, edges, taken, interrupts, ends, passed } = marked;
  const { all, bySource, behind } = guesses;
  const holds = new Uint8Array(all.length).fill(1);
  const returns = passed.map((mark, id) => (1 - mark) & (1 - ends[id]!));
  for (const [round, strays] of STRAYS.entries()) {
    const { came, made, hit, stray } = count();
    let same = true;
    for (let id = 0; id < lows.length; id++) {
      if (returns[id] === 0 || (hit[id]! > 0 && stray[id]! <= 1 + hit[id]! * strays)) continue;
      if (hit[id]! + stray[id]! > 0) same = false;
      returns[id] = 0;
    }
    for (let guess = 0; guess < all.length; guess++) {
      // What another one stood in the way of may come yet.
      const isOpen = came[guess] === 0 && round < PATIENCE;
      if (holds[guess] === 0 || isOpen || fits(came[guess]!, made[guess]!)) continue;
      holds[guess] = 0;
      same = false;
    }
    if (same && round >= STRAYS.length / 2) break;
  }
  return { holds, returns };

  function fits(came: number, made: number): boolean {
    return came > 0 && made - came <= 1 + came * LEFT;
  }

  function count(): Count {
    const tally = createCount(all.length, lows.length);
    for (const list of taken.values()) replay(list, tally);
    return tally;
  }

  function replay(list: readonly number[], { came, made, hit, stray }: Count): void {
    /** By guess: calls that did not come back yet, when the last one was made, and since which gap that counts. */
    const open = new Int32Array(all.length);
    const latest = new Int32Array(all.length);
    const since = new Int32Array(all.length);
    let gaps = 0;
    for (let time = 0; time < list.length; time++) {
      const edge = list[time]!;
      if (edge === GAP) gaps++;
      if (edge === GAP || interrupts[edge] === 1) continue;
      const { source } = edges[edge]!;
      if (returns[source] === 1) {
        let best = -1;
        for (const guess of behind[edge]!) {
          if (holds[guess] === 0 || since[guess] !== gaps || open[guess] === 0) continue;
          if (best < 0 || latest[guess]! > latest[best]!) best = guess;
        }
        if (best < 0) stray[source]!++;
        else {
          hit[source]!++;
          came[best]!++;
          open[best]!--;
        }
      }
      for (const guess of bySource[source]!) {
        if (holds[guess] === 0) continue;
        if (since[guess] !== gaps) open[guess] = 0;
        since[guess] = gaps;
        open[guess]!++;
        latest[guess] = time;
        made[guess]!++;
      }
    }
  }
}

interface Count {
  /** By guess: how often it was made, and come back to. */
  readonly made: Float64Array;
  readonly came: Float64Array;
  /** By source: how often it came back behind a call, and how often it did not. */
  readonly hit: Float64Array;
  readonly stray: Float64Array;
}

function createCount(guesses: number, sources: number): Count {
  return {
    made: new Float64Array(guesses),
    came: new Float64Array(guesses),
    hit: new Float64Array(sources),
    stray: new Float64Array(sources),
  };
}
