/**
 * What do the request types and sizes of a BYU 12-byte record mean, and is a record what a P6 does?
 *
 * Names and numbers as in the header file that the Trace Distribution Center published with the format.
 */
import { KIND } from '../../records/record.ts';
import type { Kind } from '../../records/record.ts';

/** Bytes of a record. */
export const UNIT = 12;
/** Records that are weighed together to judge how they lie in the file. */
export const WEIGHED_RECORDS = 64;
/** Native code of a record whose request type is unknown. */
export const NO_REQUEST = 0xff;

/** Request type to kind, name, and what to say of it where the kind does not. */
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

/** By the low two bits of the attribute. */
export const MEMORY_TYPES: readonly string[] = ['uncacheable', 'write-through', 'write-protected', 'write-back'];

const LAST_MEMORY = 0x03;
const LAST_TRANSFER = 0x11;

export function touchesMemory(request: number): boolean {
  return request <= LAST_MEMORY;
}

/** Memory and port accesses. */
export function isTransfer(request: number): boolean {
  return request <= LAST_TRANSFER;
}

export const KIND_OF = new Uint8Array(256).map((_, request) => KIND[REQUESTS[request]?.[0] ?? 'other']);

/** What the bus of a P6 transfers at once: parts of a quadword, half a line, a line. */
export const USUAL_SIZE = new Uint8Array(256).map((_, size) =>
  Number((size >= 1 && size <= 8) || size === 16 || size === 32),
);

/** By `request << 8 | size`; 1 where nothing needs to be said about a transfer: the fast path. */
export const PLAIN = new Uint8Array(65536);
for (const request of Object.keys(REQUESTS).map(Number)) if (isTransfer(request)) PLAIN.set(USUAL_SIZE, request << 8);

/**
 * Whether the record at `at` is what a P6 does: a stricter question than whether it breaks the format. In traces the upper
 * bits of the attribute and of the processor are zero, and so is the upper byte of the time but after a long sleep.
 */
export function isLikely(bytes: Uint8Array, at: number): boolean {
  const request = bytes[at + 4]!;
  const size = bytes[at + 5]!;
  if (bytes[at + 6]! > 3 || bytes[at + 7]! > 15 || bytes[at + 11]! !== 0) return false;
  if (PLAIN[(request << 8) | size] === 1) return true;
  return request in REQUESTS && !isTransfer(request) && (size === 0 || USUAL_SIZE[size] === 1);
}

/** How many of `count` records from `at` on are likely; stops counting, and says 0, when fewer than `least` can be. */
export function score(bytes: Uint8Array, at: number, count: number, least: number): number {
  let good = count;
  for (let left = count; left > 0; left--, at += UNIT) if (!isLikely(bytes, at) && --good < least) return 0;
  return good;
}
