/** Requests about evidence bundles: files with notes, reports and cited records of a trace, which open without the trace. */
import { request, type, type ArgumentsOf } from '../request.ts';
import type { Note, NotesImported, Taken, View } from '../notes.ts';
import type { ReportProgress, Verified } from '../reports.ts';
import { flag, list, object, optional, path, text, whole } from '../schema.ts';
import { planSchema } from '../../report/plan.ts';
import { ofTrace } from '../trace.ts';
import type { Settings } from '../../format/format.ts';
import type { Hex } from '../../base/units.ts';
import { CITED_RECORDS_MOST, CONTEXT_MOST, SLICE_BYTES_MOST } from './limits.ts';
import type { Manifest } from './manifest.ts';
import type { SliceFacts } from './slice-facts.ts';

const member = text(200);

export const BUNDLE_REQUESTS = {
  /** Makes a bundle of a trace with its whole index. */
  bundle: request({
    arguments: object({
      ...ofTrace,
      /** Reports in place of the one that a report has by default. */
      plans: optional(list(planSchema, 100, 0)),
      /** How the workbench shows the trace, as JSON; by default how it was left on this machine. */
      view: optional(text(60_000)),
      /** Leaves out the SHA-256 of the trace, for which all of it is read. */
      noSha256: optional(flag),
      /** Records before and after a cited record. */
      context: optional(whole(0, CONTEXT_MOST)),
      /** Largest number of records of one citation. */
      citedRecords: optional(whole(1, CITED_RECORDS_MOST)),
      /** Largest number of bytes of all slices together. */
      sliceBytes: optional(whole(0, SLICE_BYTES_MOST)),
    }),
    answer: type<BundleFile>(),
    event: type<ReportProgress>(),
    text: 'raw',
    bodyBytes: 64 * 1024 * 1024,
    once: true,
  }),
  /** The contents of a bundle, and whether its members are as they were written. Needs no trace. */
  readBundle: request({ arguments: object({ path }), answer: type<Bundle>(), text: 'raw' }),
  /** A member of a bundle as text: a report, or a state. */
  bundleText: request({ arguments: object({ path, member }), answer: type<{ readonly text: string }>(), text: 'raw' }),
  /** Puts a slice into the folder of the indexes, as a trace that the page may open. */
  bundleSlice: request({ arguments: object({ path, member }), answer: type<SliceFile>() }),
  /**
   * Adds the notes and views of a bundle to the notebook of its trace, as `importNotes` does. Fails with `merge` if the bundle is about another
   * trace.
   */
  importBundle: request({
    arguments: object({
      ...ofTrace,
      path,
      /** Changes nothing: the answer is what the notebook would be. */
      dry: optional(flag),
    }),
    answer: type<BundleImported>(),
    text: 'raw',
    once: true,
  }),
  /** Joins two bundles of one trace. The result does not depend on their order. */
  mergeBundles: request({
    arguments: object({ path, second: path }),
    answer: type<MergedBundle>(),
    text: 'raw',
    once: true,
  }),
  /** Compares a bundle with its trace: identity, slices byte by byte, places of notes, and reports, which are recomputed. */
  verifyBundle: request({
    arguments: object({ ...ofTrace, path }),
    answer: type<Verified>(),
    event: type<ReportProgress>(),
    once: true,
  }),
  /** Bytes and state of records [from, to) as a trace of their own. Needs the whole index. */
  slice: request({
    arguments: object({ ...ofTrace, from: whole(0, Number.MAX_SAFE_INTEGER), to: whole(1, Number.MAX_SAFE_INTEGER) }),
    answer: type<Slice>(),
    text: 'raw',
    once: true,
  }),
} as const;

export type BundleArguments = ArgumentsOf<typeof BUNDLE_REQUESTS.bundle>;

export interface BundleFile {
  readonly bytes: Uint8Array;
  readonly contents: Contents;
}

export interface Contents {
  readonly notes: number;
  readonly views: number;
  readonly reports: number;
  readonly slices: number;
  /** Records in all slices. */
  readonly records: number;
  readonly leftOut: readonly string[];
}

export interface Bundle {
  readonly path: string;
  readonly bytes: number;
  readonly manifest: Manifest;
  readonly notes: readonly Note[];
  readonly views: readonly View[];
  /** Sentences about what is not as it was written. None of these members may be relied on. */
  readonly problems: readonly string[];
}

export interface BundleImported extends NotesImported {
  /** Name of the trace when the bundle was made. */
  readonly of: string;
  /** As in `Bundle`. */
  readonly problems: readonly string[];
}

export interface MergedBundle extends BundleFile {
  /** Notes and views of `second` in the result. */
  readonly notes: Taken;
  readonly views: Taken;
}

/** A slice in a file. */
export interface SliceFile {
  readonly path: string;
  readonly format: string;
  readonly options: Settings;
  readonly slice: SliceFacts;
}

export interface Slice {
  /** Bytes of the trace before its first record. */
  readonly header: number;
  /** Bytes of the trace that hold the records: [start, stop). */
  readonly start: number;
  readonly stop: number;
  /** Lines that set registers, if the format has some that are certain to be read so. */
  readonly lines: string;
  readonly stateRecords: number;
  readonly state: SliceState;
}

/** Registers and memory that are known before the first record of a slice. */
export interface SliceState {
  readonly format: string;
  readonly options: Settings;
  readonly from: number;
  readonly to: number;
  readonly registers: readonly { readonly cpu?: number; readonly values: Readonly<Record<string, Hex>> }[];
  /** Known bytes of the pages that the records access: two hexadecimal digits a byte. */
  readonly memory: readonly { readonly address: Hex; readonly bytes: string }[];
  readonly notes: readonly string[];
}
