/**
 * Reads events from traces of executed instructions: where the next instruction of a cpu is not right behind the last one, the
 * trace is asked what the last one was. All others cost a few comparisons.
 *
 * A call to the very next instruction breaks no sequence: each instruction is asked once whether it may be one.
 */
import type { Batch } from '../batch.ts';
import {
  BRANCH,
  createEvents,
  NO_BRANCH,
  packEvents,
  type Events,
  type FlowPoint,
  type FlowRun,
  type FlowStretch,
  type JoinedRun,
} from '../flow.ts';
import type { FlowReader, Window } from '../format.ts';
import { KIND } from '../record.ts';
import { classify, createCode, type Code } from './classify.ts';
import { createKnownCodes } from './known-codes.ts';
import { createPoint, POINT, type Point } from './point.ts';
import { putTransition, vectorOf, type Telling } from './transition.ts';

/** What the reader asks a format of its rows. */
export interface InstructionSource {
  /** What the instruction of a row is. Answers the bits of its mode for `POINT`, already in place; 0 where nothing is told. */
  code(window: Window, batch: Batch, row: number, code: Code): number;
  /** Bytes at the end of the record read last that say all that `code` told of it, but for its address. */
  tail(): number;
  /** POINT.exception or POINT.interrupt where a record that is no instruction tells that one was taken, else 0. */
  noted?(window: Window, batch: Batch, row: number): number;
}

const INSTRUCTION = KIND.instruction;
const SKIPPED = KIND.skipped;

/** What is known of a cpu within the stretch. Rows are those of the batch that is read; -1 where it is in none. */
interface Cpu {
  readonly cpu: number;
  readonly first: Point;
  second: FlowPoint | undefined;
  /** 1 while only `first` was seen. */
  seen: 1 | 2;
  lastRow: number;
  beforeRow: number;
  /** The last instruction where lastRow is -1, and what ran right before it where beforeRow is; its record is -1 where nothing did. */
  readonly last: Point;
  readonly before: Point;
  /** Instructions since the last event. */
  since: number;
  /** Where the next instruction lies if nothing branches. */
  nextLow: number;
  nextHigh: number;
  /** The last instruction may be a call to the one behind it. */
  mayCallNext: boolean;
  /** Marks that records behind the last instruction make. */
  noted: number;
}

export function createInstructionReader(source: InstructionSource): FlowReader {
  const events = createEvents();
  const cpus = new Map<number, Cpu>();
  const code = createCode();
  const known = createKnownCodes();
  const telling: Telling = { events, cpu: 0, since: 0 };
  const next = createPoint();
  const asked = createPoint();
  /** Lower halves of addresses of instructions that are no calls to the next one. */
  const elsewhere = new Uint32Array(PLACES).fill(NOWHERE);
  /** Of cpus that were not seen yet: marks that records before their first instruction make. */
  const notedBefore = new Map<number, number>();
  return { add, finish, join, end: () => undefined };

  function add(window: Window, batch: Batch): void {
    const { kind, count, cpu: numbers, addressLow: lows, addressHigh: highs, size: sizes } = batch;
    let cpu: Cpu | undefined;
    for (let row = 0; row < count; row++) {
      const its = kind[row]!;
      if (its !== INSTRUCTION && its !== SKIPPED) {
        if (its === KIND.exception || its === KIND.event) note(window, batch, row);
        continue;
      }
      const number = numbers[row]!;
      if (cpu?.cpu !== number) {
        cpu = cpus.get(number);
        if (cpu === undefined) {
          cpu = begin(window, batch, row);
          continue;
        }
      }
      const low = lows[row]!;
      const high = highs[row]!;
      const { lastRow } = cpu;
      if (low !== cpu.nextLow || high !== cpu.nextHigh || cpu.mayCallNext) putBreak(window, batch, row, cpu);
      if (lastRow < 0) Object.assign(cpu.before, cpu.last);
      cpu.beforeRow = lastRow;
      cpu.lastRow = row;
      cpu.seen = 2;
      cpu.since++;
      cpu.noted = 0;
      const end = low + sizes[row]!;
      cpu.nextLow = end >>> 0;
      cpu.nextHigh = end < TWO_TO_32 ? high : (high + 1) >>> 0;
      cpu.mayCallNext =
        its === INSTRUCTION && elsewhere[(low >>> 1) & (PLACES - 1)] !== low && mayCallNext(window, batch, row, low);
    }
    for (const one of cpus.values()) settle(window, batch, one);
  }

  function begin(window: Window, batch: Batch, row: number): Cpu {
    const number = batch.cpu[row]!;
    const first = createPoint();
    fill(first, window, batch, row);
    first.mark |= notedBefore.get(number) ?? 0;
    const end = first.addressLow + first.size;
    const cpu: Cpu = {
      cpu: number,
      first,
      second: undefined,
      seen: 1,
      lastRow: row,
      beforeRow: -1,
      last: createPoint(),
      before: createPoint(),
      since: 1,
      nextLow: end >>> 0,
      nextHigh: end < TWO_TO_32 ? first.addressHigh : (first.addressHigh + 1) >>> 0,
      mayCallNext: mayCallNext(window, batch, row, first.addressLow),
      noted: 0,
    };
    cpus.set(number, cpu);
    return cpu;
  }

  function mayCallNext(window: Window, batch: Batch, row: number, low: number): boolean {
    fill(asked, window, batch, row);
    const { branch, mark, targetLow, size } = asked;
    const direct = (mark & POINT.direct) !== 0 && targetLow !== (low + size) >>> 0;
    const may = branch === BRANCH.call && !direct && (mark & (POINT.delay | POINT.skipped)) === 0;
    if (!may && (mark & POINT.skipped) === 0) elsewhere[(low >>> 1) & (PLACES - 1)] = low;
    return may;
  }

  function note(window: Window, batch: Batch, row: number): void {
    const mark = source.noted?.(window, batch, row) ?? 0;
    if (mark === 0) return;
    const number = batch.cpu[row]!;
    const cpu = cpus.get(number);
    if (cpu === undefined) notedBefore.set(number, mark | (notedBefore.get(number) ?? 0));
    else cpu.noted |= mark;
  }

  function putBreak(window: Window, batch: Batch, row: number, cpu: Cpu): void {
    place(next, batch, row);
    if (vectorOf(next) !== 0) next.mark |= source.code(window, batch, row, code);
    if (cpu.seen === 1) {
      // What the first one is may depend on the one before it, which is in another stretch.
      cpu.second = { ...next, mark: next.mark | cpu.noted };
      cpu.since = 0;
      return;
    }
    const { last } = cpu;
    if (cpu.lastRow >= 0) fill(last, window, batch, cpu.lastRow);
    last.mark |= cpu.noted;
    telling.cpu = cpu.cpu;
    telling.since = cpu.since;
    putTransition(beforeOf(window, batch, cpu), last, next, telling);
    cpu.since = telling.since;
  }

  /** What ran right before the last instruction, where that may say what it is. */
  function beforeOf(window: Window, batch: Batch, { last, before, beforeRow }: Cpu): FlowPoint | undefined {
    const matters = last.branch === NO_BRANCH || last.branch === BRANCH.jump || (last.mark & POINT.secondHalf) !== 0;
    if (!matters) return undefined;
    if (beforeRow >= 0) fill(before, window, batch, beforeRow);
    return before.record < 0 ? undefined : before;
  }

  /** Reads what will be needed of the batch's rows, which are gone with it. */
  function settle(window: Window, batch: Batch, cpu: Cpu): void {
    if (cpu.lastRow >= 0) fill(cpu.last, window, batch, cpu.lastRow);
    cpu.last.mark |= cpu.noted;
    if (cpu.lastRow < 0) return;
    if (beforeOf(window, batch, cpu) === undefined) cpu.before.record = -1;
    cpu.lastRow = cpu.beforeRow = -1;
  }

  function fill(point: Point, window: Window, batch: Batch, row: number): void {
    place(point, batch, row);
    if (!known.recall(window, batch, row, point)) {
      point.mark = source.code(window, batch, row, code);
      classify(code, point);
      known.keep(window, batch, row, point, source.tail());
    }
    if (batch.kind[row] === SKIPPED) {
      point.mark |= POINT.skipped;
      point.branch = NO_BRANCH;
    }
  }

  function finish(): FlowStretch {
    const runs = [...cpus.values()].map(({ cpu, first, second, before, last, since }): FlowRun => ({
      cpu,
      first,
      ...(second === undefined ? {} : { second }),
      ...(before.record < 0 ? {} : { before }),
      last,
      since,
    }));
    for (const [cpu, mark] of notedBefore)
      if (!cpus.has(cpu))
        runs.push({ cpu, first: { ...createPoint(), mark }, last: { ...createPoint(), mark }, since: 0 });
    const packed = packEvents(events);
    events.count = 0;
    cpus.clear();
    notedBefore.clear();
    return { events: packed, runs };
  }
}

const TWO_TO_32 = 2 ** 32;
const PLACES = 1 << 14;
/** No instruction begins at the last byte. */
const NOWHERE = 0xffffffff;

function place(point: Point, batch: Batch, row: number): void {
  point.record = batch.first + row;
  point.addressLow = batch.addressLow[row]!;
  point.addressHigh = batch.addressHigh[row]!;
  point.size = batch.size[row]!;
  point.branch = NO_BRANCH;
  point.mark = 0;
}

/** Between two stretches, and from the first instruction of the later one to its second. A run without any has marks alone. */
function join(earlier: FlowRun | undefined, later: FlowRun, events: Events): JoinedRun {
  if (earlier !== undefined && later.first.record < 0) {
    const { last } = earlier;
    return { run: { ...earlier, last: { ...last, mark: last.mark | later.first.mark } }, carried: 0 };
  }
  const before = earlier === undefined || earlier.last.record < 0 ? undefined : earlier;
  const mark = before === undefined && earlier !== undefined ? earlier.last.mark : 0;
  const after = mark === 0 ? later : { ...later, first: { ...later.first, mark: later.first.mark | mark } };
  const telling: Telling = { events, cpu: after.cpu, since: before?.since ?? 0 };
  if (before !== undefined) putTransition(before.before, before.last, after.first, telling);
  if (after.second !== undefined) {
    telling.since++;
    // Its marks are of records before it.
    const first = { ...after.first, mark: after.first.mark & ~(POINT.exception | POINT.interrupt) };
    putTransition(before?.last, first, after.second, telling);
  }
  const alone = before !== undefined && after.last.record === after.first.record;
  return { run: alone ? { ...after, before: before.last } : after, carried: telling.since };
}
