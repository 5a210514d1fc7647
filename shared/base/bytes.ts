/** Bytes as text and numbers: what decoders, panes and the command line share. */

/** Arguments that one call may have without risking the stack. */
const CHUNK = 8192;

/** Bytes as text, one character a byte: exact for searching, never fails. */
export function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) {
    // Spread, they would go through an iterator: three times as slow, and searches do this for each record.
    text += String(Reflect.apply(String.fromCharCode, String, bytes.subarray(at, at + CHUNK)));
  }
  return text;
}

export function u32BigEndian(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

export function u32LittleEndian(bytes: Uint8Array, at: number): number {
  return ((bytes[at + 3]! << 24) | (bytes[at + 2]! << 16) | (bytes[at + 1]! << 8) | bytes[at]!) >>> 0;
}
