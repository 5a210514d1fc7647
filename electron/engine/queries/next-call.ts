/** The next or previous call from one function to another: runs of blocks from a record on, each twice as long as the one before. */
import type { Arguments } from '../../../shared/api.ts';
import type { FlowProgress, NextCall } from '../../../shared/flow-answers.ts';
import { ok, type Result } from '../../../shared/result.ts';
import type { RecordNumber } from '../../../shared/units.ts';
import { EDGE, type CallEdgeList } from '../flow/call-edges.ts';
import { callsOf, knownCalls } from '../flow/call-walk.ts';
import type { Task } from '../task.ts';
import { reachOf, type Trace } from '../trace.ts';
import { functionNames, type NameOf } from './function-names.ts';

type Asked = Omit<Arguments<'nextCall'>, 'trace'>;

export async function nextCall(trace: Trace, asked: Asked, task: Task<FlowProgress>): Promise<Result<NextCall>> {
  const reach = reachOf(trace);
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  const { tally, functions, records } = known.value;
  const name = functionNames(trace.images, functions);
  const all = span(tally.edges, name, asked);
  const { at, direction } = asked;
  if (all === undefined) return ok({ n: null, reach });
  if (direction === 'next' && at < all.first) return ok({ n: all.first, reach });
  if (direction === 'previous' && at > all.last) return ok({ n: all.last, reach });
  if (direction === 'next' ? at >= all.last : at <= all.first) return ok({ n: null, reach });

  const { blocks } = trace;
  for (let many = 1, from = Math.min(at + 1, records), to = at; ; many *= 2) {
    if (direction === 'next') to = from >= records ? from : endOf(blocks.blockOfRecord(from) + many);
    else from = to <= 0 ? to : blocks.firstRecord(Math.max(0, blocks.blockOfRecord(to - 1) - many + 1));
    if (from >= to) return ok({ n: null, reach });
    const part = await callsOf(trace, { from, to }, { ...task, report: () => undefined }, () => NOWHERE);
    if (!part.ok) return part;
    const found = span(part.value.tally.edges, name, asked);
    if (found !== undefined) return ok({ n: direction === 'next' ? found.first : found.last, reach });
    task.report({ at: direction === 'next' ? to : from, to: records });
    if (direction === 'next') from = to;
    else to = from;
  }

  function endOf(block: number): RecordNumber {
    return block < blocks.length ? Math.min(records, blocks.firstRecord(block)) : records;
  }
}

/** Asks for the range alone, also where that is the whole trace. */
const NOWHERE = { add: () => undefined };

/** The first and the last call from one to the other, whatever led there. Of a call that only its return tells of nothing shows where it was. */
function span(
  { count, columns }: CallEdgeList,
  name: NameOf,
  { caller, callee }: Pick<Asked, 'caller' | 'callee'>,
): { readonly first: RecordNumber; readonly last: RecordNumber } | undefined {
  let [first, last] = [Number.POSITIVE_INFINITY, -1];
  for (let edge = 0; edge < count; edge++) {
    if (columns.kind[edge]! >> 1 === EDGE.unseen) continue;
    if (name(columns.caller[edge]!).id !== caller || name(columns.callee[edge]!).id !== callee) continue;
    first = Math.min(first, columns.first[edge]!);
    last = Math.max(last, columns.last[edge]!);
  }
  return last < 0 ? undefined : { first, last };
}
