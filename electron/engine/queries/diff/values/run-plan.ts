/** Collects stretches in order into runs of records that the decode pool can decode alone: some parts of blocks of both traces. */
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import { PART_RECORDS } from '../../../../../shared/records/batch.ts';
import { lastNotAbove } from '../../../collections/ascending.ts';
import type { Trace } from '../../../trace.ts';
import { partsOf } from '../../records/block-parts.ts';
import { MOST_IN_RUN, type AlignedRun, type AlignedStretch, type RecordRun, type Segment } from './compare-runs.ts';
import type { UnequalStretch } from './unequal-stretches.ts';

/** Records of whole parts [first, end). */
interface Span {
  readonly first: RecordNumber;
  readonly end: RecordNumber;
}

export interface RunPlan {
  /** Adds a stretch. Returns false if its parts have too many records: then it has to be compared elsewhere. */
  add(stretch: UnequalStretch): boolean;
  /** Returns the runs with all stretches since the last call. */
  take(): readonly AlignedRun[];
}

/** A trace, and records of the compared CPU before which instructions are missing, ascending. */
export interface PlannedTrace {
  readonly trace: Trace;
  readonly gaps: readonly RecordNumber[];
}

export function createRunPlan(a: PlannedTrace, b: PlannedTrace): RunPlan {
  let runs: AlignedRun[] = [];
  let open: { a: Span; b: Span; readonly stretches: AlignedStretch[] } | undefined;

  function close(): void {
    if (open !== undefined) runs.push({ a: runOf(a, open.a), b: runOf(b, open.b), stretches: open.stretches });
    open = undefined;
  }

  return {
    add({ from, to, a: placeA, b: placeB, endA, endB }) {
      const spans = { a: spanOf(a.trace, placeA.record, endA), b: spanOf(b.trace, placeB.record, endB) };
      if (!fits(spans.a) || !fits(spans.b)) return false;
      const stretch = { from, to, a: placeA, b: placeB };
      if (open !== undefined && spans.a.first <= open.a.end && spans.b.first <= open.b.end) {
        const [wholeA, wholeB] = [joined(open.a, spans.a), joined(open.b, spans.b)];
        if (fits(wholeA) && fits(wholeB)) {
          open.a = wholeA;
          open.b = wholeB;
          open.stretches.push(stretch);
          return true;
        }
      }
      close();
      open = { ...spans, stretches: [stretch] };
      return true;
    },
    take() {
      close();
      const taken = runs;
      runs = [];
      return taken;
    },
  };
}

function fits({ first, end }: Span): boolean {
  return end - first <= MOST_IN_RUN;
}

function joined(one: Span, other: Span): Span {
  return { first: Math.min(one.first, other.first), end: Math.max(one.end, other.end) };
}

/** Returns the parts with the records from one to another, which may be the end of the trace. */
function spanOf(trace: Trace, from: RecordNumber, to: RecordNumber): Span {
  const { blocks } = trace;
  const block = blocks.blockOfRecord(from);
  const start = blocks.firstRecord(block);
  const parts = partsOf(trace, block);
  let part = Math.min(parts.length - 1, Math.floor((from - start) / PART_RECORDS));
  while (part > 0 && parts[part]!.state === undefined) part--;
  const last = blocks.blockOfRecord(Math.min(to, blocks.records - 1));
  const lastParts = partsOf(trace, last);
  const lastStart = blocks.firstRecord(last);
  let next = Math.floor((Math.min(to, blocks.records - 1) - lastStart) / PART_RECORDS) + 1;
  while (next < lastParts.length && lastParts[next]!.state === undefined) next++;
  return {
    first: start + Math.max(0, part) * PART_RECORDS,
    end: next < lastParts.length ? lastStart + next * PART_RECORDS : endOf(trace, last),
  };
}

/** Returns the first record after a block. */
function endOf({ blocks }: Trace, block: number): RecordNumber {
  return block + 1 < blocks.length ? blocks.firstRecord(block + 1) : blocks.records;
}

function runOf({ trace, gaps }: PlannedTrace, { first, end }: Span): RecordRun {
  const { blocks } = trace;
  const segments: Segment[] = [];
  for (let record = first; record < end;) {
    const block = blocks.blockOfRecord(record);
    const [start, next] = [blocks.firstRecord(block), endOf(trace, block)];
    const parts = partsOf(trace, block);
    const part = (record - start) / PART_RECORDS;
    const { position, state } = part === 0 ? blocks.entry(block) : parts[part]!;
    const stop =
      end < next
        ? parts[(end - start) / PART_RECORDS]!.position
        : block + 1 < blocks.length
          ? blocks.entry(block + 1).position
          : blocks.bytes;
    segments.push({ block, start: position, end: stop, state: state! });
    record = next;
  }
  return { segments, first, gaps: gaps.slice(lastNotAbove(gaps, first - 1) + 1, lastNotAbove(gaps, end - 1) + 1) };
}
