/**
 * Rule: what a straight run passes is a conditional jump, and what it reaches by passing lies inside a function.
 *
 * Example: a branch leads from 0x1040 to 0x1010, and the next one comes from 0x1060. The run from 0x1010 to 0x1060 went past
 * 0x1040 without branching there. So the branch at 0x1040 is conditional: neither a call nor a return. And what is a target
 * within that run, such as 0x1050, is also reached by fall-through: no function begins there.
 */
import { compareAddresses, countBelow } from '../../collections/address-order.ts';
import type { Observed } from './evidence.ts';

export interface Marked extends Observed {
  /** By edge: 1 if it is an interrupt. */
  readonly interrupts: Uint8Array;
  /** By source: 1 if it ends interrupts (IRET). */
  readonly ends: Uint8Array;
  /** By source: its only edge that is not an interrupt; SEVERAL, or NONE. */
  readonly lone: Int32Array;
  /** By source: 1 if a straight run passes it. */
  readonly passed: Uint8Array;
  /** By edge: 1 if its target is also reached by fall-through or by a conditional jump, and so lies inside a function. */
  readonly inner: Uint8Array;
}

export const NONE = -1;
export const SEVERAL = -2;

/** Bytes from an instruction to the branch that runs beside it, at most. */
const LONGEST_BEFORE = 11;

/** Returns by source its only edge that is not an interrupt; SEVERAL, or NONE. */
export function loneEdges({ edges, lows }: Observed, interrupts: Uint8Array): Int32Array {
  const lone = new Int32Array(lows.length).fill(NONE);
  edges.forEach(({ source }, edge) => {
    if (interrupts[edge] === 0) lone[source] = lone[source] === NONE ? edge : SEVERAL;
  });
  return lone;
}

/**
 * Returns by source 1 if a straight run passes it. A Pentium may name the instruction before a direct branch in its place. A source
 * that a run passes right before it reaches a branch with the same target may be that instruction, so it is not marked.
 */
export function markPassed({ lows, highs, edges, runs }: Observed, lone: Int32Array): Uint8Array {
  const order = lows.map((low, id) => ({ id, low, high: highs[id]! }));
  order.sort(compareAddresses);
  const rank = new Int32Array(lows.length);
  order.forEach(({ id }, at) => (rank[id] = at));
  /** By rank: how many runs begin there, minus those that end. */
  const changes = new Int32Array(lows.length + 1);
  const passed = new Uint8Array(lows.length);
  for (const [edge, end] of runs.values()) {
    const first = countBelow(order, edges[edge]!);
    let last = rank[end]!;
    for (; last > first && isNear(order[last - 1]!, end); last--) {
      const { id } = order[last - 1]!;
      if (!mayBeSame(id, end)) passed[id] = 1;
    }
    changes[first]!++;
    changes[last]!--;
  }
  let within = 0;
  order.forEach(({ id }, at) => {
    within += changes[at]!;
    if (within > 0) passed[id] = 1;
  });
  return passed;

  function isNear({ low, high }: { low: number; high: number }, end: number): boolean {
    return high === highs[end] && lows[end]! - low <= LONGEST_BEFORE;
  }

  function mayBeSame(source: number, end: number): boolean {
    const [a, b] = [lone[source]!, lone[end]!];
    return a >= 0 && b >= 0 && compareAddresses(edges[a]!, edges[b]!) === 0;
  }
}

/** Returns by edge 1 if a straight run or a conditional jump also leads to its target. */
export function markInner({ lows, highs, edges, runs }: Observed, passed: Uint8Array): Uint8Array {
  const order = edges.map(({ low, high }, id) => ({ id, low, high })).sort(compareAddresses);
  const changes = new Int32Array(edges.length + 1);
  for (const [edge, end] of runs.values()) {
    changes[countBelow(order, edges[edge]!, true)]!++;
    changes[countBelow(order, { low: lows[end]!, high: highs[end]! }, true)]!--;
  }
  const conditional = new Set<string>();
  for (const { source, low, high } of edges) if (passed[source] === 1) conditional.add(`${low} ${high}`);
  const inner = new Uint8Array(edges.length);
  let within = 0;
  order.forEach(({ id, low, high }, at) => {
    within += changes[at]!;
    inner[id] = Number(within > 0 || conditional.has(`${low} ${high}`));
  });
  return inner;
}
