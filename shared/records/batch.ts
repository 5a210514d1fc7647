/**
 * A batch: consecutive records as columns. Decoders fill it; builders and queries read it.
 *
 * A block is decoded as a series of batches, so memory use does not depend on the number of records in a block.
 * The same batch object is refilled for each of them, so a reader copies what it wants to keep.
 */
import { Diagnostics } from '../format/diagnostics.ts';
import type { ByteOffset, RecordNumber } from '../base/units.ts';

/** Capacity of a batch in records, chosen so that its columns fit into a core's second-level cache. */
export const BATCH_RECORDS = 8192;

/** Records of a part of a block. A batch holds a whole number of parts. */
export const PART_RECORDS = 256;

/** Bits of the `flags` column that mean the same in every format. Bits 8 and up belong to the format. */
export const FLAG = {
  /** The address columns are valid. */
  address: 1,
  /** A double does not hold the time exactly; `describe` returns all of its digits. */
  wideTime: 2,
  /** The record does not contain its cpu, which was taken from an earlier record. */
  cpuAssumed: 4,
  /** The record breaks a rule of its format; a diagnostic says which rule. */
  malformed: 8,
  /** The target columns hold the target of a branch. Its address, if known, is then the source. */
  target: 16,
  /** The access moved no data because it was aborted or is a wait cycle: it neither changes memory nor shows its contents. */
  noEffect: 32,
  /** The record does not contain its time, which was taken from an earlier record. */
  timeAssumed: 64,
  /** `values` contains all `size` bytes that the access moved. */
  value: 128,
} as const;

/** Value of the `cpu` column if the cpu is not known. */
export const NO_CPU = -1;

/** Facts of a decoder about PART_RECORDS rows of a batch, or fewer if they are the last ones. */
export interface BatchPart {
  /** State of the decoder before the first record of the part; undefined if decoding cannot begin there. */
  state: Readonly<Record<string, number>> | undefined;
  /**
   * Fingerprint, as two signed words, of the set of instructions in the part (address, opcode, and whether each executed) and of the sets of
   * registers that its records set. Parts with the same words have the same instructions and set the same registers. Zeros if it is not known.
   */
  first: number;
  second: number;
}

export interface Batch {
  /** Number of filled rows, 0 <= count <= BATCH_RECORDS. */
  count: number;
  /** Number of the first record, relative to an origin that the caller chooses. The caller sets it before decoding. */
  first: RecordNumber;
  /**
   * If false, the caller needs `start` and `end` only for `register` records, and a decoder may leave them unwritten for all others.
   * The caller sets it before decoding.
   */
  placed: boolean;
  /** Undefined if each row is one record. `Decoder.condense` sets it. */
  condensed: Condensed | undefined;
  /** File offset of the record's first byte. */
  readonly start: Float64Array;
  /** File offset just past the record's last byte (its line end included). */
  readonly end: Float64Array;
  /** Time in the format's unit; NaN if the record has no time. */
  readonly time: Float64Array;
  /** Position in KINDS. */
  readonly kind: Uint8Array;
  /** The format's own code for the kind of record; `Decoder.nativeName` returns its name. */
  readonly native: Uint16Array;
  /** Address of the first byte accessed, unsigned; valid if FLAG.address is set. */
  readonly addressLow: Uint32Array;
  readonly addressHigh: Uint32Array;
  /** Number of bytes accessed, starting at the address; 0 if unknown (counted as one byte). */
  readonly size: Uint32Array;
  /** Target of a branch, unsigned; valid if FLAG.target is set. */
  readonly targetLow: Uint32Array;
  readonly targetHigh: Uint32Array;
  readonly cpu: Int16Array;
  readonly flags: Uint32Array;
  /**
   * Number that the decoder assigned to the set of registers that a `register` record sets. Records of one cpu with the same nonzero
   * number set the same registers, so a later one replaces an earlier one completely. 0 means that only `describe` knows the set.
   * A number is valid for the lifetime of its decoder only. Decoders of formats without register records never write this column.
   */
  readonly registers: Uint16Array;
  /** Index in `values` of the first byte that an access moved, which is the byte at its address; valid if FLAG.value is set. */
  readonly valueAt: Uint32Array;
  readonly values: ByteHeap;
  /** Byte ranges that belong to no record. Records and gaps cover the block without overlap. */
  readonly gaps: Gap[];
  /** The parts of an empty batch that was filled at once, in order. Empty unless the decoder has `marksParts`. */
  readonly parts: BatchPart[];
  readonly diagnostics: Diagnostics;
}

/**
 * A condensed batch: each row stands for one or more records with the same kind, native code, address and size. Rows of memory
 * accesses are sorted by their last record, the latest first. A condensed batch has no places, times, values or gaps. Its flags are
 * those that mean the same in every format, its addresses fit 32 bits, and no access crosses an 8-byte word.
 */
export interface Condensed {
  /** Number of records that the batch stands for. */
  readonly records: number;
  /**
   * SPAN_WORDS numbers per row: the number of its records and, if the row has an address, the first and the last of them, counted
   * from the first record of the batch. They share one array because loops over several arrays run out of machine registers.
   */
  readonly spans: Int32Array;
}

export const SPAN_WORDS = 4;

/** Returns the number of records that the batch's rows stand for. */
export function recordsOf(batch: Batch): number {
  return batch.condensed?.records ?? batch.count;
}

/** Growing storage for the bytes that a batch's records moved. */
export interface ByteHeap {
  bytes: Uint8Array<ArrayBuffer>;
  /** Number of bytes in use. */
  length: number;
}

/** Makes room for `more` bytes after those in use. May replace `heap.bytes`. */
export function reserve(heap: ByteHeap, more: number): void {
  if (heap.length + more <= heap.bytes.length) return;
  const larger = new Uint8Array(Math.max(heap.bytes.length * 2, heap.length + more));
  larger.set(heap.bytes.subarray(0, heap.length));
  heap.bytes = larger;
}

export interface Gap {
  /** Reason for the gap: `blank`, `tail`, `slip` ... */
  readonly name: string;
  readonly start: ByteOffset;
  readonly end: ByteOffset;
}

export function createBatch(capacity: number = BATCH_RECORDS, diagnostics = new Diagnostics()): Batch {
  return {
    count: 0,
    first: 0,
    placed: true,
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
    parts: [],
    diagnostics,
  };
}

/** Empties the batch for its next use. Columns keep their old contents: a decoder writes a column for every record or for none. */
export function resetBatch(batch: Batch, first: RecordNumber): void {
  batch.count = 0;
  batch.condensed = undefined;
  batch.first = first;
  batch.values.length = 0;
  batch.gaps.length = 0;
  batch.parts.length = 0;
  batch.diagnostics.clear();
}

/** Copies a row without the bytes that its record moved. */
export function copyRow(from: Batch, row: number, to: Batch, place: number): void {
  to.start[place] = from.start[row]!;
  to.end[place] = from.end[row]!;
  to.time[place] = from.time[row]!;
  to.kind[place] = from.kind[row]!;
  to.native[place] = from.native[row]!;
  to.addressLow[place] = from.addressLow[row]!;
  to.addressHigh[place] = from.addressHigh[row]!;
  to.size[place] = from.size[row]!;
  to.targetLow[place] = from.targetLow[row]!;
  to.targetHigh[place] = from.targetHigh[row]!;
  to.cpu[place] = from.cpu[row]!;
  to.flags[place] = from.flags[row]! & ~FLAG.value;
  to.registers[place] = from.registers[row]!;
}
