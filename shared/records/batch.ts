/**
 * A batch: consecutive records as columns. Decoders fill it, builders and queries read it.
 *
 * A block is decoded as a series of batches, so memory does not depend on how many records a block holds.
 * The same batch object is filled again and again; whoever wants to keep something copies it.
 */
import { Diagnostics } from '../format/diagnostics.ts';
import type { ByteOffset, RecordNumber } from '../base/units.ts';

/** Records in a batch: its columns stay within a core's second-level cache. */
export const BATCH_RECORDS = 8192;

/** Bits of the `flags` column that mean the same in every format; bits from 8 up belong to the format. */
export const FLAG = {
  /** The address columns hold an address. */
  address: 1,
  /** The time does not fit a double exactly: `describe` has it whole. */
  wideTime: 2,
  /** The cpu is not in the record: it was taken from an earlier one. */
  cpuAssumed: 4,
  /** The record breaks a rule of its format; a diagnostic says which. */
  malformed: 8,
  /** The target columns hold where a branch goes to (its address is then the source, where it is known). */
  target: 16,
  /** The access moved nothing (it was aborted, or is a wait cycle): it neither changes memory nor tells what it holds. */
  noEffect: 32,
  /** The time is not in the record: it was taken from an earlier one. */
  timeAssumed: 64,
  /** `values` holds all `size` bytes that the access moved. */
  value: 128,
} as const;

/** Value of the `cpu` column where no cpu is known. */
export const NO_CPU = -1;

export interface Batch {
  /** Filled rows, 0 <= count <= BATCH_RECORDS. */
  count: number;
  /** Number of the first record; relative to whatever the caller counts from. The caller sets it before decoding. */
  first: RecordNumber;
  /**
   * False where nobody asks where records lie, but for `register` ones: a decoder may then leave `start` and `end` of the others
   * unwritten. The caller sets it before decoding.
   */
  placed: boolean;
  /** True where a decoder may condense what it decodes. The caller sets it before decoding. */
  condensable: boolean;
  /** Undefined where each row is a record. A decoder that condenses sets it. */
  condensed: Condensed | undefined;
  /** File offset of the record's first byte. */
  readonly start: Float64Array;
  /** File offset just past the record's last byte (its line end included). */
  readonly end: Float64Array;
  /** Time in the format's unit; NaN where the record has none. */
  readonly time: Float64Array;
  /** Position in KINDS. */
  readonly kind: Uint8Array;
  /** The format's own code for its kind of record, `Decoder.nativeName` tells its name. */
  readonly native: Uint16Array;
  /** Address of the first byte touched, unsigned; meaningful where FLAG.address is set. */
  readonly addressLow: Uint32Array;
  readonly addressHigh: Uint32Array;
  /** Bytes touched from the address on; 0 where that is not known (it then counts as one byte). */
  readonly size: Uint32Array;
  /** Where a branch goes to, unsigned; meaningful where FLAG.target is set. */
  readonly targetLow: Uint32Array;
  readonly targetHigh: Uint32Array;
  readonly cpu: Int16Array;
  readonly flags: Uint32Array;
  /**
   * Of a `register` record: a number that the decoder gave to the registers that it sets. Records of one cpu with the same
   * number, which is not 0, set the same registers, so that the later one leaves nothing of the earlier; 0: only `describe` can tell.
   * It holds as long as the decoder lives and means nothing to another one. Decoders of formats without such records never write it.
   */
  readonly registers: Uint16Array;
  /** Where in `values` the bytes begin that an access moved, the one at its address first; meaningful where FLAG.value is set. */
  readonly valueAt: Uint32Array;
  readonly values: ByteHeap;
  /** Bytes that belong to no record. Together with the records they cover the block without overlap. */
  readonly gaps: Gap[];
  readonly diagnostics: Diagnostics;
}

/**
 * Rows that stand for several records each, at least one: of one kind and native code, with the same address and size or all without.
 * Accesses to memory come by their latest records, the last one first. Such a batch has neither places nor times, values or gaps,
 * and of `flags` only those that every format has; its addresses fit 32 bits and no access crosses an 8-byte word.
 */
export interface Condensed {
  /** Records of the batch. */
  readonly records: number;
  /**
   * By row SPAN_WORDS numbers, side by side because loops over several arrays run out of registers: how many records it stands
   * for, and, where it has an address, the first and the last of them, counted from the batch's first.
   */
  readonly spans: Int32Array;
}

export const SPAN_WORDS = 4;

/** Records that the batch's rows stand for. */
export function recordsOf(batch: Batch): number {
  return batch.condensed?.records ?? batch.count;
}

/** Bytes that a batch's records refer to; grows as it is filled. */
export interface ByteHeap {
  bytes: Uint8Array<ArrayBuffer>;
  /** Bytes in use. */
  length: number;
}

/** Makes room for `more` bytes behind those in use. */
export function reserve(heap: ByteHeap, more: number): void {
  if (heap.length + more <= heap.bytes.length) return;
  const larger = new Uint8Array(Math.max(heap.bytes.length * 2, heap.length + more));
  larger.set(heap.bytes.subarray(0, heap.length));
  heap.bytes = larger;
}

export interface Gap {
  /** What the bytes are: `blank`, `tail`, `slip` ... */
  readonly name: string;
  readonly start: ByteOffset;
  readonly end: ByteOffset;
}

export function createBatch(capacity: number = BATCH_RECORDS, diagnostics = new Diagnostics()): Batch {
  return {
    count: 0,
    first: 0,
    placed: true,
    condensable: false,
    condensed: undefined,
    start: new Float64Array(capacity),
    end: new Float64Array(capacity),
    time: new Float64Array(capacity).fill(Number.NaN),
    kind: new Uint8Array(capacity),
    native: new Uint16Array(capacity),
    addressLow: new Uint32Array(capacity),
    addressHigh: new Uint32Array(capacity),
    size: new Uint32Array(capacity),
    targetLow: new Uint32Array(capacity),
    targetHigh: new Uint32Array(capacity),
    cpu: new Int16Array(capacity).fill(NO_CPU),
    flags: new Uint32Array(capacity),
    registers: new Uint16Array(capacity),
    valueAt: new Uint32Array(capacity),
    values: { bytes: new Uint8Array(capacity * 8), length: 0 },
    gaps: [],
    diagnostics,
  };
}

/** Empties the batch for its next use. Columns keep their old contents: a decoder writes every column of every record, or never writes it. */
export function resetBatch(batch: Batch, first: RecordNumber): void {
  batch.count = 0;
  batch.condensed = undefined;
  batch.first = first;
  batch.values.length = 0;
  batch.gaps.length = 0;
  batch.diagnostics.clear();
}
