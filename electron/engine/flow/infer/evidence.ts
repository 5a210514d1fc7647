/**
 * Evidence about branches of unknown kind: their ends, the order in which they were taken, and the straight runs between them.
 *
 * A source is the address of a branch, an edge is a source with one target; both have numbers. The straight run from the target
 * of one branch to the source of the next one executes everything in between without a taken branch.
 */
import { EVENT, type Events } from '../../../../shared/flow/events.ts';
import { ABSENT, createAddressMap, type AddressMap } from '../../collections/address-map.ts';

export interface Observed {
  /** By source: its address. */
  readonly lows: readonly number[];
  readonly highs: readonly number[];
  /** Maps an address to its source. */
  readonly sources: AddressMap;
  readonly edges: readonly Edge[];
  /** Maps `source low high` (the source's number and the target) to the edge. */
  readonly edgeOf: ReadonlyMap<string, number>;
  /** By CPU: edges in the order in which they were taken, with a GAP wherever branches are missing or no straight run is possible. */
  readonly taken: ReadonlyMap<number, readonly number[]>;
  /** Each pair of an edge and the source that a straight run leads to from its target, once; keyed by both. */
  readonly runs: ReadonlyMap<number, readonly [edge: number, source: number]>;
}

/** A branch by its ends. */
export interface Edge {
  readonly source: number;
  readonly low: number;
  readonly high: number;
}

export const GAP = -1;

/** Straight runs are shorter. */
const LONGEST_RUN = 1 << 16;
/** Branches that one part of the trace contributes. */
const PART_BRANCHES = 8192;
/** More than all parts have sources. */
const MOST_SOURCES = 2 ** 24;

export interface Evidence {
  /** Returns true once the current part of the trace has contributed enough branches. */
  isFull(): boolean;
  /** Begins another part of the trace. It directly follows the previous part unless that was full. */
  begin(): void;
  add(events: Events): void;
  observed(): Observed;
}

export function createEvidence(): Evidence {
  const sources = createAddressMap();
  const lows: number[] = [];
  const highs: number[] = [];
  const edges: Edge[] = [];
  const edgeOf = new Map<string, number>();
  const taken = new Map<number, number[]>();
  const runs = new Map<number, readonly [edge: number, source: number]>();
  let count = 0;
  /** The distinct events of the latest batch, and the edge of each by its number; ABSENT until it is needed. */
  let each: Events | undefined;
  let edgeOfEach = new Int32Array(0);

  return {
    isFull: () => count >= PART_BRANCHES,
    begin() {
      if (count >= PART_BRANCHES) taken.forEach(addGap);
      count = 0;
    },
    add(events) {
      const { alike } = events;
      const distinct = alike?.each ?? events;
      if (alike !== undefined && distinct !== each) edgeOfEach = new Int32Array(distinct.count).fill(ABSENT);
      each = alike?.each;
      for (let i = 0; i < events.count && count < PART_BRANCHES; i++) {
        const at = alike === undefined ? i : alike.numbers[i]!;
        const flags = distinct.flags[at]!;
        const list = takenBy(distinct.cpu[at]!);
        if (
          (flags & (EVENT.source | EVENT.target)) !== (EVENT.source | EVENT.target) ||
          (flags & EVENT.granular) !== 0
        ) {
          addGap(list);
          continue;
        }
        if ((flags & EVENT.gap) !== 0) addGap(list);
        const edge = alike === undefined ? numberOf(distinct, at) : knownNumberOf(distinct, at);
        const before = list.at(-1) ?? GAP;
        if (before !== GAP && !addRun(before, edges[edge]!.source)) addGap(list);
        list.push(edge);
        count++;
      }
    },
    observed: () => ({ lows, highs, sources, edges, edgeOf, taken, runs }),
  };

  function takenBy(cpu: number): number[] {
    const known = taken.get(cpu);
    if (known !== undefined) return known;
    const list: number[] = [];
    taken.set(cpu, list);
    return list;
  }

  function knownNumberOf(events: Events, number: number): number {
    if (edgeOfEach[number] === ABSENT) edgeOfEach[number] = numberOf(events, number);
    return edgeOfEach[number]!;
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

  /** Adds the straight run from the target of an edge to a source; returns false if there cannot be one. */
  function addRun(edge: number, source: number): boolean {
    const { low, high } = edges[edge]!;
    const length = lows[source]! - low;
    if (highs[source] !== high || length < 0 || length >= LONGEST_RUN) return false;
    const key = edge * MOST_SOURCES + source;
    if (!runs.has(key)) runs.set(key, [edge, source]);
    return true;
  }
}

/** Joins adjacent gaps: a trace whose messages lack an end would otherwise fill the list with them. */
function addGap(list: number[]): void {
  if (list.length > 0 && list.at(-1) !== GAP) list.push(GAP);
}
