/**
 * Finds the next or previous execution of code in a trace of branch messages. Such a trace has no records of instructions: an execution is
 * the part of the program between two messages, as far as the images prove it, and its record is the message after it.
 */
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { highHalf, lowHalf, type RecordNumber } from '../../../../shared/base/units.ts';
import { imageFlowOf } from '../../flow/events/image-flows.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { visitStraightRuns, type ProvedRun } from '../calls/between.ts';

/** Addresses from the first to the last byte. */
export interface Span {
  readonly low: bigint;
  readonly high: bigint;
}

/** Messages of trace buffers that are followed together. */
const FOLLOWED = 1024;

interface Search {
  readonly trace: Trace;
  readonly spans: readonly Span[];
  readonly task: Task<FlowProgress>;
}

/** Returns the first message after a record, or the last one before it, before which an instruction of the spans ran; undefined without one. */
export async function provedExecution(
  search: Search,
  at: RecordNumber,
  isBackwards: boolean,
): Promise<Result<RecordNumber | undefined>> {
  const { blocks, reader } = search.trace;
  const isFollowed = imageFlowOf(reader.decoder.format) !== undefined;
  const find = isFollowed ? amongFollowed : amongStraight;
  if (!isBackwards && !isFollowed) return find(search, at + 1, blocks.records, false);
  for (let [from, to] = isBackwards ? [at, at] : [at + 1, at + 1]; isBackwards ? from > 0 : to < blocks.records;) {
    if (isBackwards) {
      to = from;
      from = isFollowed ? Math.max(0, to - FOLLOWED) : blocks.firstRecord(blocks.blockOfRecord(to - 1));
    } else {
      from = to;
      to = Math.min(blocks.records, from + FOLLOWED);
    }
    const found = await find(search, from, to, isBackwards);
    if (!found.ok || found.value !== undefined) return found;
    if (search.task.cancelled()) return search.task.cancel();
  }
  return ok(undefined);
}

async function amongStraight(
  { trace, spans, task }: Search,
  from: RecordNumber,
  to: RecordNumber,
  isLast: boolean,
): Promise<Result<RecordNumber | undefined>> {
  let found: RecordNumber | undefined;
  const visit = (run: ProvedRun): boolean => {
    if (runsIn(run, spans)) found = run.n;
    return found === undefined || isLast;
  };
  const bounds = spans.map(({ low, high }) => ({ low: lowHalf(low), last: lowHalf(high), high: highHalf(low) }));
  const mayMatter = (low: number, last: number, high: number): boolean =>
    bounds.some((span) => span.high === high && span.low <= last && span.last >= low);
  const visited = await visitStraightRuns(trace, { from, to }, task, visit, mayMatter);
  return visited.ok ? ok(found) : visited;
}

async function amongFollowed(
  { trace, spans, task }: Search,
  from: RecordNumber,
  to: RecordNumber,
  isLast: boolean,
): Promise<Result<RecordNumber | undefined>> {
  const flow = imageFlowOf(trace.reader.decoder.format)!;
  const runs = await flow.runsBetween(trace, { from, count: to - from }, task);
  if (!runs.ok) return runs;
  const hits = runs.value.filter((run) => runsIn(run, spans));
  return ok((isLast ? hits.at(-1) : hits[0])?.n);
}

function runsIn({ instructions }: Pick<ProvedRun, 'instructions'>, spans: readonly Span[]): boolean {
  return instructions.some(({ address }) => {
    const its = BigInt(address);
    return spans.some(({ low, high }) => low <= its && its <= high);
  });
}
