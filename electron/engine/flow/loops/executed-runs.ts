/**
 * Counts what loops are found from: back edges, the places at which control arrived by other branches, and straight runs of
 * instructions.
 *
 * A back edge is a taken jump to the same or a lower address of the same function. An interrupt or exception that returns to the address
 * that it interrupted does not end a straight run, and its return is no arrival.
 *
 * A count of a range starts with the state of each CPU at an earlier record, which the count of the whole trace left there. A straight run
 * that is partly in the range counts with that part.
 */
import { BRANCH, EVENT, type Events, type FlowRun } from '../../../../shared/flow/events.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { UNKNOWN, type Functions } from '../functions/functions.ts';
import { createPairs, joined, tableOf, UNKNOWN_COUNT, type GrowingPairs, type Pairs } from './pairs.ts';

export interface RunTables<P extends Pairs = Pairs> {
  /** Source and target of each back edge. */
  readonly backs: P;
  /** Target of every branch that is no back edge, as `to`; `from` is the same. Also where the trace begins. */
  readonly arrivals: P;
  /** First and last instruction of each straight run. */
  readonly runs: P;
}

/** Straight runs and back edges of all CPUs. */
export interface ExecutedRuns extends RunTables {
  /** Number of straight runs whose beginning or end is unknown: they are in no table. */
  readonly lost: number;
  /** Number of events without a row, because there are too many distinct ones. */
  readonly left: number;
  /** Number of instructions; of branches if the trace does not count instructions. */
  readonly cost: number;
  /** The CPUs that ran before the range; none for a whole trace. */
  readonly begun: readonly BegunCpu[];
}

/** Those of one CPU in the range. */
export interface BegunCpu extends RunTables {
  /** Places where control was directly before the range, with those of open calls and interrupts. */
  readonly before: readonly Place[];
}

export interface Place {
  readonly low: number;
  readonly high: number;
}

/** The state of all CPUs before a record, from which a range can be counted. */
export interface RunState {
  readonly record: RecordNumber;
  readonly cpus: ReadonlyMap<number, CpuState>;
  /** The end of each CPU's last straight run; none for messages. */
  readonly ends: readonly FlowRun[];
}

export interface RunCounter {
  begin(cpu: number, low: number, high: number, record: number): void;
  /** Adds events; those of each CPU come in order. */
  add(events: Events): void;
  /** Begins the range at a record, before any event of it was added. `ends`: the last straight run of each CPU up to there. */
  beginRange(record: RecordNumber, ends: readonly FlowRun[]): void;
  /** Leaves the state before a record that no event has reached. */
  leaveState(record: RecordNumber, ends: readonly FlowRun[]): void;
  /** Adds the last straight run of each CPU. */
  finish(ends: readonly FlowRun[]): ExecutedRuns;
  /** The states that were left, in order. Complete after `finish`. */
  readonly states: readonly RunState[];
}

export interface RunCounterSettings {
  readonly functions: Functions;
  /** True if events count instructions. */
  readonly counts: boolean;
  /** Counts only the events of the records [from, to). */
  readonly from?: RecordNumber;
  readonly to?: RecordNumber;
  /** State before the first event; by default nothing has run. */
  readonly state?: RunState;
}

/** Calls and interrupts per CPU that may still return, and how many of the latest a return is compared with. */
const MOST_OPEN = 1024;
const COMPARED = 32;

/** A straight run that has begun. */
interface Run {
  low: number;
  high: number;
  record: number;
  /** Instructions before an interrupt. */
  units: number;
  /** Instructions before the range, which its end counts as well. */
  before: number;
  isCut: boolean;
  isKnown: boolean;
  /** In the range, control comes to `low` without a branch. */
  arrives: boolean;
}

interface Open {
  readonly low: number;
  readonly high: number;
  /** The interrupted run; undefined for a call. */
  readonly run: Run | undefined;
  /** Where the run ends if nothing returns to it: the instruction that caused an exception, or the byte before the one that did not run. */
  readonly end: number;
}

interface CpuState {
  readonly run: Run;
  readonly open: readonly Open[];
}

interface Cpu {
  run: Run;
  open: Open[];
  readonly tables: RunTables<GrowingPairs>;
  readonly before: Place[];
  /** Number of states that contain this CPU, or that are from before its first instruction. */
  left: number;
  /** Record of the next state; Infinity without one. */
  due: number;
}

interface GrowingState extends RunState {
  readonly cpus: Map<number, CpuState>;
}

export function createRunCounter(settings: RunCounterSettings): RunCounter {
  const { functions, counts, from = 0, to = Number.POSITIVE_INFINITY, state } = settings;
  const cpus = new Map<number, Cpu>();
  const states: GrowingState[] = [];
  let lost = 0;
  let cost = 0;
  for (const [cpu, { run, open }] of state?.cpus ?? [])
    cpus.set(cpu, { ...createCpu(), run: { ...run }, open: [...open] });

  return {
    begin(number, low, high, record) {
      if (cpus.has(number)) return;
      const cpu = cpuOf(number, record);
      cpu.run = runFrom(low, high, record);
      if (isCounted(record)) cpu.tables.arrivals.add(high, low, low, record, false);
    },
    add(events) {
      const { alike, record } = events;
      const each = alike?.each ?? events;
      for (let i = 0; i < events.count; i++) addEvent(each, alike === undefined ? i : alike.numbers[i]!, record[i]!);
    },
    beginRange(record, ends) {
      const endOf = new Map(ends.map((end) => [end.cpu, end]));
      for (const [number, cpu] of cpus) cutAt(record, cpu, endOf.get(number));
    },
    leaveState(record, ends) {
      states.push({ record, cpus: new Map(), ends });
      for (const cpu of cpus.values()) cpu.due = Math.min(cpu.due, record);
    },
    finish(ends) {
      for (const { cpu: number, last, since } of ends) {
        const cpu = cpuOf(number, last.record);
        endRun(cpu, last.addressLow, last.addressHigh, since);
        cost += since;
      }
      for (const cpu of cpus.values()) endInterrupted(cpu, 0, true);
      for (const [number, cpu] of cpus) leaveStates(number, cpu, Number.POSITIVE_INFINITY);
      const all = [...cpus.values()];
      const backs = joined(all.map(({ tables }) => tables.backs));
      const arrivals = joined(all.map(({ tables }) => tables.arrivals));
      const runs = joined(all.map(({ tables }) => tables.runs));
      const left = backs.left + arrivals.left + runs.left;
      const begun = all
        .filter(({ before }) => before.length > 0)
        .map(({ before, tables }) => ({ before, ...tablesOf(tables) }));
      return { ...tablesOf({ backs, arrivals, runs }), lost, left, cost, begun };
    },
    states,
  };

  function isCounted(record: number): boolean {
    return record >= from && record < to;
  }

  function cpuOf(number: number, record: number): Cpu {
    let cpu = cpus.get(number);
    if (cpu === undefined) {
      const left = states.findLastIndex((each) => each.record <= record) + 1;
      cpu = { ...createCpu(), left, due: states[left]?.record ?? Number.POSITIVE_INFINITY };
      cpus.set(number, cpu);
    }
    return cpu;
  }

  /** Puts a CPU into the states from before a record. */
  function leaveStates(number: number, cpu: Cpu, record: number): void {
    for (let next = states[cpu.left]; next !== undefined && next.record <= record; next = states[cpu.left]) {
      next.cpus.set(number, { run: { ...cpu.run }, open: [...cpu.open] });
      cpu.left++;
    }
    cpu.due = states[cpu.left]?.record ?? Number.POSITIVE_INFINITY;
  }

  function addEvent(events: Events, at: number, record: number): void {
    const number = events.cpu[at]!;
    const cpu = cpuOf(number, record);
    if (record >= cpu.due) leaveStates(number, cpu, record);
    const isIn = isCounted(record);
    const flags = events.flags[at]!;
    const kind = events.kind[at]!;
    const hasSource = (flags & EVENT.source) !== 0;
    const hasTarget = (flags & EVENT.target) !== 0;
    if (isIn) cost += counts ? events.instructions[at]! : Number(kind !== BRANCH.sequential);
    if ((flags & (EVENT.gap | EVENT.granular)) !== 0) {
      if (isIn && cpu.run.isKnown) lost++;
      cpu.run = unknownRun();
      endInterrupted(cpu, 0, isIn);
      // After a gap the first instruction is known, but not how control came there.
      if ((flags & EVENT.granular) === 0 && hasTarget) startRun(cpu, events, at, record);
      return;
    }
    const isInterruption = kind === BRANCH.interrupt || kind === BRANCH.exception;
    const hasResume = (flags & EVENT.resume) !== 0;
    if (isInterruption && hasResume) {
      const { run } = cpu;
      const [low, high] = [events.resumeLow[at]!, events.resumeHigh[at]!];
      const end = kind === BRANCH.exception && hasSource ? events.sourceLow[at]! : low - 1;
      run.units += events.instructions[at]!;
      run.isCut = true;
      const open = { low, high, run, end };
      if (end === low && run.isKnown) {
        // The instruction runs once more after the exception that it caused.
        endOpen(cpu, open, isIn);
        push(cpu, { low, high, run: { ...runFrom(low, high, record), isCut: true }, end: low - 1 }, isIn);
      } else push(cpu, open, isIn);
    } else {
      if (hasSource) {
        if (isIn) endRun(cpu, events.sourceLow[at]!, events.sourceHigh[at]!, events.instructions[at]!);
      } else if (isIn && cpu.run.isKnown) lost++;
      if (kind === BRANCH.call && hasResume)
        push(cpu, { low: events.resumeLow[at]!, high: events.resumeHigh[at]!, run: undefined, end: 0 }, isIn);
    }
    cpu.run = unknownRun();
    if (!hasTarget) return;
    const low = events.targetLow[at]!;
    const high = events.targetHigh[at]!;
    // Some interrupts return by branches that look like others.
    const returned = kind === BRANCH.return || kind === BRANCH.unknown ? pop(cpu, low, high, isIn) : undefined;
    if (returned !== undefined) {
      cpu.run = returned;
      return;
    }
    startRun(cpu, events, at, record);
    if (!isIn) return;
    const isInferred = (flags & EVENT.inferred) !== 0;
    if (kind === BRANCH.jump && hasSource) {
      const source = events.sourceLow[at]!;
      if (events.sourceHigh[at] === high && low <= source && areInOneFunction(low, source, high)) {
        const isKnown = functions.owner(low, high) !== UNKNOWN && !functions.ownersInferred;
        cpu.tables.backs.add(high, source, low, record, isInferred || !isKnown);
        return;
      }
    }
    // A branch of unknown kind may be a back edge.
    cpu.tables.arrivals.add(high, low, low, record, isInferred || kind === BRANCH.unknown);
  }

  function areInOneFunction(low: number, source: number, high: number): boolean {
    const owner = functions.owner(low, high);
    return (
      owner === functions.owner(source, high) && (owner !== UNKNOWN || !functions.areApart(low, high, source, high))
    );
  }

  function startRun(cpu: Cpu, events: Events, at: number, record: number): void {
    cpu.run = runFrom(events.targetLow[at]!, events.targetHigh[at]!, record);
  }

  function endRun({ run, tables }: Cpu, low: number, high: number, units: number): void {
    // Nothing of it ran in the range.
    if (run.before > 0 && run.units + units <= run.before) return;
    if (!run.isKnown || run.high !== high || low < run.low) lost++;
    else addRun(tables, run, low, units, run.isCut);
  }

  function addRun({ arrivals, runs }: Cpu['tables'], run: Run, last: number, units: number, isCut: boolean): void {
    const own = run.units + units - run.before;
    const { low, high, record } = run;
    if (run.arrives) arrivals.add(high, low, low, record, false);
    runs.add(high, low, last, record, false, own, isCut ? UNKNOWN_COUNT : own);
  }

  function push(cpu: Cpu, open: Open, isIn: boolean): void {
    if (cpu.open.length >= MOST_OPEN) {
      const kept = cpu.open.slice(MOST_OPEN / 2);
      cpu.open.length = MOST_OPEN / 2;
      endInterrupted(cpu, 0, isIn);
      cpu.open = kept;
    }
    cpu.open.push(open);
  }

  /** Closes the latest call or interrupt that returns to the address; returns the run that it interrupted. */
  function pop(cpu: Cpu, low: number, high: number, isIn: boolean): Run | undefined {
    const { open } = cpu;
    for (let i = open.length - 1; i >= Math.max(0, open.length - COMPARED); i--) {
      if (open[i]!.low !== low || open[i]!.high !== high) continue;
      const { run } = open[i]!;
      endInterrupted(cpu, i + 1, isIn);
      open.length = i;
      return run;
    }
    return undefined;
  }

  /** Closes the calls and interrupts from `first` on, to which nothing returns. */
  function endInterrupted(cpu: Cpu, first: number, isIn: boolean): void {
    for (let i = first; i < cpu.open.length; i++) endOpen(cpu, cpu.open[i]!, isIn);
    cpu.open.length = Math.min(cpu.open.length, first);
  }

  function endOpen({ tables }: Cpu, { high, run, end }: Open, isIn: boolean): void {
    if (isIn && run?.isKnown === true && run.high === high && run.low <= end) addRun(tables, run, end, 0, true);
  }

  /** Forgets which part of the open runs of a CPU is before the range. */
  function cutAt(record: number, cpu: Cpu, end: FlowRun | undefined): void {
    const { run, before } = cpu;
    if (end !== undefined && end.since > 0) {
      const { addressLow, addressHigh, size } = end.last;
      before.push({ low: addressLow, high: addressHigh });
      cost -= end.since;
      const low = (addressLow + size) >>> 0;
      const isKnown = low > addressLow;
      cpu.run = { ...runFrom(low, addressHigh, record), before: end.since, isCut: true, isKnown, arrives: true };
    } else {
      if (run.isKnown) before.push({ low: run.low, high: run.high });
      run.record = Math.max(run.record, record);
    }
    cpu.open = cpu.open.map((open) => {
      const { low, high, run: interrupted } = open;
      before.push({ low: interrupted === undefined && low > 0 ? low - 1 : low, high });
      if (interrupted === undefined) return open;
      const arrives = interrupted.isKnown && interrupted.low !== low;
      return { low, high, run: { ...runFrom(low, high, record), isCut: true, arrives }, end: low - 1 };
    });
  }
}

function createCpu(): Cpu {
  const tables = { backs: createPairs(), arrivals: createPairs(), runs: createPairs() };
  return { run: unknownRun(), open: [], tables, before: [], left: 0, due: Number.POSITIVE_INFINITY };
}

function tablesOf({ backs, arrivals, runs }: Cpu['tables']): RunTables {
  return { backs: tableOf(backs), arrivals: tableOf(arrivals), runs: tableOf(runs) };
}

function runFrom(low: number, high: number, record: number): Run {
  return { low, high, record, units: 0, before: 0, isCut: false, isKnown: true, arrives: false };
}

function unknownRun(): Run {
  return { low: 0, high: 0, record: 0, units: 0, before: 0, isCut: false, isKnown: false, arrives: false };
}
