/** The instructions of a function as an image has them, without the numbers in them: addresses change whenever a program is built. */
import { toHex } from '../../../../../shared/base/units.ts';
import type { Disassembler } from '../../../image/disassembler.ts';
import type { Images } from '../../../image/images.ts';
import { instructionOf } from '../../records/instruction-bytes.ts';

export interface ListedInstruction {
  /** Bytes from the start of the function. */
  readonly offset: number;
  readonly size: number;
  /** `add r0, r1, #`; data has a text of its own. */
  readonly text: string;
}

/** Code that is compared without a listing if it is longer. */
const MOST_BYTES = 1 << 17;
/** Size of data and of bytes that are no instruction: that of the smallest instruction of processors whose instructions are aligned. */
export const UNIT = 2;

/** Returns the bytes of a function; undefined if no image has all of them, or they are too many to be listed. */
export function codeOf(images: Images, entry: bigint, length: number): Uint8Array | undefined {
  if (length > MOST_BYTES) return undefined;
  const bytes = images.bytesAt(entry, length);
  return bytes?.length === length ? bytes : undefined;
}

/** Lists a function whose bytes are known. Returns undefined if its instruction set is not known. */
export function listingOf(
  images: Images,
  { disassemble }: Disassembler,
  entry: bigint,
  length: number,
): readonly ListedInstruction[] | undefined {
  if (images.codeAt(entry) === undefined) return undefined;
  const listed: ListedInstruction[] = [];
  for (let offset = 0; offset < length;) {
    const address = toHex(entry + BigInt(offset));
    const code = instructionOf(images, false, { n: 0, offset: 0, bytes: 0, kind: 'instruction', native: '', address });
    const found = code && disassemble(code);
    if (offset === 0 && found === undefined) return undefined;
    const size = found?.size ?? UNIT;
    listed.push({ offset, size, text: found === undefined ? '' : withoutNumbers(found.text) });
    offset += size;
  }
  return listed;
}

/** Replaces numbers, but not the digits in names of registers. */
export function withoutNumbers(text: string): string {
  return text.replace(/(?:[+-] )?#?-?\b(?:0x[0-9a-f]+|\d+)\b/gi, '#');
}
