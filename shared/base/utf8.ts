/**
 * Decodes bytes as UTF-8 text for people. A byte that is not part of valid UTF-8 becomes the character of the same number
 * (Latin-1), so no input fails and no byte is lost. The result depends only on the given bytes.
 */
export function utf8(bytes: Uint8Array): string {
  let text = '';
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    text += String.fromCodePoint(length === 1 ? bytes[at]! : codePoint(bytes, at, length));
    at += length;
  }
  return text;
}

/** Smallest code point of a sequence, by its length in bytes. A smaller code point is an overlong form, which is not UTF-8. */
const LOWEST = [0, 0, 0x80, 0x800, 0x10000] as const;

/** Returns the length in bytes of the valid sequence at `at`; 1 if there is none. */
function sequenceLength(bytes: Uint8Array, at: number): 1 | 2 | 3 | 4 {
  const lead = bytes[at]!;
  const length = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;
  if (length === 1 || at + length > bytes.length) return 1;
  for (let i = 1; i < length; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return 1;
  const code = codePoint(bytes, at, length);
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < LOWEST[length] || code > 0x10ffff || surrogate ? 1 : length;
}

function codePoint(bytes: Uint8Array, at: number, length: 2 | 3 | 4): number {
  let code = bytes[at]! & (0x7f >> length);
  for (let i = 1; i < length; i++) code = (code << 6) | (bytes[at + i]! & 0x3f);
  return code;
}
