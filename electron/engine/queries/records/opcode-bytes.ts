/**
 * Returns the memory bytes that the opcode of an executed instruction proves, lowest address first. Returns undefined if the record does
 * not determine their order in memory.
 *
 *     ARM    e59f0060  (A)   60 00 9f e5, big-endian e5 9f 00 60
 *     Thumb  b510      (T)   10 b5                       a halfword
 *     Thumb  f7fffffe  (T)   ff f7 fe ff                 two halfwords, the upper one at the lower address
 *     A64    d2a00200  (O)   00 02 a0 d2                 always little-endian
 *
 * Arm Architecture Reference Manual DDI 0487 (B2.6.2): A64 instructions are little-endian. DDI 0406 (A3.3): instructions of the other sets
 * use the byte order of data, or little-endian in BE8 images. A trace does not distinguish the two, so the option `endian` decides.
 */
import type { RecordFields } from '../../../../shared/records/record.ts';

export function opcodeBytes(
  { opcode, isa, size, flags }: Pick<RecordFields, 'opcode' | 'isa' | 'size' | 'flags'>,
  endian: string,
): Uint8Array | undefined {
  if (opcode === undefined || size === undefined || size === 0) return undefined;
  const parcel = parcelBytes(isa, size);
  if (parcel === undefined || flags?.includes('odd-opcode') === true) return undefined;
  if (opcode.length > 2 + 2 * size) return undefined;
  const word = Number.parseInt(opcode, 16);
  const highestFirst = new Uint8Array(size);
  for (let k = 0; k < size; k++) highestFirst[k] = word >>> (8 * (size - 1 - k));
  if (endian === 'big' && isa !== 'O') return highestFirst;
  for (let at = 0; at < size; at += parcel) highestFirst.subarray(at, at + parcel).reverse();
  return highestFirst;
}

/** Number of bytes that are reversed together. An instruction is one or more such units, the unit with the upper digits first. */
function parcelBytes(isa: string | undefined, size: number): number | undefined {
  switch (isa) {
    case 'A':
      return size === 2 || size === 4 ? size : undefined;
    case 'O':
      return size === 4 ? 4 : undefined;
    case 'T':
    case 'X':
      return size === 2 || size === 4 ? 2 : undefined;
    case undefined:
      // A word may be one ARM instruction or two Thumb halfwords.
      return size === 2 ? 2 : undefined;
    default:
      return undefined;
  }
}
