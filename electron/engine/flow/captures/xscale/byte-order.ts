/**
 * Do the highest bytes of words and halfwords come first in raw code? Only its bytes tell. Nine in ten ARM instructions have no
 * condition, which is 1110 in their highest bits. Thumb code is full of what enters and leaves functions: calls of two halves
 * (11110.. 11111..), PUSH {.., LR}, POP {.., PC}, BX LR. Either is rare where bytes are read in the other order, and in data.
 */
import type { Segment } from '../../../image/image.ts';
import type { Images } from '../../../image/images.ts';

/** Bytes of each segment that are looked at. */
const MOST_BYTES = 1024 * 1024;
const WORD = 4;
const HALF = 2;
const ALWAYS = 14;

export function isBigEndian({ list }: Pick<Images, 'list'>): boolean {
  let [big, little] = [0, 0];
  for (const { segments } of list.filter(({ machine }) => machine === undefined)) {
    for (const segment of segments) {
      big += marksIn(segment, true);
      little += marksIn(segment, false);
    }
  }
  return big > 2 * little;
}

function marksIn({ address, bytes }: Segment, big: boolean): number {
  const end = Math.min(bytes.length, MOST_BYTES);
  return armMarks(bytes, alignment(address, WORD), end, big) + thumbMarks(bytes, alignment(address, HALF), end, big);
}

/** Bytes up to the first multiple of `unit`. */
function alignment(address: bigint, unit: number): number {
  return Number(-address & BigInt(unit - 1));
}

/** Instructions without a condition that follow one: alone there are some in anything. */
function armMarks(bytes: Uint8Array, start: number, end: number, big: boolean): number {
  const highest = big ? 0 : WORD - 1;
  let count = 0;
  for (let at = start + WORD; at + WORD <= end; at += WORD)
    if (bytes[at + highest]! >>> 4 === ALWAYS && bytes[at - WORD + highest]! >>> 4 === ALWAYS) count++;
  return count;
}

function thumbMarks(bytes: Uint8Array, start: number, end: number, big: boolean): number {
  const [high, low] = big ? [0, 1] : [1, 0];
  let count = 0;
  for (let at = start; at + HALF <= end; at += HALF) {
    const upper = bytes[at + high]!;
    const isCall = upper >>> 3 === 0x1e && at + 2 * HALF <= end && bytes[at + HALF + high]! >>> 3 === 0x1f;
    if (isCall || upper === 0xb5 || upper === 0xbd || (upper === 0x47 && bytes[at + low] === 0x70)) count++;
  }
  return count;
}
