/** Lists the branches of a range by kind, source and target, most frequent first. Counts of the whole trace are stored in the index. */
import type {
  BranchEdge,
  Branches,
  BranchesArguments,
  FlowProgress,
  FlowRange,
} from '../../../../shared/requests/flow.ts';
import { BRANCH_KINDS, EVENT, setApart, type BranchKind } from '../../../../shared/flow/events.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { joinAddress, toHex, type Hex } from '../../../../shared/base/units.ts';
import { applyInferredKinds } from '../../flow/infer/infer-kinds.ts';
import { createEdgeCounter, SORT_FLAGS, type Edges } from './branch-edges.ts';
import { createWholeTraceResult } from '../../flow/whole-trace.ts';
import { inferredKinds } from '../../flow/infer/inferred-kinds.ts';
import type { InferredKinds } from '../../flow/infer/infer-kinds.ts';
import { doubtBranchesToHandlers, type Handlers } from '../../flow/interrupts/handlers.ts';
import { walkFlow, type WalkedRange } from '../../flow/events/walk.ts';
import { withHandlers } from '../../flow/interrupts/with-handlers.ts';
import { symbolText } from '../../image/symbols.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { rangeOf } from '../find/find.ts';

/** Maximum number of distinct edges, about 100 MB. */
const MOST_EDGES = 1 << 21;
/** Maximum number of edges in an answer. The remaining ones are only counted. */
const MOST_ANSWERED = 200_000;

const COUNTED = createWholeTraceResult<Edges, Edges>({
  name: 'branches',
  toTable: (edges) => edges,
  fromTable: (edges) => edges,
});

export async function branches(
  trace: Trace,
  { kinds, most = MOST_ANSWERED, ...args }: Omit<BranchesArguments, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<Branches>> {
  const reach = reachOf(trace);
  const counted = await edgesOf(trace, args, task);
  if (!counted.ok) return counted;
  const edges = counted.value;
  const wanted = Array.from({ length: edges.count }, (_, at) => at).filter(
    (at) => kinds?.includes(kindAt(edges, at)) ?? true,
  );
  const order = wanted.sort((a, b) => edges.times[b]! - edges.times[a]! || edges.first[a]! - edges.first[b]! || a - b);
  const answered = order.slice(0, Math.min(most, MOST_ANSWERED));
  const others = order.slice(answered.length);
  const left = {
    edges: edges.left.edges + others.length,
    count: others.reduce((sum, at) => sum + edges.times[at]!, edges.left.count),
  };
  return ok({
    edges: answered.map((at) => edgeAt(trace, edges, at)),
    ...(left.count > 0 ? { left } : {}),
    kinds: kindsOf(edges),
    reach,
  });
}

function kindsOf(edges: Edges): Branches['kinds'] {
  const sums = new Map<BranchKind, { edges: number; count: number }>();
  for (let at = 0; at < edges.count; at++) {
    const kind = kindAt(edges, at);
    const sum = sums.get(kind) ?? { edges: 0, count: 0 };
    sum.edges++;
    sum.count += edges.times[at]!;
    sums.set(kind, sum);
  }
  return [...sums].map(([kind, sum]) => ({ kind, ...sum }));
}

function kindAt(edges: Edges, at: number): BranchKind {
  return BRANCH_KINDS[edges.sort[at]! & 0xff] ?? 'unknown';
}

/** Returns all branches of the trace if they were counted before. */
export function countedEdges(trace: Trace): Edges | undefined {
  return COUNTED.get(trace);
}

/** Counts the branches of a range, everything indexed by default. */
export async function edgesOf(
  trace: Trace,
  args: Omit<FlowRange, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<Edges>> {
  const { from, to } = rangeOf(trace, args);
  const { records } = trace.blocks;
  const whole = from === 0 && to === records;
  const counted = whole ? countedEdges(trace) : undefined;
  if (counted !== undefined) return ok(counted);
  const kinds = await inferredKinds(trace, records, task);
  if (!kinds.ok) return kinds;
  const found = await withHandlers(trace, records, task, (handlers) =>
    countEdges(trace, { from, to }, { kinds: kinds.value, handlers }, task),
  );
  if (found.ok && whole) COUNTED.set(trace, to, found.value);
  return found;
}

async function countEdges(
  trace: Trace,
  range: WalkedRange,
  { kinds, handlers }: { readonly kinds: InferredKinds | undefined; readonly handlers: Handlers },
  task: Task<FlowProgress>,
): Promise<Result<Edges>> {
  const counter = createEdgeCounter(MOST_EDGES);
  const walked = await walkFlow(trace, range, task, {
    reading: 'lean',
    take(events) {
      if (!handlers.suffice(events)) return false;
      // Doubt about branches to handlers is marked per event. Otherwise one mark per group of identical events is enough.
      if (handlers.size > 0) setApart(events);
      if (kinds !== undefined) applyInferredKinds(events.alike?.each ?? events, kinds);
      doubtBranchesToHandlers(events, handlers);
      counter.add(events);
      return true;
    },
    progress: (at) => task.progress(() => ({ at, to: range.to })),
  });
  return walked.ok ? ok(counter.edges()) : walked;
}

function edgeAt(trace: Trace, edges: Edges, at: number): BranchEdge {
  const sort = edges.sort[at]!;
  const flags = sort >>> SORT_FLAGS;
  const source =
    (flags & EVENT.source) === 0 ? undefined : toHex(joinAddress(edges.sourceLow[at]!, edges.sourceHigh[at]!));
  const target =
    (flags & EVENT.target) === 0 ? undefined : toHex(joinAddress(edges.targetLow[at]!, edges.targetHigh[at]!));
  const marks = marksOf(flags);
  return {
    ...(source === undefined ? {} : { source }),
    ...(target === undefined ? {} : { target }),
    kind: kindAt(edges, at),
    count: edges.times[at]!,
    inferred: (flags & EVENT.inferred) !== 0,
    first: edges.first[at]!,
    last: edges.last[at]!,
    ...symbols(trace, source, target),
    ...(marks.length === 0 ? {} : { flags: marks }),
  };
}

export function marksOf(flags: number): readonly string[] {
  return [
    ...((flags & EVENT.granular) === 0 ? [] : ['granular']),
    ...((flags & EVENT.gap) === 0 ? [] : ['gap-before']),
  ];
}

export function symbols(
  { images }: Trace,
  source: Hex | undefined,
  target: Hex | undefined,
): { readonly sourceSymbol?: string; readonly targetSymbol?: string } {
  const [from, to] = [source, target].map((end) => (end === undefined ? undefined : images.symbolAt(BigInt(end))));
  return {
    ...(from === undefined ? {} : { sourceSymbol: symbolText(from) }),
    ...(to === undefined ? {} : { targetSymbol: symbolText(to) }),
  };
}
