/**
 * One branch as perf prints it: `0x401aa0/0x5d2000/P/-/-/12/COND/-`, source, target, prediction, transaction, abort, cycles
 * and what later kernels add. With the field dso each address is followed by its file in parentheses, which may hold blanks.
 */
import {
  CLOSE,
  HEX,
  isBlank,
  isDecimal,
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

/** Where the parts of a token lie (indexes into the bytes given) and what they say. */
export interface Token {
  start: number;
  end: number;
  fromEnd: number;
  /** Behind the file of the source, where the `/` is; same as fromEnd without one. */
  fromFileEnd: number;
  toAt: number;
  toEnd: number;
  toFileEnd: number;
  /** `P`, `M`, `-`, in newer kernels with an `N` behind it. */
  predictionEnd: number;
  /** Digits of the cycles; empty where there are none. */
  cyclesAt: number;
  cyclesEnd: number;
  /** The branch type and what else follows; empty where nothing does. */
  typeAt: number;
  typeEnd: number;
  fromLow: number;
  fromHigh: number;
  toLow: number;
  toHigh: number;
  /** Of the type's name, for a quick look-up: its bytes mixed. */
  typeHash: number;
  /** The same of the speculation, the part behind the type; 0 where there is none. */
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

/** Reads the token that starts at bytes[at], within bytes[at, to); false where there is none. */
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

/** `/P/-/-/12/COND/-` */
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
    while (p < to && isDecimal(bytes[p]!)) p++;
    token.cyclesEnd = token.typeAt = token.typeEnd = p;
    if (p === token.cyclesAt) return false;
  }
  if (p < to && bytes[p] === SLASH) {
    token.typeAt = ++p;
    let hash = 0;
    for (; p < to && bytes[p] !== SLASH && !isBlank(bytes[p]!); p++) hash = mixed(hash, bytes[p]!);
    token.typeHash = hash;
    token.typeEnd = p;
    if (p < to && bytes[p] === SLASH) {
      hash = 0;
      for (p++; p < to && bytes[p] !== SLASH && !isBlank(bytes[p]!); p++) hash = mixed(hash, bytes[p]!);
      token.speculationHash = hash;
    }
    while (p < to && !isBlank(bytes[p]!)) p++;
  }
  token.end = p;
  return p === to || isBlank(bytes[p]!);
}

/** Mixes the next byte of a name into its hash. */
export function mixed(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + byte) | 0;
}

/** Just past the parenthesis that closes a file's name: the next one before a `/`; `to` where there is none. */
function fileEnd(bytes: Uint8Array, open: number, to: number): number {
  for (let p = open + 1; p + 1 < to; p++) if (bytes[p] === CLOSE && bytes[p + 1] === SLASH) return p + 1;
  return to;
}
