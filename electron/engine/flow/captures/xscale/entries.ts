/** Entries of a capture as input for following: their content, and which of them can be trusted. */
import { ADDRESS_BYTES, isIndirect, MESSAGE, MESSAGE_OF } from '../../../../../shared/xscale/messages.ts';

export interface Entry {
  /** One of MESSAGE. */
  readonly message: number;
  /** Instructions since the previous message, as `instructionsOf` counts them; 0 for reserved messages. */
  readonly count: number;
  /** Target of a branch from its own bytes or from a checkpoint register. Absent if not known, and for exceptions. */
  readonly target?: number;
  /** Bytes of the entry in the buffer. */
  readonly bytes: number;
}

/** Returns true if the target comes from a checkpoint register and not from the entry's own bytes. */
export function isOfRegister({ target, bytes }: Entry): boolean {
  return target !== undefined && bytes === 1;
}

/** Returns the entry without a target that comes from a checkpoint register. */
export function withoutRegister(entry: Entry): Entry {
  const { message, count, bytes } = entry;
  return isOfRegister(entry) ? { message, count, bytes } : entry;
}

/** Returns the number of instructions of an entry, including the one that made it; undefined if the buffer does not determine it. */
export function instructionsIn({ message, count }: Entry): number | undefined {
  switch (message) {
    case MESSAGE.reserved:
    case MESSAGE.dataAbort:
      return undefined;
    case MESSAGE.rollOver:
    case MESSAGE.prefetchAbort:
    case MESSAGE.irq:
    case MESSAGE.fiq:
      return count;
    default:
      return count + 1;
  }
}

/**
 * Returns which entries can be trusted, or undefined if all can. A reserved message is a damaged byte. If it was the message of an indirect
 * branch, the four bytes before it are an address, and older bytes may divide into entries differently. So older entries are not
 * trusted up to the first byte at which an entry begins in both readings.
 */
export function trusted(entries: readonly Entry[]): readonly boolean[] | undefined {
  let reserved = 0;
  for (let k = 0; k < entries.length; k++) if (entries[k]!.message === MESSAGE.reserved) reserved++;
  if (reserved === 0) return undefined;
  const bytes = bytesOf(entries);
  const starts = new Set<number>();
  let at = 0;
  for (const entry of entries) {
    starts.add(at);
    at += entry.bytes;
  }
  const sound = entries.map(() => true);
  let end = bytes.length;
  for (let k = entries.length - 1; k >= 0; k--) {
    const message = end - 1;
    end -= entries[k]!.bytes;
    if (entries[k]!.message !== MESSAGE.reserved) continue;
    let other = message - ADDRESS_BYTES;
    while (other > 0 && !starts.has(other)) {
      const byte = bytes[other - 1]!;
      other -= isIndirect(MESSAGE_OF[byte]!) ? 1 + ADDRESS_BYTES : 1;
    }
    sound[k] = false;
    for (let j = k - 1, start = end; j >= 0; j--) {
      start -= entries[j]!.bytes;
      if (start < other) break;
      sound[j] = false;
    }
  }
  return sound;
}

/** Rebuilds the buffer, starting at its first entry. Lost target bytes and the value of reserved messages do not matter here. */
function bytesOf(entries: readonly Entry[]): Uint8Array {
  const bytes = new Uint8Array(entries.reduce((sum, entry) => sum + entry.bytes, 0));
  let at = 0;
  for (const { message, count, target = 0, bytes: length } of entries) {
    for (let i = 1; i < length; i++) bytes[at + i - 1] = target >>> (8 * (length - 1 - i));
    at += length;
    bytes[at - 1] = message === MESSAGE.rollOver ? 0xff : (message << 4) | count;
  }
  return bytes;
}
