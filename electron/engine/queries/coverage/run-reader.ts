/**
 * Reads straight runs of instructions from a part of the records: the same as a reader of branch events reports, which needs whole blocks with
 * their text.
 */
import type { CodeCounter } from '../../index/builders/code/code-counter.ts';
import { FLAG, type Batch } from '../../../../shared/records/batch.ts';
import type { FlowPoint } from '../../../../shared/flow/events.ts';
import { KIND } from '../../../../shared/records/record.ts';

/** Reads batches in order, and gives the code to a counter. */
export interface RunReader {
  /** Reads the rows [from, to) of the next batch. */
  add(batch: Batch, from: number, to: number): void;
  /** Notes the last instructions of rows before those that count. */
  pass(batch: Batch, from: number, to: number): void;
  /** Notes the last instruction of a CPU before the first batch. */
  begin(cpu: number, last: FlowPoint): void;
  /** Ends the runs of all CPUs. */
  finish(): void;
}

/** The kinds up to this one are instructions; that of executed ones is 0. */
const SKIPPED = KIND.skipped;
const TWO_TO_32 = 2 ** 32;

/** The straight run that a CPU is in. */
interface Run {
  high: number;
  low: number;
  last: number;
  /** Lower half of the address behind the last instruction. -1 if its upper half differs, or the last instruction has no size. */
  next: number;
  /** False if the run is before those that count. */
  counts: boolean;
}

export function createRunReader(counter: CodeCounter): RunReader {
  const runs = new Map<number, Run>();
  return {
    add: (batch, from, to) => read(batch, from, to, true),
    pass: (batch, from, to) => read(batch, from, to, false),
    begin(cpu, { record, addressHigh: high, addressLow: low, size }) {
      if (record >= 0) runs.set(cpu, { high, low, last: low, next: nextOf(low, size), counts: false });
    },
    finish() {
      for (const run of runs.values()) end(run);
      runs.clear();
    },
  };

  function read(batch: Batch, from: number, to: number, counts: boolean): void {
    const { kind, flags, cpu, addressLow, addressHigh, size } = batch;
    for (let row = from; row < to; row++) {
      if (kind[row]! > SKIPPED || (flags[row]! & FLAG.address) === 0) continue;
      const low = addressLow[row]!;
      const high = addressHigh[row]!;
      const run = runs.get(cpu[row]!);
      const isNext = low === run?.next && high === run.high;
      const next = nextOf(low, size[row]!);
      if (isNext && run.counts === counts) {
        run.last = low;
        run.next = next;
      } else {
        if (run !== undefined) end(run);
        if (isNext && counts) counter.followed(high, run.last);
        // A run that began earlier keeps its place in the order of CPUs.
        runs.set(cpu[row]!, { high, low, last: low, next, counts });
      }
      if (kind[row] === SKIPPED && counts) counter.skipped(high, low);
    }
  }

  function end({ high, low, last, counts }: Run): void {
    if (counts) counter.run(high, low, last);
  }
}

function nextOf(low: number, size: number): number {
  const next = low + size;
  return size > 0 && next < TWO_TO_32 ? next : -1;
}
