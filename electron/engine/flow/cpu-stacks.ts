/**
 * The shadow stacks of all CPUs during one walk over branch events, counted in one tally. Optionally takes snapshots of the stacks at
 * block starts, so that later requests start near the record they are about.
 */
import type { AlikeEvents, Events, FlowRun } from '../../../shared/flow/events.ts';
import { lastNotAbove } from '../collections/ascending.ts';
import type { CallTally } from './tally/call-tally.ts';
import type { Functions } from './functions/functions.ts';
import type { SpanSink } from './tally/span-columns.ts';
import type { TopSink } from './tally/timeline.ts';
import { createShadowStack, type ShadowStack, type StackState } from './stack/shadow-stack.ts';
import type { DeferredTargets } from './interrupts/deferred-targets.ts';
import type { StackHistory } from './history/stack-history.ts';

export interface CpuStacks {
  readonly byCpu: ReadonlyMap<number, ShadowStack>;
  /** True once the executed instructions of a CPU were seen: its branches are not messages. */
  executed(): boolean;
  /** True once records of a CPU ran against time, as in samples that list the newest branch first. */
  backwards(): boolean;
  /** Begins at the first instruction that a CPU executes. */
  begin(cpu: number, low: number, high: number, record: number): void;
  /** Adds events; those of each CPU come in order. */
  add(events: Events): void;
  /** Counts instructions that a CPU executed after its last event. */
  ran(cpu: number, instructions: number): void;
  /** Ends all open calls at `record`. `ends`: the last instruction of CPUs before it, if the trace has executed instructions. */
  finish(record: number, ends: readonly Pick<FlowRun, 'cpu' | 'last'>[]): void;
}

export interface CpuStacksSettings {
  readonly functions: Functions;
  readonly tally: CallTally;
  /** True if messages contain instruction counts. */
  readonly counts: boolean;
  /** True if branches come as messages. If it is not known yet: they do until executed instructions are seen. */
  readonly messages?: boolean;
  /** Receives snapshots of all stacks. */
  readonly history?: StackHistory;
  /** Receives the targets of branches that interrupts hid. */
  readonly deferred?: DeferredTargets;
  readonly spans?: (cpu: number) => SpanSink | undefined;
  readonly tops?: (cpu: number) => TopSink | undefined;
}

/** `states`: the state that each CPU begins with. */
export function createCpuStacks(
  settings: CpuStacksSettings,
  states: ReadonlyMap<number, StackState> = new Map(),
): CpuStacks {
  const { functions, tally, counts, messages, history, deferred, spans, tops } = settings;
  const byCpu = new Map<number, ShadowStack>();
  let executed = false;
  let backwards = false;
  let [lastCpu, lastStack] = [Number.NaN, undefined as ShadowStack | undefined];
  let lastRecord = -1;
  /** Record of the last CPU's next snapshot. */
  let nextSnapshot = Number.POSITIVE_INFINITY;
  /** The distinct events whose numbers `branches` maps to numbers of the branch table, and the generation of that. */
  let mapped: Events | undefined;
  let branches = new Int32Array(0);
  let generation = -1;
  for (const [cpu, state] of states) byCpu.set(cpu, create(cpu, state));

  return {
    byCpu,
    executed: () => executed,
    backwards: () => backwards,
    begin(cpu, low, high, record) {
      executed = true;
      const stack = stackOf(cpu);
      stack.begin(low, high, record);
      if (history?.hasBegun(cpu) === false) save(cpu, stack, record);
    },
    add(events) {
      if (events.alike !== undefined) {
        addAlike(events, events.alike);
        return;
      }
      const { cpu: cpus, record: records, count } = events;
      for (let i = 0; i < count; i++) {
        const cpu = cpus[i]!;
        const record = records[i]!;
        const isSame = cpu === lastCpu && lastStack !== undefined;
        const stack = isSame ? lastStack! : stackOf(cpu);
        if (isSame && record < lastRecord) backwards = true;
        lastRecord = record;
        if (record >= nextSnapshot) save(cpu, stack, record);
        stack.add(events, i);
      }
    },
    ran(cpu, instructions) {
      stackOf(cpu).ran(instructions);
    },
    finish(record, ends) {
      const lastOf = new Map(ends.map(({ cpu, last }) => [cpu, last]));
      for (const [cpu, stack] of byCpu) {
        history?.save(cpu, stack.state(), record);
        stack.finish(record, lastOf.get(cpu));
      }
    },
  };

  /** Adds runs of events in one call if they share a CPU and no snapshot is due between them. */
  function addAlike(events: Events, { numbers, each: distinct, ascending = false }: AlikeEvents): void {
    const { count } = events;
    const records = events.record.subarray(0, count);
    const cpus = distinct.cpu;
    const isOneCpu = distinct.cpu.subarray(0, distinct.count).every((cpu) => cpu === distinct.cpu[0]);
    for (let at = 0; at < count;) {
      const cpu = cpus[numbers[at]!]!;
      const isSame = cpu === lastCpu && lastStack !== undefined;
      const stack = isSame ? lastStack! : stackOf(cpu);
      let record = records[at]!;
      if (isSame && record < lastRecord) backwards = true;
      if (record >= nextSnapshot) save(cpu, stack, record);
      let next = at + 1;
      if (isOneCpu && ascending) {
        next = Math.max(next, lastNotAbove(records, nextSnapshot - 1) + 1);
        record = records[next - 1]!;
      }
      for (; next < count && (isOneCpu || cpus[numbers[next]!] === cpu); next++) {
        const later = records[next]!;
        if (later >= nextSnapshot) break;
        if (later < record) backwards = true;
        record = later;
      }
      lastRecord = record;
      while (at < next) at = stack.addAlike(events, numbersOf(distinct), at, next);
    }
  }

  function numbersOf(distinct: Events): Int32Array {
    const known = functions.branches;
    while (mapped !== distinct || generation !== known.generation) {
      [mapped, generation] = [distinct, known.generation];
      if (branches.length < distinct.count) branches = new Int32Array(2 * distinct.count);
      for (let number = 0; number < distinct.count; number++) branches[number] = known.number(distinct, number);
    }
    return branches;
  }

  function stackOf(cpu: number): ShadowStack {
    const stack = byCpu.get(cpu) ?? create(cpu);
    [lastCpu, lastStack] = [cpu, stack];
    nextSnapshot = history?.nextSnapshot(cpu) ?? Number.POSITIVE_INFINITY;
    return stack;
  }

  /** Takes a snapshot of the last CPU's stack. */
  function save(cpu: number, stack: ShadowStack, record: number): void {
    history?.save(cpu, stack.state(), record);
    nextSnapshot = history?.nextSnapshot(cpu) ?? Number.POSITIVE_INFINITY;
  }

  function create(cpu: number, state?: StackState): ShadowStack {
    const sink = spans?.(cpu);
    const top = tops?.(cpu);
    const own = {
      functions,
      tally,
      messages: messages ?? !executed,
      counts: executed || counts,
      ...(sink === undefined ? {} : { spans: sink }),
      ...(top === undefined ? {} : { tops: top }),
      ...(history === undefined ? {} : { onCallerFound: history.callerReceiver(cpu) }),
      ...(deferred === undefined
        ? {}
        : { onHiddenTarget: deferred.targetsOf(cpu), onBranchTarget: deferred.branchesOf(cpu) }),
    };
    const stack = createShadowStack(own, state);
    byCpu.set(cpu, stack);
    return stack;
  }
}
