/** Counters of the calls in a range of records, over all CPUs: calling contexts, edges, and the time of functions. */
import { createCallEdges, type CallEdgeList, type CallEdges } from './call-edges.ts';
import { createContexts, type Contexts, type ContextTree } from './contexts.ts';

/** The counters as queries read them: a plain value. */
export interface CallCounts {
  readonly contexts: ContextTree;
  readonly edges: CallEdgeList;
  /** By function: number of calls, tail calls, exceptions and interrupts that entered it. */
  readonly calls: Sums;
  /** By function, in instructions or branches: time in the function itself, and time while it was open on a CPU, recursion once. */
  readonly self: Sums;
  readonly total: Sums;
  /** Greatest depth of a stack above its outermost known function; the same without interrupts and exceptions. */
  readonly deepest: number;
  readonly deepestCalls: number;
  /** Number of events of each kind that did not fit the open calls; see NOTE_KINDS. */
  readonly notes: Readonly<Record<NoteKind, Readonly<Note>>>;
}

/** The counters during a walk. */
export interface CallTally extends CallCounts {
  readonly contexts: Contexts;
  readonly edges: CallEdges;
  deepest: number;
  deepestCalls: number;
  readonly notes: Readonly<Record<NoteKind, Note>>;
}

/** A sum for each number. Numbers beyond the end have the sum 0. */
export interface Sums {
  values: Float64Array;
}

export interface Note {
  count: number;
  /** The first record with such an event; -1 if there is none. */
  first: number;
}

/**
 * `unwound`: a return closed frames that never returned. `elsewhere`: no open frame explains the target of a return. `resumed`: a
 * return continued a suspended stack. `lost`: the trace has a gap, or messages are missing. `below`: a return showed the caller of
 * the function in which a stack began. `dropped`: a stack was too deep, and lost its outer half. `coarse`: the ends of a branch are
 * known to 16 bytes only. `hidden`: an interrupt hid the target of a branch, and nothing later shows it. `unclear`: a branch of
 * unknown kind left its function.
 */
export const NOTE_KINDS = [
  'unwound',
  'elsewhere',
  'resumed',
  'lost',
  'below',
  'dropped',
  'coarse',
  'hidden',
  'unclear',
] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

export function createCallTally(): CallTally {
  const note = (): Note => ({ count: 0, first: -1 });
  return {
    contexts: createContexts(),
    edges: createCallEdges(),
    calls: { values: new Float64Array(64) },
    self: { values: new Float64Array(64) },
    total: { values: new Float64Array(64) },
    deepest: 0,
    deepestCalls: 0,
    notes: {
      unwound: note(),
      elsewhere: note(),
      resumed: note(),
      lost: note(),
      below: note(),
      dropped: note(),
      coarse: note(),
      hidden: note(),
      unclear: note(),
    },
  };
}

/** Adds to the sum of a number. */
export function addTo(sums: Sums, index: number, by: number): void {
  if (index >= sums.values.length) {
    const larger = new Float64Array(Math.max(sums.values.length * 2, index + 1));
    larger.set(sums.values);
    sums.values = larger;
  }
  sums.values[index]! += by;
}

/** Counts an event that did not fit the open calls. */
export function noted(tally: CallTally, kind: NoteKind, record: number): void {
  const note = tally.notes[kind];
  if (note.count++ === 0) note.first = record;
}
