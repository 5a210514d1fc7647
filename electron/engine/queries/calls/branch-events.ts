/** Lists the branches of a range one by one, a page at a time, from either end of the range. */
import type {
  BranchEvent,
  BranchEvents,
  BranchEventsArguments,
  FlowProgress,
} from '../../../../shared/requests/flow.ts';
import { BRANCH, BRANCH_KINDS, EVENT, type Events } from '../../../../shared/flow/events.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { joinAddress, toHex, type Hex, type RecordNumber } from '../../../../shared/base/units.ts';
import { applyInferredKinds } from '../../flow/infer/infer-kinds.ts';
import type { InferredKinds } from '../../flow/infer/infer-kinds.ts';
import { SORT_FLAGS, type Edges } from './branch-edges.ts';
import { inferredKinds } from '../../flow/infer/inferred-kinds.ts';
import { doubtBranchesToHandlers, type Handlers } from '../../flow/interrupts/handlers.ts';
import { walkFlow } from '../../flow/events/walk.ts';
import { withHandlers } from '../../flow/interrupts/with-handlers.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { countedEdges, marksOf, symbols } from './branches.ts';
import { rangeOf } from '../find/find.ts';

export async function branchEvents(
  trace: Trace,
  args: Omit<BranchEventsArguments, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<BranchEvents>> {
  const reach = reachOf(trace);
  const range = rangeOf(trace, args);
  const kinds = args.kinds?.reduce((bits, kind) => bits | (1 << BRANCH[kind]), 0) ?? -1;
  const inferred = await inferredKinds(trace, reach.records, task);
  if (!inferred.ok) return inferred;
  const [source, target] = [endOf(args.source), endOf(args.target)];
  const request = { ...range, count: args.count, kinds, source, target, inferred: inferred.value };
  const within = withinEdges(trace, request);
  const found = await withHandlers(trace, reach.records, task, (handlers) => {
    const wanted = { ...request, ...within, handlers };
    return args.backwards === true ? lastOf(trace, wanted, task) : firstOf(trace, wanted, task);
  });
  if (!found.ok) return found;
  const { events, next } = found.value;
  return ok({ events, next, reach });
}

interface Ends {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  /** Bit k: branches of the kind with code k are wanted. */
  readonly kinds: number;
  readonly source: End | undefined;
  readonly target: End | undefined;
}

interface Wanted extends Ends {
  readonly count: number;
  readonly inferred: InferredKinds | undefined;
  readonly handlers: Handlers;
}

/** A wanted source or target. `known` is false if branches with an unknown address are wanted. */
interface End {
  readonly known: boolean;
  readonly low: number;
  readonly high: number;
}

function endOf(end: Hex | null | undefined): End | undefined {
  if (end === undefined) return undefined;
  const address = BigInt(end ?? 0);
  return { known: end !== null, low: Number(address & 0xffff_ffffn), high: Number(address >> 32n) };
}

function isWanted(events: Events, at: number, { kinds, source, target }: Ends): boolean {
  if ((kinds & (1 << events.kind[at]!)) === 0) return false;
  const flags = events.flags[at]!;
  return (
    (source === undefined || isEnd(source, flags & EVENT.source, events.sourceLow[at]!, events.sourceHigh[at]!)) &&
    (target === undefined || isEnd(target, flags & EVENT.target, events.targetLow[at]!, events.targetHigh[at]!))
  );
}

/** Narrows the range to the records between the first and last matching edge, if all branches of the trace were counted before. */
function withinEdges(trace: Trace, wanted: Ends): Pick<Ends, 'from' | 'to'> {
  const { from, to, source, target } = wanted;
  const edges = source === undefined || target === undefined ? undefined : countedEdges(trace);
  if (edges === undefined || edges.left.count > 0) return { from, to };
  let [first, last] = [Number.POSITIVE_INFINITY, -1];
  for (let at = 0; at < edges.count; at++) {
    if (!isEdge(edges, at, wanted)) continue;
    first = Math.min(first, edges.first[at]!);
    last = Math.max(last, edges.last[at]!);
  }
  return { from: Math.max(from, first), to: Math.min(to, last + 1) };
}

function isEdge(edges: Edges, at: number, { kinds, source, target }: Ends): boolean {
  const flags = edges.sort[at]! >>> SORT_FLAGS;
  if ((kinds & (1 << (edges.sort[at]! & 0xff))) === 0) return false;
  return (
    (source === undefined || isEnd(source, flags & EVENT.source, edges.sourceLow[at]!, edges.sourceHigh[at]!)) &&
    (target === undefined || isEnd(target, flags & EVENT.target, edges.targetLow[at]!, edges.targetHigh[at]!))
  );
}

function isEnd(wanted: End, known: number, low: number, high: number): boolean {
  return wanted.known ? known !== 0 && low === wanted.low && high === wanted.high : known === 0;
}

type Found = Pick<BranchEvents, 'events' | 'next'>;

async function firstOf(trace: Trace, wanted: Wanted, task: Task<FlowProgress>): Promise<Result<Found>> {
  const { from, to, count, inferred, handlers } = wanted;
  const events: BranchEvent[] = [];
  let highest = -1;
  let done = false;
  const walked = await walkFlow(trace, { from, to }, task, {
    take(part) {
      if (!handlers.suffice(part)) return false;
      if (inferred !== undefined) applyInferredKinds(part, inferred);
      doubtBranchesToHandlers(part, handlers);
      for (let at = 0; at < part.count; at++) {
        if (!isWanted(part, at, wanted)) continue;
        const n = part.record[at]!;
        // Records that run against time do so only within a sample. A record above all preceding ones begins the next sample.
        done = events.length > count && n > highest;
        if (done) break;
        highest = Math.max(highest, n);
        events.push(eventAt(trace, part, at));
      }
      return !done;
    },
    progress: (at) => task.report({ at, to }),
  });
  if (!walked.ok) return walked;
  return ok(
    cut(
      events.sort((a, b) => a.n - b.n),
      count,
      0,
    ),
  );
}

/** Keeps the first `count` events without splitting a record. `beyond` is added to the record at which the next page starts. */
function cut(events: readonly BranchEvent[], count: number, beyond: number): Found {
  if (events.length <= count) return { events, next: null };
  let end = count;
  while (end > 0 && events[end - 1]!.n === events[end]!.n) end--;
  // A record with more than `count` events is returned whole.
  if (end === 0) {
    end = count;
    while (end < events.length && events[end]!.n === events[0]!.n) end++;
  }
  const next = events[end];
  return { events: events.slice(0, end), next: next === undefined ? null : next.n + beyond };
}

/** Reads runs of blocks starting at the end. Within a run, events are only known in forward order. */
async function lastOf(trace: Trace, wanted: Wanted, task: Task<FlowProgress>): Promise<Result<Found>> {
  const { from, to, count, inferred, handlers } = wanted;
  const { blocks } = trace;
  const events: BranchEvent[] = [];
  let end = to;
  const missed = { any: false };
  while (end > from && events.length <= count && !missed.any) {
    const start = Math.max(from, blocks.firstRecord(blocks.blockOfRecord(end - 1)));
    const part: BranchEvent[] = [];
    const walked = await walkFlow(trace, { from: start, to: end }, task, {
      take(some) {
        missed.any = !handlers.suffice(some);
        if (missed.any) return false;
        if (inferred !== undefined) applyInferredKinds(some, inferred);
        doubtBranchesToHandlers(some, handlers);
        for (let at = 0; at < some.count; at++) if (isWanted(some, at, wanted)) part.push(eventAt(trace, some, at));
        return true;
      },
    });
    if (!walked.ok) return walked;
    events.push(...part.reverse().sort((a, b) => b.n - a.n));
    end = start;
    task.report({ at: start, to });
  }
  return ok(cut(events, count, 1));
}

function eventAt(trace: Trace, events: Events, at: number): BranchEvent {
  const flags = events.flags[at]!;
  const source =
    (flags & EVENT.source) === 0 ? undefined : toHex(joinAddress(events.sourceLow[at]!, events.sourceHigh[at]!));
  const target =
    (flags & EVENT.target) === 0 ? undefined : toHex(joinAddress(events.targetLow[at]!, events.targetHigh[at]!));
  const marks = marksOf(flags);
  const cpu = events.cpu[at]!;
  const size = events.operandSize[at]!;
  return {
    n: events.record[at]!,
    ...(source === undefined ? {} : { source }),
    ...(target === undefined ? {} : { target }),
    kind: BRANCH_KINDS[events.kind[at]!] ?? 'unknown',
    inferred: (flags & EVENT.inferred) !== 0,
    ...(size === 0 ? {} : { operandSize: size }),
    ...(cpu < 0 ? {} : { cpu }),
    ...symbols(trace, source, target),
    ...(marks.length === 0 ? {} : { flags: marks }),
  };
}
