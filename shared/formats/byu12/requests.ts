/**
 * Request types and sizes of BYU 12-byte records, and a test whether a record is plausible, meaning that a P6 makes such requests.
 *
 * Names and numbers are those of the header file that the Trace Distribution Center published with the format.
 */
import { KIND, type Kind } from '../../records/record.ts';

/** Size of a record in bytes. */
export const UNIT = 12;
/** Number of records that are weighed together to find their phase. */
export const WEIGHED_RECORDS = 64;
/** Native code of a record with an unknown request type. */
export const NO_REQUEST = 0xff;

/** Kind, name and optional description by request type. */
export const REQUESTS: Readonly<Record<number, readonly [Kind, string, string?]>> = {
  0x00: ['fetch', 'FETCH'],
  0x01: ['read', 'MEMREAD'],
  0x02: ['read', 'MEMREADINV', 'read and invalidate'],
  0x03: ['write', 'MEMWRITE'],
  0x10: ['io-read', 'IOREAD'],
  0x11: ['io-write', 'IOWRITE'],
  0x20: ['special', 'DEFERREPLY', 'deferred reply'],
  0x21: ['interrupt-acknowledge', 'INTA', 'interrupt acknowledge'],
  0x22: ['special', 'CNTRLAGNTRES', 'central agent response'],
  0x23: ['branch', 'BRTRACEREC', 'branch trace message'],
  0x31: ['special', 'SHUTDOWN', 'shutdown'],
  0x32: ['special', 'FLUSH', 'flush (caches invalidated)'],
  0x33: ['special', 'HALT', 'halt'],
  0x34: ['special', 'SYNC', 'sync (caches written back)'],
  0x35: ['special', 'FLUSHACK', 'flush acknowledge'],
  0x36: ['special', 'STOPCLKACK', 'stop clock acknowledge'],
  0x37: ['special', 'SMIACK', 'system management mode acknowledge'],
};

/** Memory types by the low two bits of the attribute. */
export const MEMORY_TYPES: readonly string[] = ['uncacheable', 'write-through', 'write-protected', 'write-back'];

const LAST_MEMORY = 0x03;
const LAST_TRANSFER = 0x11;

export function touchesMemory(request: number): boolean {
  return request <= LAST_MEMORY;
}

/** True for memory and port accesses. */
export function isTransfer(request: number): boolean {
  return request <= LAST_TRANSFER;
}

export const KIND_OF = new Uint8Array(256).map((_, request) => KIND[REQUESTS[request]?.[0] ?? 'other']);

/** By size: 1 if the bus of a P6 transfers it at once, which are parts of a quadword, half a line and a line. */
export const USUAL_SIZE = new Uint8Array(256).map((_, size) =>
  Number((size >= 1 && size <= 8) || size === 16 || size === 32),
);

/** By `request << 8 | size`: 1 for a transfer without special properties, for the fast path. */
export const PLAIN = new Uint8Array(65536);
for (const request of Object.keys(REQUESTS).map(Number)) if (isTransfer(request)) PLAIN.set(USUAL_SIZE, request << 8);

/**
 * True if the record at `at` is plausible, which is stricter than valid in the format. In real traces the upper bits of attribute and
 * processor are zero, and so is the upper byte of the time except after a long sleep.
 */
export function isLikely(bytes: Uint8Array, at: number): boolean {
  const request = bytes[at + 4]!;
  const size = bytes[at + 5]!;
  if (bytes[at + 6]! > 3 || bytes[at + 7]! > 15 || bytes[at + 11]! !== 0) return false;
  if (PLAIN[(request << 8) | size] === 1) return true;
  return request in REQUESTS && !isTransfer(request) && (size === 0 || USUAL_SIZE[size] === 1);
}

/** Returns how many of `count` records starting at `at` are likely. Stops and returns 0 once fewer than `least` can be. */
export function countLikely(bytes: Uint8Array, at: number, count: number, least: number): number {
  let good = count;
  for (let left = count; left > 0; left--, at += UNIT) if (!isLikely(bytes, at) && --good < least) return 0;
  return good;
}
