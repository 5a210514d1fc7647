/** Counts calls: one row (an edge) for each combination of caller, callee, kind and certainty. */
import { moveColumns } from '../../collections/columns.ts';
import { RowTable } from '../../collections/row-table.ts';

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
  const rows = new RowTable(256);
  const list = {
    count: 0,
    left: 0,
    columns,
    add(caller: number, callee: number, kind: number, inferred: boolean, record: number) {
      const code = kind * 2 + Number(inferred);
      const hash = Math.imul(Math.imul(caller, 0x9e3779b1) ^ (callee * 8 + code), 0x85ebca6b) >>> 9;
      for (let edge = rows.first(hash); edge >= 0; edge = rows.next()) {
        if (columns.caller[edge] !== caller || columns.callee[edge] !== callee || columns.kind[edge] !== code) continue;
        columns.times[edge]!++;
        columns.last[edge] = record;
        return;
      }
      if (list.count === MOST_EDGES) {
        list.left++;
        return;
      }
      if (list.count === columns.caller.length) moveColumns(columns, createColumns(2 * list.count));
      const edge = rows.add(hash);
      columns.caller[edge] = caller;
      columns.callee[edge] = callee;
      columns.kind[edge] = code;
      columns.times[edge] = 1;
      columns.first[edge] = record;
      columns.last[edge] = record;
      list.count++;
    },
  };
  return list;
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
