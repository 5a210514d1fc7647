/** The calling-context tree of a range: its roots are the outermost functions that are known. */
import type { CallTree, CallTreeArguments, CallTreeNode, FlowProgress } from '../../../shared/flow-answers.ts';
import { ok, type Result } from '../../../shared/result.ts';
import { callsOf } from '../flow/call-walk.ts';
import { MOST_LEVELS, NOBODY, type Contexts } from '../flow/contexts.ts';
import { DEEPER } from '../flow/functions.ts';
import type { Task } from '../task.ts';
import { reachOf, type Trace } from '../trace.ts';
import { callNotes } from './call-notes.ts';
import { rangeOf } from './find.ts';
import { functionNames, type NameOf } from './function-names.ts';

/** Nodes that are answered: those at the roots first. */
const MOST_ANSWERED = 200_000;

export async function callTree(
  trace: Trace,
  args: Omit<CallTreeArguments, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<CallTree>> {
  const reach = reachOf(trace);
  const found = await callsOf(trace, rangeOf(trace, args), task);
  if (!found.ok) return found;
  const { functions, tally, unit } = found.value;
  const roots = joined(tally.contexts);
  const budget = { left: MOST_ANSWERED };
  const depth = Math.min(args.depth ?? MOST_LEVELS, shallowEnough(roots, args.depth ?? MOST_LEVELS, budget.left));
  const name = functionNames(trace.images, functions);
  const notes = callNotes(tally);
  if (depth < (args.depth ?? MOST_LEVELS) && depth < MOST_LEVELS)
    notes.push(`The tree is cut at depth ${depth}: it has more than ${MOST_ANSWERED} nodes.`);
  return ok({ roots: answered(roots, depth, name), unit, notes, reach });
}

/** A node with those of all contexts that are the same. */
interface Node {
  readonly fn: number;
  calls: number;
  self: number;
  total: number;
  first: number;
  readonly children: Map<number, Node>;
}

/** Contexts are a tree for each beginning; here the same functions below the same callers are one. */
function joined({ columns, count }: Contexts): Map<number, Node> {
  const children = childrenOf(columns.parent, count);
  const roots = new Map<number, Node>();
  /** Contexts that are still to be put below a node, with their depth. */
  const waiting: { readonly context: number; readonly into: Map<number, Node>; readonly depth: number }[] = [];
  for (let context = 0; context < count; context++) {
    if (columns.fn[context] !== NOBODY) continue;
    for (const child of children(context)) waiting.push({ context: child, into: roots, depth: 0 });
  }
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { context, into, depth } = next;
    const fn = depth < MOST_LEVELS ? columns.fn[context]! : DEEPER;
    const node = into.get(fn) ?? {
      fn,
      calls: 0,
      self: 0,
      total: 0,
      first: Number.POSITIVE_INFINITY,
      children: new Map<number, Node>(),
    };
    into.set(fn, node);
    node.calls += columns.calls[context]!;
    node.self += columns.self[context]!;
    node.first = Math.min(node.first, columns.first[context]!);
    const below = depth < MOST_LEVELS ? node.children : into;
    for (const child of children(context)) waiting.push({ context: child, into: below, depth: depth + 1 });
  }
  for (const root of roots.values()) addTotals(root);
  return roots;
}

/** The contexts below each one, from their parents. */
function childrenOf(parent: Int32Array, count: number): (context: number) => readonly number[] {
  const lists = new Map<number, number[]>();
  for (let context = 0; context < count; context++) {
    const list = lists.get(parent[context]!);
    if (list === undefined) lists.set(parent[context]!, [context]);
    else list.push(context);
  }
  return (context) => lists.get(context) ?? [];
}

function addTotals(node: Node): number {
  node.total = node.self;
  for (const child of node.children.values()) node.total += addTotals(child);
  return node.total;
}

/** The greatest depth at which there are not too many nodes down to it. */
function shallowEnough(roots: ReadonlyMap<number, Node>, most: number, budget: number): number {
  let level = [...roots.values()];
  let all = level.length;
  for (let depth = 0; depth < most; depth++) {
    level = level.flatMap(({ children }) => [...children.values()]);
    all += level.length;
    if (level.length === 0) return most;
    if (all > budget) return depth;
  }
  return most;
}

function answered(nodes: ReadonlyMap<number, Node>, depth: number, name: NameOf): CallTreeNode[] {
  const sorted = [...nodes.values()].sort((a, b) => b.total - a.total || a.first - b.first);
  return sorted.map(({ fn, calls, self, total, first, children }) => {
    const { id, name: text } = name(fn);
    const isCut = depth === 0 && children.size > 0;
    return {
      function: text,
      id,
      calls,
      self,
      total,
      first,
      children: depth === 0 ? [] : answered(children, depth - 1, name),
      ...(isCut ? { cut: children.size } : {}),
    };
  });
}
