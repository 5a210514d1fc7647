/**
 * Sums up the code that ran in a stretch: straight runs of instructions as their reader finds them, and what happened at single instructions.
 * Blank lines and headers between records are no instructions; where some may be missing, the branch events say so.
 */
import { BRANCH, EVENT, type CodeSink, type Events } from '../../../../../shared/flow/events.ts';
import { createCodeSum, PARTS, type CodeTable } from './code-table.ts';

export interface CodeCounter extends CodeSink {
  /** The instruction behind this one in memory ran next, in another run. */
  followed(high: number, low: number): void;
  /** Adds the outcomes of branches and returns the sum, which holds until the counter is used again. */
  finish(events: Events | undefined): CodeTable;
  clear(): void;
}

const SOURCE = EVENT.source;
const GAP = EVENT.gap;
/** Kinds of events, as bits, that happen to their source. */
const NO_BRANCHES = (1 << BRANCH.interrupt) | (1 << BRANCH.exception) | (1 << BRANCH.sequential);

export function createCodeCounter(): CodeCounter {
  const sum = createCodeSum();
  const { runs, skipped, followed } = sum;
  return {
    run: (high, low, last) => runs.add(high | 0, low | 0, last | 0, 1),
    skipped: (high, low) => skipped.add(high | 0, low | 0, low | 0, 1),
    followed: (high, low) => followed.add(high | 0, low | 0, low | 0, 1),
    finish(events) {
      if (events !== undefined) addEvents(events);
      return sum;
    },
    clear() {
      for (const part of PARTS) sum[part].clear();
    },
  };

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

/** Returns true if an event is a branch of its source. Interrupts and exceptions happen to an instruction. */
export function isBranch(kind: number, flags: number): boolean {
  return (flags & SOURCE) !== 0 && ((NO_BRANCHES >>> kind) & 1) === 0;
}
