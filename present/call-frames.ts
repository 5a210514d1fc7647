/**
 * A calling-context tree as columns: frames in the order of a walk from the roots, callers before what they call, the heaviest
 * first. 200,000 frames are walked in some milliseconds, and whole subtrees are skipped by their end.
 */
import type { CallTreeNode, FunctionId } from '../shared/flow-answers.ts';

export interface Frames {
  readonly count: number;
  /** The frame that called; -1 for roots. */
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  /** The first frame behind all that it called. */
  readonly end: Int32Array;
  /** Place in `functions`. */
  readonly fn: Int32Array;
  readonly calls: Float64Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
  /** The first record of it. */
  readonly first: Float64Array;
  /** Callees that the answer leaves out. */
  readonly cut: Int32Array;
  readonly functions: readonly { readonly id: FunctionId; readonly name: string }[];
  /** What all roots took. */
  readonly whole: number;
}

interface Growing {
  readonly fn: number;
  readonly calls: number;
  readonly self: number;
  readonly total: number;
  readonly first: number;
  readonly cut: number;
  readonly children: readonly Growing[];
}

export function framesOf(roots: readonly CallTreeNode[]): Frames {
  const functions: { id: FunctionId; name: string }[] = [];
  const places = new Map<FunctionId, number>();
  return columns(roots.map(grown), functions);

  function grown({ id, function: name, calls, self, total, first, cut = 0, children }: CallTreeNode): Growing {
    let fn = places.get(id);
    if (fn === undefined) {
      fn = functions.length;
      places.set(id, fn);
      functions.push({ id, name });
    }
    return { fn, calls, self, total, first, cut, children: children.map(grown) };
  }
}

/** Callers are followed up so far: what is beyond belongs to the last one. */
const MOST_LEVELS = 60;
const MOST_FRAMES = 200_000;

/**
 * The same upside down: roots are functions with what they took themselves, below each the callers through which that came.
 * A frame's `self` is what came from stacks that begin there, `calls` are the calls of the root's function.
 */
export function bottomUp(frames: Frames): Frames {
  interface Node {
    readonly fn: number;
    calls: number;
    self: number;
    total: number;
    first: number;
    readonly below: Map<number, Node>;
  }
  const roots = new Map<number, Node>();
  let made = 0;
  for (let frame = 0; frame < frames.count; frame += 1) {
    const self = frames.self[frame]!;
    const calls = frames.calls[frame]!;
    let level = roots;
    let at = frame;
    for (let depth = 0; at >= 0 && depth < MOST_LEVELS; depth += 1) {
      const fn = frames.fn[at]!;
      let node = level.get(fn);
      if (!node) {
        if (made >= MOST_FRAMES && depth > 0) break;
        made += 1;
        node = { fn, calls: 0, self: 0, total: 0, first: Number.POSITIVE_INFINITY, below: new Map() };
        level.set(fn, node);
      }
      node.calls += calls;
      node.total += self;
      node.first = Math.min(node.first, frames.first[frame]!);
      if (frames.parent[at]! < 0) node.self += self;
      level = node.below;
      at = frames.parent[at]!;
    }
  }

  function sorted(level: ReadonlyMap<number, Node>): readonly Growing[] {
    return [...level.values()]
      .filter(({ total }) => total > 0)
      .sort((a, b) => b.total - a.total || a.fn - b.fn)
      .map(({ fn, calls, self, total, first, below }) => ({
        fn,
        calls,
        self,
        total,
        first,
        cut: 0,
        children: sorted(below),
      }));
  }
  return columns(sorted(roots), frames.functions);
}

/** The frame that the path of functions from a root leads to, or as far as it leads; -1 where the first is not there. */
export function frameAt(frames: Frames, path: readonly FunctionId[]): number {
  let found = -1;
  let from = 0;
  let to = frames.count;
  for (const id of path) {
    let next = -1;
    for (let frame = from; frame < to && next < 0; frame = frames.end[frame]!) {
      if (frames.functions[frames.fn[frame]!]!.id === id) next = frame;
    }
    if (next < 0) break;
    found = next;
    from = next + 1;
    to = frames.end[next]!;
  }
  return found;
}

/** Functions from the root to a frame. */
export function pathTo(frames: Frames, frame: number): readonly FunctionId[] {
  const path: FunctionId[] = [];
  for (let at = frame; at >= 0; at = frames.parent[at]!) path.unshift(frames.functions[frames.fn[at]!]!.id);
  return path;
}

/** What frames of these functions took together, those within another one of them not counted twice; and how many there are. */
export function weightOf(
  frames: Frames,
  isWanted: (fn: number) => boolean,
): { readonly frames: number; readonly total: number } {
  let found = 0;
  let total = 0;
  let within = 0;
  for (let frame = 0; frame < frames.count; frame += 1) {
    if (!isWanted(frames.fn[frame]!)) continue;
    found += 1;
    if (frame < within) continue;
    total += frames.total[frame]!;
    within = frames.end[frame]!;
  }
  return { frames: found, total };
}

function columns(roots: readonly Growing[], functions: Frames['functions']): Frames {
  const count = countOf(roots);
  const frames = {
    count,
    parent: new Int32Array(count),
    depth: new Int32Array(count),
    end: new Int32Array(count),
    fn: new Int32Array(count),
    calls: new Float64Array(count),
    self: new Float64Array(count),
    total: new Float64Array(count),
    first: new Float64Array(count),
    cut: new Int32Array(count),
    functions,
    whole: roots.reduce((sum, { total }) => sum + total, 0),
  };
  let next = 0;
  function put(node: Growing, parent: number, depth: number): void {
    const at = next;
    next += 1;
    frames.parent[at] = parent;
    frames.depth[at] = depth;
    frames.fn[at] = node.fn;
    frames.calls[at] = node.calls;
    frames.self[at] = node.self;
    frames.total[at] = node.total;
    frames.first[at] = node.first;
    frames.cut[at] = node.cut;
    for (const child of node.children) put(child, at, depth + 1);
    frames.end[at] = next;
  }
  for (const root of roots) put(root, -1, 0);
  return frames;
}

function countOf(nodes: readonly Growing[]): number {
  return nodes.reduce((sum, { children }) => sum + 1 + countOf(children), 0);
}
