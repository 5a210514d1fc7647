/** Returns the call graph of a range, with the self and total cost of each function. */
import { counted } from '../../../../shared/base/numbers.ts';
import type { CallEdge, CallFunction, CallGraph, FlowProgress, FlowRange } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { EDGE, EDGE_KINDS } from '../../flow/tally/call-edges.ts';
import type { CallCounts } from '../../flow/tally/call-tally.ts';
import { callsOf, type RangeCalls } from '../../flow/calls.ts';
import { DEEPER, UNKNOWN } from '../../flow/functions/functions.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { callNotes } from './call-notes.ts';
import { rangeOf } from '../find/find.ts';
import { functionNames, type NameOf } from './function-names.ts';
import { totalsOf } from './prominent.ts';

/** Maximum number of functions and edges in an answer. The most costly functions and most frequent edges are kept. */
const MOST_ANSWERED = 100_000;

export async function calls(
  trace: Trace,
  args: Omit<FlowRange, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<CallGraph>> {
  const reach = reachOf(trace);
  const found = await callsOf(trace, rangeOf(trace, args), task);
  if (!found.ok) return found;
  const { functions, tally, unit } = found.value;
  const name = functionNames(trace.images, functions);
  const all = functionsOf(tally, functions.count, name);
  const edges = edgesOf(tally, name);
  const left = [
    ...(all.length > MOST_ANSWERED
      ? [`Omitted: ${counted(all.length - MOST_ANSWERED, 'function')} with the lowest cost.`]
      : []),
    ...(edges.length > MOST_ANSWERED ? [`Omitted: ${counted(edges.length - MOST_ANSWERED, 'rare edge')}.`] : []),
  ];
  return ok({
    evidence: evidenceOf(trace, found.value),
    unit,
    functions: all.slice(0, MOST_ANSWERED),
    edges: edges.slice(0, MOST_ANSWERED),
    depth: { max: tally.deepest, calls: tally.deepestCalls },
    notes: [...callNotes(tally), ...left],
    reach,
  });
}

export function functionsOf(tally: CallCounts, count: number, name: NameOf): CallFunction[] {
  const { calls, self, edges } = tally;
  const totals = totalsOf(tally, count);
  const isThere = new Uint8Array(count);
  for (let edge = 0; edge < edges.count; edge++) {
    isThere[edges.columns.caller[edge]!] = 1;
    isThere[edges.columns.callee[edge]!] = 1;
  }
  const found: CallFunction[] = [];
  for (let fn = 0; fn < count; fn++) {
    const took = totals[fn] ?? 0;
    if (fn === DEEPER || (isThere[fn] === 0 && took === 0)) continue;
    found.push({ ...name(fn), calls: calls.values[fn] ?? 0, self: self.values[fn] ?? 0, total: took });
  }
  return found.sort((a, b) => b.total - a.total || b.calls - a.calls || (a.id < b.id ? -1 : 1));
}

/** Omits an unseen call, known only from its return, if a seen call has the same caller and callee: the two may be the same call. */
function edgesOf({ edges: { columns, count } }: CallCounts, name: NameOf): CallEdge[] {
  const seen = new Set<string>();
  const keyOf = (edge: number): string => `${columns.caller[edge]!} ${columns.callee[edge]!}`;
  for (let edge = 0; edge < count; edge++) if (columns.kind[edge]! >> 1 !== EDGE.unseen) seen.add(keyOf(edge));
  const found: CallEdge[] = [];
  for (let edge = 0; edge < count; edge++) {
    const code = columns.kind[edge]!;
    const isUnseen = code >> 1 === EDGE.unseen;
    const isNothing = columns.caller[edge] === UNKNOWN && columns.callee[edge] === UNKNOWN;
    if (isUnseen && (isNothing || seen.has(keyOf(edge)))) continue;
    found.push({
      caller: name(columns.caller[edge]!).id,
      callee: name(columns.callee[edge]!).id,
      count: columns.times[edge]!,
      inferred: (code & 1) === 1,
      kind: isUnseen ? 'call' : EDGE_KINDS[code >> 1]!,
      first: columns.first[edge]!,
      last: columns.last[edge]!,
      ...(isUnseen && { unseen: true }),
    });
  }
  return found.sort((a, b) => b.count - a.count || a.first - b.first || (a.caller < b.caller ? -1 : 1));
}

export function evidenceOf(
  { images }: Trace,
  { messages, inferred, history }: Pick<RangeCalls, 'messages' | 'inferred' | 'history'>,
): string {
  if (!messages) return 'instructions';
  if (history.cpus().length === 0) return 'neither instructions nor branches';
  if (inferred === undefined) return images.list.length > 0 ? 'branch messages with image' : 'branch messages';
  return inferred.matched > 0 ? 'branch messages matched by return addresses' : 'branch messages';
}
