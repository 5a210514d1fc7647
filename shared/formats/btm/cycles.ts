/**
 * Classifies Pentium bus cycles by their definition pins and byte enables, as tables for the decoders and their descriptions.
 *
 * Source of the definition pins: Intel Pentium processor family developer's manual, bus cycle definition (M/IO#, D/C#, W/R#).
 */
import { type Batch, FLAG, reserve } from '../../records/batch.ts';
import { KIND, type Kind } from '../../records/record.ts';
import {
  BRANCH_TRACE,
  byteTable,
  CONTIGUOUS,
  INT_ACK_FIRST,
  INT_ACK_SECOND,
  LOWEST,
  NO_BYTE,
  SPAN,
  SPECIAL_CYCLES,
  specialText,
} from '../../pentium/bus-cycles.ts';

/** Bit of `control` for M/IO#. D/C# is bit 1 and W/R# bit 0. */
export const MEMORY = 4;
/** Definition pins of a write to memory: all three are high. */
export const WRITE = 7;
/** Bit of `control` for CACHE#, which is also set if CACHE# was not captured. */
export const NOT_CACHEABLE = 8;
/** Bit of the binary form's control byte: the data bus was not captured. */
export const NO_DATA = 64;

/** Kind and name by M/IO# D/C# W/R#. Native codes of cycles are these positions plus FIRST_CYCLE. */
const CYCLES: readonly (readonly [Kind, string])[] = [
  ['interrupt-acknowledge', 'INT_ACK'],
  ['special', 'SPECIAL'],
  ['io-read', 'IO_READ'],
  ['io-write', 'IO_WRITE'],
  ['fetch', 'CODE_READ'],
  ['other', 'RESERVED'],
  ['read', 'MEM_READ'],
  ['write', 'MEM_WRITE'],
];

/** Kinds that can have a value. Special cycles request no bytes; the data bus of a message contains part of an address. */
export const VALUED_KINDS: readonly Kind[] = CYCLES.map(([kind]) => kind).filter((kind) => kind !== 'special');

export const OTHER = 0;
const FIRST_CYCLE = 1;
export const INT_ACK = 1;
export const SPECIAL = 2;
const RESERVED = 6;
/** A branch trace message without its data bus, so that it can be either of the two cycles. */
export const BTM = 9;
export const BTM_FIRST = 10;
export const BTM_SECOND = 11;
export const BTM_FAST = 12;

const MESSAGES: readonly string[] = ['BTM', 'BTM_FIRST', 'BTM_SECOND', 'BTM_FAST'];

export function nativeName(code: number): string {
  if (code === OTHER) return 'OTHER';
  return code >= BTM ? (MESSAGES[code - BTM] ?? 'BTM') : (CYCLES[code - FIRST_CYCLE]?.[1] ?? 'OTHER');
}

/** Format bits of the flags column. */
export const MARK = {
  cacheable: 1 << 8,
  /** The requested bytes are not adjacent. */
  split: 1 << 9,
  /** The data bus of a branch trace message was not captured. */
  noData: 1 << 10,
  /** The first cycle of this second cycle is missing from the capture. */
  firstMissing: 1 << 11,
  /** Two first cycles were pending, and this second cycle can belong to either. */
  ambiguous: 1 << 12,
  /** The message contains the operand size of its end of the branch: 32 bits if `wide` is set, otherwise 16. */
  sized: 1 << 13,
  wide: 1 << 14,
  /** This cycle is damaged, so the bytes of a write are unknown after it. */
  damaged: 1 << 15,
} as const;

/** Kind by M/IO# D/C# W/R#. */
export const KIND_OF = byteTable(8, (cycle) => KIND[CYCLES[cycle]![0]]);
/** By `(control & 7) << 8 | byte enables`: 1 for an access to memory or a port without special properties. */
export const PLAIN = byteTable(2048, (key) => {
  const cycle = key >>> 8;
  const access = cycle >= 2 && cycle !== RESERVED - FIRST_CYCLE;
  return Number(access && CONTIGUOUS[key & 255] === 1);
});

/**
 * Adds the bytes that a plain memory access moved to row `n`: the requested bytes of the data bus `high` and `low`. Byte k of the bus is at
 * address + k, independent of the processor's use of it.
 */
export function putBytes(batch: Batch, n: number, enables: number, low: number, high: number): void {
  const size = SPAN[enables]!;
  const heap = batch.values;
  if (heap.length + size > heap.bytes.length) reserve(heap, size);
  const { bytes, length } = heap;
  let lane = LOWEST[enables]!;
  for (let k = 0; k < size; k++, lane++) bytes[length + k] = (lane < 4 ? low : high) >>> ((lane & 3) << 3);
  heap.length = length + size;
  batch.valueAt[n] = length;
  batch.flags[n]! |= FLAG.value;
}

/** All bits of the data bus. */
export const WHOLE_BUS = 0xffff_ffff_ffff_ffffn;

/** Returns the highest data bus bit that byte enables request; -1 if they request none. */
export function topRequested(enables: number): number {
  return 8 * (LOWEST[enables]! + SPAN[enables]!) - 1;
}

/** Returns a table by byte enables: 1 if `dataBits` contains all bits from the lowest to the highest requested byte. */
export function lanesWithin(dataBits: bigint): Uint8Array {
  return byteTable(256, (enables) => {
    const requested = BigInt.asUintN(8 * SPAN[enables]!, -1n) << BigInt(8 * LOWEST[enables]!);
    return Number((dataBits & requested) === requested);
  });
}

export function isMessage(control: number, enables: number): boolean {
  return (control & 7) === SPECIAL - FIRST_CYCLE && enables === BRANCH_TRACE;
}

/**
 * Fills kind, native, address, size and flags of row `n` for any cycle except a branch trace message. `address` contains pins A31-A3; its
 * low three bits are 0.
 */
export function putCycle(batch: Batch, n: number, control: number, enables: number, address: number): void {
  const cycle = control & 7;
  const native = cycle + FIRST_CYCLE;
  let flags: number = FLAG.address | ((control & NOT_CACHEABLE) === 0 ? MARK.cacheable : 0);
  batch.kind[n] = KIND_OF[cycle]!;
  batch.native[n] = native;
  batch.addressLow[n] = address;
  batch.size[n] = 0;
  if (native === SPECIAL) {
    if (!(enables in SPECIAL_CYCLES)) flags |= complain(batch, n, 'unknown-special', enables);
  } else {
    batch.addressLow[n] = address + LOWEST[enables]!;
    batch.size[n] = SPAN[enables]!;
    if (native === RESERVED) flags |= complain(batch, n, 'reserved-cycle', enables);
    if (enables === NO_BYTE) flags |= complain(batch, n, 'no-byte-enabled', enables);
    else if (CONTIGUOUS[enables] === 0) {
      flags |= MARK.split;
      batch.diagnostics.add('split-byte-enables', batch.start[n]!, batch.first + n, shapeOf(native, enables));
    }
  }
  batch.flags[n] = flags;
}

/** Reduces the address of an access in row `n` to its 16-byte block, because pin A3 was not captured. */
export function leaveOutA3(batch: Batch, n: number): void {
  if (!isAccess(batch.native[n]!)) return;
  batch.addressLow[n] = (batch.addressLow[n]! & ~15) >>> 0;
  batch.size[n] = 0;
}

/** True for native codes of cycles that access memory or a port. */
export function isAccess(native: number): boolean {
  return native > SPECIAL && native < BTM;
}

function complain(batch: Batch, n: number, code: string, enables: number): number {
  batch.diagnostics.add(code, batch.start[n]!, batch.first + n, shapeOf(batch.native[n]!, enables));
  return FLAG.malformed;
}

/** Shapes by `native << 8 | byte enables`. */
const shapes = new Map<number, string>();

/** Returns the shape of an invalid cycle, which does not depend on the form of its pins in the file: `MEM_READ BE a5`. */
function shapeOf(native: number, enables: number): string {
  const key = (native << 8) | enables;
  let shape = shapes.get(key);
  if (shape === undefined) {
    shape = `${nativeName(native)} BE ${enables.toString(16).padStart(2, '0')}`;
    shapes.set(key, shape);
  }
  return shape;
}

/** Describes a cycle that is not an access; returns undefined for accesses. */
export function cycleText(native: number, enables: number, address: number): string | undefined {
  switch (native) {
    case INT_ACK:
      if (enables === INT_ACK_FIRST) return 'interrupt acknowledge, first of the pair';
      return enables === INT_ACK_SECOND ? 'interrupt acknowledge, second of the pair' : 'interrupt acknowledge';
    case SPECIAL:
      return specialText(enables, address);
    case RESERVED:
      return 'reserved combination of the definition pins';
    default:
      return undefined;
  }
}
