/** The list of contents of a bundle, its member `bundle.json`: of which trace it is, what it holds, and a digest of each member. */
import { CONTEXT_MOST, SLICES_MOST } from './limits.ts';
import { formatSettings } from '../trace.ts';
import { check, flag, hex, list, oneOf, optional, partOfFile, record, rule, text, where, whole } from '../schema.ts';
import type { Checked } from '../schema.ts';

/** Name of the member with the manifest, which is the first of the archive. */
export const MANIFEST = 'bundle.json';
export const BUNDLE_FORMAT = 'tracebench-bundle';
export const BUNDLE_VERSION = 1;

const digest = rule<string>(
  (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
  'must be 64 hexadecimal digits',
);
const member = rule<string>(
  (value) => typeof value === 'string' && /^[a-z0-9][a-z0-9./-]{0,199}$/.test(value),
  'must be the name of a member',
);
const sentences = list(text(1000), 1000, 0);

/** Identity of the trace, as reports have it, and the digest of sampled bytes that notebooks have. */
const trace = partOfFile({
  name: text(1000),
  /** Size of the uncompressed content, which `probe` and `sha256` cover as well. */
  bytes: whole(1, Number.MAX_SAFE_INTEGER),
  probe: digest,
  /** Absent if it was left out because it takes a read of the whole trace. */
  sha256: optional(digest),
  records: record,
  format: partOfFile({ id: text(100), name: text(200), dialect: optional(text(100)), options: formatSettings }),
});

const image = partOfFile({
  name: text(1000, 0),
  form: text(100),
  bytes: record,
  sha256: digest,
  shift: optional(hex),
  base: optional(hex),
  rawNames: optional(flag),
});

/**
 * Records [from, to) of the trace in its own format: the header of the trace, lines that set registers, and the bytes of the trace that hold the
 * records, unchanged.
 */
const slice = where(
  partOfFile({
    member,
    /** Member with the registers and memory that are known before record `from`. */
    state: member,
    from: record,
    to: record,
    /** Lines before the records that set registers: records 0 to `stateRecords` - 1 of the slice are none of the trace. */
    stateRecords: whole(0, CONTEXT_MOST),
    /** Bytes of the slice that those lines take. */
    stateBytes: record,
    /** Bytes of the trace before its first record, with which the slice begins. */
    header: record,
    /** Bytes of the trace that hold the records: [start, stop). */
    start: record,
    stop: record,
    /** Notes, views and reports that cite these records: `the note 'First write'`. */
    by: sentences,
  }),
  check('to', ({ from, to }) => to > from, 'must be greater than from'),
  check('stop', ({ start, stop }) => stop >= start, 'must not be less than start'),
);

export const manifestSchema = partOfFile({
  format: oneOf([BUNDLE_FORMAT]),
  version: oneOf([BUNDLE_VERSION]),
  /** Versions of Tracebench that wrote the bundles that this one is made of. */
  programs: list(text(100), 100, 0),
  trace,
  images: list(image, 100, 0),
  /** Size and digest of every other member, by its name. */
  members: list(partOfFile({ name: member, bytes: record, sha256: digest }), 10_000, 0),
  /** The notes and views, as `notes export` writes them. */
  notes: member,
  slices: list(slice, SLICES_MOST, 0),
  reports: list(partOfFile({ member, title: text(1000, 0) }), 1000, 0),
  /** How the workbench was left: views as JSON. */
  workbenches: list(member, 1000, 0),
  /** Sentences about what is cited and not held. */
  leftOut: sentences,
});

export type Manifest = Checked<typeof manifestSchema>;
export type BundleSlice = Manifest['slices'][number];
