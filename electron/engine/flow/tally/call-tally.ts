/** What is counted of calls in a range of records, over all cpus: contexts, edges and what functions took. */
import { createCallEdges, type CallEdgeList, type CallEdges } from './call-edges.ts';
import { createContexts, type Contexts, type ContextTree } from './contexts.ts';

/** What questions read: a plain value once it is counted. */
export interface CallCounts {
  readonly contexts: ContextTree;
  readonly edges: CallEdgeList;
  /** By function: how often it was entered by calls, tail calls, exceptions and interrupts. */
  readonly calls: Sums;
  /** By function, in instructions or branches: in the function itself; and while it was on the stack of a cpu, once. */
  readonly self: Sums;
  readonly total: Sums;
  /** Frames above the outermost function known, at most; and without those of interrupts and exceptions. */
  readonly deepest: number;
  readonly deepestCalls: number;
  /** How often what came did not fit the calls before, each with the first record where it was so; see NOTES. */
  readonly notes: Readonly<Record<NoteKind, Readonly<Note>>>;
}

/** What is still counted. */
export interface CallTally extends CallCounts {
  readonly contexts: Contexts;
  readonly edges: CallEdges;
  deepest: number;
  deepestCalls: number;
  readonly notes: Readonly<Record<NoteKind, Note>>;
}

/** Sums by number; those that were never added to are 0. */
export interface Sums {
  values: Float64Array;
}

export interface Note {
  count: number;
  first: number;
}

/**
 * `unwound`: a return went to where an outer call goes on, past calls that never returned. `elsewhere`: one went to where no open
 * call goes on. `resumed`: one went back to a stack that had been left. `lost`: the trace has a gap, or lacks messages. `below`: a
 * return led to a caller of what the trace began in. `dropped`: the stack was deeper than can be kept. `coarse`: the ends of a branch
 * are not known exactly. `hidden`: an interrupt kept the target of a branch from being seen, and where it went is not known
 * from what came later. `unclear`: nothing tells what a branch was, and it led out of its function.
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

export function addTo(sums: Sums, index: number, by: number): void {
  if (index >= sums.values.length) {
    const larger = new Float64Array(Math.max(sums.values.length * 2, index + 1));
    larger.set(sums.values);
    sums.values = larger;
  }
  sums.values[index]! += by;
}

export function noted(tally: CallTally, kind: NoteKind, record: number): void {
  const note = tally.notes[kind];
  if (note.count++ === 0) note.first = record;
}
