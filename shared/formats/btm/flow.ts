/**
 * Reads branch events from a capture. A complete message has both ends of a branch, a fast message the source, and a first cycle without
 * its second one end. Messages do not contain the kind of the branch.
 */
import {
  BRANCH,
  createEvents,
  EVENT,
  type Events,
  type FlowRun,
  NO_BRANCH,
  reserveEvents,
  sliceEvents,
} from '../../flow/events.ts';
import { addMessage, type ReadMessage } from '../../flow/messages.ts';
import type { Point } from '../../flow/point.ts';
import type { FlowReader, ProgramFlow, Window } from '../../format/format.ts';
import { BTM, BTM_FAST, BTM_FIRST, BTM_SECOND, MARK } from './cycles.ts';
import { KIND } from '../../records/record.ts';
import { type Batch, FLAG, NO_CPU } from '../../records/batch.ts';

/** `source` is true if the first cycle contains the source, as on the AMD-K5. */
export function createBtmFlow(source: boolean): ProgramFlow {
  return {
    createReader: () => createReader(source),
    join(before, after, into) {
      if (before !== undefined && after.first.mark !== OPENING.second) putAlone(before, into, source);
      return { run: after, carried: 0 };
    },
    end(last, into) {
      putAlone(last, into, source);
    },
  };
}

function createReader(source: boolean): FlowReader {
  const events = createEvents();
  /** First and last message by cpu. */
  const runs = new Map<number, OpenRun>();
  let lastCpu = NO_CPU;
  let lastRun: OpenRun | undefined;
  return {
    add(window, batch): void {
      for (let row = addLikely(batch, 0); row < batch.count; row = addLikely(batch, row + 1)) {
        if (batch.native[row] === BTM_FIRST) addFirst(batch, row);
        else if (batch.kind[row] === KIND.branch) addSecond(window, batch, row);
      }
    },
    finish() {
      const found = sliceEvents(events, 0, events.count);
      const open = [...runs].map(([cpu, { first, last }]): FlowRun => ({ cpu, first, last, since: 0 }));
      events.count = 0;
      runs.clear();
      lastRun = undefined;
      return { events: found, runs: open };
    },
  };

  /**
   * Adds complete messages of the same cpu as the previous one, starting at row `from`. Returns the row of the first other message, or the
   * end of the batch. The loop has no calls, because V8 looks up all columns again after a call.
   */
  function addLikely({ native, cpu: cpus, flags, addressLow, targetLow, count, first }: Batch, from: number): number {
    if (lastRun === undefined) return nextMessage(native, from, count);
    const { last } = lastRun;
    reserveEvents(events, count - from);
    const { record, kind, flags: ends, cpu, sourceLow, targetLow: targets, operandSize } = events;
    // V8 does not know that captured variables are integers.
    const ownCpu = lastCpu | 0;
    let to = events.count | 0;
    let pending = last.mark === OPENING.first ? 1 : 0;
    let latestFirst = -1;
    let row = from;
    for (; row < count; row++) {
      const code = native[row]!;
      if (code < BTM) continue;
      if (cpus[row] !== ownCpu) break;
      if (code === BTM_FIRST) {
        if (pending === 1) break;
        pending = 1;
        latestFirst = row;
        continue;
      }
      const marks = flags[row]!;
      if (code !== BTM_SECOND || (marks & WHOLE_OR_MISSING) !== WHOLE) break;
      pending = 0;
      record[to] = first + row;
      kind[to] = BRANCH.unknown;
      ends[to] = EVENT.source | EVENT.target;
      cpu[to] = ownCpu;
      sourceLow[to] = addressLow[row]!;
      targets[to] = targetLow[row]!;
      operandSize[to] = (marks & MARK.sized) === 0 ? 0 : (marks & MARK.wide) === 0 ? 16 : 32;
      to = (to + 1) | 0;
    }
    events.count = to;
    last.mark = pending === 1 ? OPENING.first : OPENING.none;
    if (latestFirst >= 0) {
      last.record = first + latestFirst;
      last.addressLow = addressLow[latestFirst]!;
    }
    return row;
  }

  function addSecond(window: Window, batch: Batch, row: number): void {
    const cpu = batch.cpu[row]!;
    const run = runOf(cpu);
    const lone = batch.native[row] === BTM_FAST || (batch.flags[row]! & MARK.firstMissing) !== 0;
    if (run === undefined) openRun(batch, row, lone ? OPENING.lone : OPENING.second);
    else {
      if (lone) putAlone({ cpu, last: run.last }, events, source);
      run.last.mark = OPENING.none;
    }
    addMessage(batch, row, events, window, readMessage);
  }

  /** Returns the run of a cpu, which is mostly that of the previous message. */
  function runOf(cpu: number): OpenRun | undefined {
    if (cpu !== lastCpu) {
      lastCpu = cpu;
      lastRun = runs.get(cpu);
    }
    return lastRun;
  }

  function openRun(batch: Batch, row: number, mark: number): void {
    lastRun = newRun(batch, row, mark);
    runs.set(batch.cpu[row]!, lastRun);
  }

  function addFirst(batch: Batch, row: number): void {
    const cpu = batch.cpu[row]!;
    const run = runOf(cpu);
    if (run === undefined) {
      openRun(batch, row, OPENING.first);
      return;
    }
    putAlone({ cpu, last: run.last }, events, source);
    run.last.mark = OPENING.first;
    run.last.record = batch.first + row;
    run.last.addressLow = batch.addressLow[row]!;
  }
}

/**
 * Adds an event for a pending first cycle that is followed by another first cycle, or by a second cycle that is not its own. `source`
 * as in `createBtmFlow`.
 */
function putAlone({ cpu, last }: Pick<FlowRun, 'cpu' | 'last'>, into: Events, source: boolean): void {
  if (last.mark !== OPENING.first) return;
  reserveEvents(into, 1);
  const at = into.count++;
  into.record[at] = last.record;
  into.kind[at] = BRANCH.unknown;
  into.flags[at] = source ? EVENT.source : EVENT.target;
  into.cpu[at] = cpu;
  into.sourceLow[at] = source ? last.addressLow : 0;
  into.targetLow[at] = source ? 0 : last.addressLow;
  into.sourceHigh[at] = into.targetHigh[at] = into.resumeLow[at] = into.resumeHigh[at] = 0;
  into.operandSize[at] = into.instructions[at] = 0;
}

/** Flags of a message with both cycles. */
const WHOLE: number = FLAG.address | FLAG.target;
const WHOLE_OR_MISSING: number = WHOLE | MARK.firstMissing | MARK.noData;

function nextMessage(native: Uint16Array, from: number, count: number): number {
  let row = from;
  while (row < count && native[row]! < BTM) row++;
  return row;
}

/** State at the beginning or end of a cpu's messages, the `mark` of a point. */
const OPENING = {
  none: 0,
  /** A first cycle; at the end of a run, one that waits for its second cycle. */
  first: 1,
  second: 2,
  /** A second cycle without a first cycle. */
  lone: 3,
} as const;

interface OpenRun {
  readonly first: Point;
  readonly last: Point;
}

function newRun(batch: Batch, row: number, mark: number): OpenRun {
  const point = {
    record: batch.first + row,
    addressLow: batch.addressLow[row]!,
    addressHigh: 0,
    size: 0,
    branch: NO_BRANCH,
    targetLow: 0,
    targetHigh: 0,
  };
  return { first: { ...point, mark }, last: { ...point, mark: mark === OPENING.first ? mark : OPENING.none } };
}

const readMessage: ReadMessage = (batch, row, events, at) => {
  const marks = batch.flags[row]!;
  if ((marks & MARK.noData) !== 0) {
    // The cycle can be the first or the second, so its address can be either end.
    events.flags[at] = EVENT.granular;
    return BRANCH.unknown;
  }
  if ((marks & MARK.sized) !== 0) events.operandSize[at] = (marks & MARK.wide) === 0 ? 16 : 32;
  return BRANCH.unknown;
};
