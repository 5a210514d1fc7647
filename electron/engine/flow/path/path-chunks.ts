/**
 * The path of a processor as a list of chunks with fingerprints. A chunk ends where the last few branches say so (path-places.ts), so two
 * runs that take the same branches have the same chunks there, however they got there. Only differences of addresses count: where a program
 * was loaded changes no fingerprint. Chunks of the whole trace are kept in the index: about 44 bytes for every 64 branches.
 */
import { EVENT, type Events, type FlowPoint } from '../../../../shared/flow/events.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { walkFlow } from '../events/walk.ts';
import { createWholeTraceResult } from '../whole-trace.ts';
import { PATH_FLAGS } from '../../index/builders/effects/cuts.ts';
import { createPathPlaces, LONGEST, mix } from '../../index/builders/effects/path-places.ts';

/** The chunks of one CPU, in order. */
export interface PathChunks {
  readonly cpu: number;
  readonly count: number;
  /** Two fingerprints of 32 bits of the branches of each chunk. */
  readonly hash: Uint32Array;
  readonly other: Uint32Array;
  /** Address of the first instruction. */
  readonly startLow: Uint32Array;
  readonly startHigh: Uint32Array;
  /** Its record; one element more than chunks: the end. */
  readonly record: Float64Array;
  /** Set if chunks may begin within straight runs: how many instructions that count are between `record` and the first of the chunk. */
  readonly skip?: Uint32Array;
  readonly instructions: Uint32Array;
  /**
   * 1 if the chunk begins where the elements before it say so, or at the beginning of the path; 0 if only because the chunk before it was as
   * long as chunks may be. Chunks of a long loop are equal wherever they begin, so two without any such place show no place.
   */
  readonly marked: Uint8Array;
}

export interface Path {
  readonly cpus: readonly PathChunks[];
}

/** Returns the number of instructions of the chunks [from, to). */
export function instructionsIn({ instructions }: PathChunks, from: number, to: number): number {
  let sum = 0;
  for (let k = from; k < to; k++) sum += instructions[k]!;
  return sum;
}

/** A branch, or the end of the trace: the straight run before it, and where it led. */
export interface Leg {
  readonly record: RecordNumber;
  readonly instructions: number;
  readonly sourceLow: number;
  readonly sourceHigh: number;
  readonly targetLow: number;
  readonly targetHigh: number;
  /** EVENT bits: which ends are known, and whether records are missing before it. */
  readonly flags: number;
}

const KNOWN = createWholeTraceResult<Path, Path>({ name: 'path', toTable: (path) => path, fromTable: (path) => path });

/** Returns the chunks of all records. */
export async function pathOf(trace: Trace, task: Task<FlowProgress>): Promise<Result<Path>> {
  const { records } = trace.blocks;
  const known = KNOWN.get(trace, records);
  if (known !== undefined) return ok(known);
  const byCpu = new Map<number, ReturnType<typeof createChunker>>();
  const walked = await walkLegs(trace, { from: 0, to: records }, task, {
    begin: (cpu, low, high, record) => byCpu.set(cpu, createChunker(low, high, record)),
    leg(cpu, leg) {
      const known = byCpu.get(cpu) ?? createChunker(leg.sourceLow, leg.sourceHigh, leg.record);
      byCpu.set(cpu, known);
      known.add(leg);
    },
  });
  if (!walked.ok) return walked;
  const path = {
    cpus: [...byCpu].map(([cpu, chunker]): PathChunks => ({ cpu, ...chunker.finish(records) })),
  };
  KNOWN.set(trace, records, path);
  return ok(path);
}

export interface LegVisitor {
  /** The first instruction of a CPU. */
  begin?: (cpu: number, low: number, high: number, record: RecordNumber) => void;
  /** Takes the branches of all CPUs in order; the object is valid during the call. */
  leg: (cpu: number, leg: Leg) => void;
}

/** Visits the branches of records [from, to); at the end of the trace, also the straight runs that no branch ends. */
export async function walkLegs(
  trace: Trace,
  range: { readonly from: RecordNumber; readonly to: RecordNumber },
  task: Task<FlowProgress>,
  { begin, leg }: LegVisitor,
): Promise<Result<undefined>> {
  const own = {
    record: 0,
    instructions: 0,
    sourceLow: 0,
    sourceHigh: 0,
    targetLow: 0,
    targetHigh: 0,
    flags: 0,
  };
  const walked = await walkFlow(trace, range, task, {
    reading: 'lean',
    begin: (cpu, { addressLow, addressHigh, record }: FlowPoint) => begin?.(cpu, addressLow, addressHigh, record),
    take(events: Events) {
      const { alike, record, count } = events;
      const each = alike?.each ?? events;
      for (let at = 0; at < count; at++) {
        const k = alike === undefined ? at : alike.numbers[at]!;
        own.record = record[at]!;
        own.instructions = each.instructions[k]!;
        own.flags = each.flags[k]! & PATH_FLAGS;
        own.sourceLow = each.sourceLow[k]!;
        own.sourceHigh = each.sourceHigh[k]!;
        own.targetLow = each.targetLow[k]!;
        own.targetHigh = each.targetHigh[k]!;
        leg(each.cpu[k]!, own);
      }
      return true;
    },
    progress: (at) => task.progress(() => ({ at, to: range.to })),
  });
  if (!walked.ok) return walked;
  if (range.to < trace.blocks.records) return ok(undefined);
  for (const { cpu, last, since } of walked.value)
    leg(cpu, {
      record: range.to,
      instructions: since,
      sourceLow: last.addressLow,
      sourceHigh: last.addressHigh,
      targetLow: 0,
      targetHigh: 0,
      flags: EVENT.source,
    });
  return ok(undefined);
}

interface Columns {
  readonly hash: number[];
  readonly other: number[];
  readonly startLow: number[];
  readonly startHigh: number[];
  readonly record: number[];
  readonly instructions: number[];
  readonly marked: number[];
}

function createChunker(low: number, high: number, record: RecordNumber) {
  const columns: Columns = {
    hash: [],
    other: [],
    startLow: [],
    startHigh: [],
    record: [],
    instructions: [],
    marked: [],
  };
  const places = createPathPlaces(low, high);
  let [startLow, startHigh, start] = [low, high, record];
  let [hash, other, count, instructions] = [0, 0, 0, 0];
  /** The chunk ends here, unless the next branch led to the same record; and whether the last few branches say so. */
  let end: RecordNumber | undefined;
  let [isMarked, isEndMarked] = [true, false];

  function add(leg: Leg): void {
    if (end !== undefined && leg.record > end) cut(end);
    const isPlace = places.next(leg.flags, leg.sourceLow, leg.sourceHigh, leg.targetLow, leg.targetHigh);
    // An instruction that was interrupted may be in the trace twice, which no address shows.
    const counted = mix(places.mixed(), leg.instructions);
    hash = mix(hash, counted);
    other = mix(other ^ 0x5bd1e995, Math.imul(counted, 0x2c1b3c6d) ^ (counted >>> 15));
    instructions += leg.instructions;
    count++;
    isEndMarked ||= isPlace && !places.isInLoop();
    end = end !== undefined || isPlace || count >= LONGEST ? leg.record : undefined;
  }

  function cut(next: RecordNumber): void {
    columns.hash.push(hash);
    columns.other.push(other);
    columns.startLow.push(startLow);
    columns.startHigh.push(startHigh);
    columns.record.push(start);
    columns.instructions.push(instructions);
    columns.marked.push(Number(isMarked));
    [isMarked, isEndMarked] = [isEndMarked, false];
    [startLow, startHigh, start] = [places.low(), places.high(), next];
    [hash, other, count, instructions] = [0, 0, 0, 0];
    end = undefined;
  }

  function finish(last: RecordNumber): Omit<PathChunks, 'cpu'> {
    if (count > 0) cut(last);
    return {
      count: columns.hash.length,
      hash: Uint32Array.from(columns.hash),
      other: Uint32Array.from(columns.other),
      startLow: Uint32Array.from(columns.startLow),
      startHigh: Uint32Array.from(columns.startHigh),
      record: Float64Array.from([...columns.record, last]),
      instructions: Uint32Array.from(columns.instructions),
      marked: Uint8Array.from(columns.marked),
    };
  }

  return { add, finish };
}
