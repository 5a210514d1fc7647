/**
 * Which branches are calls and returns, where only their ends are known? A return goes to 2 to 7 bytes behind its call: the
 * length of an x86 call. That alone is true of many jumps as well (a loop's exit lies behind its last jump), so more is asked:
 *
 * - A call and a return always branch. What a straight run went past is neither (it is a conditional jump, or none).
 * - What a call branches to comes back behind it before anything that was called earlier does; a return has no other targets.
 * - Both must hold for (nearly) all times that it was taken, and each rests on the other: those that do not fit are struck out
 *   until all that is left does.
 *
 * Processors that report the instruction before a call in its place (the Pentium, where they run in one cycle) need a wider
 * window. It is taken where it explains much more.
 */
import { EVENT, type Events } from '../../../shared/flow.ts';
import { ABSENT, createAddressMap, type AddressMap } from './address-map.ts';
import { fitCalls, GAP, type Edge } from './fit-calls.ts';

export interface InferredKinds {
  /** By source: bytes from it to where its call returns, RETURNS or JUMPS; ABSENT where that is not known. */
  readonly bySource: AddressMap;
  /** Returns that were found to come back behind a call. */
  readonly matched: number;
  /** Where the calls go, as pairs of low and high halves. */
  readonly entered: readonly (readonly [low: number, high: number])[];
}

export const RETURNS = 0;
export const JUMPS = 1;

const LONGEST_CALL = 7;
const LONGEST_PAIR = 15;
const MUCH_MORE = 1.1;
/** A straight run is not longer. */
const LONGEST_RUN = 1 << 16;
/** Evidence is taken from so many branches. */
const MOST_BRANCHES = 1 << 17;
export interface Evidence {
  /** True once there is enough. */
  readonly full: boolean;
  add(events: Events): void;
  infer(): InferredKinds;
}

export function createEvidence(): Evidence {
  const sources = createAddressMap();
  const lows: number[] = [];
  const highs: number[] = [];
  const edges: Edge[] = [];
  /** By source and target: the edge. */
  const edgeOf = new Map<string, number>();
  /** Edges in the order in which they were taken; GAP where nothing before counts. By cpu. */
  const taken = new Map<number, number[]>();
  const runs = new Map<string, readonly [edge: number, source: number]>();
  let count = 0;

  return {
    get full() {
      return count >= MOST_BRANCHES;
    },
    add(events) {
      for (let i = 0; i < events.count && count < MOST_BRANCHES; i++) {
        const flags = events.flags[i]!;
        const list = takenBy(events.cpu[i]!);
        if (
          (flags & (EVENT.source | EVENT.target)) !== (EVENT.source | EVENT.target) ||
          (flags & EVENT.granular) !== 0
        ) {
          list.push(GAP);
          continue;
        }
        if ((flags & EVENT.gap) !== 0) list.push(GAP);
        const edge = numberOf(events, i);
        const before = list.at(-1) ?? GAP;
        if (before !== GAP && !ran(before, edges[edge]!.source)) list.push(GAP);
        list.push(edge);
        count++;
      }
    },
    infer() {
      const passed = markPassed();
      const observed = { lows, highs, sources, edges, edgeOf, taken, passed };
      const narrow = fitCalls(observed, LONGEST_CALL);
      const wide = fitCalls(observed, LONGEST_PAIR);
      const best = wide.explained > narrow.explained * MUCH_MORE ? wide : narrow;
      const bySource = createAddressMap();
      for (let id = 0; id < lows.length; id++) {
        if (best.returns[id] === 1) bySource.set(lows[id]!, highs[id]!, RETURNS);
        else if (best.lengths[id]! > 0) bySource.set(lows[id]!, highs[id]!, best.lengths[id]!);
        else if (passed[id] === 1 || best.gone[id]! > 0) bySource.set(lows[id]!, highs[id]!, JUMPS);
      }
      const entered = edges
        .filter(({ source }) => best.lengths[source]! > 0)
        .map(({ low, high }) => [low, high] as const);
      return { bySource, matched: best.explained, entered };
    },
  };

  function takenBy(cpu: number): number[] {
    const known = taken.get(cpu);
    if (known !== undefined) return known;
    const list: number[] = [];
    taken.set(cpu, list);
    return list;
  }

  function numberOf(events: Events, i: number): number {
    const [low, high] = [events.sourceLow[i]!, events.sourceHigh[i]!];
    let source = sources.get(low, high);
    if (source === ABSENT) {
      source = lows.length;
      sources.set(low, high, source);
      lows.push(low);
      highs.push(high);
    }
    const key = `${source} ${events.targetLow[i]!} ${events.targetHigh[i]!}`;
    const known = edgeOf.get(key);
    if (known !== undefined) return known;
    edgeOf.set(key, edges.length);
    edges.push({ source, low: events.targetLow[i]!, high: events.targetHigh[i]! });
    return edges.length - 1;
  }

  /** Notes the straight run from where an edge goes to a source; false where there cannot be one. */
  function ran(edge: number, source: number): boolean {
    const { low, high } = edges[edge]!;
    const length = lows[source]! - low;
    if (highs[source] !== high || length < 0 || length >= LONGEST_RUN) return false;
    runs.set(`${edge} ${source}`, [edge, source]);
    return true;
  }

  /** By source: 1 where it lies within a straight run, which did not branch there. */
  function markPassed(): Uint8Array {
    const order = lows.map((_, id) => id).sort((a, b) => highs[a]! - highs[b]! || lows[a]! - lows[b]!);
    const rank = new Int32Array(lows.length);
    order.forEach((id, at) => (rank[id] = at));
    /** By rank: how many runs begin there, less those that end. */
    const changes = new Int32Array(lows.length + 1);
    for (const [edge, source] of runs.values()) {
      changes[firstFrom(order, edges[edge]!)]!++;
      changes[rank[source]!]!--;
    }
    const passed = new Uint8Array(lows.length);
    let within = 0;
    order.forEach((id, at) => {
      within += changes[at]!;
      passed[id] = Number(within > 0);
    });
    return passed;
  }

  /** The rank of the first source that is not below where an edge goes. */
  function firstFrom(order: readonly number[], { low, high }: Edge): number {
    let [from, to] = [0, order.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const id = order[middle]!;
      if (highs[id]! < high || (highs[id] === high && lows[id]! < low)) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
