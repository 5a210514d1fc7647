/** Converts bytes to text and numbers. Decoders, panes and the command line share these functions. */

/** Number of arguments that one call takes without risking a stack overflow. */
const CHUNK = 8192;

/** Returns bytes as Latin-1 text, one character per byte. Never fails, and positions in the text are positions in the bytes. */
export function latin1(bytes: Uint8Array): string {
  // Spread syntax would use an iterator, which is three times slower. Searches call this function for every record.
  if (bytes.length <= CHUNK) return String(Reflect.apply(String.fromCharCode, String, bytes));
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += latin1(bytes.subarray(at, at + CHUNK));
  return text;
}

/** Reverses the four bytes of a word; the result is a signed 32-bit number. */
export function swapBytes(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}

export function u32BigEndian(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

export function u32LittleEndian(bytes: Uint8Array, at: number): number {
  return ((bytes[at + 3]! << 24) | (bytes[at + 2]! << 16) | (bytes[at + 1]! << 8) | bytes[at]!) >>> 0;
}

/** Compares ranges of `length` bytes, four at a time: the last four may overlap the previous ones. Both ranges must be inside their views. */
export function areEqual(a: DataView, from: number, b: DataView, at: number, length: number): boolean {
  const last = length - 4;
  if (last < 0) {
    for (let i = 0; i < length; i++) if (a.getUint8(from + i) !== b.getUint8(at + i)) return false;
    return true;
  }
  // Ranges that differ often differ at their end.
  if (a.getInt32(from + last) !== b.getInt32(at + last)) return false;
  for (let i = 0; i < last; i += 4) if (a.getInt32(from + i) !== b.getInt32(at + i)) return false;
  return true;
}
