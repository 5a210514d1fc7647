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

const INSTRUCTION = KIND.instruction;
const SKIPPED = KIND.skipped;
const ADDRESS = FLAG.address;
const TWO_TO_32 = 2 ** 32;

/** The straight run that a CPU is in. */
interface Run {
  high: number;
  low: number;
  last: number;
  /** Lower half of the address behind the last instruction; NOWHERE if it is not known. */
  next: number;
  /** False if the run is before those that count. */
  counts: boolean;
}

const NOWHERE = -1;

export function createCodeCounter(): CodeCounter {
  const sum = createCodeSum();
  const runs = new Map<number, Run>();
  let isFinished = false;
  return {
    add: (batch, from = 0, to = batch.count) => read(batch, from, to, true),
    pass: (batch, from, to) => read(batch, from, to, false),
    begin(cpu, { record, addressHigh: high, addressLow: low, size }) {
      const end = low + size;
      if (record >= 0 && size > 0 && end < TWO_TO_32) runs.set(cpu, { high, low, last: low, next: end, counts: false });
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
    let cpu = Number.NaN;
    let run: Run | undefined;
    let high = 0;
    let last = 0;
    let next = NOWHERE;
    let isCounted = false;
    for (let at = from; at < to; at++) {
      const its = kind[at]!;
      if ((its !== INSTRUCTION && its !== SKIPPED) || (flags[at]! & ADDRESS) === 0) continue;
      if (cpus[at] !== cpu) {
        if (run !== undefined) {
          run.last = last;
          run.next = next;
        }
        cpu = cpus[at]!;
        run = runs.get(cpu);
        ({ high, last, next } = run ?? NO_RUN);
        isCounted = run?.counts === counts;
      }
      const low = lows[at]!;
      if (its === SKIPPED && counts) sum.skipped.add(highs[at]!, low, low, 1);
      const isNext = low === next && highs[at] === high;
      if (!isNext || !isCounted) {
        if (run !== undefined) {
          run.last = last;
          end(run);
        }
        if (isNext && counts) sum.followed.add(high, last, last, 1);
        high = highs[at]!;
        if (run === undefined) runs.set(cpu, (run = { high, low, last: low, next, counts }));
        else {
          run.high = high;
          run.low = low;
          run.counts = counts;
        }
        isCounted = true;
      }
      last = low;
      const behind = low + sizes[at]!;
      next = behind === low || behind >= TWO_TO_32 ? NOWHERE : behind;
    }
    if (run === undefined) return;
    run.last = last;
    run.next = next;
  }

  function end({ high, low, last, counts }: Run): void {
    if (counts) sum.runs.add(high, low, last, 1);
  }

  function addEvents({ count, kind, flags, sourceHigh, sourceLow, targetHigh, targetLow }: Events): void {
    for (let at = 0; at < count; at++) {
      const its = flags[at]!;
      if (isBranch(kind[at]!, its)) sum.taken.add(sourceHigh[at]!, sourceLow[at]!, sourceLow[at]!, 1);
      if ((its & EVENT.gap) !== 0) sum.broken.add(targetHigh[at]!, targetLow[at]!, targetLow[at]!, 1);
    }
  }
}

const NO_RUN = { high: 0, last: 0, next: NOWHERE };

/** Returns true if an event is a branch of its source. Interrupts and exceptions happen to an instruction. */
export function isBranch(kind: number, flags: number): boolean {
  const { interrupt, exception, sequential } = BRANCH;
  return (flags & EVENT.source) !== 0 && kind !== interrupt && kind !== exception && kind !== sequential;
}
