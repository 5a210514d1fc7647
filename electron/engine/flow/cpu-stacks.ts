/**
 * The open calls of all cpus along a walk, counted in one tally. On the way it keeps stacks by record, so that later questions
 * start near where they look.
 */
import type { AlikeEvents, Events } from '../../../shared/flow/events.ts';
import { lastNotAbove } from '../collections/ascending.ts';
import type { CallTally } from './tally/call-tally.ts';
import type { Functions } from './functions/functions.ts';
import type { SpanSink } from './tally/span-list.ts';
import { createShadowStack, type ShadowStack, type StackState } from './stack/shadow-stack.ts';
import type { Settled } from './interrupts/deferred-targets.ts';
import type { StackHistory } from './history/stack-history.ts';

export interface CallFold {
  readonly stacks: ReadonlyMap<number, ShadowStack>;
  /** True once a cpu told what it executed: its branches are no messages then. */
  executed(): boolean;
  /** True once records of a cpu ran against time, as in samples that tell the newest branch first. */
  backwards(): boolean;
  begin(cpu: number, low: number, high: number, record: number): void;
  /** Events in the order of each cpu. */
  add(events: Events): void;
  /** Instructions that a cpu executed after its last event. */
  ran(cpu: number, instructions: number): void;
  /** All that is open ends at `record`. */
  finish(record: number): void;
}

export interface FoldSettings {
  readonly functions: Functions;
  readonly tally: CallTally;
  /** Messages count instructions. */
  readonly counts: boolean;
  /** Branches come as messages; where that is not known yet they do until a cpu tells what it executed. */
  readonly messages?: boolean;
  /** Told all stacks as they go along. */
  readonly history?: StackHistory;
  /** Learns where branches went that interrupts hid. */
  readonly settled?: Settled;
  readonly spans?: (cpu: number) => SpanSink;
}

/** `states`: how each cpu begins. */
export function createCallFold(settings: FoldSettings, states: ReadonlyMap<number, StackState> = new Map()): CallFold {
  const { functions, tally, counts, messages, history, settled, spans } = settings;
  const stacks = new Map<number, ShadowStack>();
  let executed = false;
  let backwards = false;
  let [lastCpu, lastStack] = [Number.NaN, undefined as ShadowStack | undefined];
  let lastRecord = -1;
  /** The record from which on the last cpu's stack is kept before an event. */
  let until = Number.POSITIVE_INFINITY;
  /** Of the events that were added last: by number, the number that `functions` has for such a branch. */
  let each: Events | undefined;
  let branches = new Int32Array(0);
  let generation = -1;
  for (const [cpu, state] of states) stacks.set(cpu, create(cpu, state));

  return {
    stacks,
    executed: () => executed,
    backwards: () => backwards,
    begin(cpu, low, high, record) {
      executed = true;
      const stack = stackOf(cpu);
      stack.begin(low, high, record);
      if (history?.hasBegun(cpu) === false) keep(cpu, stack, record);
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
        if (record >= until) keep(cpu, stack, record);
        stack.add(events, i);
      }
    },
    ran(cpu, instructions) {
      stackOf(cpu).ran(instructions);
    },
    finish(record) {
      for (const [cpu, stack] of stacks) {
        history?.save(cpu, stack.state(), record);
        stack.finish(record);
      }
    },
  };

  /** Hands on at once what is of one cpu, and lies between two stacks that are kept. */
  function addAlike(events: Events, { numbers, each: those, ascending = false }: AlikeEvents): void {
    const { count } = events;
    const records = events.record.subarray(0, count);
    const cpus = those.cpu;
    const isOfOne = those.cpu.subarray(0, those.count).every((cpu) => cpu === those.cpu[0]);
    for (let at = 0; at < count;) {
      const cpu = cpus[numbers[at]!]!;
      const isSame = cpu === lastCpu && lastStack !== undefined;
      const stack = isSame ? lastStack! : stackOf(cpu);
      let record = records[at]!;
      if (isSame && record < lastRecord) backwards = true;
      if (record >= until) keep(cpu, stack, record);
      let next = at + 1;
      if (isOfOne && ascending) {
        next = Math.max(next, lastNotAbove(records, until - 1) + 1);
        record = records[next - 1]!;
      }
      for (; next < count && (isOfOne || cpus[numbers[next]!] === cpu); next++) {
        const later = records[next]!;
        if (later >= until) break;
        if (later < record) backwards = true;
        record = later;
      }
      lastRecord = record;
      while (at < next) at = stack.addAlike(events, numbersOf(those), at, next);
    }
  }

  function numbersOf(those: Events): Int32Array {
    const known = functions.branches;
    while (each !== those || generation !== known.generation) {
      [each, generation] = [those, known.generation];
      if (branches.length < those.count) branches = new Int32Array(2 * those.count);
      for (let number = 0; number < those.count; number++) branches[number] = known.number(those, number);
    }
    return branches;
  }

  function stackOf(cpu: number): ShadowStack {
    const stack = stacks.get(cpu) ?? create(cpu);
    [lastCpu, lastStack] = [cpu, stack];
    until = history?.nextSnapshot(cpu) ?? Number.POSITIVE_INFINITY;
    return stack;
  }

  /** Of the last cpu. */
  function keep(cpu: number, stack: ShadowStack, record: number): void {
    history?.save(cpu, stack.state(), record);
    until = history?.nextSnapshot(cpu) ?? Number.POSITIVE_INFINITY;
  }

  function create(cpu: number, state?: StackState): ShadowStack {
    const sink = spans?.(cpu);
    const own = {
      functions,
      tally,
      messages: messages ?? !executed,
      counts: executed || counts,
      ...(sink === undefined ? {} : { spans: sink }),
      ...(history === undefined ? {} : { onCallerFound: history.callerReceiver(cpu) }),
      ...(settled === undefined ? {} : { onHiddenTarget: settled.of(cpu), onBranchTarget: settled.branch(cpu) }),
    };
    const stack = createShadowStack(own, state);
    stacks.set(cpu, stack);
    return stack;
  }
}
