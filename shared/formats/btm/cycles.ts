/**
 * What a Pentium bus cycle is by its definition pins and byte enables, as tables for the decoders and their descriptions.
 *
 * Definition pins: Intel Pentium processor family developer's manual, bus cycle definition (M/IO#, D/C#, W/R#). Special cycles
 * by byte enables: AMD-K5 Technical Reference Manual 18524C table 5-23, the same on the Pentium.
 */
import { FLAG, reserve, type Batch } from '../../records/batch.ts';
import { KIND, type Kind } from '../../records/record.ts';

/** Bits of `control`: the three definition pins (M/IO# here, D/C# 2, W/R# 1), and CACHE# (1 as well where it was not captured). */
export const MEMORY = 4;
export const NOT_CACHEABLE = 8;
/** Of the binary's control byte: the data bus was not captured. */
export const NO_DATA = 64;

/** By M/IO# D/C# W/R#. Native codes of cycles are these positions plus FIRST_CYCLE. */
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

/** Special cycles ask for no bytes; what lies on the data bus of a message is part of an address. */
export const VALUED_KINDS: readonly Kind[] = CYCLES.map(([kind]) => kind).filter((kind) => kind !== 'special');

export const OTHER = 0;
const FIRST_CYCLE = 1;
export const INT_ACK = 1;
export const SPECIAL = 2;
const RESERVED = 6;
/** A branch trace message whose data bus was not captured: which of its two cycles it is stays unknown. */
export const BTM = 9;
export const BTM_FIRST = 10;
export const BTM_SECOND = 11;
export const BTM_FAST = 12;

const MESSAGES: readonly string[] = ['BTM', 'BTM_FIRST', 'BTM_SECOND', 'BTM_FAST'];

export function nativeName(code: number): string {
  if (code === OTHER) return 'OTHER';
  return code >= BTM ? (MESSAGES[code - BTM] ?? 'BTM') : (CYCLES[code - FIRST_CYCLE]?.[1] ?? 'OTHER');
}

export const BRANCH_TRACE = 0xdf;
const NO_BYTE = 0xff;
const STOP_GRANT_ADDRESS = 0x10;
export const SPECIAL_CYCLES: Readonly<Record<number, string>> = {
  0xfe: 'shutdown',
  0xfd: 'flush (caches invalidated)',
  0xfb: 'halt',
  0xf7: 'write-back (caches written back and invalidated)',
  0xef: 'flush acknowledge',
  [BRANCH_TRACE]: 'branch trace message',
};

/** Format bits of the flags column. */
export const MARK = {
  cacheable: 1 << 8,
  /** The enabled bytes are not neighbours. */
  split: 1 << 9,
  /** The data bus of a branch trace message was not captured. */
  noData: 1 << 10,
  /** A second cycle whose first one is not in the capture. */
  firstMissing: 1 << 11,
  /** Two first cycles were pending and nothing tells whose this second one is. */
  ambiguous: 1 << 12,
  /** A message tells the operand size of its end of the branch: 32 bits with `wide`, else 16. */
  sized: 1 << 13,
  wide: 1 << 14,
} as const;

/** By byte enables: the lowest byte asked for; bytes from there to the highest one, 0 where none is. */
export const LOWEST = table(256, (enables) => onBytes(enables)[0] ?? 0);
export const SPAN = table(256, (enables) => (onBytes(enables).at(-1) ?? -1) - LOWEST[enables]! + 1);
const SPLIT = table(256, (enables) => Number(onBytes(enables).length !== SPAN[enables]));

/** By M/IO# D/C# W/R#. */
export const KIND_OF = table(8, (cycle) => KIND[CYCLES[cycle]![0]]);
/** By `(control & 7) << 8 | byte enables`: 1 where it is an access to memory or a port without anything to say about it. */
export const PLAIN = table(2048, (key) => {
  const cycle = key >>> 8;
  const access = cycle >= 2 && cycle !== RESERVED - FIRST_CYCLE;
  return Number(access && (key & 255) !== NO_BYTE && SPLIT[key & 255] === 0);
});

/**
 * Puts the bytes behind row `n` that a plain access to memory moved: those of the data bus `high` and `low` for which it asked.
 * Byte k of the bus lies at address + k, whatever the processor does with it.
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

/** Bits of the data bus. */
export const WHOLE_BUS = 0xffff_ffff_ffff_ffffn;

/** The highest bit of the data bus that byte enables ask for; -1 where they ask for none. */
export function topAsked(enables: number): number {
  return 8 * (LOWEST[enables]! + SPAN[enables]!) - 1;
}

/** By byte enables: 1 where all bytes asked for, and those between them, lie on these bits of the data bus. */
export function lanesWithin(dataBits: bigint): Uint8Array {
  return table(256, (enables) => {
    const asked = BigInt.asUintN(8 * SPAN[enables]!, -1n) << BigInt(8 * LOWEST[enables]!);
    return Number((dataBits & asked) === asked);
  });
}

/** The bytes (0..7) that byte enables ask for, lowest first. */
export function onBytes(enables: number): readonly number[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].filter((byte) => (enables & (1 << byte)) === 0);
}

export function isMessage(control: number, enables: number): boolean {
  return (control & 7) === SPECIAL - FIRST_CYCLE && enables === BRANCH_TRACE;
}

/**
 * Fills kind, native, address, size and flags of row `n`, for any cycle but a branch trace message. `address`: pins A31-A3, the
 * three bits below are 0.
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
    else if (SPLIT[enables] === 1) {
      flags |= MARK.split;
      batch.diagnostics.add('split-byte-enables', batch.start[n]!, batch.first + n, shapeOf(native, enables));
    }
  }
  batch.flags[n] = flags;
}

/** What remains of the place of an access in row `n` where pin A3 was not captured: the 16 bytes in which it lies. */
export function leaveOutA3(batch: Batch, n: number): void {
  if (!isAccess(batch.native[n]!)) return;
  batch.addressLow[n] = (batch.addressLow[n]! & ~15) >>> 0;
  batch.size[n] = 0;
}

/** Whether a native code is that of a cycle that moves bytes of memory or a port. */
export function isAccess(native: number): boolean {
  return native > SPECIAL && native < BTM;
}

function complain(batch: Batch, n: number, code: string, enables: number): number {
  batch.diagnostics.add(code, batch.start[n]!, batch.first + n, shapeOf(batch.native[n]!, enables));
  return FLAG.malformed;
}

/** By `native << 8 | byte enables`, each made once. */
const shapes = new Map<number, string>();

/** What tells one cycle that cannot be from another, whatever its pins look like in the file: `MEM_READ BE a5`. */
function shapeOf(native: number, enables: number): string {
  const key = (native << 8) | enables;
  let shape = shapes.get(key);
  if (shape === undefined) {
    shape = `${nativeName(native)} BE ${enables.toString(16).padStart(2, '0')}`;
    shapes.set(key, shape);
  }
  return shape;
}

/** What a cycle other than an access is. */
export function cycleText(native: number, enables: number, address: number): string | undefined {
  switch (native) {
    case INT_ACK:
      if (enables === 0xef) return 'interrupt acknowledge, first of the pair';
      return enables === 0xfe ? 'interrupt acknowledge, second of the pair' : 'interrupt acknowledge';
    case SPECIAL:
      if (enables === 0xfb && address === STOP_GRANT_ADDRESS) return 'stop grant';
      return SPECIAL_CYCLES[enables] ?? 'unknown special cycle';
    case RESERVED:
      return 'reserved combination of the definition pins';
    default:
      return undefined;
  }
}

function table(length: number, value: (index: number) => number): Uint8Array {
  return new Uint8Array(length).map((_, index) => value(index));
}
