/** Damaged inputs, random but repeatable, as from transport faults, truncated files and foreign tools. */
import type { Random } from './random.ts';

/** Applies one to four damages. `other` supplies bytes to splice in; the result has at most `most` bytes. */
export function mutate(bytes: Uint8Array, other: Uint8Array, random: Random, most: number): Uint8Array {
  let mutated = bytes;
  for (let left = 1 + random.below(4); left > 0; left--) {
    const damage = DAMAGES[random.below(DAMAGES.length)]!;
    mutated = damage(mutated, other, random).subarray(0, most);
  }
  return mutated;
}

type Damage = (bytes: Uint8Array, other: Uint8Array, random: Random) => Uint8Array;

const DAMAGES: readonly Damage[] = [
  flipBits,
  setBytes,
  cutEnd,
  cutStart,
  loseBytes,
  repeatBytes,
  splice,
  swapParts,
  moveLine,
];

/** Bytes with a meaning in some format: line ends, signs, digits, letters, all bits and none. */
const MEANINGFUL = new TextEncoder().encode('\n\r\t\0 09afAFxX:;,()<>-+_#/"ITMRBE\x7f\x80\xc2\xff');

function flipBits(bytes: Uint8Array, _: Uint8Array, random: Random): Uint8Array {
  const flipped = bytes.slice();
  for (let left = 1 + random.below(8); left > 0 && flipped.length > 0; left--) {
    const at = random.below(flipped.length);
    flipped[at] = flipped[at]! ^ (1 << random.below(8));
  }
  return flipped;
}

function setBytes(bytes: Uint8Array, _: Uint8Array, random: Random): Uint8Array {
  const changed = bytes.slice();
  for (let left = 1 + random.below(8); left > 0 && changed.length > 0; left--) {
    changed[random.below(changed.length)] = MEANINGFUL[random.below(MEANINGFUL.length)]!;
  }
  return changed;
}

function cutEnd(bytes: Uint8Array, _: Uint8Array, random: Random): Uint8Array {
  return bytes.subarray(0, random.below(bytes.length + 1));
}

function cutStart(bytes: Uint8Array, _: Uint8Array, random: Random): Uint8Array {
  return bytes.subarray(random.below(bytes.length + 1));
}

function loseBytes(bytes: Uint8Array, _: Uint8Array, random: Random): Uint8Array {
  const at = random.below(bytes.length + 1);
  return joined(bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(24)));
}

function repeatBytes(bytes: Uint8Array, _: Uint8Array, random: Random): Uint8Array {
  const at = random.below(bytes.length + 1);
  const piece = bytes.subarray(at, at + 1 + random.below(48));
  const times = Array.from({ length: 1 + random.below(6) }, () => piece);
  return joined(bytes.subarray(0, at), ...times, bytes.subarray(at));
}

function splice(bytes: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  const at = random.below(bytes.length + 1);
  const from = random.below(other.length + 1);
  const piece = other.subarray(from, from + random.below(200));
  return joined(bytes.subarray(0, at), piece, bytes.subarray(at + random.below(200)));
}

function swapParts(bytes: Uint8Array, _: Uint8Array, random: Random): Uint8Array {
  const at = random.below(bytes.length + 1);
  return joined(bytes.subarray(at), bytes.subarray(0, at));
}

/** Copies a line, or moves it, to another line's start. */
function moveLine(bytes: Uint8Array, _: Uint8Array, random: Random): Uint8Array {
  const start = lineStart(bytes, random.below(3) === 0 ? 0 : random.below(bytes.length + 1));
  const found = bytes.indexOf(LF, start);
  const end = found < 0 ? bytes.length : found + 1;
  const line = bytes.subarray(start, end);
  const rest = random.below(2) === 0 ? bytes : joined(bytes.subarray(0, start), bytes.subarray(end));
  const at = lineStart(rest, random.below(rest.length + 1));
  return joined(rest.subarray(0, at), line, rest.subarray(at));
}

const LF = 10;

function lineStart(bytes: Uint8Array, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(LF, at - 1) + 1;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
