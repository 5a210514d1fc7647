/**
 * Records of a trace as a trace of their own: which bytes they have, and the state before them.
 *
 * The records are the bytes of the trace, unchanged. Before them are the bytes that precede its first record (a header), and, where the
 * format has a line for it, the registers that are known at that point. Contents of memory have no such line: a line of a read would be
 * an access that never happened. They are in the state, with all registers.
 */
import { group } from '../../../shared/base/numbers.ts';
import { assert, fail, ok, type Result } from '../../../shared/base/result.ts';
import { toHex, type Hex } from '../../../shared/base/units.ts';
import { MOVES, KIND, type RecordView } from '../../../shared/records/record.ts';
import type { Slice, SliceState } from '../../../shared/requests/bundle/bundles.ts';
import { memory } from '../queries/memory/memory.ts';
import { registers } from '../queries/memory/registers.ts';
import { records } from '../queries/records/records.ts';
import { withoutProgress, type Task } from '../threads/task.ts';
import { beyond, reachOf, type Trace } from '../trace.ts';

export interface RecordRange {
  readonly from: number;
  readonly to: number;
}

/** Fails with `slice` if the range cannot be a trace of its own. */
export async function slice(trace: Trace, range: RecordRange, task: Task<unknown>): Promise<Result<Slice>> {
  const never = noSlices(trace);
  if (never !== undefined) return fail('slice', `${never}, so a slice of it would not open`);
  const reach = reachOf(trace);
  if (!reach.complete) return beyond(range.to, reach);
  if (range.from >= range.to || range.to > reach.records)
    return fail('slice', `the trace has no records ${group(range.from)} to ${group(range.to)}`);
  const bounds = boundsOf(trace, range);
  if (!bounds.ok) return bounds;
  const state = await stateBefore(trace, range, withoutProgress(task));
  if (!state.ok) return state;
  const { first, ...bytes } = bounds.value;
  const lines = registerLines(trace, state.value, first);
  return ok({
    ...bytes,
    lines: lines.join(''),
    stateRecords: lines.length,
    state: state.value,
  });
}

/** Returns a slice as a bundle holds it. In formats without slices, that is the whole trace. */
export async function sliceOrWhole(trace: Trace, range: RecordRange, task: Task<unknown>): Promise<Result<Slice>> {
  const isWhole = range.from === 0 && range.to === trace.blocks.records;
  return isWhole && noSlices(trace) !== undefined ? ok(wholeTrace(trace)) : slice(trace, range, task);
}

/** Returns the whole trace as a slice, which opens in every format. */
function wholeTrace({ file, format, blocks }: Trace): Slice {
  const state = { format: format.id, options: format.options, from: 0, to: blocks.records };
  return {
    header: 0,
    start: 0,
    stop: file.bytes,
    lines: '',
    stateRecords: 0,
    state: { ...state, registers: [], memory: [], notes: [] },
  };
}

/** Returns why no part of a trace of this format would open, as the end of a sentence. */
export function noSlices({ reader }: Trace): string | undefined {
  return reader.decoder.format.slices?.never;
}

/** Number of records before a range that are tried as its first one. */
const TRIED = 1000;
/** Marks of records whose time or CPU is that of an earlier one. */
const ASSUMED = ['time-assumed', 'cpu-assumed'];

/**
 * Returns a range with these records that neither begins nor ends inside a line, and that opens with all of its records. If possible, it begins
 * with a record that has its own time and CPU. Undefined if none of TRIED records can be the first.
 */
export function openableRange(trace: Trace, { from, to }: RecordRange): Result<RecordRange | undefined> {
  let last = to;
  for (;;) {
    const inside = isInsideLine(trace, last);
    if (!inside.ok) return inside;
    if (!inside.value) break;
    last++;
  }
  const { slices } = trace.reader.decoder.format;
  let possible: number | undefined;
  for (let at = from; at >= 0 && at > from - TRIED; at--) {
    const [inside, found] = [isInsideLine(trace, at), recordOf(trace, at)];
    if (!inside.ok) return inside;
    if (!found.ok) return found;
    if (inside.value || found.value === undefined) continue;
    const { kind, native, flags = [] } = found.value;
    if (at > 0 && slices?.neverFirst?.(native, flags) === true) continue;
    possible ??= at;
    const hasOwn = kind !== 'other' && !flags.some((mark) => ASSUMED.includes(mark));
    if (at === 0 || hasOwn) return ok({ from: at, to: last });
  }
  return ok(possible === undefined ? undefined : { from: possible, to: last });
}

interface Bounds {
  readonly header: number;
  readonly start: number;
  readonly stop: number;
  readonly first: RecordView;
}

function boundsOf(trace: Trace, { from, to }: RecordRange): Result<Bounds> {
  const [zero, first, last] = [recordOf(trace, 0), recordOf(trace, from), recordOf(trace, to - 1)];
  if (!zero.ok) return zero;
  if (!first.ok) return first;
  if (!last.ok) return last;
  assert(zero.value && first.value && last.value, 'the range has records');
  for (const at of [from, to]) {
    const inside = isInsideLine(trace, at);
    if (!inside.ok) return inside;
    if (inside.value)
      return fail(
        'slice',
        'the slice would begin or end inside a line; choose --from and --to at the first record of lines',
      );
  }
  return ok({
    header: zero.value.offset,
    start: first.value.offset,
    stop: last.value.offset + last.value.bytes,
    first: first.value,
  });
}

function haveParts({ reader }: Trace): boolean {
  const { framing } = reader.decoder;
  return framing.kind === 'lines' && framing.parts === true;
}

const LF = 10;

/** Several records may share a line, which has one beginning. */
function isInsideLine(trace: Trace, at: number): Result<boolean> {
  if (at <= 0 || !haveParts(trace)) return ok(false);
  const [before, after] = [recordOf(trace, at - 1), recordOf(trace, at)];
  if (!before.ok) return before;
  if (!after.ok) return after;
  if (before.value === undefined || after.value === undefined) return ok(false);
  const between = new Uint8Array(after.value.offset - before.value.offset);
  const read = trace.reader.source.read(before.value.offset, between, 0, between.length);
  return read.ok ? ok(!between.includes(LF)) : read;
}

function recordOf(trace: Trace, n: number): Result<RecordView | undefined> {
  const answer = records(trace, { from: n, count: 1 });
  return answer.ok ? ok(answer.value.records[0]) : answer;
}

const PAGE = 4096n;
/** Pages of memory whose state is looked up. */
const MOST_PAGES = 4096;
const COUNT = 10_000;

async function stateBefore(trace: Trace, { from, to }: RecordRange, task: Task): Promise<Result<SliceState>> {
  const notes: string[] = [];
  const contents: { address: Hex; bytes: string }[] = [];
  const files: { cpu?: number; values: Record<string, Hex> }[] = [];
  if (from > 0) {
    const known = registers(trace, { at: from - 1 });
    if (!known.ok) return known;
    for (const { cpu, registers: values } of known.value.files)
      files.push({
        ...(cpu !== undefined && { cpu }),
        values: Object.fromEntries(values.map(({ name, value }) => [name, value])),
      });
    const pages = pagesOf(trace, { from, to }, task);
    if (!pages.ok) return pages;
    if (pages.value.size > MOST_PAGES)
      notes.push(`The records access more than ${String(MOST_PAGES)} pages; the contents of the first ones are here.`);
    for (const page of [...pages.value].slice(0, MOST_PAGES).sort((a, b) => (a < b ? -1 : 1))) {
      const address = toHex(page * PAGE);
      const view = await memory(trace, { at: from - 1, address, length: Number(PAGE) }, task);
      if (!view.ok) return view;
      contents.push(...knownRuns(page * PAGE, view.value.bytes, view.value.known));
    }
  }
  const { format } = trace;
  return ok({ format: format.id, options: format.options, from, to, registers: files, memory: contents, notes });
}

/** Returns the pages that the records access, or the first ones. */
function pagesOf(trace: Trace, { from, to }: RecordRange, task: Task): Result<ReadonlySet<bigint>> {
  const pages = new Set<bigint>();
  for (let next = from; next < to && pages.size <= MOST_PAGES; next += COUNT) {
    if (task.cancelled()) return task.cancel();
    const part = records(trace, { from: next, count: Math.min(COUNT, to - next) });
    if (!part.ok) return part;
    for (const { kind, address, size = 1 } of part.value.records) {
      if (MOVES[KIND[kind]] === 0 || address === undefined) continue;
      const low = BigInt(address) / PAGE;
      const high = (BigInt(address) + BigInt(size) - 1n) / PAGE;
      for (let page = low; page <= high && page < 2n ** 52n; page++) pages.add(page);
    }
  }
  return ok(pages);
}

function knownRuns(base: bigint, bytes: Uint8Array, known: Uint8Array): { address: Hex; bytes: string }[] {
  const runs: { address: Hex; bytes: string }[] = [];
  for (let at = 0; at < bytes.length; at++) {
    if (known[at] === 0) continue;
    const start = at;
    while (at < bytes.length && known[at] !== 0) at++;
    const run = Buffer.from(bytes.subarray(start, at)).toString('hex');
    runs.push({ address: toHex(base + BigInt(start)), bytes: run });
  }
  return runs;
}

/** Returns lines that set the known registers of a trace with one CPU, where its format has lines that are certain to be read so. */
function registerLines(trace: Trace, state: SliceState, { time }: RecordView): readonly string[] {
  const [file] = state.registers;
  if (state.registers.length !== 1 || file === undefined || time === undefined) return [];
  const { slices } = trace.reader.decoder.format;
  return Object.entries(file.values)
    .map(([name, value]) => slices?.registerLine?.(trace.format.options, name, value, time))
    .filter((line) => line !== undefined);
}
