/** Counts calls: one row (an edge) for each combination of caller, callee, kind and certainty. */

/**
 * Kinds of edges, in the order of their codes. `unseen`: a return showed that the call was made, before the trace or in a gap of it.
 * `unknown`: a call or a software interrupt.
 */
export const EDGE_KINDS = ['call', 'tail call', 'exception', 'interrupt', 'unseen', 'unknown'] as const;
export type EdgeKind = (typeof EDGE_KINDS)[number];
export const EDGE = {
  call: 0,
  'tail call': 1,
  exception: 2,
  interrupt: 3,
  unseen: 4,
  unknown: 5,
} as const satisfies Record<EdgeKind, number>;

export interface CallEdgeList {
  readonly count: number;
  readonly columns: EdgeColumns;
  /** Number of calls without a row because there are too many edges. */
  readonly left: number;
}

/** A list of edges that grows. */
export interface CallEdges extends CallEdgeList {
  add(caller: number, callee: number, kind: number, inferred: boolean, record: number): void;
}

/** One row for each edge. */
export interface EdgeColumns {
  caller: Int32Array;
  callee: Int32Array;
  /** Twice the code of the kind, plus one if the calls were inferred. */
  kind: Uint8Array;
  times: Float64Array;
  first: Float64Array;
  last: Float64Array;
}

const MOST_EDGES = 2_000_000;

export function createCallEdges(): CallEdges {
  const columns = createColumns(256);
  let slots = new Int32Array(512).fill(-1);
  const list = {
    count: 0,
    left: 0,
    columns,
    add(caller: number, callee: number, kind: number, inferred: boolean, record: number) {
      const code = kind * 2 + Number(inferred);
      const slot = slotOf(caller, callee, code);
      const there = slots[slot]!;
      if (there >= 0) {
        columns.times[there]!++;
        columns.last[there] = record;
        return;
      }
      if (list.count === MOST_EDGES) {
        list.left++;
        return;
      }
      if (list.count === columns.caller.length) growColumns(columns);
      columns.caller[list.count] = caller;
      columns.callee[list.count] = callee;
      columns.kind[list.count] = code;
      columns.times[list.count] = 1;
      columns.first[list.count] = record;
      columns.last[list.count] = record;
      slots[slot] = list.count++;
      if (list.count * 2 > slots.length) rehash();
    },
  };
  return list;

  function slotOf(caller: number, callee: number, code: number): number {
    const mask = slots.length - 1;
    let slot = (Math.imul(Math.imul(caller, 0x9e3779b1) ^ (callee * 8 + code), 0x85ebca6b) >>> 9) & mask;
    for (;;) {
      const edge = slots[slot]!;
      if (edge < 0) return slot;
      if (columns.caller[edge] === caller && columns.callee[edge] === callee && columns.kind[edge] === code)
        return slot;
      slot = (slot + 1) & mask;
    }
  }

  function rehash(): void {
    slots = new Int32Array(slots.length * 2).fill(-1);
    for (let edge = 0; edge < list.count; edge++) {
      slots[slotOf(columns.caller[edge]!, columns.callee[edge]!, columns.kind[edge]!)] = edge;
    }
  }
}

function createColumns(capacity: number): EdgeColumns {
  return {
    caller: new Int32Array(capacity),
    callee: new Int32Array(capacity),
    kind: new Uint8Array(capacity),
    times: new Float64Array(capacity),
    first: new Float64Array(capacity),
    last: new Float64Array(capacity),
  };
}

function growColumns(columns: EdgeColumns): void {
  const larger = createColumns(columns.caller.length * 2);
  larger.caller.set(columns.caller);
  larger.callee.set(columns.callee);
  larger.kind.set(columns.kind);
  larger.times.set(columns.times);
  larger.first.set(columns.first);
  larger.last.set(columns.last);
  Object.assign(columns, larger);
}
