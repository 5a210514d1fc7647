/**
 * Which entries does an XScale trace buffer hold?
 *
 * The last byte of a buffer is always a message (80200 manual, 13.13.2), so it is read from its end: a message of an indirect
 * branch owns the four bytes before it, every other message stands alone.
 *
 *     246 x 00   00 00 80 00 90   83   ff   85   22   81
 *                indirect branch to 0x8000, after 0 instructions; direct after 3; roll-over; direct after 5; SWI after 2;
 *                direct after 1
 *
 * Read from the front, the two zeros before 80 would be taken for bytes that were never written. Zeros that no message owns,
 * down to the front, were never written: then the buffer has not wrapped. A buffer that has may begin inside an entry, whose
 * first address bytes are then lost.
 */
import { ADDRESS_BYTES, BUFFER_BYTES, isIndirect, MESSAGE, MESSAGE_OF } from './messages.ts';

/** Entry k, first <= k < BUFFER_BYTES, oldest first: bytes [bounds[k], bounds[k + 1]) of the buffer, the last one its message. */
export interface BufferEntries {
  /** BUFFER_BYTES when there is none. */
  first: number;
  readonly bounds: Uint16Array;
  /** How many entries are checkpointed: the newest of them has its target in CHKPT0, the one before in CHKPT1. */
  checkpointed: number;
}

export function createEntries(): BufferEntries {
  return { first: BUFFER_BYTES, bounds: new Uint16Array(BUFFER_BYTES + 1), checkpointed: 0 };
}

/**
 * Reads the buffer bytes[at, at + length), length <= BUFFER_BYTES, from the byte `from` of it on. Unless something before
 * that has been read already (`from` > 0), zeros at the front are left out. Allocates nothing.
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
    // 1x01 xxxx, asked by a branch: the next turn then need not wait for a look-up in ENTRY_BYTES.
    if ((byte & 0xb0) === 0x90) i -= 1 + ADDRESS_BYTES;
    else i--;
    bounds[--slot] = i < front ? from : i + 1 - at;
  }
  // An owned zero lies before its message, so an entry that is one zero byte is nobody's.
  if (from === 0) while (slot < BUFFER_BYTES && bytes[at + bounds[slot + 1]! - 1] === 0) slot++;
  entries.first = slot;
  entries.checkpointed = checkpointed;
}

/** Whether the bytes can be a buffer read in order: its last byte is a message, or all of it was never written. */
export function endsInMessage(bytes: Uint8Array, at: number, length: number): boolean {
  return MESSAGE_OF[bytes[at + length - 1]!] !== MESSAGE.reserved;
}

/** Read in the wrong order a buffer that has not wrapped begins with its newest message and ends with zeros. */
export function looksReversed(bytes: Uint8Array, at: number, length: number): boolean {
  return bytes[at + length - 1] === 0 && MESSAGE_OF[bytes[at]!] !== MESSAGE.reserved;
}

/** One entry, for whoever follows the flow through a buffer. */
export interface Entry {
  /** Index of its first byte in the buffer. */
  readonly start: number;
  readonly end: number;
  /** Its message byte. */
  readonly byte: number;
  /** The target that its address bytes give; absent without them, and where some are lost. */
  readonly target?: number;
  /** Address bytes that are left of a target; absent where none are lost. */
  readonly left?: number;
  /** Which register holds its target, 0 or 1; -1 when it is too old for both; absent where it is not checkpointed. */
  readonly checkpoint?: number;
}

/** All entries of a buffer, oldest first; none where its last byte is no message. */
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

/** The address in the four bytes before a message, unsigned. */
export function addressBefore(bytes: Uint8Array, message: number): number {
  return (
    ((bytes[message - 4]! << 24) | (bytes[message - 3]! << 16) | (bytes[message - 2]! << 8) | bytes[message - 1]!) >>> 0
  );
}
