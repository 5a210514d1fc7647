/**
 * Finds the next or previous execution of code in a trace of branch messages. Such a trace has no records of instructions: an execution is
 * the part of the program between two messages, as far as the images prove it, and its record is the message after it.
 */
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { highHalf, lowHalf, type RecordNumber } from '../../../../shared/base/units.ts';
import { imageFlowOf } from '../../flow/events/image-flows.ts';
import type { WalkedRange } from '../../flow/events/walk.ts';
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
/** Blocks whose messages are read together, with one before them in which the first run begins. */
const BLOCKS = 8;

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
  const isFollowed = imageFlowOf(search.trace.reader.decoder.format) !== undefined;
  const find = isFollowed ? amongFollowed : amongStraight;
  for (const range of (isBackwards ? rangesBefore : rangesAfter)(search.trace, at, isFollowed)) {
    const found = await find(search, range, isBackwards);
    if (!found.ok || found.value !== undefined) return found;
    if (search.task.cancelled()) return search.task.cancel();
  }
  return ok(undefined);
}

/** Yields the ranges of messages after a record that are searched one after the other. */
function* rangesAfter({ blocks }: Trace, at: RecordNumber, isFollowed: boolean): Generator<WalkedRange> {
  const length = isFollowed ? FOLLOWED : blocks.records;
  for (let from = at + 1; from < blocks.records; from += length)
    yield { from, to: Math.min(blocks.records, from + length) };
}

function* rangesBefore({ blocks }: Trace, at: RecordNumber, isFollowed: boolean): Generator<WalkedRange> {
  for (let to = at; to > 0;) {
    const block = Math.max(0, blocks.blockOfRecord(to - 1) + 1 - BLOCKS);
    const from = isFollowed ? Math.max(0, to - FOLLOWED) : blocks.firstRecord(block);
    yield { from, to };
    to = from;
  }
}

async function amongStraight(
  { trace, spans, task }: Search,
  { from, to }: WalkedRange,
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
  { from, to }: WalkedRange,
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
