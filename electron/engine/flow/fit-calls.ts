/**
 * The largest set of calls and returns, among branches of which only the ends are known, in which each call comes back and each
 * return follows a call (see infer-calls.ts for what is asked of them).
 */
import { ABSENT, type AddressMap } from './address-map.ts';

/** What was seen of the branches. Sources and edges are known by numbers. */
export interface Observed {
  /** By source: its address. */
  readonly lows: readonly number[];
  readonly highs: readonly number[];
  readonly sources: AddressMap;
  readonly edges: readonly Edge[];
  /** By source and target, as `source low high`: the edge. */
  readonly edgeOf: ReadonlyMap<string, number>;
  /** Edges in the order in which they were taken, GAP where nothing before counts; by cpu. */
  readonly taken: ReadonlyMap<number, readonly number[]>;
  /** By source: 1 where a straight run went past it. */
  readonly passed: Uint8Array;
}

/** A branch by its ends. */
export interface Edge {
  readonly source: number;
  readonly low: number;
  readonly high: number;
}

export const GAP = -1;

const SHORTEST = 2;
/** Lengths of calls are below this. */
const LENGTHS = 16;
const MOST_OPEN = 1 << 16;
/**
 * How often a branch may not fit, as a share of the times that it does: strict in the end, for a longjmp and the beginning of a
 * trace do happen, but not at first, when what is no call yet stands in the way of what is one.
 */
const SHARES = [1e9, 8, 4, 2, 1, 1 / 2, 1 / 4, 1 / 8];
const MOST_ROUNDS = 24;

export function fitCalls(observed: Observed, longest: number): CallFit {
  const { lows, highs, sources, edges, edgeOf, taken, passed } = observed;
  const behind = behindOf();
  const fit = inferAll();
  return { ...fit, gone: goneFrom(fit) };

  /**
   * Calls of at most `longest` bytes. First returns with several targets: nothing but an indirect branch has these. Then those
   * of one target, where their calls are known by now, or what they call lies apart from what calls it.
   */
  function inferAll(): Fit {
    const targets = new Uint32Array(lows.length);
    for (const { source } of edges) targets[source]!++;
    const never = passed.map((mark) => 1 - mark);
    const returns = never.slice();
    for (const { source, low, high } of edges) {
      const distance = low - lows[source]!;
      // No return goes right behind itself.
      if (high === highs[source] && distance > 0 && distance <= longest) returns[source] = 0;
    }
    const strong = settle(
      {
        calls: never,
        returns: returns.map((mark, id) => mark & Number(targets[id]! > 1)),
        lengths: none(),
        explained: 0,
      },
      behind,
      none(),
    );
    const isKnown = strong.calls.map((mark, id) => mark | strong.returns[id]!);
    const all = settle(
      {
        calls: never.map((mark, id) => mark & (1 - strong.returns[id]!)),
        returns: returns.map(
          (mark, id) => strong.returns[id]! | (mark & (1 - strong.calls[id]!) & Number(targets[id] === 1)),
        ),
        lengths: strong.lengths,
        explained: 0,
      },
      behind,
      isKnown,
    );
    return withoutInner(all, strong, behind);
  }

  /** The largest part of `fit` in which calls and returns rest on one another; `known` ones stay. */
  function settle(fit: Fit, behind: Behind, known: Uint8Array): Fit {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const next = strike(fit, behind, SHARES[Math.min(round, SHARES.length - 1)]!, known);
      const same = sum(next.calls) === sum(fit.calls) && sum(next.returns) === sum(fit.returns);
      fit = next;
      if (same && round >= SHARES.length) return fit;
    }
    return { ...fit, calls: known, returns: known, lengths: none(), explained: 0 };
  }

  function none(): Uint8Array {
    return new Uint8Array(lows.length);
  }

  function behindOf(): Behind {
    return edges.map(({ source, low, high }) => sourcesBefore(source, low, high));
  }

  /** The sources that a branch to this address may come back behind, with the bytes between. */
  function sourcesBefore(own: number, low: number, high: number): readonly (readonly [number, number])[] {
    const found: (readonly [number, number])[] = [];
    for (let length = SHORTEST; length <= longest; length++) {
      const source = low >= length ? sources.get(low - length, high) : ABSENT;
      // What itself goes there is no call that comes back there.
      const isCall = source !== ABSENT && source !== own && !edgeOf.has(`${source} ${low} ${high}`);
      if (isCall) found.push([source, length]);
    }
    return found;
  }

  function strike({ calls, returns, lengths }: Fit, behind: Behind, share: number, known: Uint8Array): Fit {
    const tally = createTally(lows.length);
    for (const list of taken.values()) replay(list, { calls, returns, lengths }, behind, tally);
    const fits = (good: number, bad: number): number => Number(good > 0 && bad <= good * share);
    // Calls that are not known yet let returns stray.
    const isReturn = returns.map((was, id) => was & (known[id]! | fits(tally.returned[id]!, tally.strayed[id]! / 4)));
    const isCall = calls.map((was, id) => {
      // One of those that are open at the end may be the last.
      const open = Math.max(0, tally.open[id]! - 1);
      return was & (known[id]! | (fits(tally.came[id]!, tally.stayed[id]! + open) & (1 - isReturn[id]!)));
    });
    return {
      calls: isCall,
      returns: isReturn,
      lengths: lengths.map((length, id) => (known[id] === 1 ? length : isCall[id]! * usualLength(tally, id))),
      explained: tally.explained,
    };
  }

  /**
   * A function lies between others. What lies within the code of a single function is a part of that: a loop that looks like a
   * call to its beginning, with its exit as the return.
   */
  function withoutInner(fit: Fit, strong: Fit, behind: Behind): Fit {
    const runsOf = new Map<string, Owned>();
    const tally = createTally(lows.length);
    for (const list of taken.values()) replay(list, fit, behind, tally, runsOf);
    const order = [...runsOf.values()].sort((a, b) => a.high - b.high || a.low - b.low);
    const hulls = new Map<string, { first: number; last: number }>();
    order.forEach(({ owner }, at) => {
      const hull = hulls.get(owner);
      if (hull === undefined) hulls.set(owner, { first: at, last: at });
      else hull.last = at;
    });
    const inner = new Uint8Array(lows.length);
    edges.forEach(({ source }, edge) => {
      if (fit.calls[source] === 0 || strong.calls[source] === 1) return;
      const hull = hulls.get(entryOf(edge));
      const before = hull === undefined ? undefined : order[hull.first - 1]?.owner;
      if (hull === undefined || (before !== undefined && before === order[hull.last + 1]?.owner)) inner[source] = 1;
    });
    const calls = fit.calls.map((mark, id) => mark & (1 - inner[id]!));
    // Returns that are left without a call are none.
    const again = createTally(lows.length);
    const lengths = fit.lengths.map((length, id) => length * calls[id]!);
    for (const list of taken.values()) replay(list, { calls, returns: fit.returns, lengths }, behind, again);
    const returns = fit.returns.map((mark, id) => mark & (strong.returns[id]! | Number(again.strayed[id] === 0)));
    return { calls, returns, lengths, explained: again.explained };
  }

  /** By source that is neither call nor return: how often something called before was returned to first, so that it is a jump. */
  function goneFrom(fit: Fit): Uint32Array {
    const tally = createTally(lows.length);
    const watched = fit.calls.map((mark, id) => 1 - (mark | fit.returns[id]!));
    for (const list of taken.values()) replay(list, fit, behind, tally, undefined, watched);
    return tally.stayed;
  }

  function replay(
    list: readonly number[],
    { calls, returns, lengths }: Pick<Fit, 'calls' | 'returns' | 'lengths'>,
    behind: Behind,
    tally: Tally,
    owned?: Map<string, Owned>,
    watched?: Uint8Array,
  ): void {
    const open: number[] = [];
    /** By open branch: its edge. */
    const entered: number[] = [];
    /** By open branch: the one of the same source below it; by source: its innermost open branch. */
    const below: number[] = [];
    const innermost = new Int32Array(lows.length).fill(-1);
    const close = (down: number): void => {
      while (open.length > down) {
        innermost[open.pop()!] = below.pop()!;
        entered.pop();
      }
    };
    let before = GAP;
    for (const edge of list) {
      if (edge === GAP || open.length >= MOST_OPEN) close(0);
      if (owned !== undefined && edge !== GAP && before !== GAP) own(owned, before, entered.at(-1) ?? GAP);
      before = edge;
      if (edge === GAP) continue;
      const { source } = edges[edge]!;
      let [at, length] = [-1, 0];
      if (returns[source] === 1) {
        for (const [call, bytes] of behind[edge]!) {
          const isFit = calls[call] === 1 && (lengths[call] === 0 || lengths[call] === bytes);
          if (isFit && innermost[call]! > at) [at, length] = [innermost[call]!, bytes];
        }
        if (at < 0) tally.strayed[source]!++;
      }
      if (at < 0) {
        if (calls[source] === 0 && watched?.[source] !== 1) continue;
        below.push(innermost[source]!);
        innermost[source] = open.length;
        open.push(source);
        entered.push(edge);
        continue;
      }
      for (let other = at + 1; other < open.length; other++) tally.stayed[open[other]!]!++;
      tally.came[open[at]!]!++;
      tally.lengths[open[at]! * LENGTHS + length]!++;
      tally.returned[source]!++;
      tally.explained++;
      close(at);
    }
    for (const source of open) tally.open[source]!++;
  }

  /** The straight run behind an edge belongs to what the call `by` entered. */
  function own(owned: Map<string, Owned>, edge: number, by: number): void {
    const { low, high } = edges[edge]!;
    const owner = by === GAP ? 'outermost' : entryOf(by);
    owned.set(`${low} ${high} ${owner}`, { low, high, owner });
  }

  function entryOf(edge: number): string {
    const { low, high } = edges[edge]!;
    return `${low} ${high}`;
  }
}

/** By edge: the sources that it may come back behind, each with the bytes between. */
type Behind = readonly (readonly (readonly [number, number])[])[];

export interface CallFit extends Fit {
  /** By source that is neither: how often something called before was returned to first, so that it is a jump. */
  readonly gone: Uint32Array;
}

interface Fit {
  readonly calls: Uint8Array;
  readonly returns: Uint8Array;
  /** Of calls; 0 where it is not known yet. */
  readonly lengths: Uint8Array;
  /** Returns that have their call. */
  readonly explained: number;
}

interface Tally {
  /** By source as a call: how often a return came back behind it, and how often an earlier one was returned to first. */
  readonly came: Uint32Array;
  readonly stayed: Uint32Array;
  /** How often it was open at the end. */
  readonly open: Uint32Array;
  /** By source as a return: how often it went behind an open call, and how often elsewhere. */
  readonly returned: Uint32Array;
  readonly strayed: Uint32Array;
  /** By source as a call and bytes: how often a return came so far behind it. */
  readonly lengths: Uint32Array;
  explained: number;
}

function createTally(sources: number): Tally {
  return {
    came: new Uint32Array(sources),
    stayed: new Uint32Array(sources),
    open: new Uint32Array(sources),
    returned: new Uint32Array(sources),
    strayed: new Uint32Array(sources),
    lengths: new Uint32Array(sources * LENGTHS),
    explained: 0,
  };
}

/** A straight run, by its beginning, with the entry of the function that it belongs to. */
interface Owned {
  readonly low: number;
  readonly high: number;
  readonly owner: string;
}

function usualLength({ lengths }: Tally, source: number): number {
  let best = 0;
  for (let length = 1; length < LENGTHS; length++) {
    if (lengths[source * LENGTHS + length]! > lengths[source * LENGTHS + best]!) best = length;
  }
  return best;
}

function sum(marks: Uint8Array): number {
  return marks.reduce((all, mark) => all + mark, 0);
}
