/**
 * Meaning of the control byte of a BYU 6-byte record, and a test whether a record is plausible, meaning that a Pentium makes such
 * requests. Tables by byte value for decoding, descriptions and detection; docs/formats/byu6.md explains them.
 */
import { FLAG } from '../../records/batch.ts';
import { u32BigEndian, u32LittleEndian } from '../../base/bytes.ts';
import { KIND, type Kind } from '../../records/record.ts';
import {
  BRANCH_TRACE,
  byteTable,
  CONTIGUOUS,
  INT_ACK_FIRST,
  INT_ACK_SECOND,
  SPECIAL_CYCLES,
  STOP_GRANT_ADDRESS,
} from '../../pentium/bus-cycles.ts';

/** Size of a record in bytes. */
export const UNIT = 6;
/** Number of records that are weighed together to find their phase. */
export const WEIGHED_RECORDS = 64;

/** Kind and name by the upper half of the control byte; other values are invalid. The names are those of the format's sample program. */
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
/** Cycles from this code up access memory. */
const FIRST_MEMORY = 8;

/** Format bits of the flags column. CACHE# is low: the request may fill or write back a line. The length is not recorded. */
export const CACHEABLE = 256;
/** The requested bytes are not adjacent. */
export const SPLIT = 512;

/** Tables by control byte. */
export const NATIVE = byteTable(256, (control) => (control >>> 4 in CYCLES ? control >>> 4 : INVALID));
export const KIND_OF = byteTable(256, (control) => KIND[CYCLES[control >>> 4]?.[0] ?? 'other']);
export const PLAIN_FLAGS = new Uint32Array(256).map((_, control) => FLAG.address | (control & 0x10 ? 0 : CACHEABLE));

/** By `control << 8 | byte enables`: the addresses with which the cycle is plausible. */
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

/** 1 if a record is a memory access without special properties, for the fast path. */
export const PLAIN = byNative((native, enables) => Number(native >= FIRST_MEMORY && CONTIGUOUS[enables] === 1));

/** Returns a table by `control << 8 | byte enables`. Computes each native code once, because every thread does this when it starts. */
function byNative(value: (native: number, enables: number) => number): Uint8Array {
  const rows = new Map<number, Uint8Array>();
  const all = new Uint8Array(65536);
  NATIVE.forEach((native, control) => {
    const row = rows.get(native) ?? byteTable(256, (enables) => value(native, enables));
    rows.set(native, row);
    all.set(row, control << 8);
  });
  return all;
}

export function addressAt(bytes: Uint8Array, at: number, little: boolean): number {
  return little ? u32LittleEndian(bytes, at) : u32BigEndian(bytes, at);
}

/** True if the record at `at` is plausible, which is stricter than valid in the format. */
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

/** Returns how many of `count` records starting at `at` are likely. Stops and returns 0 once fewer than `least` can be. */
export function countLikely(bytes: Uint8Array, at: number, count: number, least: number, little: boolean): number {
  let good = count;
  for (let left = count; left > 0; left--, at += UNIT) if (!likely(bytes, at, little) && --good < least) return 0;
  return good;
}
