/** Requests about two aligned runs: the rows of a comparison side by side, the other record of a pair, and how the states differ there. */
import { ALIGNING, type RegionKind } from './diff.ts';
import { request, type } from './request.ts';
import { object, oneOf, optional, record, text, whole } from './schema.ts';
import { ofTrace, type FlowProgress } from './trace.ts';
import type { Hex, RecordNumber } from '../base/units.ts';

/** Most rows of one answer. */
export const ALIGNED_ROWS_MOST = 2000;

/**
 * The alignment that `diff` answers with: the same arguments give the same alignment. `by: path` has the same rows as `by: values`, known
 * earlier.
 */
const ofPair = {
  ...ofTrace,
  other: text(20),
  ...ALIGNING,
  /** The rows of `diff` with the same value. */
  only: optional(oneOf(['start'])),
} as const;

/** Pages of memory that are compared by default, and most of them. */
export const STATE_PAGES = 32;
export const STATE_PAGES_MOST = 65_536;

export const SIDES = ['a', 'b'] as const;
export type SideName = (typeof SIDES)[number];

export const COMPARE_REQUESTS = {
  /**
   * The records of the rows [from, from + count), fewer at the end. A region has the instructions of both runs side by side, and so as many
   * rows as the run with more instructions has there (answers/aligned-rows.ts). Rows of traces that are compared by proved branches are
   * branches.
   */
  alignedRows: request({
    arguments: object({ ...ofPair, from: record, count: whole(1, ALIGNED_ROWS_MOST) }),
    answer: type<AlignedRows>(),
    event: type<FlowProgress>(),
  }),
  /** The row of a record, and the record of the other run beside it. A record between two instructions belongs to the earlier one. */
  counterpart: request({
    arguments: object({ ...ofPair, at: record, side: oneOf(SIDES) }),
    answer: type<Counterpart>(),
    event: type<FlowProgress>(),
  }),
  /** Registers and memory that are known in both runs, and differ, after record `at` of the one and `otherAt` of the other. */
  stateDifference: request({
    arguments: object({
      ...ofPair,
      at: record,
      otherAt: record,
      /** Most pages of memory that are compared, the latest accessed first; 32 by default. Each takes a search. */
      pages: optional(whole(0, STATE_PAGES_MOST)),
    }),
    answer: type<StateDifference>(),
    event: type<FlowProgress>(),
  }),
} as const;

export interface AlignedRows {
  readonly from: number;
  /** Per row the record of the instruction of each run; -1 if the run has none in the row. */
  readonly a: Float64Array;
  readonly b: Float64Array;
  /**
   * Per row 1 if both runs executed its instruction with other effects. A region of kind `values` has rows without, too. Without values in
   * the alignment, the rows of all regions that both runs executed are compared.
   */
  readonly differs: Uint8Array;
  /** Per row the branches of both runs, if the traces are compared by proved branches; null if a run has none in the row. */
  readonly branches?: {
    readonly a: readonly (ProvedBranch | null)[];
    readonly b: readonly (ProvedBranch | null)[];
  };
}

/** A taken branch of a trace. Its ends are absent if the trace does not prove them. */
export interface ProvedBranch {
  readonly source?: Hex;
  readonly sourceSymbol?: string;
  readonly target?: Hex;
  readonly targetSymbol?: string;
}

export interface Counterpart {
  /** Row of the instruction; that of the first one for a record before all instructions. */
  readonly row: number;
  readonly kind: RegionKind;
  /** Record of the other run that executed the same instruction; null unless the alignment pairs them. */
  readonly other: RecordNumber | null;
  /** Instructions of the other run that are the nearest before and after the region of a record without a partner; null at its ends. */
  readonly before: RecordNumber | null;
  readonly after: RecordNumber | null;
}

export interface StateDifference {
  /** By name. */
  readonly registers: readonly RegisterDifference[];
  /** Number of registers that both runs know. */
  readonly registersCompared: number;
  /** The latest written first. */
  readonly memory: readonly MemoryDifference[];
  /** Pages of memory that were compared, and that both runs accessed but that were not. */
  readonly pagesCompared: number;
  readonly pagesLeft: number;
  /** There are more differences of memory than the answer has. */
  readonly isCut: boolean;
}

export interface RegisterDifference {
  readonly name: string;
  readonly a: Hex;
  readonly b: Hex;
  /** Records that set it. */
  readonly setA: RecordNumber;
  readonly setB: RecordNumber;
  /** The values differ by as much as the addresses of the programs do. */
  readonly isShifted?: true;
}

/** Adjacent bytes with one last writer in each run, of which at least one differs. */
export interface MemoryDifference {
  readonly address: Hex;
  /** Two hexadecimal digits for each byte, `??` if it is unknown. */
  readonly a: string;
  readonly b: string;
  /** Records that wrote the bytes last; null if only reads prove them. */
  readonly writerA: RecordNumber | null;
  readonly writerB: RecordNumber | null;
}
