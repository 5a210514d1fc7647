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
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { highHalf, joinAddress, lowHalf, toHex, type RecordNumber } from '../../../../shared/base/units.ts';
import { knownCalls } from '../../flow/calls.ts';
import { walkFlow } from '../../flow/events/walk.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { TIME_NOTE, timeUnitOf } from '../calls/timed-calls.ts';
import { placesOf } from '../coverage/places.ts';
import { rangeOf } from '../find/find.ts';
import { visitColumns } from '../records/block-reader.ts';
import { codeOf } from './describe.ts';

/** Blocks after the range that are searched for the next instruction of each CPU. */
const BLOCKS_AFTER = 2;
/** Instructions in an answer; those that took least are omitted. */
const MOST_ANSWERED = 100_000;

/** Fails with NO_TIME if the trace has no times of instructions. */
export async function codeTimes(
  trace: Trace,
  args: Omit<Arguments<'codeTimes'>, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<CodeTimes>> {
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
  return read.ok ? answerOf(trace, sums, unit, reach, task) : read;
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

async function answerOf(
  trace: Trace,
  { low, high, times, counts, unknown }: Sums,
  unit: string,
  reach: CodeTimes['reach'],
  task: Task<FlowProgress>,
): Promise<Result<CodeTimes>> {
  const order = [...low.keys()].sort((a, b) => high[a]! - high[b]! || low[a]! - low[b]!);
  const addresses = order.map((row) => joinAddress(low[row]!, high[row]!));
  const code = await codeOf(trace);
  function* places(): Generator<undefined, Result<CodeTimes>, undefined> {
    const { places: found, rows } = yield* placesOf(trace.images, addresses);
    const instructions: InstructionTime[] = [];
    const lines = new Map<number, { time: number; count: number; unknown: number }>();
    for (const [at, row] of order.entries()) {
      yield;
      const address = addresses[at]!;
      const place = found.lines[rows.lines[at]!];
      const owner = found.functions[rows.functions[at]!];
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
      const line = lines.get(rows.lines[at]!) ?? { time: 0, count: 0, unknown: 0 };
      line.time += times[row]!;
      line.count = Math.max(line.count, counts[row]!);
      line.unknown += unknown[row]!;
      lines.set(rows.lines[at]!, line);
    }
    const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);
    const left = instructions.length - MOST_ANSWERED;
    return ok({
      unit,
      cost: sum(times),
      instructions: instructions.sort((a, b) => b.time - a.time || b.count - a.count).slice(0, MOST_ANSWERED),
      lines: [...lines]
        .map(([at, { unknown: its, ...line }]): LineTime => {
          const { file, line: number } = found.lines[at]!;
          return { file, line: number, ...line, ...(its > 0 && { unknown: its }) };
        })
        .sort((a, b) => b.time - a.time || b.count - a.count),
      notes: [
        TIME_NOTE,
        ...(sum(unknown) > 0
          ? [
              `The time of ${counted(sum(unknown), 'execution')} is unknown and not counted: at an end of the trace or range, at gaps, or without times.`,
            ]
          : []),
        ...(left > 0 ? [`${counted(left, 'instruction')} that took least ${left === 1 ? 'is' : 'are'} omitted.`] : []),
      ],
      reach,
    });
  }
  return answerInSlices(places(), task);
}
