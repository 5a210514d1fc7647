/** Is this head of a file binary rather than text? Text may hold a few control bytes, as in the disassembly of data. */
import { CR, TAB } from '../base/characters.ts';

const ESCAPE = 27;
/** Share of control bytes from which a file is taken for binary. */
const BINARY_SHARE = 0.02;

export function looksBinary(bytes: Uint8Array): boolean {
  let control = 0;
  for (const byte of bytes) if (byte < 32 && (byte < TAB || byte > CR) && byte !== ESCAPE) control++;
  return control > Math.max(1, bytes.length * BINARY_SHARE);
}
