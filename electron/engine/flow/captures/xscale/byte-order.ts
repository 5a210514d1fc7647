/**
 * Guesses the byte order of raw images, which have no header. Nine in ten ARM instructions are unconditional, so their highest four bits
 * are 1110. Thumb code is full of function entries and exits: BL pairs (11110.. 11111..), PUSH {.., LR}, POP {.., PC}, BX LR. Both are
 * rare in data and in code read in the wrong byte order.
 */
import type { Segment } from '../../../image/image.ts';
import type { Images } from '../../../image/images.ts';

/** Largest number of bytes examined per segment. */
const MOST_BYTES = 1024 * 1024;
const WORD = 4;
const HALF = 2;
const ALWAYS = 14;

/** Returns true if the code in the raw images is more likely big-endian. */
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

/** Returns the distance in bytes from the address to the next multiple of `unit`. */
function alignment(address: bigint, unit: number): number {
  return Number(-address & BigInt(unit - 1));
}

/** Counts unconditional instructions that directly follow another one. Single matches occur in any data. */
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
