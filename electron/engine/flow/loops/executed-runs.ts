/**
 * Counts what loops are found from: back edges, the places at which control arrived by other branches, and straight runs of
 * instructions. Tables have a row for each distinct address or pair, so they grow with the code, not with the trace.
 *
 * A back edge is a taken jump to the same or a lower address of the same function. An interrupt or exception that returns to the address
 * that it interrupted does not end a straight run, and its return is no arrival.
 */
import { BRANCH, EVENT, type Events, type FlowRun } from '../../../../shared/flow/events.ts';
import { moveColumns } from '../../collections/columns.ts';
import { RowTable } from '../../collections/row-table.ts';
import { UNKNOWN, type Functions } from '../functions/functions.ts';

/** One row for each pair of addresses, which have the same upper half. */
export interface PairColumns {
  high: Uint32Array;
  from: Uint32Array;
  to: Uint32Array;
  times: Float64Array;
  /** Sum of the instructions of straight runs; 0 if the trace does not count them. */
  units: Float64Array;
  /**
   * Instructions of one straight run, if it is the same for all that no interrupt cut: UNKNOWN_COUNT without such a run, VARIED if they
   * differ, as with repeated instructions.
   */
  each: Float64Array;
  /** The lowest record at which one arrived at `to`, or of straight runs began. */
  first: Float64Array;
  /** 1 if one of the branches is inferred or of unknown kind, or no symbols show that both ends are in one function. */
  inferred: Uint8Array;
}

export const UNKNOWN_COUNT = -1;
const VARIED = -2;

export interface Pairs {
  readonly count: number;
  readonly columns: PairColumns;
}

export interface ExecutedRuns {
  /** Source and target of each back edge. */
  readonly backs: Pairs;
  /** Target of every branch that is no back edge, as `to`; `from` is the same. Also where the trace begins. */
  readonly arrivals: Pairs;
  /** First and last instruction of each straight run. */
  readonly runs: Pairs;
  /** Number of straight runs whose beginning or end is unknown: they are in no table. */
  readonly lost: number;
  /** Number of events without a row, because there are too many distinct ones. */
  readonly left: number;
}

export interface RunCounter {
  begin(cpu: number, low: number, high: number, record: number): void;
  /** Adds events; those of each CPU come in order. */
  add(events: Events): void;
  /** Adds the last straight run of each CPU. */
  finish(rests: readonly FlowRun[]): ExecutedRuns;
}

const MOST_PAIRS = 1 << 20;
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
  isCut: boolean;
  isKnown: boolean;
}

interface Open {
  readonly low: number;
  readonly high: number;
  /** The interrupted run; undefined for a call. */
  readonly run: Run | undefined;
}

interface Cpu {
  run: Run;
  open: Open[];
}

export function createRunCounter(functions: Functions): RunCounter {
  const backs = createPairs();
  const arrivals = createPairs();
  const runs = createPairs();
  const cpus = new Map<number, Cpu>();
  let lost = 0;

  return {
    begin(cpu, low, high, record) {
      cpuOf(cpu).run = { low, high, record, units: 0, isCut: false, isKnown: true };
      arrivals.add(high, low, low, record, false);
    },
    add(events) {
      const { alike, record } = events;
      const each = alike?.each ?? events;
      for (let i = 0; i < events.count; i++) addEvent(each, alike === undefined ? i : alike.numbers[i]!, record[i]!);
    },
    finish(rests) {
      for (const { cpu, last, since } of rests) endRun(cpuOf(cpu), last.addressLow, last.addressHigh, since);
      const left = backs.left + arrivals.left + runs.left;
      return { backs: tableOf(backs), arrivals: tableOf(arrivals), runs: tableOf(runs), lost, left };
    },
  };

  function cpuOf(number: number): Cpu {
    let cpu = cpus.get(number);
    if (cpu === undefined) cpus.set(number, (cpu = { run: unknownRun(), open: [] }));
    return cpu;
  }

  function addEvent(events: Events, at: number, record: number): void {
    const cpu = cpuOf(events.cpu[at]!);
    const flags = events.flags[at]!;
    const kind = events.kind[at]!;
    const hasSource = (flags & EVENT.source) !== 0;
    const hasTarget = (flags & EVENT.target) !== 0;
    if ((flags & (EVENT.gap | EVENT.granular)) !== 0) {
      if (cpu.run.isKnown) lost++;
      cpu.run = unknownRun();
      cpu.open = [];
      // After a gap the first instruction is known, but not how control came there.
      if ((flags & EVENT.granular) === 0 && hasTarget) startRun(cpu, events, at, record);
      return;
    }
    const isInterruption = kind === BRANCH.interrupt || kind === BRANCH.exception;
    const hasResume = (flags & EVENT.resume) !== 0;
    if (isInterruption && hasResume) {
      cpu.run.units += events.instructions[at]!;
      cpu.run.isCut = true;
      push(cpu, events.resumeLow[at]!, events.resumeHigh[at]!, cpu.run);
    } else {
      if (hasSource) endRun(cpu, events.sourceLow[at]!, events.sourceHigh[at]!, events.instructions[at]!);
      else if (cpu.run.isKnown) lost++;
      if (kind === BRANCH.call && hasResume) push(cpu, events.resumeLow[at]!, events.resumeHigh[at]!, undefined);
    }
    cpu.run = unknownRun();
    if (!hasTarget) return;
    const low = events.targetLow[at]!;
    const high = events.targetHigh[at]!;
    // Some interrupts return by branches that look like others.
    const returned = kind === BRANCH.return || kind === BRANCH.unknown ? pop(cpu, low, high) : undefined;
    if (returned !== undefined) {
      cpu.run = returned;
      return;
    }
    startRun(cpu, events, at, record);
    const isInferred = (flags & EVENT.inferred) !== 0;
    if (kind === BRANCH.jump && hasSource) {
      const source = events.sourceLow[at]!;
      if (events.sourceHigh[at] === high && low <= source && areInOneFunction(low, source, high)) {
        const isKnown = functions.owner(low, high) !== UNKNOWN && !functions.ownersInferred;
        backs.add(high, source, low, record, isInferred || !isKnown);
        return;
      }
    }
    // A branch of unknown kind may be a back edge.
    arrivals.add(high, low, low, record, isInferred || kind === BRANCH.unknown);
  }

  function areInOneFunction(low: number, source: number, high: number): boolean {
    const owner = functions.owner(low, high);
    return (
      owner === functions.owner(source, high) && (owner !== UNKNOWN || !functions.areApart(low, high, source, high))
    );
  }

  function startRun(cpu: Cpu, events: Events, at: number, record: number): void {
    cpu.run = {
      low: events.targetLow[at]!,
      high: events.targetHigh[at]!,
      record,
      units: 0,
      isCut: false,
      isKnown: true,
    };
  }

  function endRun({ run }: Cpu, low: number, high: number, units: number): void {
    if (!run.isKnown || run.high !== high || low < run.low) lost++;
    else runs.add(high, run.low, low, run.record, false, run.units + units, run.isCut ? UNKNOWN_COUNT : units);
  }
}

function unknownRun(): Run {
  return { low: 0, high: 0, record: 0, units: 0, isCut: false, isKnown: false };
}

function push({ open }: Cpu, low: number, high: number, run: Run | undefined): void {
  if (open.length >= MOST_OPEN) open.splice(0, MOST_OPEN / 2);
  open.push({ low, high, run });
}

/** Closes the latest call or interrupt that returns to the address; returns the run that it interrupted. */
function pop({ open }: Cpu, low: number, high: number): Run | undefined {
  for (let i = open.length - 1; i >= Math.max(0, open.length - COMPARED); i--) {
    if (open[i]!.low !== low || open[i]!.high !== high) continue;
    const { run } = open[i]!;
    open.length = i;
    return run;
  }
  return undefined;
}

interface GrowingPairs extends Pairs {
  readonly left: number;
  add(high: number, from: number, to: number, record: number, inferred: boolean, units?: number, each?: number): void;
}

function createPairs(): GrowingPairs {
  const columns = createColumns(256);
  const rows = new RowTable(256);
  const list = {
    count: 0,
    left: 0,
    columns,
    add(high: number, from: number, to: number, record: number, inferred: boolean, units = 0, each = UNKNOWN_COUNT) {
      let row = rowOf(rows, columns, high, from, to);
      if (row < 0) {
        if (list.count === MOST_PAIRS) {
          list.left++;
          return;
        }
        if (list.count === columns.high.length) moveColumns(columns, createColumns(2 * list.count));
        row = rows.add(hashOf(high, from, to));
        list.count++;
        columns.high[row] = high;
        columns.from[row] = from;
        columns.to[row] = to;
        columns.first[row] = record;
        columns.each[row] = each;
      }
      columns.times[row]!++;
      columns.units[row]! += units;
      if (record < columns.first[row]!) columns.first[row] = record;
      if (inferred) columns.inferred[row] = 1;
      if (each === UNKNOWN_COUNT || columns.each[row] === each) return;
      columns.each[row] = columns.each[row] === UNKNOWN_COUNT ? each : VARIED;
    },
  };
  return list;
}

function hashOf(high: number, from: number, to: number): number {
  const hash = Math.imul(Math.imul(from, 0x9e3779b1) ^ to, 0x85ebca6b) ^ high;
  return hash ^ (hash >>> 15);
}

/** Returns the row of a pair; below 0 if it has none. */
function rowOf(rows: RowTable, columns: PairColumns, high: number, from: number, to: number): number {
  let row = rows.first(hashOf(high, from, to));
  while (row >= 0 && (columns.from[row] !== from || columns.to[row] !== to || columns.high[row] !== high))
    row = rows.next();
  return row;
}

/** Returns a function that finds the instructions between two addresses, both included: below 0 if they are unknown. */
export function countsOf({ count, columns }: Pairs): (high: number, from: number, to: number) => number {
  const rows = new RowTable(256);
  for (let row = 0; row < count; row++) {
    const [high, from, to] = [columns.high[row]!, columns.from[row]!, columns.to[row]!];
    if (rowOf(rows, columns, high, from, to) < 0) rows.add(hashOf(high, from, to));
  }
  return (high, from, to) => {
    const row = rowOf(rows, columns, high, from, to);
    return row < 0 ? UNKNOWN_COUNT : columns.each[row]!;
  };
}

function createColumns(capacity: number): PairColumns {
  return {
    high: new Uint32Array(capacity),
    from: new Uint32Array(capacity),
    to: new Uint32Array(capacity),
    times: new Float64Array(capacity),
    units: new Float64Array(capacity),
    each: new Float64Array(capacity),
    first: new Float64Array(capacity),
    inferred: new Uint8Array(capacity),
  };
}

function tableOf({ count, columns }: GrowingPairs): Pairs {
  return { count, columns };
}
