/**
 * Reads one branch as perf prints it: `0x401aa0/0x5d2000/P/-/-/12/COND/-` is source, target, prediction, transaction, abort, cycles, and
 * fields of later kernels. With the field dso each address is followed by its file in parentheses, which may contain blanks.
 */
import {
  CLOSE,
  HEX,
  isBlank,
  LOWER_X,
  MINUS,
  NO_DIGIT,
  OPEN,
  SLASH,
  UPPER_A,
  UPPER_M,
  UPPER_N,
  UPPER_P,
  UPPER_X,
  ZERO,
} from '../../base/characters.ts';
import { decimalEnd, tokenEnd } from '../../base/scan.ts';

/** Positions (indexes of the bytes) and values of the parts of a branch. */
export interface Token {
  start: number;
  end: number;
  fromEnd: number;
  /** Index of the `/` after the file of the source; equals fromEnd if there is no file. */
  fromFileEnd: number;
  toAt: number;
  toEnd: number;
  toFileEnd: number;
  /** End of `P`, `M` or `-`, followed by an `N` in newer kernels. */
  predictionEnd: number;
  /** Digits of the cycles; empty if there are none. */
  cyclesAt: number;
  cyclesEnd: number;
  /** Branch type; empty if there is none. Further fields follow up to `end`. */
  typeAt: number;
  typeEnd: number;
  fromLow: number;
  fromHigh: number;
  toLow: number;
  toHigh: number;
  /** Hash of the type's name for a fast look-up. */
  typeHash: number;
  /** Hash of the speculation, the field after the type; 0 if there is none. */
  speculationHash: number;
}

export function createToken(): Token {
  return {
    start: 0,
    end: 0,
    fromEnd: 0,
    fromFileEnd: 0,
    toAt: 0,
    toEnd: 0,
    toFileEnd: 0,
    predictionEnd: 0,
    cyclesAt: 0,
    cyclesEnd: 0,
    typeAt: 0,
    typeEnd: 0,
    fromLow: 0,
    fromHigh: 0,
    toLow: 0,
    toHigh: 0,
    typeHash: 0,
    speculationHash: 0,
  };
}

const ADDRESS_DIGITS = 16;

/** Reads the branch at the start of bytes[at, to); false if there is none. Addresses are read inline: this is the hot path. */
export function readToken(bytes: Uint8Array, at: number, to: number, token: Token): boolean {
  if (to - at < 12 || bytes[at] !== ZERO || bytes[at + 1] !== LOWER_X) return false;
  token.start = at;
  let low = 0;
  let high = 0;
  let p = at + 2;
  for (; p < to; p++) {
    const digit = HEX[bytes[p]!]!;
    if (digit === NO_DIGIT) break;
    high = (high << 4) | (low >>> 28);
    low = (low << 4) | digit;
  }
  if (p === at + 2 || p > at + 2 + ADDRESS_DIGITS) return false;
  token.fromLow = low;
  token.fromHigh = high;
  token.fromEnd = p;
  if (p < to && bytes[p] === OPEN) p = fileEnd(bytes, p, to);
  token.fromFileEnd = p;
  if (p + 3 >= to || bytes[p] !== SLASH || bytes[p + 1] !== ZERO || bytes[p + 2] !== LOWER_X) return false;
  token.toAt = p + 1;
  low = 0;
  high = 0;
  for (p += 3; p < to; p++) {
    const digit = HEX[bytes[p]!]!;
    if (digit === NO_DIGIT) break;
    high = (high << 4) | (low >>> 28);
    low = (low << 4) | digit;
  }
  if (p === token.toAt + 2 || p > token.toAt + 2 + ADDRESS_DIGITS) return false;
  token.toLow = low;
  token.toHigh = high;
  token.toEnd = p;
  if (p < to && bytes[p] === OPEN) p = fileEnd(bytes, p, to);
  token.toFileEnd = p;
  return readMarks(bytes, p, to, token);
}

/** Reads `/P/-/-/12/COND/-`. */
function readMarks(bytes: Uint8Array, at: number, to: number, token: Token): boolean {
  let p = at;
  if (p + 5 >= to || bytes[p] !== SLASH) return false;
  const prediction = bytes[++p];
  if (prediction !== UPPER_P && prediction !== UPPER_M && prediction !== MINUS) return false;
  if (bytes[++p] === UPPER_N) p++;
  token.predictionEnd = p;
  if (p + 3 >= to || bytes[p] !== SLASH || (bytes[p + 1] !== MINUS && bytes[p + 1] !== UPPER_X)) return false;
  if (bytes[p + 2] !== SLASH || (bytes[p + 3] !== MINUS && bytes[p + 3] !== UPPER_A)) return false;
  p += 4;
  token.cyclesAt = token.cyclesEnd = token.typeAt = token.typeEnd = p;
  token.typeHash = token.speculationHash = 0;
  if (p < to && bytes[p] === SLASH) {
    token.cyclesAt = ++p;
    p = decimalEnd(bytes, p, to);
    token.cyclesEnd = token.typeAt = token.typeEnd = p;
    if (p === token.cyclesAt) return false;
  }
  if (p < to && bytes[p] === SLASH) {
    token.typeAt = ++p;
    let hash = 0;
    for (; p < to && bytes[p] !== SLASH && !isBlank(bytes[p]!); p++) hash = addToHash(hash, bytes[p]!);
    token.typeHash = hash;
    token.typeEnd = p;
    if (p < to && bytes[p] === SLASH) {
      hash = 0;
      for (p++; p < to && bytes[p] !== SLASH && !isBlank(bytes[p]!); p++) hash = addToHash(hash, bytes[p]!);
      token.speculationHash = hash;
    }
    p = tokenEnd(bytes, p, to);
  }
  token.end = p;
  return p === to || isBlank(bytes[p]!);
}

/** Adds the next byte of a name to its hash. */
export function addToHash(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + byte) | 0;
}

/** Longest name of a file (PATH_MAX of Linux). */
const MOST_NAME = 4096;

/**
 * Returns the index after the parenthesis that closes a file's name, which is the next one before a `/`; `to` if there is none. Stops at a
 * word that begins like a branch, so that each byte of a line belongs to one name.
 */
function fileEnd(bytes: Uint8Array, open: number, to: number): number {
  const end = Math.min(to, open + MOST_NAME);
  for (let p = open + 1; p + 1 < end; p++) {
    const byte = bytes[p]!;
    if (byte === CLOSE && bytes[p + 1] === SLASH) return p + 1;
    if (byte === LOWER_X && bytes[p - 1] === ZERO && isBlank(bytes[p - 2]!)) return to;
  }
  return to;
}
