/** Folds recursion in a calling-context tree: a function that is open already is shown in its outermost frame. */
import { createFrames, type Frames } from './call-frames.ts';

/** Returns true if a function is called again below itself. */
export function hasRecursion({ count, depth, fn, functions }: Frames): boolean {
  /** Functions from a root to the frame, and how often each of them is open. */
  const path = new Int32Array(count);
  const open = new Int32Array(functions.length);
  let length = 0;
  for (let frame = 0; frame < count; frame += 1) {
    while (length > depth[frame]!) open[path[--length]!]! -= 1;
    const own = fn[frame]!;
    if (open[own]! > 0) return true;
    open[own]! += 1;
    path[length++] = own;
  }
  return false;
}

/**
 * Returns a tree in which no function is below itself. A frame of a function that is above it already joins that frame, and its callees
 * become callees of that frame. Self costs and calls are summed, so the total of a frame is again its self cost and the totals of its callees.
 */
export function foldRecursion(frames: Frames): Frames {
  const joined = join(frames);
  const { count, parent, children } = joined;
  const total = totalsOf(joined);
  const folded = createFrames(count, frames.functions, frames.whole);
  let next = 0;
  function put(node: number, above: number, depth: number): void {
    const at = next;
    next += 1;
    folded.parent[at] = above;
    folded.depth[at] = depth;
    folded.fn[at] = joined.fn[node]!;
    folded.calls[at] = joined.calls[node]!;
    folded.self[at] = joined.self[node]!;
    folded.total[at] = total[node]!;
    folded.first[at] = joined.first[node]!;
    folded.cut[at] = joined.cut[node]!;
    for (const child of heaviestFirst(children.get(node))) put(child, at, depth + 1);
    folded.end[at] = next;
  }
  for (const root of heaviestFirst(roots())) put(root, -1, 0);
  return folded;

  function* roots(): Iterable<number> {
    for (let node = 0; node < count; node += 1) if (parent[node]! < 0) yield node;
  }

  function heaviestFirst(nodes: Iterable<number> = []): readonly number[] {
    return [...nodes].sort((a, b) => total[b]! - total[a]! || a - b);
  }
}

/** Nodes of the folded tree in the order of discovery, callers before callees. */
interface Joined {
  readonly count: number;
  readonly parent: Int32Array;
  readonly fn: Int32Array;
  readonly calls: Float64Array;
  readonly self: Float64Array;
  /** Cost of callees that the answer leaves out. */
  readonly rest: Float64Array;
  readonly first: Float64Array;
  readonly cut: Int32Array;
  readonly children: ReadonlyMap<number, readonly number[]>;
}

function join(frames: Frames): Joined {
  const most = frames.count;
  const parent = new Int32Array(most);
  const fn = new Int32Array(most);
  const calls = new Float64Array(most);
  const self = new Float64Array(most);
  const rest = new Float64Array(most);
  const first = new Float64Array(most).fill(Number.POSITIVE_INFINITY);
  const cut = new Int32Array(most);
  const children = new Map<number, number[]>();
  /** Node of each frame. */
  const nodeOf = new Int32Array(most);
  let count = 0;

  for (let frame = 0; frame < frames.count; frame += 1) {
    const caller = frames.parent[frame]!;
    const above = caller < 0 ? -1 : nodeOf[caller]!;
    const own = frames.fn[frame]!;
    let node = above;
    while (node >= 0 && fn[node] !== own) node = parent[node]!;
    if (node < 0) node = children.get(above)?.find((other) => fn[other] === own) ?? create(above, own);
    nodeOf[frame] = node;
    calls[node]! += frames.calls[frame]!;
    self[node]! += frames.self[frame]!;
    rest[node]! += frames.total[frame]! - frames.self[frame]!;
    if (caller >= 0) rest[above]! -= frames.total[frame]!;
    first[node] = Math.min(first[node]!, frames.first[frame]!);
    cut[node]! += frames.cut[frame]!;
  }
  return { count, parent, fn, calls, self, rest, first, cut, children };

  function create(above: number, own: number): number {
    const node = count;
    count += 1;
    parent[node] = above;
    fn[node] = own;
    const list = children.get(above);
    if (list) list.push(node);
    else children.set(above, [node]);
    return node;
  }
}

function totalsOf({ count, parent, self, rest }: Joined): Float64Array {
  const total = new Float64Array(count);
  for (let node = count - 1; node >= 0; node -= 1) {
    total[node]! += self[node]! + rest[node]!;
    if (parent[node]! >= 0) total[parent[node]!]! += total[node]!;
  }
  return total;
}
