/**
 * The entry point to the calls of a trace: those of all records (`knownCalls`), those of a range (`callsOf`), and the open calls at
 * a record (`statesAt`). All records are walked over once, and the result is cached and kept in the index. Without symbols, or for
 * messages of unknown kinds, a survey walks over the trace first. If interrupts hid targets other than the assumed ones, the trace is
 * walked over again with the targets known.
 */
import { BRANCH, EVENT, type Events, type FlowRun } from '../../../shared/flow/events.ts';
import type { FlowProgress } from '../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import type { CallEdges } from './tally/call-edges.ts';
import { createCpuStacks, type CpuStacks } from './cpu-stacks.ts';
import { createCallTally, type CallCounts } from './tally/call-tally.ts';
import { createFunctions, ENTRY, type Functions } from './functions/functions.ts';
import { markInterruptHandlers, type Handlers } from './interrupts/handlers.ts';
import { createDeferredTargets, type DeferredTargets } from './interrupts/deferred-targets.ts';
import { resolveAlike, resolveDeferredTargets, type WholeTraceFacts } from './interrupts/whole-trace-facts.ts';
import type { InferredKinds } from './infer/infer-kinds.ts';
import { inferKindsOf, inferredKinds } from './infer/inferred-kinds.ts';
import { STORED_CALLS, type KnownCalls, type Rest } from './known-calls.ts';
import { createStackHistory, type StackHistory } from './history/stack-history.ts';
import { createSharedWork, type SharedWork } from '../threads/shared-work.ts';
import { FRAME } from './stack/frames.ts';
import type { StackState } from './stack/shadow-stack.ts';
import { createLongestStays } from './tally/longest-stays.ts';
import { createSpanColumns, type SpanColumns, type SpanSink } from './tally/span-columns.ts';
import { mainPhases } from './tally/phases.ts';
import { createTimeline, type TimelineSink, type TopSink } from './tally/timeline.ts';
import { endsBefore } from './events/look-back.ts';
import { walkFlow, type FlowVisitor, type WalkedRange } from './events/walk.ts';
import { createWholeTraceResult } from './whole-trace.ts';
import { withHandlers } from './interrupts/with-handlers.ts';

export type { KnownCalls } from './known-calls.ts';

/** Receivers of the calls within a range. */
export interface CallSinks {
  readonly spans?: (cpu: number) => SpanSink | undefined;
  readonly tops?: (cpu: number) => TopSink | undefined;
  /** Replaces the counter of edges. */
  readonly edges?: CallEdges;
}

/** Calls within a range of records. Everything but the tally is about the whole trace. */
export interface RangeCalls extends Pick<KnownCalls, 'functions' | 'history' | 'unit' | 'messages' | 'inferred'> {
  readonly tally: CallCounts;
}

/** Numbers of columns for which the spans of the whole trace are kept. */
export const SPAN_COLUMNS = [4096, 2048, 1024, 512] as const;
/** Number of columns of a timeline, unless these would have too many functions. */
export const TIMELINE_COLUMNS = 1024;
/** If the trace has more CPUs, spans and timelines are not kept. */
const MOST_LISTS = 16;
/** If so many branches contain no call, the trace does not mark calls. Identical branches of a block count once. */
const MANY_BRANCHES = 1 << 17;
/** Upper bound on the walks over all records: hidden targets that one finds may reveal further ones in the next. */
const MOST_WALKS = 3;

const KNOWN = createWholeTraceResult(STORED_CALLS);
/** The latest walk over all records of a trace; it may have ended. */
const WALKS = new WeakMap<Trace, SharedWork<KnownCalls, FlowProgress>>();

/** Returns the calls of all records. Requests that arrive during a walk wait for its result. */
export async function knownCalls(trace: Trace, task: Task<FlowProgress>): Promise<Result<KnownCalls>> {
  const known = KNOWN.get(trace);
  if (known !== undefined) return ok(known);
  const { records } = trace.blocks;
  const running = WALKS.get(trace);
  const walk =
    running === undefined || running.ended
      ? createSharedWork<KnownCalls, FlowProgress>((own) => walkAll(trace, own))
      : running;
  WALKS.set(trace, walk);
  const found = await walk.wait(task);
  // A walk that began earlier, while the index was shorter, lacks records of this request.
  return found.ok && found.value.records < records ? knownCalls(trace, task) : found;
}

async function walkAll(trace: Trace, task: Task<FlowProgress>): Promise<Result<KnownCalls>> {
  const records = trace.blocks.records;
  const known = await withHandlers(trace, records, task, (handlers) => findCalls(trace, handlers, records, task));
  if (known.ok) KNOWN.set(trace, records, known.value);
  return known;
}

async function findCalls(
  trace: Trace,
  handlers: Handlers,
  records: RecordNumber,
  task: Task<FlowProgress>,
): Promise<Result<KnownCalls>> {
  const functions = createFunctions(trace.images);
  const surveyed = await survey(trace, functions, handlers, records, task);
  if (!surveyed.ok) return surveyed;
  const deferred = createDeferredTargets();
  const facts: WholeTraceFacts = { inferred: surveyed.value, deferred, handlers };
  let walked = await walkRecords(trace, functions, records, facts, task);
  for (let walks = 1, seen = 0; walked.ok && deferred.corrections() > seen && walks < MOST_WALKS; walks++) {
    seen = deferred.corrections();
    walked = await walkRecords(trace, functions, records, facts, task);
  }
  return walked.ok ? ok({ records, functions, ...walked.value, ...facts }) : walked;
}

type WalkedCalls = Pick<
  KnownCalls,
  'tally' | 'history' | 'unit' | 'messages' | 'backwards' | 'rests' | 'overTime' | 'longest'
>;

/** Walks over the first `records` records. Targets that interrupts hid are added to `facts.deferred`. */
async function walkRecords(
  trace: Trace,
  functions: Functions,
  records: RecordNumber,
  facts: WholeTraceFacts,
  task: Task<FlowProgress>,
): Promise<Result<WalkedCalls>> {
  const tally = createCallTally();
  const history = createStackHistory(trace.blocks);
  const counts = trace.reader.decoder.flow?.counts === true;
  const lists = new Map<number, { readonly spans: SpanColumns; readonly tops: TimelineSink }>();
  const longest = createLongestStays(0, records);
  const spans = (cpu: number): SpanSink => {
    const list = listsOf(cpu)?.spans;
    return {
      add(fn, depth, from, to) {
        list?.add(fn, depth, from, to);
        longest.add(fn, from, to);
      },
    };
  };
  const listsOf = (cpu: number): { readonly spans: SpanColumns; readonly tops: TimelineSink } | undefined => {
    const known = lists.get(cpu);
    if (known !== undefined || lists.size > MOST_LISTS) return known;
    const created = {
      spans: createSpanColumns(0, records, SPAN_COLUMNS),
      tops: createTimeline(0, records, TIMELINE_COLUMNS),
    };
    lists.set(cpu, created);
    return created;
  };
  const stacks = createCpuStacks({
    functions,
    tally,
    counts,
    history,
    deferred: facts.deferred,
    spans,
    tops: (cpu) => listsOf(cpu)?.tops,
  });
  const walked = await walkEvents(trace, stacks, { from: 0, to: records }, facts, task);
  if (!walked.ok) return walked;
  const rests = walked.value.map(({ cpu, since, last }) => ({ cpu, instructions: since, record: last.record }));
  const messages = !stacks.executed();
  finish(stacks, { from: 0, to: records }, rests, endsOf({ messages }, walked.value));
  const unit = counts || !messages ? 'instructions' : 'branches';
  const overTime =
    lists.size > MOST_LISTS
      ? undefined
      : new Map(
          [...lists].map(([cpu, list]) => {
            const timeline = list.tops.timeline();
            return [cpu, { spans: list.spans.tables(), timeline, phases: mainPhases(timeline) }];
          }),
        );
  const { columns } = longest;
  return ok({ tally, history, unit, messages, backwards: stacks.backwards(), rests, overTime, longest: columns });
}

/**
 * Returns the calls of the records [from, to). The sinks of each CPU receive the stays of frames in functions, and the innermost
 * functions. With sinks the range is walked over, even if it is the whole trace.
 */
export async function callsOf(
  trace: Trace,
  { from, to }: { readonly from: RecordNumber; readonly to: RecordNumber },
  task: Task<FlowProgress>,
  sinks?: CallSinks,
): Promise<Result<RangeCalls>> {
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  const { functions, history, unit, messages, inferred, records } = known.value;
  if (from === 0 && to === records && sinks === undefined) return known;
  const states = await statesAt(trace, known.value, from, task);
  if (!states.ok) return states;
  const { edges, ...streams } = sinks ?? {};
  const tally = edges === undefined ? createCallTally() : { ...createCallTally(), edges };
  const counts = unit === 'instructions';
  const settings = { functions, tally, counts, messages, ...streams };
  const stacks = createCpuStacks(settings, states.value);
  const walked =
    sinks === undefined
      ? await walkEvents(trace, stacks, { from, to }, known.value, task)
      : await walkTo(trace, stacks, { from, to }, known.value, [], task);
  if (!walked.ok) return walked;
  finish(stacks, { from, to }, known.value.rests, sinks === undefined ? [] : walked.value);
  return ok({ functions, tally, history, unit, messages, inferred });
}

/** Returns the state of each CPU's stack before its first event at or after `at`. */
export async function statesAt(
  trace: Trace,
  known: KnownCalls,
  at: RecordNumber,
  task: Task<FlowProgress>,
): Promise<Result<ReadonlyMap<number, StackState>>> {
  const { functions, history, unit, messages } = known;
  const { blocks } = trace;
  if (at <= 0 || blocks.records === 0) return ok(new Map());
  let start = blocks.firstRecord(blocks.blockOfRecord(Math.min(at, blocks.records - 1)));
  let states = snapshotsAt(history, start);
  // Snapshots were taken before handlers returned. Walking from before such an interrupt finds what it interrupted.
  for (let hidden; (hidden = firstHidden(states, known.deferred, start)) !== undefined;) {
    start = blocks.firstRecord(blocks.blockOfRecord(hidden));
    states = snapshotsAt(history, start);
  }
  const settings = { functions, tally: createCallTally(), counts: unit === 'instructions', messages };
  const stacks = createCpuStacks(settings, states);
  const walked = await walkEvents(trace, stacks, { from: start, to: at }, known, task);
  if (!walked.ok) return walked;
  return ok(new Map([...stacks.byCpu].map(([cpu, stack]) => [cpu, stack.state()])));
}

function snapshotsAt(history: StackHistory, start: RecordNumber): ReadonlyMap<number, StackState> {
  return new Map(history.cpus().map((cpu) => [cpu, history.at(cpu, start)]));
}

/**
 * Returns the record of the first interrupt before `start` that is open and whose source only the return of its handler shows; undefined if
 * there is none.
 */
function firstHidden(
  states: ReadonlyMap<number, StackState>,
  deferred: DeferredTargets,
  start: RecordNumber,
): RecordNumber | undefined {
  if (deferred.isEmpty()) return undefined;
  let first = start;
  for (const [cpu, { frames, suspended }] of states) {
    for (const { columns, count } of [frames, ...suspended]) {
      for (let frame = 0; frame < count; frame++) {
        if ((columns.known[frame]! & FRAME.site) !== 0 || columns.entered[frame] !== ENTRY.interrupt) continue;
        const record = columns.called[frame]!;
        if (record < first && deferred.has(cpu, record)) first = record;
      }
    }
  }
  return first < start ? first : undefined;
}

type EventCounter = Pick<CpuStacks, 'begin' | 'add'>;

/** Adds all events of a range to a counter, such as the stacks. Returns the end of each CPU's last straight run. */
export async function walkEvents(
  trace: Trace,
  counter: EventCounter & Pick<FlowVisitor, 'reached' | 'part'>,
  range: WalkedRange,
  facts: WholeTraceFacts,
  task: Task<FlowProgress>,
): Promise<Result<readonly FlowRun[]>> {
  return walkFlow(trace, range, task, {
    reading: 'lean',
    begin(cpu, { record, addressLow, addressHigh }) {
      if (record < range.to) counter.begin(cpu, addressLow, addressHigh, record);
    },
    take(events) {
      if (!facts.handlers.suffice(events)) return false;
      counter.add(resolveAlike(events, facts) ? events : resolveDeferredTargets(events, facts));
      return true;
    },
    progress: (at) => task.progress(() => ({ at, to: range.to })),
    ...(counter.reached && { reached: counter.reached }),
    ...(counter.part !== undefined && { part: counter.part }),
  });
}

/**
 * The same, with the last straight run of each CPU at the end of the range: of its instructions before `to`, also if the run goes on. `ends`:
 * those before the range. None for traces of messages.
 */
export async function walkTo(
  trace: Trace,
  counter: EventCounter & Pick<FlowVisitor, 'part'>,
  range: WalkedRange,
  known: WholeTraceFacts & Pick<KnownCalls, 'messages'>,
  ends: readonly FlowRun[],
  task: Task<FlowProgress>,
): Promise<Result<readonly FlowRun[]>> {
  if (range.from >= range.to) return ok(ends);
  const byCpu = new Map(ends.map((end) => [end.cpu, end]));
  const reached = (_at: RecordNumber, its: () => readonly FlowRun[]): void => {
    for (const end of endsOf(known, its())) byCpu.set(end.cpu, end);
  };
  const { begin, add, part } = counter;
  const own = { begin, add, reached, ...(part !== undefined && { part }) };
  const walked = await walkEvents(trace, own, range, known, task);
  if (!walked.ok) return walked;
  if (known.messages) return ok([]);
  const last = await endsBefore(trace, range.to, task);
  if (!last.ok) return last;
  for (const end of last.value) byCpu.set(end.cpu, end);
  return ok([...byCpu.values()]);
}

export function endsOf({ messages }: Pick<KnownCalls, 'messages'>, ends: readonly FlowRun[]): readonly FlowRun[] {
  return messages ? [] : ends.filter(({ last }) => last.size > 0);
}

/** Instructions count with the branch that follows them. Those without one count in the range that contains the last of them. */
function finish(stacks: CpuStacks, { from, to }: WalkedRange, rests: readonly Rest[], ends: readonly FlowRun[]): void {
  for (const { cpu, instructions, record } of rests) if (record >= from && record < to) stacks.ran(cpu, instructions);
  stacks.finish(to, ends);
}

/** Finds the entry points of functions and, if the trace does not mark calls, infers which branches are calls. */
async function survey(
  trace: Trace,
  functions: Functions,
  handlers: Handlers,
  records: RecordNumber,
  task: Task<FlowProgress>,
): Promise<Result<InferredKinds | undefined>> {
  const hasSymbols = trace.images.list.some(({ symbols }) => symbols.count > 0);
  const kinds = await inferredKinds(trace, records, task);
  if (!kinds.ok) return kinds;
  if (kinds.value !== undefined) {
    noteEntered(kinds.value, functions, hasSymbols);
    return kinds;
  }
  const seen: { calls: boolean; branches: number; each?: Events } = { calls: false, branches: 0 };
  const deferred = createDeferredTargets();
  const walked = await walkFlow(trace, { from: 0, to: records }, task, {
    reading: 'once',
    take(all) {
      if (!handlers.suffice(all)) return false;
      const events = markInterruptHandlers(all, handlers, deferred);
      seen.branches += events.count;
      const those = events.alike?.each ?? events;
      if (those !== seen.each && noteCalls(those, functions, !hasSymbols)) seen.calls = true;
      seen.each = those;
      return !hasSymbols || !(seen.calls || seen.branches >= MANY_BRANCHES);
    },
  });
  if (!walked.ok) return walked;
  if (seen.calls) return ok(undefined);
  const inferred = await inferKindsOf(trace, records, task, (events) =>
    markInterruptHandlers(events, handlers, deferred),
  );
  if (inferred.ok) noteEntered(inferred.value, functions, hasSymbols);
  return inferred;
}

function noteEntered({ entered, bodies }: InferredKinds, functions: Functions, hasSymbols: boolean): void {
  if (!hasSymbols) functions.setBodies(bodies);
  for (const [low, high] of entered) functions.noteCall(low, high, 'call', -1);
}

/** Notes the functions that calls enter; returns true if there is a call. */
function noteCalls(events: Events, functions: Functions, note: boolean): boolean {
  let any = false;
  for (let i = 0; i < events.count; i++) {
    const kind = events.kind[i]!;
    if (kind !== BRANCH.call && kind !== BRANCH.exception && kind !== BRANCH.interrupt) continue;
    if (kind === BRANCH.call) any = true;
    // It may be a return (see isReturnTakenForException in shadow-stack.ts).
    const isUncertain = (events.flags[i]! & (EVENT.source | EVENT.resume | EVENT.inferred)) === EVENT.inferred;
    if (kind === BRANCH.exception && isUncertain) continue;
    if (note && (events.flags[i]! & EVENT.target) !== 0) {
      functions.noteCall(events.targetLow[i]!, events.targetHigh[i]!, nameOf(kind), -1);
    }
  }
  return any;
}

function nameOf(kind: number): 'call' | 'exception' | 'interrupt' {
  return kind === BRANCH.call ? 'call' : kind === BRANCH.exception ? 'exception' : 'interrupt';
}
