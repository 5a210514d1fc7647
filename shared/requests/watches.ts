/** Requests about watched registers and memory cells: values at a record, changes of a value, and its history. */
import { request, type, type ArgumentsOf } from './request.ts';
import {
  cells,
  check,
  cpu,
  hex,
  list,
  object,
  oneOf,
  optional,
  ordered,
  record,
  rule,
  text,
  where,
  whole,
} from './schema.ts';
import { ofTrace, type Reach } from './trace.ts';
import type { Hex, RecordNumber } from '../base/units.ts';
import type { SearchProgress } from './records.ts';

/** Longest span of memory that is watched as one value, in bytes. */
export const WATCH_BYTES_MOST = 256;

/** Ways to show the bytes of a watch. Floating-point numbers have 4 or 8 bytes. */
export const WATCH_FORMS = ['hex', 'unsigned', 'signed', 'ascii', 'float'] as const;
export type WatchForm = (typeof WATCH_FORMS)[number];
export const ENDIANS = ['little', 'big'] as const;
export type Endian = (typeof ENDIANS)[number];

/** A span of memory, or a register of one CPU. Without `cpu`, the register that records without a CPU set. */
export const watchSubject = where(
  object({
    address: optional(hex),
    bytes: optional(whole(1, WATCH_BYTES_MOST)),
    /** Bit-field: two hexadecimal digits per byte. Bits that are not set here are no part of the contents, and read as zero. */
    mask: optional(
      rule<string>(
        (value) => typeof value === 'string' && /^(?:[0-9a-f]{2}){1,16}$/.test(value),
        'must be two hexadecimal digits per byte, for up to 16 bytes',
      ),
    ),
    register: optional(text(200)),
    cpu: optional(cpu),
  }),
  check(
    'address',
    ({ address, register }) => (address === undefined) !== (register === undefined),
    'or register must be given, and not both',
  ),
  check(
    'bytes',
    ({ address = '0x0', bytes = 1 }) => BigInt(address) + BigInt(bytes) <= 2n ** 64n,
    'must not reach past the last address',
  ),
  check(
    'mask',
    ({ mask, bytes = 1, address }) => mask === undefined || (address !== undefined && mask.length === 2 * bytes),
    'must have two digits for each byte of memory',
  ),
);

const range = { from: optional(record), to: optional(record) } as const;

/**
 * A change is a record after which the contents differ from those before it. A write of the same value is no change. A read changes the
 * contents if it proves another value than was known: the memory changed before it without a record.
 */
export const WATCH_REQUESTS = {
  /** Contents of watched things after record `at` took effect. */
  watchValues: request({
    arguments: object({ ...ofTrace, at: record, subjects: list(watchSubject, 200) }),
    /** In the order of the subjects. */
    answer: type<{ readonly values: readonly WatchValue[]; readonly reach: Reach }>(),
  }),
  /**
   * Contents of watched memory according to program images, up to record `at` or, without it, before the first record: only for bytes that
   * no record has affected by then.
   */
  watchImage: request({
    arguments: object({ ...ofTrace, at: optional(record), subjects: list(watchSubject, 200) }),
    /** In the order of the subjects. */
    answer: type<{ readonly values: readonly WatchImage[]; readonly reach: Reach }>(),
    event: type<SearchProgress>(),
  }),
  /** The last change at or before record `at`, or the next one after it; null if there is none in the indexed prefix. */
  watchChange: request({
    arguments: object({ ...ofTrace, subject: watchSubject, way: oneOf(['last', 'next']), at: record }),
    answer: type<{ readonly change: WatchChange | null; readonly reach: Reach }>(),
    event: type<SearchProgress>(),
  }),
  /** The first changes in [from, to), oldest first. Continue at `next` until it is null. */
  watchHistory: request({
    arguments: where(object({ ...ofTrace, subject: watchSubject, ...range, most: whole(1, 1000) }), ordered),
    answer: type<WatchHistory>(),
    event: type<SearchProgress & { readonly found: number }>(),
  }),
  /** The values in [from, to) as numbers, in columns of time. Events have the columns before `at`. */
  watchPlot: request({
    arguments: where(
      object({
        ...ofTrace,
        subject: watchSubject,
        ...range,
        columns: cells,
        form: oneOf(WATCH_FORMS),
        endian: oneOf(ENDIANS),
        /** Width of the number in bytes: the lowest bytes of a longer register. */
        width: whole(1, 8),
        /** Lowest bit and number of bits, for bit-fields. */
        shift: optional(whole(0, 128)),
        bits: optional(whole(1, 64)),
      }),
      ordered,
    ),
    answer: type<WatchPlot>(),
    event: type<WatchPlot & SearchProgress>(),
  }),
} as const;

export type WatchSubject = ArgumentsOf<typeof WATCH_REQUESTS.watchChange>['subject'];
export type PlotArguments = Omit<ArgumentsOf<typeof WATCH_REQUESTS.watchPlot>, 'trace'>;

/**
 * Contents as text. Memory: two hexadecimal digits per byte in the order of addresses, `??` if unknown. A register: its value as `0x1f`,
 * its known parts as `V0<63:0>=0x1f V0<127:64>=0x0`, or empty if nothing is known.
 */
export type Contents = string;

export interface WatchValue {
  readonly contents: Contents;
  /** Effect of record `at`: it changed the contents, or wrote the same value. Absent if it did neither. */
  readonly here?: 'changed' | 'rewritten';
  /** Contents before record `at`, if it changed them. */
  readonly before?: Contents;
}

export interface WatchImage {
  /** The contents with bytes of images among them, which nobody observed. Absent if no byte is from an image. */
  readonly contents?: Contents;
  /** Reason why bytes of an image are not used. */
  readonly unused?: string;
}

export interface WatchChange {
  readonly n: RecordNumber;
  readonly before: Contents;
  readonly after: Contents;
  /** A `read` shows that the contents changed since the previous record that proves them. */
  readonly how: 'write' | 'read' | 'set';
}

export interface HistoryRow extends WatchChange {
  /** Number of writes of the same value since the previous change, or since the start of the range. */
  readonly rewrites: number;
  /** Instruction that the record is an effect of, with its symbol; absent if that is unknown. */
  readonly by?: { readonly n: RecordNumber; readonly address: Hex; readonly symbol?: string };
}

export interface WatchHistory {
  /** Contents before the first record of the range. */
  readonly start: Contents;
  readonly changes: readonly HistoryRow[];
  /** Writes of the same value after the last of these changes, up to `next`. */
  readonly rewrites: number;
  /** Record to continue at; null at the end of the range. */
  readonly next: RecordNumber | null;
  readonly reach: Reach;
}

export interface WatchPlot {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  readonly columns: number;
  /** columns + 1 record numbers: column c holds the records edges[c] <= n < edges[c + 1]. */
  readonly edges: Float64Array;
  /** Per column: the lowest and highest value, and the value after its last record; NaN if none is known there. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly last: Float64Array;
  /** Per column: the number of changes. */
  readonly changes: Float64Array;
  /** Per column: 1 if the value is unknown after some of its records. */
  readonly gaps: Uint8Array;
  /** Changes in the range. */
  readonly total: number;
  readonly reach: Reach;
}
