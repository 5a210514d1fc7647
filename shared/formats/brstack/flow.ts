/**
 * Reads branch events from samples, the oldest branch of each sample first; a line has the newest first. What ran between two samples is
 * not known.
 */
import { BRANCH, type BranchKind, createEvents, EVENT, type Events, sliceEvents } from '../../flow/events.ts';
import { addMessage, type ReadMessage } from '../../flow/messages.ts';
import type { FlowReader, ProgramFlow } from '../../format/format.ts';
import { FIRST, NOT_TAKEN, WRONG_PATH } from './decode.ts';
import { nativeName } from './codes.ts';
import { KIND } from '../../records/record.ts';

export const BRSTACK_FLOW: ProgramFlow = {
  createReader,
  join: (_, run) => ({ run, carried: 0 }),
  end: () => undefined,
};

function createReader(): FlowReader {
  const events = createEvents();
  /** Index in `events` of the current sample's first branch. */
  let sample = 0;
  return {
    add(window, batch): void {
      const { kind, flags, count } = batch;
      for (let row = 0; row < count; row++) {
        if (kind[row] !== KIND.branch) {
          // A text record within a sample is a damaged branch, so what ran before the newer branch is not known.
          if (events.count > sample) events.flags[events.count - 1]! |= EVENT.gap;
          continue;
        }
        if ((flags[row]! & FIRST) !== 0) endSample();
        if ((flags[row]! & (NOT_TAKEN | WRONG_PATH)) === 0) addMessage(batch, row, events, window, readMessage);
      }
    },
    finish() {
      endSample();
      const found = sliceEvents(events, 0, events.count);
      events.count = sample = 0;
      return { events: found, runs: [] };
    },
  };

  function endSample(): void {
    if (events.count > sample) {
      reverseEvents(events, sample);
      events.flags[sample]! |= EVENT.gap;
    }
    sample = events.count;
  }
}

/** Reverses the order of the events starting at `first`. Resume addresses and instruction counts are the same in all of them. */
function reverseEvents(
  { record, kind, flags, cpu, sourceLow, sourceHigh, targetLow, targetHigh, count }: Events,
  first: number,
): void {
  for (const column of [record, kind, flags, cpu, sourceLow, sourceHigh, targetLow, targetHigh]) {
    for (let from = first, to = count - 1; from < to; from++, to--) {
      const last = column[to]!;
      column[to] = column[from]!;
      column[from] = last;
    }
  }
}

const readMessage: ReadMessage = (batch, row) => KIND_BY_NATIVE[batch.native[row]!] ?? BRANCH.unknown;

/** Kinds of the kernel's branch types; all other types are unknown. */
const KIND_BY_NAME: Readonly<Record<string, BranchKind>> = {
  COND: 'jump',
  UNCOND: 'jump',
  IND: 'jump',
  CALL: 'call',
  IND_CALL: 'call',
  COND_CALL: 'call',
  RET: 'return',
  COND_RET: 'return',
  SYSRET: 'return',
  ERET: 'return',
  SYSCALL: 'exception',
  FAULT_ALGN: 'exception',
  FAULT_DATA: 'exception',
  FAULT_INST: 'exception',
  IRQ: 'interrupt',
  SERROR: 'interrupt',
};
const KIND_BY_NATIVE: readonly number[] = Array.from(
  { length: 64 },
  (_, native) => BRANCH[KIND_BY_NAME[nativeName(native)] ?? 'unknown'],
);
