/**
 * Counts branches by kind, source and target, in columns without an object per edge. The result is a plain value that the index can
 * store.
 */
import { moveColumns } from '../../collections/columns.ts';
import { RowTable } from '../../collections/row-table.ts';
import { EVENT, type AlikeEvents, type Events } from '../../../../shared/flow/events.ts';

export interface Edges {
  readonly count: number;
  readonly sourceLow: Uint32Array;
  readonly sourceHigh: Uint32Array;
  readonly targetLow: Uint32Array;
  readonly targetHigh: Uint32Array;
  /** The kind's code; starting at bit 8, the flags of the event that distinguish edges. */
  readonly sort: Uint16Array;
  readonly times: Float64Array;
  readonly first: Float64Array;
  readonly last: Float64Array;
  /** Upper bound on edges beyond the limit, and the number of their branches. */
  readonly left: { readonly edges: number; readonly count: number };
}

/** Flags of events that distinguish edges. */
const DISTINGUISHING = EVENT.source | EVENT.target | EVENT.inferred | EVENT.granular;
export const SORT_FLAGS = 8;

const NONE = -1;

export interface EdgeCounter {
  add(events: Events): void;
  edges(): Edges;
}

/** `most` limits the number of distinct edges. Branches of further edges are counted in `left`. */
export function createEdgeCounter(most: number): EdgeCounter {
  const columns = createColumns(1024);
  let count = 0;
  const rows = new RowTable(1024);
  const left = { edges: 0, count: 0 };
  /** The distinct events of the latest batch, and the edge number of each distinct event. */
  let latest: Events | undefined;
  let edgeOf = new Int32Array(0);

  return {
    add(events): void {
      if (events.alike !== undefined) addAlike(events, events.alike);
      else for (let at = 0; at < events.count; at++) addEvent(events, at, events.record[at]!);
    },
    edges: () => ({ count, ...columns, left: { ...left } }),
  };

  function addAlike({ record: records, count: many }: Events, { numbers, each }: AlikeEvents): void {
    if (each !== latest) {
      latest = each;
      edgeOf = new Int32Array(each.count).fill(NONE);
    }
    for (let at = 0; at < many; at++) {
      const number = numbers[at]!;
      const edge = edgeOf[number]!;
      if (edge === NONE) edgeOf[number] = addEvent(each, number, records[at]!);
      else countAgain(edge, records[at]!);
    }
  }

  function countAgain(edge: number, record: number): void {
    columns.times[edge]!++;
    if (record < columns.first[edge]!) columns.first[edge] = record;
    if (record > columns.last[edge]!) columns.last[edge] = record;
  }

  /** Returns the edge; NONE if the limit is reached. */
  function addEvent(events: Events, at: number, record: number): number {
    const flags = events.flags[at]!;
    const sort = events.kind[at]! | ((flags & DISTINGUISHING) << SORT_FLAGS);
    const hasSource = (flags & EVENT.source) !== 0;
    const hasTarget = (flags & EVENT.target) !== 0;
    const sourceLow = hasSource ? events.sourceLow[at]! : 0;
    const sourceHigh = hasSource ? events.sourceHigh[at]! : 0;
    const targetLow = hasTarget ? events.targetLow[at]! : 0;
    const targetHigh = hasTarget ? events.targetHigh[at]! : 0;
    const hash = hashOf(sourceLow, sourceHigh, targetLow, targetHigh, sort);
    for (let edge = rows.first(hash); edge >= 0; edge = rows.next()) {
      if (
        columns.sourceLow[edge] === sourceLow &&
        columns.targetLow[edge] === targetLow &&
        columns.sort[edge] === sort &&
        columns.sourceHigh[edge] === sourceHigh &&
        columns.targetHigh[edge] === targetHigh
      ) {
        countAgain(edge, record);
        return edge;
      }
    }
    if (count === most) {
      left.count++;
      // Without an entry the same edge cannot be recognised, so each branch counts as one.
      left.edges++;
      return NONE;
    }
    if (count === columns.sort.length) moveColumns(columns, createColumns(2 * count));
    rows.add(hash);
    columns.sourceLow[count] = sourceLow;
    columns.sourceHigh[count] = sourceHigh;
    columns.targetLow[count] = targetLow;
    columns.targetHigh[count] = targetHigh;
    columns.sort[count] = sort;
    columns.times[count] = 1;
    columns.first[count] = columns.last[count] = record;
    return count++;
  }
}

/** Mixes all bits into the lowest ones. */
function hashOf(a: number, b: number, c: number, d: number, e: number): number {
  let hash = Math.imul(a ^ Math.imul(b, 0x85ebca6b), 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15) ^ c, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13) ^ d ^ (e << 20), 0x27d4eb2f);
  return hash ^ (hash >>> 16);
}

function createColumns(capacity: number) {
  return {
    sourceLow: new Uint32Array(capacity),
    sourceHigh: new Uint32Array(capacity),
    targetLow: new Uint32Array(capacity),
    targetHigh: new Uint32Array(capacity),
    sort: new Uint16Array(capacity),
    times: new Float64Array(capacity),
    first: new Float64Array(capacity),
    last: new Float64Array(capacity),
  };
}
