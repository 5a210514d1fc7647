/**
 * Divides an XScale trace buffer into entries.
 *
 * The last byte of a buffer is always a message (80200 manual, 13.13.2), so it is read from its end: a message of an indirect
 * branch owns the four bytes before it, every other message is an entry of its own.
 *
 *     246 x 00   00 00 80 00 90   83   ff   85   22   81
 *                indirect branch to 0x8000, after 0 instructions; direct after 3; roll-over; direct after 5; SWI after 2;
 *                direct after 1
 *
 * Read from the front, the two zeros before 80 would look like bytes that were never written. Zeros at the front that belong to no
 * message were never written: then the buffer has not wrapped. A wrapped buffer may begin inside an entry, whose first address bytes
 * are lost.
 */
import { u32BigEndian } from '../base/bytes.ts';
import { ADDRESS_BYTES, BUFFER_BYTES, isIndirect, MESSAGE, MESSAGE_OF } from './messages.ts';

/** Entry k, with first <= k < BUFFER_BYTES and the oldest first, is bytes [bounds[k], bounds[k + 1]) of the buffer; its last byte is the message. */
export interface BufferEntries {
  /** BUFFER_BYTES if there is no entry. */
  first: number;
  readonly bounds: Uint16Array;
  /** Number of checkpointed entries. The newest has its target in CHKPT0, the previous one in CHKPT1. */
  checkpointed: number;
}

export function createEntries(): BufferEntries {
  return { first: BUFFER_BYTES, bounds: new Uint16Array(BUFFER_BYTES + 1), checkpointed: 0 };
}

/**
 * Divides the buffer bytes[at, at + length), with length <= BUFFER_BYTES, starting at byte `from` of the buffer. If `from` is 0, zeros at
 * the front are left out. Allocates nothing.
 */
export function readEntries(bytes: Uint8Array, at: number, length: number, from: number, entries: BufferEntries): void {
  const { bounds } = entries;
  const front = at + from;
  let slot = BUFFER_BYTES;
  let checkpointed = 0;
  bounds[slot] = length;
  for (let i = at + length - 1; i >= front;) {
    const byte = bytes[i]!;
    // 110x xxxx
    if ((byte & 0xe0) === 0xc0) checkpointed++;
    // 1x01 xxxx. A branch, so that the next iteration does not wait for a look-up in ENTRY_BYTES.
    if ((byte & 0xb0) === 0x90) i -= 1 + ADDRESS_BYTES;
    else i--;
    bounds[--slot] = i < front ? from : i + 1 - at;
  }
  // A zero that belongs to a message comes before it, so an entry of one zero byte was never written.
  if (from === 0) while (slot < BUFFER_BYTES && bytes[at + bounds[slot + 1]! - 1] === 0) slot++;
  entries.first = slot;
  entries.checkpointed = checkpointed;
}

/** Returns true if the last byte is a message, as in every buffer that was read in order and was written to. */
export function endsInMessage(bytes: Uint8Array, at: number, length: number): boolean {
  return MESSAGE_OF[bytes[at + length - 1]!] !== MESSAGE.reserved;
}

/** Returns true if the bytes look like an unwrapped buffer in reverse order: it begins with the newest message and ends with zeros. */
export function looksReversed(bytes: Uint8Array, at: number, length: number): boolean {
  return bytes[at + length - 1] === 0 && MESSAGE_OF[bytes[at]!] !== MESSAGE.reserved;
}

/** One entry of a buffer. */
export interface Entry {
  /** Index of its first byte in the buffer. */
  readonly start: number;
  readonly end: number;
  /** The message byte. */
  readonly byte: number;
  /** Target from its address bytes; absent without them and if some are lost. */
  readonly target?: number;
  /** Number of remaining address bytes of a partly lost target; absent if none are lost. */
  readonly left?: number;
  /** Checkpoint register with its target, 0 or 1; -1 if it is too old for both; absent if it is not checkpointed. */
  readonly checkpoint?: number;
}

/** Returns all entries of a buffer, oldest first; none if its last byte is no message. */
export function entriesOf(buffer: Uint8Array): readonly Entry[] {
  if (buffer.length === 0 || !endsInMessage(buffer, 0, buffer.length)) return [];
  const entries = createEntries();
  readEntries(buffer, 0, buffer.length, 0, entries);
  const { bounds, first } = entries;
  let younger = entries.checkpointed;
  return Array.from({ length: BUFFER_BYTES - first }, (_, k): Entry => {
    const start = bounds[first + k]!;
    const end = bounds[first + k + 1]!;
    const byte = buffer[end - 1]!;
    const left = end - start - 1;
    const indirect = isIndirect(MESSAGE_OF[byte]!);
    const checkpointed = (byte & 0xe0) === 0xc0;
    if (checkpointed) younger--;
    return {
      start,
      end,
      byte,
      ...(indirect && (left === ADDRESS_BYTES ? { target: addressBefore(buffer, end - 1) } : { left })),
      ...(checkpointed && { checkpoint: younger < 2 ? younger : -1 }),
    };
  });
}

/** Returns the address in the four bytes before a message, highest byte first. */
export function addressBefore(bytes: Uint8Array, message: number): number {
  return u32BigEndian(bytes, message - ADDRESS_BYTES);
}
