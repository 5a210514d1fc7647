/** The part of an image that may contain instructions. */
import type { Image } from '../../image/image.ts';

/** Returns true if an address of the trace is in a segment that has bytes and is not declared as data. */
export function isInCode({ segments, shift }: Pick<Image, 'segments' | 'shift'>, address: bigint): boolean {
  const at = BigInt.asUintN(64, address - shift);
  return segments.some(
    ({ flags, bytes, address: start }) =>
      (flags === undefined || flags.includes('x')) && at >= start && at - start < bytes.length,
  );
}
