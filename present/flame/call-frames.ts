/**
 * A calling-context tree as columns: frames in pre-order, callers before callees, the heaviest first. A walk over 200,000 frames takes
 * some milliseconds, and `end` skips whole subtrees.
 */
import type { CallTreeNode, FunctionId } from '../../shared/requests/flow.ts';

export interface Frames {
  readonly count: number;
  /** The calling frame; -1 for roots. */
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  /** The first frame after this frame's subtree. */
  readonly end: Int32Array;
  /** Index in `functions`. */
  readonly fn: Int32Array;
  readonly calls: Float64Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
  /** First record of the frame. */
  readonly first: Float64Array;
  /** Number of callees that the answer leaves out. */
  readonly cut: Int32Array;
  readonly functions: readonly { readonly id: FunctionId; readonly name: string }[];
  /** Total cost of all roots. */
  readonly whole: number;
}

export function framesOf(roots: readonly CallTreeNode[]): Frames {
  const functions: { id: FunctionId; name: string }[] = [];
  const places = new Map<FunctionId, number>();
  const frames = createFrames(
    countOf(roots),
    functions,
    roots.reduce((sum, { total }) => sum + total, 0),
  );
  let next = 0;
  function put(node: CallTreeNode, parent: number, depth: number): void {
    const at = next;
    next += 1;
    let fn = places.get(node.id);
    if (fn === undefined) {
      fn = functions.length;
      places.set(node.id, fn);
      functions.push({ id: node.id, name: node.function });
    }
    frames.parent[at] = parent;
    frames.depth[at] = depth;
    frames.fn[at] = fn;
    frames.calls[at] = node.calls;
    frames.self[at] = node.self;
    frames.total[at] = node.total;
    frames.first[at] = node.first;
    frames.cut[at] = node.cut ?? 0;
    for (const child of node.children) put(child, at, depth + 1);
    frames.end[at] = next;
  }
  for (const root of roots) put(root, -1, 0);
  return frames;
}

function countOf(nodes: readonly CallTreeNode[]): number {
  let count = nodes.length;
  for (const { children } of nodes) count += countOf(children);
  return count;
}

/** Returns frames whose columns are to be filled. */
export function createFrames(count: number, functions: Frames['functions'], whole: number): Frames {
  return {
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
    whole,
  };
}

/** Longest chain of callers in the bottom-up tree; the rest is attributed to the last caller. */
const MOST_LEVELS = 60;
const MOST_FRAMES = 200_000;

/**
 * Returns the bottom-up tree: roots are functions with their self cost, and below each root are the callers that contributed to it.
 * The `self` of a frame comes from stacks that start there, and `calls` counts calls of the root's function.
 */
export function bottomUp(frames: Frames): Frames {
  const nodes = callersOf(frames);
  const { starts, children } = childrenOf(nodes);
  const turned = createFrames(children.length, frames.functions, frames.whole);
  let next = 0;
  function put(node: number, parent: number, depth: number): void {
    for (let child = starts[node + 1]!; child < starts[node + 2]!; child += 1) {
      const from = children[child]!;
      const at = next;
      next += 1;
      turned.parent[at] = parent;
      turned.depth[at] = depth;
      turned.fn[at] = nodes.fn[from]!;
      turned.calls[at] = nodes.calls[from]!;
      turned.self[at] = nodes.self[from]!;
      turned.total[at] = nodes.total[from]!;
      turned.first[at] = nodes.first[from]!;
      put(from, at, depth + 1);
      turned.end[at] = next;
    }
  }
  put(-1, -1, 0);
  return turned;
}

/** Nodes of the bottom-up tree in the order of discovery, callers after callees; -1 is above the roots. */
interface Nodes {
  readonly count: number;
  readonly parent: Int32Array;
  readonly fn: Int32Array;
  readonly calls: Float64Array;
  readonly self: Float64Array;
  readonly total: Float64Array;
  readonly first: Float64Array;
}

function callersOf(frames: Frames): Nodes {
  let most = 0;
  for (let frame = 0; frame < frames.count; frame += 1) most += Math.min(MOST_LEVELS, frames.depth[frame]! + 1);
  most = Math.min(most, MOST_FRAMES + frames.functions.length);
  const parent = new Int32Array(most);
  const fn = new Int32Array(most);
  const calls = new Float64Array(most);
  const self = new Float64Array(most);
  const total = new Float64Array(most);
  const first = new Float64Array(most).fill(Number.POSITIVE_INFINITY);
  /** Node + 1 by parent and function: an open-addressing hash table, at most half full. */
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most + 1)));
  let count = 0;

  for (let frame = 0; frame < frames.count; frame += 1) {
    let above = -1;
    let at = frame;
    for (let depth = 0; at >= 0 && depth < MOST_LEVELS; depth += 1) {
      const its = frames.fn[at]!;
      let slot = (Math.imul(above + 2, 0x9e37_79b1) ^ Math.imul(its + 1, 0x85eb_ca6b)) >>> 7;
      let node: number;
      for (; ; slot += 1) {
        slot &= slots.length - 1;
        node = slots[slot]! - 1;
        if (node < 0 || (parent[node] === above && fn[node] === its)) break;
      }
      if (node < 0) {
        if (count >= MOST_FRAMES && depth > 0) break;
        node = count;
        count += 1;
        slots[slot] = count;
        parent[node] = above;
        fn[node] = its;
      }
      calls[node]! += frames.calls[frame]!;
      total[node]! += frames.self[frame]!;
      first[node] = Math.min(first[node]!, frames.first[frame]!);
      if (frames.parent[at]! < 0) self[node]! += frames.self[frame]!;
      above = node;
      at = frames.parent[at]!;
    }
  }
  return { count, parent, fn, calls, self, total, first };
}

/** The nodes below each node n that took anything, the heaviest first: children[starts[n + 1]] up to before children[starts[n + 2]]. */
function childrenOf({ count, parent, fn, total }: Nodes): {
  readonly starts: Int32Array;
  readonly children: Int32Array;
} {
  const starts = new Int32Array(count + 2);
  for (let node = 0; node < count; node += 1) if (total[node]! > 0) starts[parent[node]! + 2]! += 1;
  for (let at = 1; at < starts.length; at += 1) starts[at]! += starts[at - 1]!;
  const next = starts.slice();
  const children = new Int32Array(starts[count + 1]!);
  for (let node = 0; node < count; node += 1) {
    if (total[node]! <= 0) continue;
    const above = parent[node]! + 1;
    children[next[above]!] = node;
    next[above]! += 1;
  }
  for (let above = 0; above <= count; above += 1) {
    if (starts[above + 1]! - starts[above]! < 2) continue;
    children.subarray(starts[above], starts[above + 1]).sort((a, b) => total[b]! - total[a]! || fn[a]! - fn[b]!);
  }
  return { starts, children };
}

/** Returns the frame at the end of a path of functions from a root, or the deepest one on it; -1 if the first function is not a root. */
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

/** Returns the functions from the root to a frame. */
export function pathTo(frames: Frames, frame: number): readonly FunctionId[] {
  const path: FunctionId[] = [];
  for (let at = frame; at >= 0; at = frames.parent[at]!) path.unshift(frames.functions[frames.fn[at]!]!.id);
  return path;
}

/** Returns the frame at the end of the whole path; null if it does not exist. */
export function frameOf(frames: Frames, path: readonly FunctionId[]): number | null {
  const found = frameAt(frames, path);
  return found >= 0 && frames.depth[found] === path.length - 1 ? found : null;
}

/** Returns the summed cost of all frames of these functions, without counting nested ones twice, and their number. */
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
