/** What heads of files have in common that are certainly no binary trace. */

/** Beginnings of packed files and programs. */
const FOREIGN: readonly (readonly number[])[] = [
  [0x50, 0x4b, 0x03, 0x04], // zip
  [0x28, 0xb5, 0x2f, 0xfd], // zstd
  [0xfd, 0x37, 0x7a, 0x58], // xz
  [0x42, 0x5a, 0x68], // bzip2
  [0x7f, 0x45, 0x4c, 0x46], // ELF
];

/** A gzip file: its mark, and the only method that there is (RFC 1952, 2.3.1). */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
}

/** A compress (.Z) file: its mark; codes of 9 to 16 bits, two bits that are 0, and whether the table may be cleared. */
export function isCompress(bytes: Uint8Array): boolean {
  const [first, second, flags = 0] = bytes;
  const mostBits = flags & 0x1f;
  return first === 0x1f && second === 0x9d && mostBits >= 9 && mostBits <= 16 && (flags & 0x60) === 0;
}

/** Packed, or a program. */
export function isPacked(bytes: Uint8Array): boolean {
  if (isGzip(bytes) || isCompress(bytes)) return true;
  return FOREIGN.some((magic) => magic.every((byte, at) => bytes[at] === byte));
}

/** Nineteen of twenty bytes are printable ASCII, blanks or line ends. */
export function isText(bytes: Uint8Array): boolean {
  let printable = 0;
  // Not `of`: an iterator that nothing has compiled yet takes half a microsecond a byte, and this is the first that runs.
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if ((byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d)) printable++;
  }
  return printable >= bytes.length * 0.95;
}
