/** The entries of one XScale capture, as the flow through it is followed: what each says, and whether that can be trusted. */
import { ADDRESS_BYTES, isIndirect, MESSAGE, MESSAGE_OF } from '../../../../../shared/xscale/messages.ts';

export interface Entry {
  /** One of MESSAGE. */
  readonly message: number;
  /** Instructions since the message before, as `instructionsOf` counts them; 0 for what is no message. */
  readonly count: number;
  /** Where a branch went, from its own bytes or from a checkpoint register; of exceptions nothing. Absent where it is not known. */
  readonly target?: number;
  /** Bytes that it has in the buffer. */
  readonly bytes: number;
}

/** Whether it has its target from a checkpoint register, and not from bytes of its own. */
export function isOfRegister({ target, bytes }: Entry): boolean {
  return target !== undefined && bytes === 1;
}

/** The entry as it is where nobody knows what the registers hold. */
export function withoutRegister(entry: Entry): Entry {
  const { message, count, bytes } = entry;
  return isOfRegister(entry) ? { message, count, bytes } : entry;
}

/** Instructions of an entry with the one that made it; undefined where the buffer does not tell. */
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
 * Which entries are what they seem; undefined where all are. A byte that is no message was a wrong one: had it been that of an indirect branch, the four
 * bytes before it would be an address, and all before those might be cut otherwise. So nothing is believed of what lies before
 * it until both readings begin an entry at the same byte.
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

/** The buffer from its first entry on. Bytes of a target that are lost, and what reserved messages were, do not matter here. */
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
