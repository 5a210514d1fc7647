/**
 * Branch events without an image: targets of indirect and checkpointed branches and of exceptions, and the instructions before each.
 * Sources and targets of direct branches need the program image.
 */
import { FLAG, NO_CPU } from '../../records/batch.ts';
import {
  BRANCH,
  createEvents,
  EVENT,
  NO_BRANCH,
  sliceEvents,
  reserveEvents,
  type FlowPoint,
} from '../../flow/events.ts';
import type { FlowReader, ProgramFlow } from '../../format/format.ts';
import { instructionsOf, isBranch, isException, MESSAGE } from '../../xscale/messages.ts';
import type { MessageByte } from './message-byte.ts';
import { MARK } from './rows.ts';

export function createXscaleFlow(byteOf: MessageByte): ProgramFlow {
  return {
    counts: true,
    createReader: () => createReader(byteOf),
    join: (before, run) => ({ run, carried: before?.since ?? 0 }),
    end: () => undefined,
  };
}

function createReader(byteOf: MessageByte): FlowReader {
  const events = createEvents();
  /** Instructions of roll-overs since the previous event. */
  let since = 0;
  let gap = 0;
  let first: FlowPoint | undefined;
  let last: FlowPoint | undefined;
  return {
    add(window, batch): void {
      const { native, flags, targetLow, count } = batch;
      for (let row = 0; row < count; row++) {
        const message = native[row]!;
        if ((flags[row]! & MARK.first) !== 0) {
          gap = EVENT.gap;
          since = 0;
        }
        if (message === MESSAGE.rollOver) since += 16;
        else if (message === MESSAGE.buffer || message === MESSAGE.reserved) {
          gap = EVENT.gap;
          since = 0;
        } else {
          // Columns that are never written stay 0.
          if (events.count === events.record.length) reserveEvents(events, 1);
          const at = events.count++;
          const target = (flags[row]! & FLAG.target) !== 0;
          events.record[at] = batch.first + row;
          events.kind[at] = KINDS[message]!;
          events.flags[at] = (target ? EVENT.target : 0) | gap;
          events.cpu[at] = NO_CPU;
          // Bit 0 marks Thumb code and is no part of the address.
          events.targetLow[at] = target ? targetLow[row]! - (targetLow[row]! & 1) : 0;
          events.instructions[at] = since + instructionsOf(byteOf(window, batch, row)) + own(message);
          gap = since = 0;
        }
      }
      if (count === 0) return;
      first ??= pointAt(batch.first);
      last = pointAt(batch.first + count - 1);
    },
    finish() {
      const its = sliceEvents(events, 0, events.count);
      const runs =
        first === undefined || last === undefined ? [] : [{ cpu: NO_CPU, first, last, since, gap: gap !== 0 }];
      events.count = since = gap = 0;
      first = last = undefined;
      return { events: its, runs };
    },
  };
}

/** Returns 1 if an instruction made the message. An interrupt has none, and whether an aborting load was counted is not known. */
function own(message: number): number {
  return isBranch(message) || (isException(message) && message <= MESSAGE.softwareInterrupt) ? 1 : 0;
}

function pointAt(record: number): FlowPoint {
  return { record, addressLow: 0, addressHigh: 0, size: 0, branch: NO_BRANCH, mark: 0, targetLow: 0, targetHigh: 0 };
}

/** By message: the kind of its event. */
const KINDS: readonly number[] = Array.from({ length: 32 }, (_, message) =>
  !isException(message)
    ? BRANCH.unknown
    : message === MESSAGE.irq || message === MESSAGE.fiq
      ? BRANCH.interrupt
      : BRANCH.exception,
);
