/**
 * The counts of `coverage`, kept for the few ranges that panes show at a time, and indexed by line and by address. Panes so ask for the
 * visible part only, and show the numbers of the command line.
 */
import type { Coverage } from '../../../../shared/requests/answers/coverage.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { lastAtOrBefore } from '../../image/symbols.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import { joinAddress } from '../../../../shared/base/units.ts';
import { coverage, coverageAndCode, type CoverageAndCode } from '../coverage/coverage.ts';
import { keptPerRange } from './per-range.ts';

export interface Counts extends CoverageAndCode {
  /** Rows of `coverage.lines` [first, end), by file. */
  readonly files: ReadonlyMap<string, { readonly first: number; readonly end: number }>;
  /** Addresses of the instructions, ascending. */
  readonly addresses: BigUint64Array;
  /** Rows of instructions of line L: `ofLines[starts[L]]` to before `ofLines[starts[L + 1]]`, ascending. */
  readonly starts: Uint32Array;
  readonly ofLines: Uint32Array;
}

/** Fails as `coverage` does. */
export const countsIn = keptPerRange(async (trace, range, task): Promise<Result<Counts>> => {
  const counted = await coverageAndCode(trace, { ...range, level: 'line' }, task);
  return counted.ok ? answerInSlices(indexed(counted.value), task) : counted;
});

/** `coverage` with its list of instructions, kept in the same way. Fails as that does. */
export const listedIn = keptPerRange(coverage);

/** Returns the row of the instruction that contains an address; -1 without one. */
export function rowOf({ code, addresses }: Counts, address: bigint): number {
  return rowWith(addresses, code.size, address);
}

/** Returns the index of the instruction that contains an address, of those at `addresses`, which ascend; -1 without one. */
export function rowWith(addresses: BigUint64Array, sizes: ArrayLike<number>, address: bigint): number {
  const row = lastAtOrBefore(addresses, address);
  return row >= 0 && address < addresses[row]! + BigInt(sizes[row]!) ? row : -1;
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
function* indexed({ coverage, code }: CoverageAndCode): Generator<undefined, Result<Counts>, undefined> {
  const { lines } = coverage;
  const { low, high } = code;
  const { lines: lineOf } = code.rows;
  const count = low.length;
  const files = new Map<string, { first: number; end: number }>();
  lines.forEach(({ file }, row) => {
    const own = files.get(file);
    if (own === undefined) files.set(file, { first: row, end: row + 1 });
    else own.end = row + 1;
  });
  const addresses = new BigUint64Array(count);
  const starts = new Uint32Array(lines.length + 2);
  for (let row = 0; row < count; row++) {
    if (row % STEP === 0) yield;
    addresses[row] = joinAddress(low[row]!, high[row]!);
    const line = lineOf[row]!;
    if (line >= 0) starts[line + 2]!++;
  }
  for (let line = 2; line < starts.length; line++) starts[line]! += starts[line - 1]!;
  const ofLines = new Uint32Array(starts.at(-1)!);
  for (let row = 0; row < count; row++) {
    if (row % STEP === 0) yield;
    const line = lineOf[row]!;
    if (line >= 0) ofLines[starts[line + 1]!++] = row;
  }
  return ok({ coverage, code, files, addresses, starts, ofLines });
}

/** Rows between two yields. */
const STEP = 1024;
