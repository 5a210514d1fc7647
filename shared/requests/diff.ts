/** Requests about two runs: where they part, and where they compute other values on the same path. */
import { request, type, type ArgumentsOf } from './request.ts';
import {
  closedSpan,
  cpu,
  flag,
  hex,
  list,
  object,
  oneOf,
  optional,
  text,
  where,
  whole,
  type Checked,
} from './schema.ts';
import { ofTrace, type FlowProgress } from './trace.ts';
import type { Hex, RecordNumber } from '../base/units.ts';

/** Most regions of one answer. */
export const DIFF_REGIONS_MOST = 100_000;

/**
 * Kinds of comparison. `path`: which instructions ran, by their addresses. `values`: also what each of them read, wrote and set. `symbol`:
 * which instructions ran, by their functions and places in them, for programs that were built again; values are not compared then.
 */
export const DIFF_BY = ['path', 'values', 'symbol'] as const;

/** The parts of a question about two runs that decide which instructions are aligned, and where they differ. */
export const ALIGNING = {
  /** The CPU that is compared; needed if a trace has several. */
  cpu: optional(cpu),
  /**
   * Address in the other trace minus address in this one, in decimal, may be negative. Found from equal stretches by default; 0 by default in
   * a comparison by symbol, where it counts only outside of all symbols.
   */
  shift: optional(text(30)),
  /** Default: values if both traces record any. */
  by: optional(oneOf(DIFF_BY)),
  /**
   * Registers whose values do not count, as the traces name them, and functions whose calls do not count, with all that runs until they
   * return. A name that both a register and a function have is the register.
   */
  ignore: optional(list(text(1000), 1000)),
  /** Addresses of the first program, both ends included, whose instructions do not count. */
  ignoreRanges: optional(list(where(object({ low: hex, high: hex }), closedSpan), 1000)),
  /** True if every instruction that counts as equal is decoded and compared; fingerprints alone are not trusted. */
  confirm: optional(flag),
} as const;

/** A question about two runs, without the traces. */
const question = {
  ...ALIGNING,
  /** Most regions and functions of the answer. */
  most: optional(whole(1, DIFF_REGIONS_MOST)),
} as const;

export const aligningSchema = object(ALIGNING);
export type Aligning = Checked<typeof aligningSchema>;

export const diffQuestionSchema = object(question);
export type DiffQuestion = Checked<typeof diffQuestionSchema>;

export const DIFF_REQUESTS = {
  /**
   * Aligns the executed paths of two traces of one processor, both indexed as a whole. Compares the effects of aligned
   * instructions as well, unless `by` is `path`.
   */
  diff: request({
    arguments: object({
      ...ofTrace,
      /** The other trace. */
      other: text(20),
      ...question,
      /**
       * `first`: only the first differences. The runs are not aligned then: there are no regions, no functions and no `matched`. `regions`:
       * no functions. `start`: up to where the paths part, and the rest as one region that is not aligned; there is no `matched`.
       */
      only: optional(oneOf(['first', 'regions', 'start'])),
    }),
    answer: type<Diff>(),
    event: type<FlowProgress>(),
  }),
  /** How far the program of the other trace was loaded from that of this one: 0 if nothing shows it. */
  shift: request({
    arguments: object({ ...ofTrace, other: text(20) }),
    answer: type<{ readonly shift: string }>(),
    event: type<FlowProgress>(),
  }),
} as const;

export type DiffArguments = ArgumentsOf<typeof DIFF_REQUESTS.diff>;

/**
 * `same`: both runs executed the same instructions. `values`: they did, but effects differ. `not-aligned`: too different to say which
 * instructions correspond. `not-compared`: only one of the traces covers it.
 */
export type RegionKind = 'same' | 'values' | 'a-only' | 'b-only' | 'not-aligned' | 'not-compared';

/** Differing instructions with fewer equal ones than this between them are in one region of kind `values`. */
export const CLOSE_VALUES = 8;

/** Half-open ranges of records, ascending in both traces. */
export interface DiffRegion {
  readonly kind: RegionKind;
  readonly a: readonly [from: RecordNumber, to: RecordNumber];
  readonly b: readonly [from: RecordNumber, to: RecordNumber];
  readonly instructionsA: number;
  readonly instructionsB: number;
  /** Of kind `values`: pairs of aligned instructions whose effects differ. The first and the last pair of the region do. */
  readonly differing?: number;
}

/** Two instructions: the first that differ; null if a run has ended. */
export interface DiffPair {
  readonly a: RecordNumber | null;
  readonly b: RecordNumber | null;
  /** Address of the instruction of the first run; of that of the second if the first has ended. */
  readonly address: Hex;
  readonly symbol?: string;
  /** The difference in words: where each run is, or a value of both sides. */
  readonly what: string;
}

/** A function in which the runs differ. Counts are instructions. */
export interface DiffFunction {
  /** Name of the symbol, or the address of an inferred function; null for all code whose function is not known. */
  readonly name: string | null;
  /** Entry point in the first trace; in the second one if only that executed the function. Absent if it is not known. */
  readonly address?: Hex;
  /** In regions of kind `a-only` and `b-only`. */
  readonly onlyA: number;
  readonly onlyB: number;
  /** Aligned, with different effects. */
  readonly differing: number;
  /** In regions of kind `not-aligned`. */
  readonly notAlignedA: number;
  readonly notAlignedB: number;
}

/** Traces without executed instructions are compared by their branches, or by their accesses to memory. */
export type PathElements = 'instructions' | 'branches' | 'accesses';

/** Parts of both runs that a comparison left out. */
export interface Ignored {
  readonly registers: readonly string[];
  readonly functions: readonly string[];
  readonly ranges: readonly { readonly low: Hex; readonly high: Hex }[];
  /** Instructions of each run that did not count; no region counts them. */
  readonly instructionsA: number;
  readonly instructionsB: number;
  /** False if the calls of a trace cannot be found: only the own instructions of a function were ignored then, and not what it called. */
  readonly callsKnown: boolean;
}

export interface Diff {
  /** True if no difference was found in what was compared. */
  readonly same: boolean;
  readonly by: (typeof DIFF_BY)[number];
  /** The elements of the paths, which `instructionsA` and `instructionsB` count. */
  readonly of: PathElements;
  /**
   * True if the branches were compared that both traces prove, because their formats differ or they are trace buffers. Otherwise all elements
   * count.
   */
  readonly byProvedBranches?: true;
  /** The ends of branches that were compared; absent if both were. */
  readonly ends?: 'sources' | 'targets';
  /** `values`: the first aligned instructions whose effects differ; null also if values were not compared. */
  readonly first: { readonly path: DiffPair | null; readonly values: DiffPair | null };
  /** The first regions. */
  readonly regions: readonly DiffRegion[];
  /** Regions beyond `most`. */
  readonly left: number;
  /** Functions in which the runs differ, those with most instructions first; empty with `only`. */
  readonly functions: readonly DiffFunction[];
  /** Functions beyond `most`. */
  readonly functionsLeft: number;
  /** Parts that did not count; absent if nothing was to be ignored. */
  readonly ignored?: Ignored;
  /** By symbol: instructions of each run outside of all symbols, which were compared by their addresses. */
  readonly withoutSymbol?: { readonly a: number; readonly b: number };
  /**
   * `decoded`: each instruction of regions of kind `same` and `values` was decoded in both traces and compared. `fingerprints`: some
   * stretches of them were not, because two fingerprints of 32 bits were equal.
   */
  readonly confirmed: 'decoded' | 'fingerprints';
  /**
   * Aligned instructions whose effects could not be compared: a trace has lost records there. Of traces of different formats, and of trace
   * buffers: the branches of both in regions of kind `not-compared`.
   */
  readonly notCompared: number;
  /** Share of all instructions of both runs that are in regions of kind `same` and `values`, `not-compared` aside; 0 to 1. */
  readonly matched?: number;
  readonly shift: string;
  readonly cpu: number | null;
  readonly instructionsA: number;
  readonly instructionsB: number;
}
