/** What the calls about records are asked and answer (see Requests in requests.ts): bytes, searches, registers, memory, who touched what, export. */
import type { FieldSpan, Kind, RecordView } from '../records/record.ts';
import type { RegisterValue } from '../records/registers.ts';
import type { OfTrace, Reach } from './trace.ts';
import type { ByteOffset, Hex, RecordNumber } from '../base/units.ts';

/** What records can be exported as: all fields as CSV or JSON Lines, label and address as a Dinero trace. */
export const EXPORT_FORMS = ['csv', 'jsonl', 'din'] as const;
export type ExportForm = (typeof EXPORT_FORMS)[number];

export interface ByteView {
  readonly offset: ByteOffset;
  readonly bytes: Uint8Array;
  readonly fileBytes: number;
  /** The records that lie wholly or partly in these bytes, with their fields (relative to the record's first byte). */
  readonly records: readonly {
    readonly n: RecordNumber;
    readonly offset: ByteOffset;
    readonly bytes: number;
    readonly native: string;
    readonly fields: readonly FieldSpan[];
  }[];
}

/** What a record must be, all of it: without any of these every record matches. */
export interface Criteria {
  /** Touches any byte of [low, high], both inclusive. */
  readonly address?: { readonly low: Hex; readonly high: Hex };
  readonly kinds?: readonly Kind[];
  /** Moves just this value, or sets a register to it. */
  readonly value?: Hex;
  /**
   * The value has this many bytes, which stand anywhere within what the record moves, aligned or not, or within the register
   * that it sets. Needs `value`.
   */
  readonly width?: number;
  /** Sets the register of this name. */
  readonly register?: string;
  /**
   * JavaScript regular expression, read with the flag u, over the record's own text: the line in text formats, and the name
   * and words of an event; name, text and marks in binary ones.
   */
  readonly text?: string;
  /** Only the records [from, to); all by default. */
  readonly from?: RecordNumber;
  readonly to?: RecordNumber;
}

export interface FindArguments extends OfTrace, Criteria {
  /** Only records n > after, oldest first (default: from the start), or n < before, newest first. Not both. */
  readonly after?: RecordNumber;
  readonly before?: RecordNumber;
  /** At most this many; 1 by default. */
  readonly limit?: number;
}

export interface Found {
  readonly records: readonly RecordView[];
  readonly reach: Reach;
}

export interface SearchProgress {
  /** Where the search is. */
  readonly at: RecordNumber;
}

export interface FindProgress extends SearchProgress {
  readonly found: number;
}

export interface FindAllArguments extends OfTrace, Criteria {
  /** How many parts of equal width the range is counted in; 1 by default. */
  readonly columns?: number;
  /** How many numbers of matches are wanted, at most 1,000,000; none by default. */
  readonly most?: number;
}

/** The matches in the records [from, to) of the question, as far as the index reaches. */
export interface FoundAll {
  readonly found: number;
  /** columns + 1 record numbers: column c holds the records edges[c] <= n < edges[c + 1]; there are none where no records are. */
  readonly edges: Float64Array;
  readonly counts: Float64Array;
  /** The first `most` matches. */
  readonly numbers: Float64Array;
  readonly reach: Reach;
}

/** What is known while the search runs; `numbers` are the first 1000 at most. */
export interface FindAllProgress extends Omit<FoundAll, 'reach'> {
  /** All matches before this record are found. */
  readonly at: RecordNumber;
}

export interface RegisterFiles {
  readonly at: RecordNumber;
  /** By cpu number; one file without a cpu where the trace names none. */
  readonly files: readonly {
    readonly cpu?: number;
    /** Registers that are known, in the order of their names; digits in them count as numbers. */
    readonly registers: readonly RegisterValue[];
  }[];
  readonly reach: Reach;
}

export interface MemoryArguments extends OfTrace {
  readonly at: RecordNumber;
  readonly address: Hex;
  /** Bytes, 1 to 65,536; none past the top of the address space. */
  readonly length: number;
  /** Also bytes that executed opcodes prove. */
  readonly opcodes?: boolean;
}

/**
 * Bytes from `address` on. A write leaves its value and a read proves one; a write whose value the trace does not have leaves
 * the byte unknown. Accesses without effect count for nothing.
 */
export interface MemoryView {
  readonly at: RecordNumber;
  readonly address: Hex;
  readonly length: number;
  /** 0 where not known. */
  readonly bytes: Uint8Array;
  /** Per byte: how its value is known, as in KNOWN. */
  readonly known: Uint8Array;
  /** Per byte: the record that wrote it last, the one that last read, fetched or wrote it; -1 where there is none. */
  readonly writers: Float64Array;
  readonly touched: Float64Array;
  readonly reach: Reach;
}

export const KNOWN = { not: 0, data: 1, opcode: 2 } as const;

/** What `access` looks for: reads and writes of memory by any cpu (READS and WRITES in record.ts), or records that set a register. */
export const ACCESS_WAYS = [
  'last-write',
  'last-read',
  'last-access',
  'next-write',
  'next-read',
  'next-access',
] as const;
export type AccessWay = (typeof ACCESS_WAYS)[number];

export interface AccessArguments extends OfTrace {
  readonly way: AccessWay;
  /** `last` ways: the newest record n <= at. `next` ways: the oldest record n > at. */
  readonly at: RecordNumber;
  /** Touches any byte of [low, high], both inclusive. This or `register`. */
  readonly address?: { readonly low: Hex; readonly high: Hex };
  /** Only writes of registers are recorded: `access` is `write` for them, and nothing is found with `read`. */
  readonly register?: string;
  /** Whose register; any cpu's by default. */
  readonly cpu?: number;
}

export interface AccessFound {
  readonly record: RecordView | null;
  /**
   * What the span, of at most 64 bytes, or the register held before the record and after it: memory as two hex digits a byte,
   * `??` where not known; a register as its value. Absent where there is no record, the span is longer or nothing is known.
   */
  readonly before?: string;
  readonly after?: string;
  readonly reach: Reach;
}
