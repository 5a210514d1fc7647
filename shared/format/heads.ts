/** Recognises heads of files that are certainly no binary trace: packed files, programs and text; and heads that are no text. */
import { CR, TAB } from '../base/characters.ts';

/** Magic numbers of packed files and programs. */
const FOREIGN: readonly (readonly number[])[] = [
  [0x50, 0x4b, 0x03, 0x04], // zip
  [0x28, 0xb5, 0x2f, 0xfd], // zstd
  [0xfd, 0x37, 0x7a, 0x58], // xz
  [0x42, 0x5a, 0x68], // bzip2
  [0x7f, 0x45, 0x4c, 0x46], // ELF
];

/** Returns true for a gzip file: its magic number and the only method (RFC 1952, 2.3.1). */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
}

/** Returns true for a compress (.Z) file: its magic number, then flags with a code length of 9 to 16 bits and two zero bits. */
export function isCompress(bytes: Uint8Array): boolean {
  const [first, second, flags = 0] = bytes;
  const mostBits = flags & 0x1f;
  return first === 0x1f && second === 0x9d && mostBits >= 9 && mostBits <= 16 && (flags & 0x60) === 0;
}

/** Returns true for a packed file or a program. */
export function isPacked(bytes: Uint8Array): boolean {
  if (isGzip(bytes) || isCompress(bytes)) return true;
  return FOREIGN.some((magic) => magic.every((byte, at) => bytes[at] === byte));
}

/** Returns true if nineteen of twenty bytes are printable ASCII, blanks or line ends. */
export function isText(bytes: Uint8Array): boolean {
  let printable = 0;
  // No for-of: an iterator that is not compiled yet takes half a microsecond per byte, and this code runs first.
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if ((byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d)) printable++;
  }
  return printable >= bytes.length * 0.95;
}

const ESCAPE = 27;
/** Share of control bytes above which a file counts as binary. */
const BINARY_SHARE = 0.02;

/** Returns true if the head is binary. Text may contain a few control bytes, as in the disassembly of data. */
export function looksBinary(bytes: Uint8Array): boolean {
  let control = 0;
  for (const byte of bytes) if (byte < 32 && (byte < TAB || byte > CR) && byte !== ESCAPE) control++;
  return control > Math.max(1, bytes.length * BINARY_SHARE);
}
