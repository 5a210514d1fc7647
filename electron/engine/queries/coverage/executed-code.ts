/** How often the instructions of a program ran: from the counts of the index, or from the straight runs between branches. */
import type { ExecutedRuns } from '../../flow/loops/executed-runs.ts';
import type { Edges } from '../calls/branch-edges.ts';
import { BRANCH, EVENT } from '../../../../shared/flow/events.ts';
import { joinAddress } from '../../../../shared/base/units.ts';
import type { CodeTable, Stretches } from '../../index/builders/code/code-table.ts';
import { SORT_FLAGS } from '../calls/branch-edges.ts';
import { NO_ROW, SORT, type ProgramCode } from './program-code.ts';

/** Columns have an element per row of the code. */
export interface ExecutedCode {
  /** How often control came there. */
  readonly counts: Float64Array;
  /** How often the instruction was skipped, because its condition failed; NaN if the trace does not show it. */
  readonly skipped: Float64Array;
  /** The trace shows which conditional instructions of ARM were skipped. */
  readonly showsSkipped: boolean;
  /** How often the next instruction followed it. */
  readonly passed: Float64Array;
  /** How often it branched. */
  readonly taken: Float64Array;
  /** Number of straight runs that no image explains: their instructions are not counted. */
  readonly unexplained: number;
  /** Number of messages of a Pentium whose source is no branch: the instruction after it, which may have branched, is not counted. */
  readonly unpaired: number;
}

/**
 * Takes the counts of the index. Yields after each run.
 * @param showsSkipped the trace shows which instructions were skipped, and so whether conditional branches of ARM were taken
 */
export function* countedIn(
  code: ProgramCode,
  { runs, ...marks }: CodeTable,
  showsSkipped: boolean,
): Generator<undefined, ExecutedCode, undefined> {
  const straight = createStraightCounts(code);
  let unexplained = 0;
  for (let run = 0; run < runs.count; run++) {
    yield;
    const { high, low, last, times } = runs.columns;
    if (code.ready !== undefined) yield* code.ready(joinAddress(low[run]!, high[run]!));
    if (follow(code, straight.rows, { from: low[run]!, to: last[run]!, high: high[run]! })) straight.add(times[run]!);
    else unexplained += times[run]!;
  }
  // Marks can add rows to the code.
  const rows = {
    taken: yield* rowsOf(marks.taken),
    followed: yield* rowsOf(marks.followed),
    skipped: yield* rowsOf(marks.skipped),
  };
  const { counts, passed } = straight.finish();
  const skipped = new Float64Array(counts.length).fill(Number.NaN);
  const taken = new Float64Array(counts.length);
  const skips = new Float64Array(counts.length);
  yield;
  leaveGaps(code, passed, marks.broken);
  addMarks(marks.taken, rows.taken, taken);
  addMarks(marks.followed, rows.followed, passed);
  addMarks(marks.skipped, rows.skipped, skips);
  for (let row = 0; row < counts.length; row += STEP) {
    yield;
    addSkips(row, Math.min(counts.length, row + STEP));
  }
  return { counts, skipped, showsSkipped, passed, taken, unexplained, unpaired: 0 };

  function addSkips(from: number, to: number): void {
    const { skips: showsSkips, sort } = code.columns;
    for (let row = from; row < to; row++) {
      const isShown = showsSkipped && showsSkips[row] === 1;
      if (isShown || skips[row]! > 0) skipped[row] = skips[row]!;
      // Some traces may mark other instructions only: one more may be a branch directly before a range.
      const marksBranches = passed[row]! <= skips[row]! + 1;
      if (!isShown || (sort[row]! >= SORT.branch && !marksBranches)) continue;
      passed[row] = skips[row]!;
      taken[row] = counts[row]! - skips[row]!;
    }
  }

  function* rowsOf({ count, columns }: Stretches): Generator<undefined, Int32Array, undefined> {
    const own = new Int32Array(count);
    for (let at = 0; at < count; at++) {
      yield;
      own[at] = code.rowAt(columns.low[at]!, columns.high[at]!);
    }
    return own;
  }
}

function addMarks({ columns }: Stretches, rows: Int32Array, sums: Float64Array): void {
  rows.forEach((row, at) => {
    if (row !== NO_ROW) sums[row]! += columns.times[at]!;
  });
}

/** Rows between two yields. */
const STEP = 4096;

/** The instruction before a gap in a run was not followed by the one behind it in memory. `broken`: those behind gaps, each once. */
function leaveGaps({ count, columns }: ProgramCode, passed: Float64Array, broken: Stretches): void {
  if (broken.count === 0) return;
  /** By both halves of the address. */
  const gaps = new Map<number, Map<number, number>>();
  const { high, low, times } = broken.columns;
  for (let at = 0; at < broken.count; at++) {
    const own = gaps.get(high[at]!) ?? new Map<number, number>();
    gaps.set(high[at]!, own.set(low[at]!, times[at]!));
  }
  for (let row = 0; row < Math.min(count, passed.length); row++) {
    if (passed[row] === 0) continue;
    const its = gaps.get(columns.high[row]!)?.get(columns.low[row]! + columns.size[row]!);
    if (its !== undefined) passed[row] = Math.max(0, passed[row]! - its);
  }
}

/** Counts per row of the code, which may grow while it is counted. `rows`: those of a run, before `add`. */
function createStraightCounts(code: ProgramCode) {
  let counts = new Float64Array(code.count);
  let passed = new Float64Array(code.count);
  const rows: number[] = [];
  return {
    rows,
    add(times: number): void {
      if (code.count > counts.length) {
        counts = grown(counts, 2 * code.count);
        passed = grown(passed, 2 * code.count);
      }
      for (let at = 0; at < rows.length; at++) {
        counts[rows[at]!]! += times;
        if (at < rows.length - 1) passed[rows[at]!]! += times;
      }
    },
    finish: () => ({ counts: grown(counts, code.count), passed: grown(passed, code.count) }),
  };
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly high: number;
}

/** Longer runs are no code of an image. */
const MOST_INSTRUCTIONS = 1 << 16;

/**
 * Counts each run's instructions, those from its first to its last one. A run counts only if the instructions of the images lead from one
 * to the other, and are as many as the trace has. Yields after each run.
 * @param messages the trace has branches only, so an instruction that always branches cannot be inside of a run; those of a Pentium may name the
 *   instruction directly before the branch, with which it ran as a pair
 */
export function* executedCode(
  code: ProgramCode,
  { runs }: ExecutedRuns,
  edges: Edges,
  messages: boolean | 'pentium',
): Generator<undefined, ExecutedCode, undefined> {
  const { count, columns } = runs;
  const straight = createStraightCounts(code);
  let unexplained = 0;
  for (let run = 0; run < count; run++) {
    yield;
    const times = columns.times[run]!;
    const stretch = { from: columns.from[run]!, to: columns.to[run]!, high: columns.high[run]! };
    if (code.ready !== undefined) yield* code.ready(joinAddress(stretch.from, stretch.high));
    if (follow(code, straight.rows, stretch, messages !== false, columns.each[run])) straight.add(times);
    else unexplained += times;
  }
  const branched: Branched[] = [];
  let unpaired = 0;
  for (let edge = 0; edge < edges.count; edge++) {
    const kind = edges.sort[edge]! & 0xff;
    if (((edges.sort[edge]! >>> SORT_FLAGS) & EVENT.source) === 0 || LEAVES_ANYWHERE.has(kind)) continue;
    const row = code.rowAt(edges.sourceLow[edge]!, edges.sourceHigh[edge]!);
    if (row === NO_ROW) continue;
    const mayPair = messages === 'pentium' && code.columns.sort[row]! < SORT.branch;
    const second = mayPair ? secondOfPair(code, row, kind) : NO_ROW;
    if (mayPair && second === NO_ROW) unpaired += edges.times[edge]!;
    branched.push({ row, second, times: edges.times[edge]! });
  }
  // The branches have added their rows to the code.
  const { counts, passed } = straight.finish();
  const taken = new Float64Array(code.count);
  for (const { row, second, times } of branched) {
    taken[second === NO_ROW ? row : second]! += times;
    if (second === NO_ROW) continue;
    // Its run ends with the first of the pair.
    counts[second]! += times;
    passed[row]! += times;
  }
  const skipped = new Float64Array(counts.length).fill(Number.NaN);
  return { counts, skipped, showsSkipped: false, passed, taken, unexplained, unpaired };
}

/**
 * Puts the instructions of a run into `rows`. Returns false if the images have none like that.
 * @param each number of instructions that the trace has; below 1 if it is not known
 */
function follow(code: ProgramCode, rows: number[], { from, to, high }: Stretch, messages = false, each = 0): boolean {
  rows.length = 0;
  for (let at = from; rows.length < MOST_INSTRUCTIONS;) {
    const row = code.rowAt(at, high);
    if (row === NO_ROW) return false;
    rows.push(row);
    const next = at + code.columns.size[row]!;
    // A run that an interrupt cut ends at the byte before the instruction that did not run.
    if (at === to || next === to + 1) return each <= 0 || each >= rows.length;
    if (next > to) return false;
    if (messages && code.columns.ends[row] === 1) return false;
    at = next;
  }
  return false;
}

/** Branches of one source. */
interface Branched {
  readonly row: number;
  /** The branch that ran as the second of a pair whose first one is the source; NO_ROW if the source itself branched. */
  readonly second: number;
  readonly times: number;
}

/** Returns the row of the branch after the source of a message, which is no branch. The message is about it if that gave it its kind. */
function secondOfPair({ columns, rowAt }: ProgramCode, row: number, kind: number): number {
  if (kind === BRANCH.unknown) return NO_ROW;
  const second = rowAt(columns.low[row]! + columns.size[row]!, columns.high[row]!);
  return second !== NO_ROW && columns.sort[second]! >= SORT.branch ? second : NO_ROW;
}

/** Branches that happen to an instruction, and do not follow from it. */
const LEAVES_ANYWHERE: ReadonlySet<number> = new Set([BRANCH.interrupt, BRANCH.exception, BRANCH.sequential]);

function grown(column: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  if (column.length === length) return column;
  const other = new Float64Array(length);
  other.set(column.subarray(0, Math.min(length, column.length)));
  return other;
}
