/**
 * Counts the straight runs of instructions in a block, from its records, and what happened at single instructions. Blank lines and headers
 * between records are no instructions; where some may be missing, the branch events say so.
 */
import { FLAG, type Batch } from '../../../../../shared/records/batch.ts';
import { BRANCH, EVENT, type Events, type FlowPoint } from '../../../../../shared/flow/events.ts';
import { KIND } from '../../../../../shared/records/record.ts';
import { createCodeSum, PARTS, type CodeTable } from './code-table.ts';

export interface CodeCounter {
  /** Takes the rows [from, to) of the next batch, all of them by default. */
  add(batch: Batch, from?: number, to?: number): void;
  /** Notes the last instructions of rows before those that count. */
  pass(batch: Batch, from: number, to: number): void;
  /** Notes the last instruction of a CPU before the first batch. */
  begin(cpu: number, last: FlowPoint): void;
  /** Returns what was counted, with the branches of the events. Valid until the counter is used again, which then is empty. */
  finish(events: Events | undefined): CodeTable;
}

/** The kinds up to this one are instructions; that of executed ones is 0. */
const SKIPPED = KIND.skipped;
const ADDRESS = FLAG.address;
const SOURCE = EVENT.source;
const GAP = EVENT.gap;
const TWO_TO_32 = 2 ** 32;
/** Kinds of events, as bits, that happen to their source. */
const NO_BRANCHES = (1 << BRANCH.interrupt) | (1 << BRANCH.exception) | (1 << BRANCH.sequential);

/** The straight run that a CPU is in. Addresses are integers of 32 bits with a sign, because loops compare these in one step. */
interface Run {
  high: number;
  low: number;
  last: number;
  /** Lower half of the address behind the last instruction; meaningless if `stops` is not 0. */
  next: number;
  /** 0, or STOPS if the address behind the last instruction is not known or has another upper half. */
  stops: number;
  /** False if the run is before those that count. */
  counts: boolean;
}

/** Sign of the size minus one if the size is 0, and of the sum of address and size if it is longer than 32 bits. */
const STOPS = 1 << 31;
/** Sentinel: no CPU, which are numbers of 16 bits. */
const NOBODY = 1 << 16;
const NO_RUN = { high: 0, last: 0, next: 0, stops: STOPS };

export function createCodeCounter(): CodeCounter {
  const sum = createCodeSum();
  const runs = new Map<number, Run>();
  let isFinished = false;
  return {
    add: (batch, from = 0, to = batch.count) => read(batch, from, to, true),
    pass: (batch, from, to) => read(batch, from, to, false),
    begin(cpu, { record, addressHigh: high, addressLow: low, size }) {
      const end = low + size;
      if (record < 0 || size <= 0 || end >= TWO_TO_32) return;
      runs.set(cpu, { high: high | 0, low: low | 0, last: low | 0, next: end | 0, stops: 0, counts: false });
    },
    finish(events) {
      if (isFinished) clear();
      isFinished = true;
      for (const run of runs.values()) end(run);
      runs.clear();
      if (events !== undefined) addEvents(events);
      return sum;
    },
  };

  function clear(): void {
    for (const part of PARTS) sum[part].clear();
  }

  function read(batch: Batch, from: number, to: number, counts: boolean): void {
    const { kind, flags, addressLow: lows, addressHigh: highs, size: sizes, cpu: cpus } = batch;
    if (isFinished) clear();
    isFinished = false;
    let cpu = NOBODY;
    let run: Run | undefined;
    let high = 0;
    let last = 0;
    let next = 0;
    let stops = STOPS;
    for (let at = from | 0; at < to; at++) {
      const its = kind[at]!;
      if (its > SKIPPED) continue;
      const low = lows[at]! | 0;
      // One test for all that is rare: branches of a loop take longer than its sums.
      const differs = (low ^ next) | (highs[at]! ^ high) | (cpus[at]! ^ cpu) | (~flags[at]! & ADDRESS) | its | stops;
      if (differs !== 0) {
        if ((flags[at]! & ADDRESS) === 0) continue;
        if (cpus[at] !== cpu) {
          if (run !== undefined) leave(run, last, next, stops);
          cpu = cpus[at]!;
          run = runs.get(cpu);
          ({ high, last, next, stops } = run ?? NO_RUN);
        }
        const isNext = low === next && (highs[at]! | 0) === high && stops === 0;
        if (!isNext || run?.counts !== counts) {
          if (run !== undefined) {
            run.last = last;
            end(run);
          }
          if (isNext && counts) sum.followed.add(high, last, last, 1);
          high = highs[at]! | 0;
          if (run === undefined) runs.set(cpu, (run = { high, low, last: low, next, stops, counts }));
          else {
            run.high = high;
            run.low = low;
            run.counts = counts;
          }
        }
        if (its === SKIPPED && counts) sum.skipped.add(high, low, low, 1);
      }
      last = low;
      const size = sizes[at]! | 0;
      next = (low + size) | 0;
      stops = ((size - 1) | (low & ~next)) & STOPS;
    }
    if (run !== undefined) leave(run, last, next, stops);
  }

  function end({ high, low, last, counts }: Run): void {
    if (counts) sum.runs.add(high, low, last, 1);
  }

  function addEvents({ count, kind, flags, sourceHigh, sourceLow, targetHigh, targetLow }: Events): void {
    const { taken, broken } = sum;
    let high = 0;
    let low = 0;
    /** Branches of this source in a row: the inner loops of a program are many. */
    let times = 0;
    for (let at = 0; at < count; at++) {
      const its = flags[at]!;
      if (isBranch(kind[at]!, its)) {
        const itsLow = sourceLow[at]! | 0;
        const itsHigh = sourceHigh[at]! | 0;
        if (itsLow !== low || itsHigh !== high) {
          if (times > 0) taken.add(high, low, low, times);
          high = itsHigh;
          low = itsLow;
          times = 0;
        }
        times++;
      }
      if ((its & GAP) !== 0) broken.add(targetHigh[at]! | 0, targetLow[at]! | 0, targetLow[at]! | 0, 1);
    }
    if (times > 0) taken.add(high, low, low, times);
  }
}

function leave(run: Run, last: number, next: number, stops: number): void {
  run.last = last;
  run.next = next;
  run.stops = stops;
}

/** Returns true if an event is a branch of its source. Interrupts and exceptions happen to an instruction. */
export function isBranch(kind: number, flags: number): boolean {
  return (flags & SOURCE) !== 0 && ((NO_BRANCHES >>> kind) & 1) === 0;
}
