/** Returns the time that each instruction and line of the program took. All records of the range are read. */
import { setImmediate as breathe } from 'node:timers/promises';
import { EVENT, setApart } from '../../../../shared/flow/events.ts';
import { FLAG } from '../../../../shared/records/batch.ts';
import { KINDS } from '../../../../shared/records/record.ts';
import type { CodeTimes, InstructionTime, LineTime } from '../../../../shared/requests/answers/code-times.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { Arguments } from '../../../../shared/requests/requests.ts';
import { NO_TIME } from '../../../../shared/requests/failures.ts';
import { counted } from '../../../../shared/base/numbers.ts';
import type { Places } from '../../../../shared/coverage/derive.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { highHalf, joinAddress, lowHalf, toHex, type RecordNumber } from '../../../../shared/base/units.ts';
import { knownCalls } from '../../flow/calls.ts';
import type { ImageCode } from '../../flow/classify/image-code.ts';
import { walkFlow } from '../../flow/events/walk.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { TIME_NOTE, timeUnitOf } from '../calls/timed-calls.ts';
import { placesOf } from '../coverage/places.ts';
import { rangeOf } from '../find/find.ts';
import { visitColumns } from '../records/block-reader.ts';
import { codeOf } from './describe.ts';
import { keptPerRange } from './per-range.ts';

/** Blocks after the range that are searched for the next instruction of each CPU. */
const BLOCKS_AFTER = 2;
/** Instructions in an answer; those that took least are omitted. */
const MOST_ANSWERED = 100_000;

/** Instructions that ran, by address, and the rows of the places to which they belong; -1 if there is none. */
interface Timed extends Pick<CodeTimes, 'unit' | 'notes' | 'reach'> {
  readonly addresses: readonly bigint[];
  readonly times: readonly number[];
  readonly counts: readonly number[];
  /** Executions whose time is unknown. */
  readonly unknown: readonly number[];
  readonly lines: Int32Array;
  readonly owners: Int32Array;
  readonly places: Places['lines'];
  readonly functions: Places['functions'];
}

/** Returns the time that each instruction took. Fails with NO_TIME if the trace has no times of instructions. */
export const timesIn = keptPerRange(async (trace, args, task): Promise<Result<Timed>> => {
  const unit = timeUnitOf(trace);
  if (unit === undefined)
    return fail(NO_TIME, `${trace.file.path}: the records of this format have no time; ask for counts instead`);
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  if (known.value.messages || known.value.backwards)
    return fail(NO_TIME, `${trace.file.path}: its instructions have no time of their own; ask for counts instead`);
  const reach = reachOf(trace);
  const { from, to } = rangeOf(trace, args);
  const range = { from, to: Math.min(to, known.value.records) };
  const gaps = await gapsOf(trace, range, task);
  if (!gaps.ok) return gaps;
  const sums = createSums();
  const read = await addTimes(trace, range, gaps.value, sums, task);
  if (!read.ok) return read;
  return answerInSlices(timed(trace, sums, { unit, reach }), task);
});

/** Fails as `timesIn` does. */
export async function codeTimes(
  trace: Trace,
  { from, to }: Omit<Arguments<'codeTimes'>, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<CodeTimes>> {
  const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const found = await timesIn(trace, range, task);
  return found.ok ? answerInSlices(answerOf(found.value, await codeOf(trace)), task) : found;
}

/** By CPU: the records at which it continues after a gap of the trace. */
type Gaps = ReadonlyMap<number, ReadonlySet<RecordNumber>>;

interface Range {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
}

async function gapsOf(trace: Trace, range: Range, task: Task<FlowProgress>): Promise<Result<Gaps>> {
  const gaps = new Map<number, Set<RecordNumber>>();
  const walked = await walkFlow(trace, range, task, {
    take(all) {
      const events = { ...all };
      setApart(events);
      for (let at = 0; at < events.count; at++) {
        if ((events.flags[at]! & EVENT.gap) === 0) continue;
        const cpu = events.cpu[at]!;
        gaps.set(cpu, (gaps.get(cpu) ?? new Set<RecordNumber>()).add(events.record[at]!));
      }
      return true;
    },
  });
  return walked.ok ? ok(gaps) : walked;
}

interface Sums {
  /** Returns the row of an address. */
  row(low: number, high: number): number;
  readonly low: number[];
  readonly high: number[];
  readonly times: number[];
  readonly counts: number[];
  readonly unknown: number[];
}

function createSums(): Sums {
  const rows = new Map<number, Map<number, number>>();
  const sums = { low: [] as number[], high: [] as number[], times: [] as number[], counts: [] as number[] };
  const unknown: number[] = [];
  return {
    ...sums,
    unknown,
    row(low, high) {
      let own = rows.get(high);
      if (own === undefined) rows.set(high, (own = new Map<number, number>()));
      let row = own.get(low);
      if (row === undefined) {
        own.set(low, (row = unknown.push(0) - 1));
        sums.low.push(low);
        sums.high.push(high);
        sums.times.push(0);
        sums.counts.push(0);
      }
      return row;
    },
  };
}

const [EXECUTED, SKIPPED] = [KINDS.indexOf('instruction'), KINDS.indexOf('skipped')];
const UNKNOWN_TIME = FLAG.wideTime | FLAG.timeAssumed;

/** Adds the time from each instruction of the range to the next one of its CPU. */
async function addTimes(
  trace: Trace,
  { from, to }: Range,
  gaps: Gaps,
  { row: rowOf, times, counts, unknown }: Sums,
  task: Task<FlowProgress>,
): Promise<Result<undefined>> {
  if (from >= to) return ok(undefined);
  const { blocks } = trace;
  /** By CPU: the instruction whose time is not known yet. */
  const open = new Map<number, { row: number; time: number }>();
  const first = blocks.blockOfRecord(from);
  const last = blocks.blockOfRecord(to - 1);
  for (let block = first; block < Math.min(blocks.length, last + 1 + BLOCKS_AFTER); block++) {
    if (block > last && open.size === 0) break;
    const start = blocks.firstRecord(block);
    const read = visitColumns(trace, block, Math.max(0, from - start), ({ batch, first: origin }) => {
      for (let at = Math.max(0, from - origin); at < batch.count; at++) {
        const kind = batch.kind[at]!;
        if (kind !== EXECUTED && kind !== SKIPPED) continue;
        const cpu = batch.cpu[at]!;
        const isWithin = origin + at < to;
        const before = open.get(cpu);
        if (before === undefined && !isWithin) continue;
        const flags = batch.flags[at]!;
        const time = (flags & UNKNOWN_TIME) === 0 ? batch.time[at]! : Number.NaN;
        if (before !== undefined) {
          const took = gaps.get(cpu)?.has(origin + at) === true ? Number.NaN : time - before.time;
          if (took >= 0) times[before.row]! += took;
          else unknown[before.row]!++;
        }
        if (!isWithin || (flags & FLAG.address) === 0) {
          open.delete(cpu);
          if (!isWithin && open.size === 0) return false;
          continue;
        }
        const row = rowOf(batch.addressLow[at]!, batch.addressHigh[at]!);
        counts[row]!++;
        if (before === undefined) open.set(cpu, { row, time });
        else {
          before.row = row;
          before.time = time;
        }
      }
      return true;
    });
    if (!read.ok) return read;
    task.progress(() => ({ at: Math.min(to, start), to }));
    await breathe();
    if (task.cancelled()) return task.cancel();
  }
  for (const { row } of open.values()) unknown[row]!++;
  return ok(undefined);
}

function* timed(
  { images }: Trace,
  { low, high, times, counts, unknown }: Sums,
  facts: Pick<Timed, 'unit' | 'reach'>,
): Generator<undefined, Result<Timed>, undefined> {
  const order = [...low.keys()].sort((a, b) => high[a]! - high[b]! || low[a]! - low[b]!);
  const addresses = order.map((row) => joinAddress(low[row]!, high[row]!));
  const places = yield* placesOf(images, { low: order.map((row) => low[row]!), high: order.map((row) => high[row]!) });
  const unknownTimes = sum(unknown);
  return ok({
    ...facts,
    addresses,
    times: order.map((row) => times[row]!),
    counts: order.map((row) => counts[row]!),
    unknown: order.map((row) => unknown[row]!),
    lines: places.lineOf,
    owners: places.functionOf,
    places: places.lines,
    functions: places.functions,
    notes: [
      TIME_NOTE,
      ...(unknownTimes > 0
        ? [
            `The time of ${counted(unknownTimes, 'execution')} is unknown and not counted: at an end of the trace or range, at gaps, or without times.`,
          ]
        : []),
    ],
  });
}

function* answerOf(
  { unit, reach, notes, addresses, times, counts, unknown, ...of }: Timed,
  code: ImageCode,
): Generator<undefined, Result<CodeTimes>, undefined> {
  const instructions: InstructionTime[] = [];
  const lines = new Map<number, { time: number; count: number; unknown: number }>();
  for (const [row, address] of addresses.entries()) {
    yield;
    const place = of.places[of.lines[row]!];
    const owner = of.functions[of.owners[row]!];
    const text = code.at(lowHalf(address), highHalf(address), undefined)?.text;
    instructions.push({
      address: toHex(address),
      time: times[row]!,
      count: counts[row]!,
      ...(unknown[row]! > 0 && { unknown: unknown[row]! }),
      ...(text !== undefined && { text: text.replaceAll(/\s+/g, ' ') }),
      ...(owner && { function: owner.name }),
      ...(place && { file: place.file, line: place.line }),
    });
    if (place === undefined) continue;
    const line = lines.get(of.lines[row]!) ?? { time: 0, count: 0, unknown: 0 };
    line.time += times[row]!;
    line.count = Math.max(line.count, counts[row]!);
    line.unknown += unknown[row]!;
    lines.set(of.lines[row]!, line);
  }
  const left = instructions.length - MOST_ANSWERED;
  return ok({
    unit,
    cost: sum(times),
    instructions: instructions.sort((a, b) => b.time - a.time || b.count - a.count).slice(0, MOST_ANSWERED),
    lines: [...lines]
      .map(([at, { unknown: its, ...line }]): LineTime => {
        const { file, line: number } = of.places[at]!;
        return { file, line: number, ...line, ...(its > 0 && { unknown: its }) };
      })
      .sort((a, b) => b.time - a.time || b.count - a.count),
    notes: [
      ...notes,
      ...(left > 0 ? [`${counted(left, 'instruction')} that took least ${left === 1 ? 'is' : 'are'} omitted.`] : []),
    ],
    reach,
  });
}

function sum(all: readonly number[]): number {
  return all.reduce((total, one) => total + one, 0);
}
