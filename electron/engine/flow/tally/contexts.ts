/**
 * The calling-context tree: a node for every way in which a function was reached, with how often it was entered that way and
 * what ran in it. It is bounded: what is too deep, or more than can be kept apart, is one node below its caller.
 *
 * Above every outermost function stands a node without a function (NOBODY): what called it is not known. Once it is,
 * that node is given its function, with a new node above it. Until a stack is over nobody knows whether it will be, so each stack
 * counts in a tree of its own, which then is joined with those of the stacks that were over before.
 */
import { DEEPER } from '../functions/functions.ts';

export const NOBODY = -1;
/** Deeper trees are hard to write down: readers of JSON end at some thousand levels, some at five hundred of them. */
export const MOST_LEVELS = 256;
const MOST_NODES = 1_000_000;
/** Nodes that there is room for at first, and slots that are rather emptied than made anew. */
const START = 64;
const LARGE = 8192;

export interface ContextTree {
  readonly count: number;
  readonly columns: ContextColumns;
  /** True where something was too deep or too much to have a node of its own. */
  readonly cut: boolean;
}

/** One that grows. */
export interface Contexts extends ContextTree {
  /** A new node without a function, above which nothing is known. */
  top(): number;
  /** The node of a function that is entered from another one, made where it is not there. */
  child(parent: number, fn: number, record: number): number;
  /** What called the functions below `node` is known now; returns the new node above it. */
  name(node: number, fn: number, record: number): number;
  /** Counts what an `other` tree has, which is empty then: what was reached in the same way is one node. */
  join(other: Contexts): void;
  /** Forgets all nodes. */
  clear(): void;
  /** An empty tree; this one and all that come of it so have no more nodes together than one may have. */
  beside(): Contexts;
}

/** By node. */
export interface ContextColumns {
  /** -1 above the top. */
  parent: Int32Array;
  /** NOBODY for a top. */
  fn: Int32Array;
  level: Uint16Array;
  calls: Float64Array;
  self: Float64Array;
  /** The record at which it was first entered. */
  first: Float64Array;
}

/** `room`: nodes that may still be made, here and in the trees beside. */
export function createContexts(room = { left: MOST_NODES }): Contexts {
  const columns = createColumns(START);
  let slots = new Int32Array(2 * START).fill(-1);
  /** By node of a tree that is joined: its node here. */
  let into = new Int32Array(START);

  // Plain properties: there are many trees, and V8 looks up accessors of all but the first as in a dictionary.
  const tree = {
    count: 0,
    cut: false,
    columns,
    top: () => add(-1, NOBODY, 0, 0),
    child,
    name(node: number, fn: number, record: number) {
      const above = add(-1, NOBODY, 0, 0);
      columns.parent[node] = above;
      columns.fn[node] = fn;
      columns.first[node] = record;
      slots[slotOf(above, fn)] = node;
      if (tree.count * 2 > slots.length) rehash();
      return above;
    },
    join(other: Contexts) {
      const its = other.columns;
      const many = other.count;
      if (into.length < many) into = new Int32Array(2 * many);
      into.fill(-1, 0, many);
      if (other.cut) tree.cut = true;
      // Its nodes are as many as are made here at most.
      other.clear();
      if (tree.count === 0) add(-1, NOBODY, 0, 0);
      for (let node = 0; node < many; node++) {
        if (into[node]! >= 0) continue;
        const above = its.parent[node]!;
        // Mostly it was taken before: it was not where a caller became known later.
        if (above >= 0 && into[above]! < 0) takeAbove(its, node);
        take(its, node);
      }
    },
    clear() {
      room.left += tree.count;
      tree.count = 0;
      tree.cut = false;
      if (slots.length <= LARGE) slots.fill(-1);
      else slots = new Int32Array(2 * START).fill(-1);
    },
    beside: () => createContexts(room),
  };
  return tree;

  /** Counts what a node of a tree that is joined has: the one above it was taken. */
  function take(its: ContextColumns, node: number): void {
    const above = its.parent[node]!;
    if (above < 0) {
      into[node] = 0;
      return;
    }
    const own = child(into[above]!, its.fn[node]!, its.first[node]!);
    into[node] = own;
    columns.calls[own]! += its.calls[node]!;
    columns.self[own]! += its.self[node]!;
    if (its.first[node]! < columns.first[own]!) columns.first[own] = its.first[node]!;
  }

  function takeAbove(its: ContextColumns, node: number): void {
    const waiting: number[] = [];
    for (let up = its.parent[node]!; up >= 0 && into[up]! < 0; up = its.parent[up]!) waiting.push(up);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) take(its, next);
  }

  function child(parent: number, fn: number, record: number): number {
    if (columns.fn[parent] === DEEPER) return parent;
    const level = columns.level[parent]! + 1;
    const isCut = level >= MOST_LEVELS || room.left <= 0;
    const own = isCut ? DEEPER : fn;
    const slot = slotOf(parent, own);
    if (slots[slot]! >= 0) return slots[slot]!;
    tree.cut ||= isCut;
    const node = add(parent, own, level, record);
    slots[slot] = node;
    if (tree.count * 2 > slots.length) rehash();
    return node;
  }

  function add(parent: number, fn: number, level: number, record: number): number {
    if (tree.count === columns.parent.length) growColumns(columns);
    columns.parent[tree.count] = parent;
    columns.fn[tree.count] = fn;
    columns.level[tree.count] = level;
    columns.first[tree.count] = record;
    columns.calls[tree.count] = 0;
    columns.self[tree.count] = 0;
    room.left--;
    return tree.count++;
  }

  function slotOf(parent: number, fn: number): number {
    const mask = slots.length - 1;
    let slot = (Math.imul(Math.imul(parent, 0x9e3779b1) ^ fn, 0x85ebca6b) >>> 9) & mask;
    for (;;) {
      const node = slots[slot]!;
      if (node < 0 || (columns.parent[node] === parent && columns.fn[node] === fn)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  function rehash(): void {
    slots = new Int32Array(slots.length * 2).fill(-1);
    for (let node = 0; node < tree.count; node++) {
      if (columns.fn[node] !== NOBODY) slots[slotOf(columns.parent[node]!, columns.fn[node]!)] = node;
    }
  }
}

function createColumns(capacity: number): ContextColumns {
  return {
    parent: new Int32Array(capacity),
    fn: new Int32Array(capacity),
    level: new Uint16Array(capacity),
    calls: new Float64Array(capacity),
    self: new Float64Array(capacity),
    first: new Float64Array(capacity),
  };
}

function growColumns(columns: ContextColumns): void {
  const larger = createColumns(columns.parent.length * 2);
  larger.parent.set(columns.parent);
  larger.fn.set(columns.fn);
  larger.level.set(columns.level);
  larger.calls.set(columns.calls);
  larger.self.set(columns.self);
  larger.first.set(columns.first);
  Object.assign(columns, larger);
}
