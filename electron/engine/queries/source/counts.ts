/**
 * The counts of `coverage`, kept for the few ranges that panes show at a time, and indexed by line, by address, and by rows of a listing.
 * Panes so ask for the visible part only, and show the numbers of the command line.
 */
import type { Coverage } from '../../../../shared/requests/answers/coverage.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { createLru } from '../../../../shared/base/lru.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { cachePer } from '../../collections/cache-per.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { coverage } from '../coverage/coverage.ts';

export interface RangeArguments {
  readonly from?: RecordNumber;
  readonly to?: RecordNumber;
}

export interface Counts {
  readonly coverage: Coverage;
  /** Rows of `coverage.lines` [first, end), by file. */
  readonly files: ReadonlyMap<string, { readonly first: number; readonly end: number }>;
  /** Addresses of the instructions, ascending. */
  readonly addresses: BigUint64Array;
  /** Rows of instructions of line L: `ofLines[starts[L]]` to before `ofLines[starts[L + 1]]`, ascending. */
  readonly starts: Uint32Array;
  readonly ofLines: Uint32Array;
  /** Rows of the listing: an instruction, or -1 - F for the heading of function F. */
  readonly listing: Int32Array;
  /** Row of the listing of each instruction. */
  readonly listed: Uint32Array;
  readonly most: number;
}

/** Ranges whose counts are kept: those of the charts before and after a zoom. */
const KEPT = 3;

interface Known {
  readonly answers: { get: (key: string) => Counts | undefined; set: (key: string, counts: Counts) => void };
  /** Counts that are being made, which other requests wait for. */
  readonly running: Map<string, Promise<unknown>>;
}

const knownOf = cachePer((): Known => ({ answers: createLru<string, Counts>(KEPT), running: new Map() }));

/** Fails as `coverage` does. */
export async function countsIn(
  trace: Trace,
  { from, to }: RangeArguments,
  task: Task<FlowProgress>,
): Promise<Result<Counts>> {
  const { answers, running } = knownOf(trace);
  const key = `${from ?? ''} ${to ?? ''} ${trace.blocks.records} ${trace.ingest.complete}`;
  for (;;) {
    const known = answers.get(key);
    if (known !== undefined) return ok(known);
    const other = running.get(key);
    if (other === undefined) break;
    await other;
    if (task.cancelled()) return task.cancel();
  }
  const counting = count(trace, { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }, task);
  running.set(key, counting);
  const counted = await counting.finally(() => running.delete(key));
  if (counted.ok) answers.set(key, counted.value);
  return counted;
}

async function count(trace: Trace, range: RangeArguments, task: Task<FlowProgress>): Promise<Result<Counts>> {
  const counted = await coverage(trace, range, task);
  return counted.ok ? answerInSlices(indexed(counted.value), task) : counted;
}

/** Returns the row of the instruction that contains an address; -1 without one. */
export function rowOf({ coverage: { instructions }, addresses }: Counts, address: bigint): number {
  let [low, high] = [0, addresses.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (addresses[middle]! <= address) low = middle + 1;
    else high = middle;
  }
  const row = low - 1;
  return row >= 0 && address < addresses[row]! + BigInt(instructions.sizes[row]!) ? row : -1;
}

/** Returns the row of a line; -1 if it has no code. */
export function lineRow({ coverage: { lines }, files }: Counts, file: string, line: number): number {
  const own = files.get(file);
  if (own === undefined) return -1;
  const at = firstLine(lines, own, line);
  return at < own.end && lines[at]!.line === line ? at : -1;
}

/** Returns the first row of a file's lines that is not before `line`. */
export function firstLine(
  lines: Coverage['lines'],
  { first, end }: { readonly first: number; readonly end: number },
  line: number,
): number {
  let [low, high] = [first, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lines[middle]!.line < line) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the rows of the instructions of a line, by address. */
export function instructionsOf({ starts, ofLines }: Counts, line: number): Uint32Array {
  return ofLines.subarray(starts[line], starts[line + 1]);
}

/** Yields often, because a program may have a million instructions. */
function* indexed(answer: Coverage): Generator<undefined, Result<Counts>, undefined> {
  const { instructions, lines } = answer;
  const count = instructions.addresses.length;
  const files = new Map<string, { first: number; end: number }>();
  lines.forEach(({ file }, row) => {
    const own = files.get(file);
    if (own === undefined) files.set(file, { first: row, end: row + 1 });
    else own.end = row + 1;
  });
  const addresses = new BigUint64Array(count);
  const starts = new Uint32Array(lines.length + 2);
  let headings = 0;
  let most = 0;
  for (let row = 0; row < count; row++) {
    if (row % STEP === 0) yield;
    addresses[row] = BigInt(instructions.addresses[row]!);
    const line = instructions.lines[row]!;
    if (line >= 0) starts[line + 2]!++;
    if (beginsFunction(instructions.functions, row)) headings++;
    most = Math.max(most, instructions.counts[row]!);
  }
  for (let line = 2; line < starts.length; line++) starts[line]! += starts[line - 1]!;
  const ofLines = new Uint32Array(starts.at(-1)!);
  const listing = new Int32Array(count + headings);
  const listed = new Uint32Array(count);
  let at = 0;
  for (let row = 0; row < count; row++) {
    if (row % STEP === 0) yield;
    const line = instructions.lines[row]!;
    if (line >= 0) ofLines[starts[line + 1]!++] = row;
    if (beginsFunction(instructions.functions, row)) listing[at++] = -1 - instructions.functions[row]!;
    listed[row] = at;
    listing[at++] = row;
  }
  return ok({ coverage: answer, files, addresses, starts, ofLines, listing, listed, most });
}

/** Rows between two yields. */
const STEP = 1024;

function beginsFunction(functions: readonly number[], row: number): boolean {
  return functions[row]! >= 0 && (row === 0 || functions[row - 1] !== functions[row]);
}
