/** The part of images that memory contains when the program starts: which segment an address belongs to. */
import type { Image, Segment } from './image.ts';

/** A part of a segment at addresses of the trace. */
export interface InitialPart {
  readonly image: Image;
  readonly segment: Segment;
  /** Address of the segment's first byte. */
  readonly base: bigint;
}

/** A part of a segment with the bytes of a span that it owns. */
export interface OwnedBytes extends InitialPart {
  /** Offsets in the span. */
  readonly offsets: readonly number[];
}

/**
 * Assigns each byte of [low, low + length) to the first image whose segments cover it. Memory that a segment only reserves has no initial
 * bytes, also if a later image has some there. Debug files have no bytes at all and reserve nothing.
 */
export function initialBytes(list: readonly Image[], low: bigint, length: number): readonly OwnedBytes[] {
  const isTaken = new Uint8Array(length);
  const parts: OwnedBytes[] = [];
  for (const image of list) {
    if (!image.segments.some(({ bytes }) => bytes.length > 0)) continue;
    for (const segment of image.segments) {
      const base = BigInt.asUintN(64, segment.address + image.shift);
      const first = base > low ? base - low : 0n;
      const end = base + segment.memory - low;
      const offsets: number[] = [];
      for (let i = first < length ? Number(first) : length; i < length && i < end; i++) {
        if (isTaken[i] === 1) continue;
        isTaken[i] = 1;
        if (low + BigInt(i) - base < segment.bytes.length) offsets.push(i);
      }
      if (offsets.length > 0) parts.push({ image, segment, base, offsets });
    }
  }
  return parts;
}
