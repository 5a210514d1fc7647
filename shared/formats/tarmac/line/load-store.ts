/**
 * Reads LD and ST lines, which show the accessed bytes among sixteen bytes of memory, the highest address leftmost.
 *
 *     ST 000ffb80  0002077c 000ffb98 ........ ........  S:00000ffb80  nGnRnE OSH
 *        000ffb90  00000000 00000007 ........ ........  NS:00000ffb90  NM ISH     continues the store of the previous line
 *
 * `..` was not accessed, and the value of `##` is not known. The access spans the lowest to the highest accessed byte: the first line
 * stores 8 bytes at 0xffb88.
 */
import {
  COLON,
  DOT,
  HASH,
  HEX,
  isBlank,
  LOWER_X,
  LOWER_Z,
  NO_DIGIT,
  UPPER_N,
  UPPER_S,
} from '../../../base/characters.ts';
import { KIND } from '../../../records/record.ts';
import { FAULT, type Line, MARK } from './line.ts';
import { MOST_ADDRESS_DIGITS, scan, scanHex } from './fields.ts';
import { skipBlanks, tokenEnd } from '../../../base/scan.ts';
import { isDamagedValue, isTimeBefore, isWordAt, splitRest } from './rest.ts';

/** Number of bytes that a line shows. */
const SHOWN = 16;
/** Number of characters of four bytes. */
const GROUP = 8;

/** Reads a line, starting after LD or ST or at the address of a continuation line. */
export function readLoadStore(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  let at = skipBlanks(bytes, from, to);
  line.addressAt = at;
  at = scanHex(bytes, at, to, false);
  if (at < 0 || scan.digits > MOST_ADDRESS_DIGITS) return false;
  line.addressEnd = at;
  const { low, high } = scan;
  line.codeAt = skipBlanks(bytes, at, to);
  if (line.codeAt === at && at < to) return false;
  at = readBytes(bytes, line.codeAt, to, line);
  if (at < 0 || isTimeBefore(bytes, at, to) || isWordAt(bytes, skipBlanks(bytes, at, to), to))
    return loseBytes(bytes, low, high, to, line);
  line.codeEnd = at;
  const sum = low + lowest;
  line.addressLow = sum >>> 0;
  line.addressHigh = (high + (sum > 0xffffffff ? 1 : 0)) >>> 0;
  line.hasAddress = true;
  readRest(bytes, skipBlanks(bytes, at, to), to, line);
  return true;
}

/** Marks all bytes that the line can show as unknown. */
function loseBytes(bytes: Uint8Array, low: number, high: number, to: number, line: Line): boolean {
  // A shorter number at the start of a line may be anything.
  if (scan.digits < 8 && (line.marks & MARK.continued) !== 0) return false;
  line.addressLow = low;
  line.addressHigh = high;
  line.hasAddress = true;
  line.size = SHOWN;
  line.marks = (line.marks & MARK.continued) | MARK.unknown | MARK.addressOrder;
  line.faults |= FAULT.lostValue;
  // If no data follow the address, the lost bytes may begin within it.
  const isWhole = [8, 16].includes(line.addressEnd - line.addressAt) && isDamagedValue(bytes, line.codeAt, to, GROUP);
  if (line.kind === KIND.write && !isWhole) line.faults |= FAULT.lostAddress;
  splitRest(bytes, line.codeAt, to, line);
  line.codeAt = line.codeEnd = 0;
  return true;
}

/** Position of the lowest accessed byte that `readBytes` found. */
let lowest = 0;

function readBytes(bytes: Uint8Array, from: number, to: number, line: Line): number {
  let at = from;
  let left = SHOWN;
  let accessed = 0;
  let highest = -1;
  lowest = 0;
  while (left > 0) {
    if (at + 1 >= to) return -1;
    if (isBlank(bytes[at]!)) {
      at++;
      continue;
    }
    const first = bytes[at]!;
    const second = bytes[at + 1]!;
    left--;
    if (first === DOT && second === DOT) {
      at += 2;
      continue;
    }
    if (isUnknown(first) && isUnknown(second)) line.marks |= MARK.unknown;
    else if (HEX[first] === NO_DIGIT || HEX[second] === NO_DIGIT) return -1;
    if (highest < 0) highest = left;
    lowest = left;
    accessed++;
    at += 2;
  }
  if (at < to && !isBlank(bytes[at]!)) return -1;
  line.size = highest < 0 ? 0 : highest - lowest + 1;
  if (accessed < line.size) line.marks |= MARK.holes;
  line.marks |= MARK.addressOrder;
  return at;
}

function isUnknown(byte: number): boolean {
  return byte === HASH || (byte | 0x20) === LOWER_X || (byte | 0x20) === LOWER_Z;
}

/** Reads a physical address with an optional security state, and the attributes of the memory. */
function readRest(bytes: Uint8Array, from: number, to: number, line: Line): void {
  let at = from;
  if (at >= to) return;
  const secure = bytes[at] === UPPER_S ? 1 : bytes[at] === UPPER_N && bytes[at + 1] === UPPER_S ? 2 : 0;
  const digits = secure > 0 && bytes[at + secure] === COLON ? at + secure + 1 : at;
  const end = scanHex(bytes, digits, to, false);
  if (end > 0 && end === tokenEnd(bytes, digits, to) && scan.digits > 6 && scan.digits <= MOST_ADDRESS_DIGITS) {
    line.physicalAt = at;
    line.physicalEnd = end;
    at = skipBlanks(bytes, end, to);
  }
  line.textAt = at;
  line.textEnd = Math.max(at, splitRest(bytes, at, to, line));
}
