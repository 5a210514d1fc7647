/** How often the instructions of a program ran, from the straight runs between its branches. */
import type { ExecutedRuns } from '../../flow/loops/executed-runs.ts';
import type { Edges } from '../calls/branch-edges.ts';
import { BRANCH, EVENT } from '../../../../shared/flow/events.ts';
import { SORT_FLAGS } from '../calls/branch-edges.ts';
import { NO_ROW, type ProgramCode } from './program-code.ts';

export interface ExecutedCode {
  /** Per row of the code: how often control came there. */
  readonly counts: Float64Array;
  /** How often the next instruction followed it. */
  readonly passed: Float64Array;
  /** How often it branched. */
  readonly taken: Float64Array;
  /** Number of straight runs that no image explains: their instructions are not counted. */
  readonly unexplained: number;
}

/** Longer runs are no code of an image. */
const MOST_INSTRUCTIONS = 1 << 16;

/**
 * Counts each run's instructions, those from its first to its last one. A run counts only if the instructions of the images lead from one
 * to the other, and are as many as the trace has. Yields after each run.
 * @param messages the trace has branches only, so an instruction that always branches cannot be inside of a run
 */
export function* executedCode(
  code: ProgramCode,
  { runs }: ExecutedRuns,
  edges: Edges,
  messages: boolean,
): Generator<undefined, ExecutedCode, undefined> {
  const { count, columns } = runs;
  let counts = new Float64Array(code.count);
  let passed = new Float64Array(code.count);
  const rows: number[] = [];
  let unexplained = 0;
  for (let run = 0; run < count; run++) {
    yield;
    const times = columns.times[run]!;
    if (!follow(columns.from[run]!, columns.to[run]!, columns.high[run]!, columns.each[run]!)) {
      unexplained += times;
      continue;
    }
    if (code.count > counts.length) {
      counts = grown(counts, 2 * code.count);
      passed = grown(passed, 2 * code.count);
    }
    rows.forEach((row, at) => {
      counts[row]! += times;
      if (at < rows.length - 1) passed[row]! += times;
    });
  }
  const taken = new Float64Array(code.count);
  for (let edge = 0; edge < edges.count; edge++) {
    const kind = edges.sort[edge]! & 0xff;
    if (((edges.sort[edge]! >>> SORT_FLAGS) & EVENT.source) === 0 || LEAVES_ANYWHERE.has(kind)) continue;
    const row = code.rowAt(edges.sourceLow[edge]!, edges.sourceHigh[edge]!);
    if (row !== NO_ROW && row < taken.length) taken[row]! += edges.times[edge]!;
  }
  return {
    counts: grown(counts, code.count),
    passed: grown(passed, code.count),
    taken: grown(taken, code.count),
    unexplained,
  };

  /** Puts the instructions of a run into `rows`. Returns false if the images have none like that. */
  function follow(from: number, to: number, high: number, each: number): boolean {
    rows.length = 0;
    for (let at = from; rows.length < MOST_INSTRUCTIONS;) {
      const row = code.rowAt(at, high);
      if (row === NO_ROW) return false;
      rows.push(row);
      const next = at + code.columns.size[row]!;
      if (at === to) break;
      // A run that an interrupt cut ends at the byte before the instruction that did not run.
      if (next > to) {
        if (next !== to + 1) return false;
        break;
      }
      if (messages && code.columns.ends[row] === 1) return false;
      at = next;
    }
    return each <= 0 || each >= rows.length;
  }
}

/** Branches that happen to an instruction, and do not follow from it. */
const LEAVES_ANYWHERE: ReadonlySet<number> = new Set([BRANCH.interrupt, BRANCH.exception, BRANCH.sequential]);

function grown(column: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const other = new Float64Array(length);
  other.set(column.subarray(0, Math.min(length, column.length)));
  return other;
}
