/**
 * Candidates for calls by addresses alone, and how well they match returns.
 *
 * Rule: a return goes 2 to 7 bytes past its call, the length of an x86 call. Example: a branch from 0x2020 to 0x1015 may return
 * from a call at 0x1010 (5 bytes) if 0x1010 is a source. That alone is also true of many jumps: the exit of a loop lies right after
 * its last jump. So candidates are replayed in the order in which branches were taken: each return follows a call that is still open.
 * Sources that often return without one are no returns, and candidates that nothing returns to are dropped.
 *
 * A Pentium may name the instruction before a direct call in its place. Such a call returns up to 15 bytes past the named one.
 */
import { ABSENT } from '../../collections/address-map.ts';
import { compareAddresses } from '../../collections/address-order.ts';
import { GAP } from './evidence.ts';
import { SEVERAL, type Marked } from './passed-branches.ts';

/** A source that may be a call, and the bytes from it to where the call returns. */
export interface Candidate {
  readonly source: number;
  readonly length: number;
}

export interface Candidates {
  readonly all: readonly Candidate[];
  /** By source: its candidates. */
  readonly bySource: readonly (readonly number[])[];
  /** By edge: the candidates that it may return to. */
  readonly returnedTo: readonly (readonly number[])[];
}

export const SHORTEST_CALL = 2;
export const DIRECT_CALL = 5;
export const LONGEST_CALL = 7;
/** With the instruction before a direct call, which a Pentium may name in its place. */
const LONGEST_PAIR = 15;

export function findCandidates(marked: Marked): Candidates {
  const { lows, highs, sources, edges, edgeOf, interrupts, ends, lone, passed } = marked;
  const all: Candidate[] = [];
  const bySource: number[][] = lows.map(() => []);
  const starts = new Set(lows.map((low, id) => `${low} ${highs[id]!}`));
  for (const { low, high } of edges) starts.add(`${low} ${high}`);
  const known = new Map<string, readonly number[]>();
  const returnedTo = edges.map(({ source, low, high }, edge) => {
    if (passed[source] === 1 || interrupts[edge] === 1 || ends[source] === 1) return [];
    const key = `${low} ${high}`;
    const found = known.get(key) ?? candidatesBefore(low, high);
    known.set(key, found);
    return found;
  });
  return { all, bySource, returnedTo };

  /** Returns the candidates for calls that return to an address. */
  function candidatesBefore(low: number, high: number): readonly number[] {
    const found: number[] = [];
    const direct = low >= DIRECT_CALL ? sources.get(low - DIRECT_CALL, high) : ABSENT;
    for (let length = SHORTEST_CALL; length <= LONGEST_PAIR && length <= low; length++) {
      const source = sources.get(low - length, high);
      const isOther = length > DIRECT_CALL && direct !== ABSENT && !isSame(source, direct);
      if (source !== ABSENT && !isOther && mayCall(source, length) && !edgeOf.has(`${source} ${low} ${high}`)) {
        bySource[source]!.push(all.length);
        found.push(all.length);
        all.push({ source, length });
      }
      // An instruction begins here, so no longer one ends at the address. But a direct call may be named by the one before it.
      if (length !== DIRECT_CALL && starts.has(`${low - length} ${high}`)) break;
    }
    return found;
  }

  /** Returns true if a source has the target of a direct call, as the instruction that is named in its place has. */
  function isSame(source: number, direct: number): boolean {
    const [a, b] = [edges[lone[source]!], edges[lone[direct]!]];
    return a !== undefined && b !== undefined && compareAddresses(a, b) === 0;
  }

  function mayCall(source: number, length: number): boolean {
    if (passed[source] === 1 || ends[source] === 1) return false;
    return lone[source]! >= 0 || (lone[source] === SEVERAL && length <= LONGEST_CALL);
  }
}

export interface Balanced {
  /** By candidate: 1 if its calls and returns balance. */
  readonly holds: Uint8Array;
  /** By source: 1 if it may return. */
  readonly returns: Uint8Array;
}

/**
 * By round: returns without a call that are tolerated for each return that has one. The first rounds tolerate more, as wrong
 * candidates still take away the calls of right ones.
 */
const STRAYS = [1.5, 0.67, 0.43, 0.25, 0.25, 0.25];

/** Drops candidates and returns that do not balance. */
export function balance(marked: Marked, candidates: Candidates): Balanced {
  const { lows, edges, taken, interrupts, ends, passed } = marked;
  const { all, bySource, returnedTo } = candidates;
  const holds = new Uint8Array(all.length).fill(1);
  const returns = passed.map((mark, id) => (1 - mark) & (1 - ends[id]!));
  for (const [round, strays] of STRAYS.entries()) {
    const { returned, hit, stray } = count();
    let same = true;
    for (let id = 0; id < lows.length; id++) {
      if (returns[id] === 0 || (hit[id]! > 0 && stray[id]! <= 1 + hit[id]! * strays)) continue;
      if (hit[id]! + stray[id]! > 0) same = false;
      returns[id] = 0;
    }
    for (let candidate = 0; candidate < all.length; candidate++) {
      if (holds[candidate] === 0 || returned[candidate]! > 0) continue;
      holds[candidate] = 0;
      same = false;
    }
    if (same && round >= STRAYS.length / 2) break;
  }
  return { holds, returns };

  function count(): Count {
    const tally = createCount(all.length, lows.length);
    for (const list of taken.values()) replay(list, tally);
    return tally;
  }

  function replay(list: readonly number[], { returned, hit, stray }: Count): void {
    /** By candidate: open calls, the time of the latest one, and the number of gaps before it. */
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
        for (const candidate of returnedTo[edge]!) {
          if (holds[candidate] === 0 || since[candidate] !== gaps || open[candidate] === 0) continue;
          if (best < 0 || latest[candidate]! > latest[best]!) best = candidate;
        }
        if (best < 0) stray[source]!++;
        else {
          hit[source]!++;
          returned[best]!++;
          open[best]!--;
        }
      }
      for (const candidate of bySource[source]!) {
        if (holds[candidate] === 0) continue;
        if (since[candidate] !== gaps) open[candidate] = 0;
        since[candidate] = gaps;
        open[candidate]!++;
        latest[candidate] = time;
      }
    }
  }
}

interface Count {
  /** By candidate: how often something returned to it. */
  readonly returned: Float64Array;
  /** By source: how often it returned to an open call, and how often it did not. */
  readonly hit: Float64Array;
  readonly stray: Float64Array;
}

function createCount(candidates: number, sources: number): Count {
  return {
    returned: new Float64Array(candidates),
    hit: new Float64Array(sources),
    stray: new Float64Array(sources),
  };
}

interface Nested {
  /** By candidate: how often something returned to it. By source: how often it returned to a call. */
  readonly returned: Float64Array;
  readonly hit: Float64Array;
  /** By candidate: the sources that returned to it. By source: the candidates that it returned to. */
  readonly returnsOf: readonly ReadonlySet<number>[];
  readonly callsOf: readonly ReadonlySet<number>[];
}

/** If more calls are open, all are forgotten. */
const MOST_OPEN = 1 << 16;

/** Matches returns with calls as they nest: what is called last returns first. */
export function nest(marked: Marked, { all, bySource, returnedTo }: Candidates, { holds, returns }: Balanced): Nested {
  const { lows, edges, taken, interrupts } = marked;
  const returned = new Float64Array(all.length);
  const hit = new Float64Array(lows.length);
  const returnsOf = Array.from(all, () => new Set<number>());
  const callsOf = Array.from(lows, () => new Set<number>());
  for (const list of taken.values()) replay(list);
  return { returned, hit, returnsOf, callsOf };

  function replay(list: readonly number[]): void {
    const open: number[] = [];
    /** By open call: the open call of the same candidate below it. By candidate: its innermost open call. */
    const below: number[] = [];
    const innermost = new Int32Array(all.length).fill(-1);
    const closeTo = (count: number): void => {
      while (open.length > count) innermost[open.pop()!] = below.pop()!;
    };
    for (const edge of list) {
      if (edge === GAP || open.length >= MOST_OPEN) closeTo(0);
      if (edge === GAP || interrupts[edge] === 1) continue;
      const { source } = edges[edge]!;
      let at = -1;
      if (returns[source] === 1) {
        for (const candidate of returnedTo[edge]!)
          if (holds[candidate] === 1 && innermost[candidate]! > at) at = innermost[candidate]!;
      }
      if (at >= 0) {
        const candidate = open[at]!;
        returned[candidate]!++;
        hit[source]!++;
        returnsOf[candidate]!.add(source);
        callsOf[source]!.add(candidate);
        closeTo(at);
        // Other candidates of the same call.
        while (open.length > 0 && open.at(-1) !== candidate && all[open.at(-1)!]!.source === all[candidate]!.source)
          closeTo(open.length - 1);
        continue;
      }
      for (const candidate of bySource[source]!) {
        if (holds[candidate] === 0) continue;
        below.push(innermost[candidate]!);
        innermost[candidate] = open.length;
        open.push(candidate);
      }
    }
  }
}
