/**
 * The calling-context tree: a node for every chain of calls, with the number of calls that took it and the time in its innermost
 * function. The tree is bounded: everything too deep, or beyond the largest number of nodes, is one DEEPER node below its caller.
 *
 * The node above an outermost function has no function (NOBODY), because the caller is not known. If a return shows the caller, that
 * node gets its function, and a new node above it. Since that may happen until a stack ends, each stack counts in a tree of its own,
 * which is joined into the tally's tree when the stack ends.
 */
import { moveColumns } from '../../collections/columns.ts';
import { DEEPER } from '../functions/functions.ts';

export const NOBODY = -1;
/** JSON parsers limit the nesting of their input: some to a few thousand levels, some to five hundred. */
export const MOST_LEVELS = 256;
const MOST_NODES = 1_000_000;
/** Initial capacity in nodes. */
const START = 64;
/** A larger hash table is replaced when the tree is cleared; a smaller one is emptied. */
const LARGE = 8192;

export interface ContextTree {
  readonly count: number;
  readonly columns: ContextColumns;
  /** True if the tree has DEEPER nodes. */
  readonly cut: boolean;
}

/** A tree that grows. */
export interface Contexts extends ContextTree {
  /** Creates a top: a node without a function. */
  top(): number;
  /** Returns the node of a function that `parent` calls; creates it if there is none. */
  child(parent: number, fn: number, record: number): number;
  /** Gives a top its function, and returns the new top above it. */
  name(node: number, fn: number, record: number): number;
  /** Adds the counts of another tree, and clears it. Equal chains of calls become one node. */
  join(other: Contexts): void;
  /** Removes all nodes. */
  clear(): void;
  /** Creates an empty tree that shares this tree's bound on the number of nodes. */
  beside(): Contexts;
}

/** One row for each node. */
export interface ContextColumns {
  /** -1 for a top. */
  parent: Int32Array;
  /** NOBODY for a top. */
  fn: Int32Array;
  level: Uint16Array;
  calls: Float64Array;
  self: Float64Array;
  /** The record at which it was first entered. */
  first: Float64Array;
}

/** `room`: number of nodes that may still be created in this tree and those that share the bound. */
export function createContexts(room = { left: MOST_NODES }): Contexts {
  const columns = createColumns(START);
  let slots = new Int32Array(2 * START).fill(-1);
  /** During a join: maps nodes of the other tree to nodes of this one; -1 if not added yet. */
  let into = new Int32Array(START);

  // Plain properties: there are many trees, and V8 turns objects with accessors into dictionaries from the second one.
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
      // Frees the room first: no more nodes are created here than the other tree had.
      other.clear();
      if (tree.count === 0) add(-1, NOBODY, 0, 0);
      for (let node = 0; node < many; node++) {
        if (into[node]! >= 0) continue;
        const above = its.parent[node]!;
        // Usually the parent was added before; not so if a caller was found later.
        if (above >= 0 && into[above]! < 0) addAncestors(its, node);
        addNode(its, node);
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

  /** Adds a node of the other tree, whose parent was added. */
  function addNode(its: ContextColumns, node: number): void {
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

  /** Adds the ancestors of a node, outermost first. */
  function addAncestors(its: ContextColumns, node: number): void {
    const waiting: number[] = [];
    for (let up = its.parent[node]!; up >= 0 && into[up]! < 0; up = its.parent[up]!) waiting.push(up);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) addNode(its, next);
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
    if (tree.count === columns.parent.length) moveColumns(columns, createColumns(2 * tree.count));
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
