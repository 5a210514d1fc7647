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
  putNumber,
  putBytes,
  changeLineEnds,
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

/** Numbers at the limits of doubles and of 32 and 64 bits, and numbers that are negative, long or in another notation. */
const NUMBERS = [
  ...[
    '9007199254740991',
    '9007199254740993',
    '9223372036854775808',
    '18446744073709551616',
    '4294967296',
    '2147483648',
  ],
  ...['-1', '-9223372036854775809', '1e400', '1e-400', '-0', '0.000000001', 'NaN', '1'.repeat(40), 'ffffffffffffffff'],
  ...['0xffffffffffffffff', '0x8000000000000000', '1ffffffffffffffff', '80000000', '0'.repeat(30), '7fffffffffffffff'],
].map((number) => new TextEncoder().encode(number));

/** Replaces a run of digits by another number. */
function putNumber(bytes: Uint8Array, _: Uint8Array, random: Random): Uint8Array {
  let start = random.below(bytes.length + 1);
  while (start < bytes.length && !isDigit(bytes[start]!)) start++;
  let end = start;
  while (end < bytes.length && isDigit(bytes[end]!)) end++;
  return joined(bytes.subarray(0, start), NUMBERS[random.below(NUMBERS.length)]!, bytes.subarray(end));
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

/** NUL, invalid UTF-8 (a cut sequence, a surrogate, too many bytes), a byte order mark, line ends of other systems, control characters. */
const SEQUENCES = [
  ...[
    [0],
    [0, 0, 0, 0],
    [0xc3],
    [0xed, 0xa0, 0x80],
    [0xf8, 0x88, 0x80, 0x80, 0x80],
    [0xef, 0xbb, 0xbf],
    [0x80],
    [0xff],
  ],
  ...[[13], [13, 10], [10, 13], [0xe2, 0x80, 0xa8], [0xc2, 0x85], [12], [27, 91, 49, 109], [0xe2, 0x80, 0xae]],
].map((sequence) => Uint8Array.from(sequence));

function putBytes(bytes: Uint8Array, _: Uint8Array, random: Random): Uint8Array {
  const at = random.below(bytes.length + 1);
  return joined(bytes.subarray(0, at), SEQUENCES[random.below(SEQUENCES.length)]!, bytes.subarray(at));
}

/** Gives some lines the line end of another system. */
function changeLineEnds(bytes: Uint8Array, _: Uint8Array, random: Random): Uint8Array {
  const ends = [[13, 10], [13], [10, 10], [10, 13], [32, 10]][random.below(5)]!;
  const often = 1 + random.below(4);
  return Uint8Array.from([...bytes].flatMap((byte) => (byte === LF && random.below(often) === 0 ? ends : [byte])));
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
