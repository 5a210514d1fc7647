/** Returns the calling-context tree of a range. Its roots are the outermost known functions. */
import type { CallTree, CallTreeArguments, CallTreeNode, FlowProgress } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { callsOf, knownCalls, type RangeCalls } from '../../flow/calls.ts';
import { createContexts, MOST_LEVELS, NOBODY, type ContextTree } from '../../flow/tally/contexts.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { callNotes } from './call-notes.ts';
import { rangeOf } from '../find/find.ts';
import { functionNames, type NameOf } from './function-names.ts';
import { timedCalls, type TimedCalls } from './timed-calls.ts';
import { prominentFunctions } from './prominent.ts';

/** Maximum number of nodes in an answer. Nodes near the roots are kept. */
const MOST_ANSWERED = 200_000;

export async function callTree(
  trace: Trace,
  args: Omit<CallTreeArguments, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<CallTree>> {
  const reach = reachOf(trace);
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  const found: Result<RangeCalls | TimedCalls> = await (args.by === 'time' ? timedCalls : callsOf)(
    trace,
    rangeOf(trace, args),
    task,
  );
  if (!found.ok) return found;
  const { functions, tally, unit } = found.value;
  const joined = join(tally.contexts);
  const budget = { left: MOST_ANSWERED };
  const depth = Math.min(args.depth ?? MOST_LEVELS, shallowEnough(joined, args.depth ?? MOST_LEVELS, budget.left));
  const name = functionNames(trace.images, functions);
  const notes = [...('timeNotes' in found.value ? found.value.timeNotes : []), ...callNotes(tally)];
  if (depth < (args.depth ?? MOST_LEVELS) && depth < MOST_LEVELS)
    notes.push(`The tree is cut at depth ${depth}: it has more than ${MOST_ANSWERED} nodes.`);
  const prominent = prominentFunctions(known.value, name);
  return ok({ roots: answered(joined, TOP, depth, name), unit, prominent, notes, reach });
}

/** A single tree of merged contexts below a node without a function. Each node comes after its parent. */
interface Joined {
  readonly tree: ContextTree;
  /** Inclusive cost of each node. */
  readonly total: Float64Array;
  readonly children: (node: number) => Int32Array;
}

/** Number of the node above the roots. */
const TOP = 0;

/** Merges the contexts, which form a tree per stack start, so that equal call paths become one node. */
function join({ columns, count }: ContextTree): Joined {
  const tree = createContexts();
  tree.top();
  const { columns: sums } = tree;
  const below = childrenOf(columns.parent, count);
  /** Contexts whose children are not merged yet, and the node in the merged tree of each. */
  const [waiting, into] = [new Int32Array(count), new Int32Array(count)];
  let many = 0;
  for (let context = 0; context < count; context++) {
    if (columns.fn[context] !== NOBODY) continue;
    waiting[many] = context;
    into[many++] = TOP;
  }
  for (let at = 0; at < many; at++) {
    for (const context of below(waiting[at]!)) {
      const known = tree.count;
      const node = tree.child(into[at]!, columns.fn[context]!, columns.first[context]!);
      sums.calls[node]! += columns.calls[context]!;
      sums.self[node]! += columns.self[context]!;
      if (node < known) sums.first[node] = Math.min(sums.first[node]!, columns.first[context]!);
      waiting[many] = context;
      into[many++] = node;
    }
  }
  const total = sums.self.slice(0, tree.count);
  for (let node = tree.count - 1; node > TOP; node--) total[sums.parent[node]!]! += total[node]!;
  return { tree, total, children: childrenOf(sums.parent, tree.count) };
}

/** Returns a function that lists the children of a node. */
function childrenOf(parent: Int32Array, count: number): (node: number) => Int32Array {
  const starts = new Int32Array(count + 1);
  for (let node = 0; node < count; node++) if (parent[node]! >= 0) starts[parent[node]! + 1]!++;
  for (let node = 0; node < count; node++) starts[node + 1]! += starts[node]!;
  const next = starts.slice();
  const children = new Int32Array(starts[count]!);
  for (let node = 0; node < count; node++) if (parent[node]! >= 0) children[next[parent[node]!]!++] = node;
  return (node) => children.subarray(starts[node], starts[node + 1]);
}

/** Returns the greatest depth at which the tree above it stays within the budget of nodes. */
function shallowEnough({ tree: { columns, count } }: Joined, most: number, budget: number): number {
  const levels = new Float64Array(MOST_LEVELS + 2);
  for (let node = TOP + 1; node < count; node++) levels[columns.level[node]!]!++;
  let all = levels[1]!;
  for (let depth = 0; depth < most; depth++) {
    const level = levels[depth + 2] ?? 0;
    all += level;
    if (level === 0) return most;
    if (all > budget) return depth;
  }
  return most;
}

/** Returns the subtrees below a node, down to `depth` further levels. */
function answered(joined: Joined, above: number, depth: number, name: NameOf): CallTreeNode[] {
  const {
    tree: { columns },
    total,
    children,
  } = joined;
  const sorted = children(above).toSorted((a, b) => total[b]! - total[a]! || columns.first[a]! - columns.first[b]!);
  return Array.from(sorted, (node) => {
    const { id, name: text, symbol } = name(columns.fn[node]!);
    const cut = depth === 0 ? children(node).length : 0;
    return {
      function: text,
      ...(symbol !== undefined && { symbol }),
      id,
      calls: columns.calls[node]!,
      self: columns.self[node]!,
      total: total[node]!,
      first: columns.first[node]!,
      children: depth === 0 ? [] : answered(joined, node, depth - 1, name),
      ...(cut > 0 ? { cut } : {}),
    };
  });
}
