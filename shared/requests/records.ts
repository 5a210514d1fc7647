/** Requests about records: bytes, searches, registers, memory, accesses, export. */
import type { FieldSpan, RecordView } from '../records/record.ts';
import type { RegisterValue } from '../records/registers.ts';
import { request, type, type ArgumentsOf } from './request.ts';
import {
  cells,
  check,
  where,
  closedSpan,
  cpu,
  finite,
  flag,
  hex,
  kinds,
  list,
  object,
  oneOf,
  optional,
  ordered,
  record,
  rule,
  text,
  whole,
  wideHex,
} from './schema.ts';
import { ofTrace, type Reach } from './trace.ts';
import type { ByteOffset, Hex, RecordNumber } from '../base/units.ts';

/** Export forms: all fields as CSV or JSON Lines, or label and address as a Dinero trace. */
export const EXPORT_FORMS = ['csv', 'jsonl', 'din'] as const;
export type ExportForm = (typeof EXPORT_FORMS)[number];

/** Accesses that `access` looks for: reads and writes of memory by any CPU (READS and WRITES in record.ts), or settings of a register. */
export const ACCESS_WAYS = [
  'last-write',
  'last-read',
  'last-access',
  'next-write',
  'next-read',
  'next-access',
] as const;
export type AccessWay = (typeof ACCESS_WAYS)[number];

/** Touches any byte of [low, high], both inclusive. */
const addresses = where(object({ low: hex, high: hex }), closedSpan);

/** A JavaScript regular expression. */
export const regularExpression = rule<string>(
  (value) => typeof value === 'string' && value.length <= 1000 && compiles(value),
  'must be a regular expression of at most 1000 characters',
);

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

const registerName = text(200);
/** Width of a value in bytes. */
export const valueBytes = whole(1, 256);

/** A record matches if it matches all of these. */
const criteria = {
  ...ofTrace,
  address: optional(addresses),
  kinds: optional(kinds),
  /** Moves exactly this value, or sets a register to it. */
  value: optional(wideHex),
  /**
   * The value has this many bytes. It may be anywhere, aligned or not, within the bytes that the record moves or the register that
   * it sets. Requires `value`.
   */
  width: optional(valueBytes),
  /** Sets the register of this name. */
  register: optional(registerName),
  /**
   * JavaScript regular expression with the flag u. Matched against the line in text formats and against name and words of an event;
   * in binary formats against name, text and marks.
   */
  text: optional(regularExpression),
  /** Only records in [from, to); all by default. */
  from: optional(record),
  to: optional(record),
} as const;

const recordRange = { ...ofTrace, from: record, count: whole(1, 10_000) } as const;

export const RECORD_REQUESTS = {
  /** The records [from, from + count). Fewer at the end of the indexed prefix. */
  records: request({
    arguments: object(recordRange),
    answer: type<{ readonly records: readonly RecordView[]; readonly reach: Reach }>(),
  }),
  /** Records by their numbers, without those that the index has not reached. */
  recordsAt: request({
    arguments: where(
      object({ ...ofTrace, numbers: list(record, 1000) }),
      check('numbers', ({ numbers }) => numbers.every((n, i) => i === 0 || n > numbers[i - 1]!), 'must ascend'),
    ),
    answer: type<{ readonly records: readonly RecordView[]; readonly reach: Reach }>(),
  }),
  /** Bytes of the file, with the records in them and their fields, as far as these are indexed. */
  bytes: request({
    arguments: object({ ...ofTrace, offset: record, length: whole(1, 65_536) }),
    answer: type<ByteView>(),
  }),
  /** The record that a byte of the file belongs to; null in a gap between records. */
  recordAt: request({
    arguments: object({ ...ofTrace, offset: record }),
    answer: type<{ readonly n: RecordNumber | null; readonly reach: Reach }>(),
  }),
  /** The first record in file order at or after a time, also if times run backwards; null if there is none. */
  recordAtTime: request({
    arguments: object({ ...ofTrace, time: finite }),
    answer: type<{ readonly n: RecordNumber | null; readonly reach: Reach }>(),
  }),
  /**
   * A part of the records [from, to) in a form that other tools read. Continue at `next` until it is null. With `head`, the part
   * begins with the header of such a file.
   */
  exportPart: request({
    arguments: where(
      object({
        ...ofTrace,
        as: oneOf(EXPORT_FORMS),
        from: record,
        to: optional(record),
        kinds: optional(kinds),
        head: optional(flag),
      }),
      ordered,
    ),
    answer: type<{ readonly bytes: Uint8Array; readonly rows: number; readonly next: RecordNumber | null }>(),
    text: 'raw',
    once: true,
  }),
  /** The next matching records n > after, oldest first, or n < before, newest first. From the start by default. */
  find: request({
    arguments: where(
      object({
        ...criteria,
        after: optional(record),
        before: optional(record),
        /** Upper limit of the number of matches; 1 by default. */
        limit: optional(whole(1, 10_000)),
      }),
      check(
        'after',
        ({ after, before }) => after === undefined || before === undefined,
        'and before must not both be given',
      ),
      ordered,
    ),
    answer: type<Found>(),
    event: type<FindProgress>(),
  }),
  /** All matching records: their number, their distribution and the first of them. Events report what is known so far. */
  findAll: request({
    arguments: where(
      object({
        ...criteria,
        /** Number of parts of equal width that matches are counted in; 1 by default. */
        columns: optional(cells),
        /** Upper limit of the record numbers in the answer; 0 by default. */
        most: optional(whole(0, 1_000_000)),
      }),
      ordered,
    ),
    answer: type<FoundAll>(),
    event: type<FindAllProgress>(),
  }),
  /** Known register values after record `at` has taken effect, for every CPU or for one. */
  registers: request({
    arguments: object({ ...ofTrace, at: record, cpu: optional(cpu) }),
    answer: type<RegisterFiles>(),
  }),
  /**
   * Known memory contents after record `at` has taken effect. If the answer takes long, as with opcodes or without locality, events
   * report how far back the search is.
   */
  memory: request({
    arguments: object({
      ...ofTrace,
      at: record,
      address: hex,
      /** Bytes; none past the top of the address space. */
      length: whole(1, 65_536),
      /** Includes bytes that executed opcodes prove. */
      opcodes: optional(flag),
      /** Includes bytes of the images for memory that no record wrote or read before. */
      image: optional(flag),
    }),
    answer: type<MemoryView>(),
    event: type<SearchProgress>(),
  }),
  /** The value of a register, or of memory, after the last record of each column. */
  values: request({
    arguments: where(
      object({
        ...ofTrace,
        from: optional(record),
        to: optional(record),
        /** Upper limit of the columns; each takes a search. */
        columns: whole(1, 1024),
        /** Name of a whole register; this or `address`. */
        register: optional(registerName),
        /** By default the lowest CPU of those known at each place. */
        cpu: optional(cpu),
        address: optional(hex),
        /** Bytes; 4 by default. */
        length: optional(whole(1, 16)),
        /** The first byte of memory is the highest. */
        bigEndian: optional(flag),
      }),
      ordered,
      check(
        'address',
        ({ address, register }) => (address === undefined) !== (register === undefined),
        'or register must be given, and not both',
      ),
    ),
    answer: type<SampledValues>(),
    event: type<SearchProgress>(),
  }),
  /** The last or next access to memory or to a register; null if there is none in the indexed prefix. */
  access: request({
    arguments: where(
      object({
        ...ofTrace,
        way: oneOf(ACCESS_WAYS),
        /** `last` ways: the newest record n <= at. `next` ways: the oldest record n > at. */
        at: record,
        /** This or `register`. */
        address: optional(addresses),
        /** Traces record only writes of registers: `access` means `write`, and `read` finds nothing. */
        register: optional(registerName),
        /** CPU of the register; any by default. */
        cpu: optional(cpu),
      }),
      check(
        'address',
        ({ address, register }) => (address === undefined) !== (register === undefined),
        'or register must be given, and not both',
      ),
    ),
    answer: type<AccessFound>(),
  }),
} as const;

export type FindArguments = ArgumentsOf<typeof RECORD_REQUESTS.find>;
export type FindAllArguments = ArgumentsOf<typeof RECORD_REQUESTS.findAll>;
export type Criteria = Omit<ArgumentsOf<typeof RECORD_REQUESTS.findAll>, 'trace' | 'columns' | 'most'>;
export type MemoryArguments = ArgumentsOf<typeof RECORD_REQUESTS.memory>;
export type AccessArguments = ArgumentsOf<typeof RECORD_REQUESTS.access>;

export interface ByteView {
  readonly offset: ByteOffset;
  readonly bytes: Uint8Array;
  readonly fileBytes: number;
  /** Records wholly or partly in these bytes, with their fields at offsets from the record's first byte. */
  readonly records: readonly {
    readonly n: RecordNumber;
    readonly offset: ByteOffset;
    readonly bytes: number;
    readonly native: string;
    readonly fields: readonly FieldSpan[];
  }[];
}

export interface Found {
  readonly records: readonly RecordView[];
  readonly reach: Reach;
}

export interface SearchProgress {
  /** Record that the search has reached. */
  readonly at: RecordNumber;
}

export interface FindProgress extends SearchProgress {
  readonly found: number;
}

/** Matches in the requested records, as far as the index reaches. */
export interface FoundAll {
  readonly found: number;
  /** columns + 1 record numbers: column c holds the records edges[c] <= n < edges[c + 1]. Empty if there are no records. */
  readonly edges: Float64Array;
  readonly counts: Float64Array;
  /** The first `most` matches. */
  readonly numbers: Float64Array;
  readonly reach: Reach;
}

/** Matches found so far; `numbers` has at most the first 1000. */
export interface FindAllProgress extends Omit<FoundAll, 'reach'> {
  /** All matches before this record are found. */
  readonly at: RecordNumber;
}

export interface RegisterFiles {
  readonly at: RecordNumber;
  /** Sorted by CPU number; one file without a CPU if the trace names none. */
  readonly files: readonly {
    readonly cpu?: number;
    /** Known registers, sorted by name with digits as numbers. */
    readonly registers: readonly RegisterValue[];
  }[];
  readonly reach: Reach;
}

/**
 * Bytes starting at `address`. A write sets the value and a read proves it; a write whose value the trace does not record makes the
 * byte unknown. Accesses without effect are ignored.
 */
export interface MemoryView {
  readonly at: RecordNumber;
  readonly address: Hex;
  readonly length: number;
  /** 0 if unknown. */
  readonly bytes: Uint8Array;
  /** Per byte: a value of KNOWN. */
  readonly known: Uint8Array;
  /** Per byte: the last record that wrote it, and the last that read, fetched or wrote it; -1 if there is none. */
  readonly writers: Float64Array;
  readonly touched: Float64Array;
  /** With `image`: segments whose bytes belong here but were not used. */
  readonly unused?: readonly UnusedSegment[];
  readonly reach: Reach;
}

/** Values over time: values[c] after record edges[c + 1] - 1; null if unknown. */
export interface SampledValues {
  readonly edges: Float64Array;
  readonly values: readonly (Hex | null)[];
  readonly reach: Reach;
}

/** A segment of an image that does not show what memory contained. */
export interface UnusedSegment {
  readonly path: string;
  /** Address of its first byte in the trace. */
  readonly address: Hex;
  readonly bytes: number;
  /** Phrase. */
  readonly reason: string;
  /** Record that contradicts the image; absent if the reason is in the image itself. */
  readonly record?: RecordNumber;
}

/** Evidence for the value of a byte of memory. */
export const KNOWN = { not: 0, data: 1, opcode: 2, image: 3 } as const;

export interface AccessFound {
  readonly record: RecordView | null;
  /**
   * Contents of the span or the register before and after the record. Memory is two hexadecimal digits per byte, `??` if unknown.
   * Absent if there is no record, if the span is longer than 64 bytes or if nothing is known.
   */
  readonly before?: string;
  readonly after?: string;
  readonly reach: Reach;
}
