/** Requests about two runs: where they part. */
import { request, type, type ArgumentsOf } from './request.ts';
import { cpu, object, optional, text, whole } from './schema.ts';
import { ofTrace, type FlowProgress } from './trace.ts';
import type { Hex, RecordNumber } from '../base/units.ts';

/** Most regions of one answer. */
export const DIFF_REGIONS_MOST = 100_000;

export const DIFF_REQUESTS = {
  /** Aligns the executed paths of two traces of one format and processor, both indexed as a whole. */
  diff: request({
    arguments: object({
      ...ofTrace,
      /** The other trace. */
      other: text(20),
      /** The CPU that is compared; needed if a trace has several. */
      cpu: optional(cpu),
      /** Address in the other trace minus address in this one, in decimal, may be negative; found from equal stretches by default. */
      shift: optional(text(30)),
      most: optional(whole(1, DIFF_REGIONS_MOST)),
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

/** `same`: both runs executed the same instructions. `not-aligned`: too different to say which instructions correspond. */
export type RegionKind = 'same' | 'a-only' | 'b-only' | 'not-aligned';

/** Half-open ranges of records, ascending in both traces. */
export interface DiffRegion {
  readonly kind: RegionKind;
  readonly a: readonly [from: RecordNumber, to: RecordNumber];
  readonly b: readonly [from: RecordNumber, to: RecordNumber];
  readonly instructionsA: number;
  readonly instructionsB: number;
}

/** Where two runs part: their first different instructions; null if a run has ended. */
export interface DiffPair {
  readonly a: RecordNumber | null;
  readonly b: RecordNumber | null;
  /** Address of the instruction of the first run; of that of the second if the first has ended. */
  readonly address: Hex;
  readonly symbol?: string;
  /** Where each run is, in words. */
  readonly what: string;
}

export interface Diff {
  /** True if both runs executed the same instructions in the same order. */
  readonly same: boolean;
  readonly first: { readonly path: DiffPair | null };
  /** The first regions. */
  readonly regions: readonly DiffRegion[];
  /** Regions beyond `most`. */
  readonly left: number;
  /** Share of all instructions of both runs that are in regions of kind `same`; 0 to 1. */
  readonly matched: number;
  readonly shift: string;
  readonly cpu: number | null;
  readonly instructionsA: number;
  readonly instructionsB: number;
}
