/**
 * What do the byte enables and the control byte of a BYU 6-byte record mean, and is a record what a Pentium does?
 *
 * Tables by byte value, for the decoder's loop, its descriptions and its detection. docs/formats/byu6.md has them for people.
 */
import { FLAG } from '../../records/batch.ts';
import { u32BigEndian, u32LittleEndian } from '../../base/bytes.ts';
import { KIND } from '../../records/record.ts';
import type { Kind } from '../../records/record.ts';

/** Bytes of a record. */
export const UNIT = 6;
/** Records that are weighed together to judge how they lie in the file. */
export const WEIGHED_RECORDS = 64;

/** Upper half of the control byte to kind and name; the others are invalid. Names as in the format's sample program. */
export const CYCLES: Readonly<Record<number, readonly [Kind, string]>> = {
  1: ['interrupt-acknowledge', 'INT_ACK'],
  3: ['special', 'SPECIAL'],
  5: ['io-read', 'IO_READ'],
  7: ['io-write', 'IO_WRITE'],
  8: ['fetch', 'I_FETCH'],
  9: ['fetch', 'NC_I_FETCH'],
  12: ['read', 'D_READ'],
  13: ['read', 'NC_D_READ'],
  14: ['write', 'WRITE_BACK'],
  15: ['write', 'D_WRITE'],
};

export const INVALID = 0;
export const INT_ACK = 1;
export const SPECIAL = 3;
export const IO_READ = 5;
export const IO_WRITE = 7;
export const FETCH = 8;
export const NC_FETCH = 9;
/** Cycles from here on touch memory. */
const FIRST_MEMORY = 8;

export const NO_BYTE = 0xff;
export const BRANCH_TRACE = 0xdf;
export const HALT = 0xfb;
export const STOP_GRANT_ADDRESS = 0x10;
/** Byte enables of a special cycle to its name: AMD-K5 Technical Reference Manual 18524C table 5-23, the same on the Pentium. */
export const SPECIAL_CYCLES: Readonly<Record<number, string>> = {
  0xfe: 'shutdown',
  0xfd: 'flush (caches invalidated)',
  [HALT]: 'halt',
  0xf7: 'write-back (caches written back and invalidated)',
  0xef: 'flush acknowledge',
  [BRANCH_TRACE]: 'branch trace message',
};
export const INT_ACK_FIRST = 0xef;
export const INT_ACK_SECOND = 0xfe;

/** Format bits of the flags column. CACHE# is low: the request may fill or write back a line; how much of it is not recorded. */
export const CACHEABLE = 256;
export const SPLIT = 512;

/** By control byte. */
export const NATIVE = table(256, (control) => (control >>> 4 in CYCLES ? control >>> 4 : INVALID));
export const KIND_OF = table(256, (control) => KIND[CYCLES[control >>> 4]?.[0] ?? 'other']);
export const PLAIN_FLAGS = new Uint32Array(256).map((_, control) => FLAG.address | (control & 0x10 ? 0 : CACHEABLE));

/** By byte enables; 0 where none is on. */
export const LOWEST = table(256, (enables) => Math.max(0, onBytes(enables)[0] ?? 0));
export const SPAN = table(256, (enables) => (onBytes(enables).at(-1) ?? -1) - LOWEST[enables]! + 1);
export const CONTIGUOUS = table(256, (enables) =>
  Number(enables !== NO_BYTE && onBytes(enables).length === SPAN[enables]),
);
/** Byte enables that ask for bytes side by side. */
export const NEIGHBOURS: readonly number[] = [...CONTIGUOUS.keys()].filter((enables) => CONTIGUOUS[enables] === 1);

/** What `control << 8 | byte enables` must come with to be what a Pentium does. */
const NEVER = 0;
const ALWAYS = 1;
const PORT_ADDRESS = 2;
const NO_ADDRESS = 3;
const LIKELY = byNative((native, enables) => likelihood(native, enables));

function likelihood(native: number, enables: number): number {
  if (native >= FIRST_MEMORY) return CONTIGUOUS[enables] === 1 ? ALWAYS : NEVER;
  if (native === IO_READ || native === IO_WRITE) return CONTIGUOUS[enables] === 1 ? PORT_ADDRESS : NEVER;
  if (native === INT_ACK) return enables === INT_ACK_FIRST || enables === INT_ACK_SECOND ? NO_ADDRESS : NEVER;
  if (native !== SPECIAL || !(enables in SPECIAL_CYCLES)) return NEVER;
  return enables === BRANCH_TRACE ? ALWAYS : NO_ADDRESS;
}

/** 1 where a record is a memory access without anything to say about it: the fast path. */
export const PLAIN = byNative((native, enables) => Number(native >= FIRST_MEMORY && CONTIGUOUS[enables] === 1));

function table(length: number, value: (index: number) => number): Uint8Array {
  return new Uint8Array(length).map((_, index) => value(index));
}

/** By `control << 8 | byte enables`. Worked out once for each native code: every thread does this when it starts. */
function byNative(value: (native: number, enables: number) => number): Uint8Array {
  const rows = new Map<number, Uint8Array>();
  const all = new Uint8Array(65536);
  NATIVE.forEach((native, control) => {
    const row = rows.get(native) ?? table(256, (enables) => value(native, enables));
    rows.set(native, row);
    all.set(row, control << 8);
  });
  return all;
}

/** The bytes (0..7) that byte enables ask for, lowest first. */
export function onBytes(enables: number): readonly number[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].filter((byte) => (enables & (1 << byte)) === 0);
}

export function addressAt(bytes: Uint8Array, at: number, little: boolean): number {
  return little ? u32LittleEndian(bytes, at) : u32BigEndian(bytes, at);
}

/** Whether the record at `at` is what a Pentium does: a stricter question than whether it breaks the format. */
export function likely(bytes: Uint8Array, at: number, little: boolean): boolean {
  if ((bytes[little ? at : at + 3]! & 7) !== 0) return false;
  switch (LIKELY[(bytes[at + 5]! << 8) | bytes[at + 4]!]) {
    case ALWAYS:
      return true;
    case PORT_ADDRESS:
      return addressAt(bytes, at, little) <= 0xffff;
    case NO_ADDRESS:
      return addressAt(bytes, at, little) <= STOP_GRANT_ADDRESS;
    default:
      return false;
  }
}

/** How many of `count` records from `at` on are likely; stops counting, and says 0, when fewer than `least` can be. */
export function score(bytes: Uint8Array, at: number, count: number, least: number, little: boolean): number {
  let good = count;
  for (let left = count; left > 0; left--, at += UNIT) if (!likely(bytes, at, little) && --good < least) return 0;
  return good;
}
