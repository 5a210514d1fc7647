/** What was seen of branches of which only the ends are known. Sources and edges are known by numbers. */
import type { AddressMap } from '../../collections/address-map.ts';

export interface Observed {
  /** By source: its address. */
  readonly lows: readonly number[];
  readonly highs: readonly number[];
  /** By address: the source. */
  readonly sources: AddressMap;
  readonly edges: readonly Edge[];
  /** By source and target, as `source low high`: the edge. */
  readonly edgeOf: ReadonlyMap<string, number>;
  /** Edges in the order in which they were taken, GAP where nothing before counts; by cpu. */
  readonly taken: ReadonlyMap<number, readonly number[]>;
  /** Each edge with a source that a straight run led to from there; by a number of both. */
  readonly runs: ReadonlyMap<number, readonly [edge: number, source: number]>;
}

/** A branch by its ends. */
export interface Edge {
  readonly source: number;
  readonly low: number;
  readonly high: number;
}

/** What is known of sources before calls are looked for. */
export interface Marked extends Observed {
  /** By edge: 1 where it is an interrupt. */
  readonly interrupts: Uint8Array;
  /** By source: 1 where it ends interrupts. */
  readonly ends: Uint8Array;
  /** By source: its only edge that is no interrupt; SEVERAL, or NONE. */
  readonly lone: Int32Array;
  /** By source: 1 where a straight run went past, as it does past conditional jumps. */
  readonly passed: Uint8Array;
  /** By edge: 1 where its target lies within what runs on from elsewhere: it is not where a function begins. */
  readonly inner: Uint8Array;
}

export const GAP = -1;
export const NONE = -1;
export const SEVERAL = -2;

/** By source: its only edge that is no interrupt; SEVERAL, or NONE. */
export function loneEdges({ edges, lows }: Observed, interrupts: Uint8Array): Int32Array {
  const lone = new Int32Array(lows.length).fill(NONE);
  edges.forEach(({ source }, edge) => {
    if (interrupts[edge] === 0) lone[source] = lone[source] === NONE ? edge : SEVERAL;
  });
  return lone;
}

/** Whether address a comes before address b: below 0 where it does, 0 where they are one. */
export function compareAddresses(
  a: { readonly low: number; readonly high: number },
  b: { readonly low: number; readonly high: number },
): number {
  return a.high - b.high || a.low - b.low;
}

/** How many addresses of an ascending list are below one; those equal to it too where `own`. */
export function countBelow(
  ascending: readonly { readonly low: number; readonly high: number }[],
  address: { readonly low: number; readonly high: number },
  own = false,
): number {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const order = compareAddresses(ascending[middle]!, address);
    if (order < 0 || (own && order === 0)) from = middle + 1;
    else to = middle;
  }
  return from;
}
