/**
 * Finds the next or previous call of a function, or of an edge of the call graph, by analysing runs of blocks, each run twice as long
 * as the preceding one. If records run against time, callers are only known from later records, so the whole trace is analysed.
 */
import type { Arguments } from '../../../../shared/requests/requests.ts';
import type { FlowProgress, NextCall } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { createCallEdges, EDGE, EDGE_KINDS, type CallEdgeList, type CallEdges } from '../../flow/tally/call-edges.ts';
import { callsOf, knownCalls } from '../../flow/calls.ts';
import { withoutProgress, type Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { functionNames, type NameOf } from './function-names.ts';

type Request = Omit<Arguments<'nextCall'>, 'trace'>;

export async function nextCall(trace: Trace, request: Request, task: Task<FlowProgress>): Promise<Result<NextCall>> {
  const reach = reachOf(trace);
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  const { tally, functions, records } = known.value;
  const name = functionNames(trace.images, functions);
  if (known.value.backwards) {
    const nearest = createNearest(name, request);
    const walked = await callsOf(trace, { from: 0, to: records }, task, { edges: nearest.edges });
    return walked.ok ? ok({ n: nearest.at(), reach }) : walked;
  }
  const all = span(tally.edges, name, request);
  const { at, direction } = request;
  if (all === undefined) return ok({ n: null, reach });
  if (direction === 'next' && at < all.first) return ok({ n: all.first, reach });
  if (direction === 'previous' && at > all.last) return ok({ n: all.last, reach });
  if (direction === 'next' ? at >= all.last : at <= all.first) return ok({ n: null, reach });

  const { blocks } = trace;
  for (let many = 1, from = Math.min(at + 1, records), to = at; ; many *= 2) {
    if (direction === 'next') to = from >= records ? from : endOf(blocks.blockOfRecord(from) + many);
    else from = to <= 0 ? to : blocks.firstRecord(Math.max(0, blocks.blockOfRecord(to - 1) - many + 1));
    if (from >= to) return ok({ n: null, reach });
    const part = await callsOf(trace, { from, to }, withoutProgress(task), RANGE_ALONE);
    if (!part.ok) return part;
    const found = span(part.value.tally.edges, name, request);
    if (found !== undefined) return ok({ n: direction === 'next' ? found.first : found.last, reach });
    task.progress(() => ({ at: direction === 'next' ? to : from, to: records }));
    if (direction === 'next') from = to;
    else to = from;
  }

  function endOf(block: number): RecordNumber {
    return block < blocks.length ? Math.min(records, blocks.firstRecord(block)) : records;
  }
}

/** Forces an analysis of the range alone, even if the range is the whole trace. */
const RANGE_ALONE = {};

/** Receives all calls in any order, and keeps the record of the next or previous one. */
function createNearest(
  name: NameOf,
  request: Request,
): { readonly edges: CallEdges; readonly at: () => RecordNumber | null } {
  const { at, direction } = request;
  const isWanted = createEdgeTest(name, request);
  let nearest: RecordNumber | null = null;
  const edges: CallEdges = {
    ...createCallEdges(),
    add(from, to, kind, inferred, record) {
      if (direction === 'next' ? record <= at : record >= at) return;
      if (nearest !== null && (direction === 'next' ? record >= nearest : record <= nearest)) return;
      if (isWanted(from, to, kind, inferred)) nearest = record;
    },
  };
  return { edges, at: () => nearest };
}

/** Returns the first and the last of the wanted calls. */
function span(
  { count, columns }: CallEdgeList,
  name: NameOf,
  request: Request,
): { readonly first: RecordNumber; readonly last: RecordNumber } | undefined {
  const isWanted = createEdgeTest(name, request);
  let [first, last] = [Number.POSITIVE_INFINITY, -1];
  for (let edge = 0; edge < count; edge++) {
    const code = columns.kind[edge]!;
    if (!isWanted(columns.caller[edge]!, columns.callee[edge]!, code >> 1, (code & 1) === 1)) continue;
    first = Math.min(first, columns.first[edge]!);
    last = Math.max(last, columns.last[edge]!);
  }
  return last < 0 ? undefined : { first, last };
}

/** The record of an unseen call, known only from its return, is unknown: no such call is found. */
function createEdgeTest(name: NameOf, { caller, callee, kind, inferred }: Request) {
  return (from: number, to: number, code: number, isInferred: boolean): boolean =>
    code !== EDGE.unseen &&
    (kind === undefined || EDGE_KINDS[code] === kind) &&
    (inferred === undefined || isInferred === inferred) &&
    (caller === undefined || name(from).id === caller) &&
    name(to).id === callee;
}
