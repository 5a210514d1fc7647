/**
 * Counts the lines of QEMU4V text without decoding them: the hot path of exact heatmaps. It takes only lines that the fast pass of qemu.ts
 * takes, in the forms that QEMU4V prints for 32-bit processors, and reads only their addresses. Other bytes are checked several at a time:
 * consecutive lines have times and numbers of the same length, and a program repeats its instructions.
 *
 * Rare forms are left to the decoder. V8 would discard the compiled function at the first line that needs what it never ran before, and a
 * heatmap of the command line ends soon after it was compiled.
 */
import { NO_ROW, rowAt, type AddressCells } from '../../../format/address-cells.ts';
import { indexIn, LONG_LINE, type Window } from '../../../format/format.ts';
import { KIND } from '../../../records/record.ts';
import {
  CLOSE,
  CR,
  HEX,
  LF,
  LOWER_X,
  NO_DIGIT,
  OPEN,
  SPACE,
  UPPER_M,
  UPPER_R,
  UPPER_W,
  ZERO,
} from '../../../base/characters.ts';
import { areDigits, digitsAt, spelled } from '../../../base/digits.ts';
import type { KnownTails } from './known-tails.ts';
import { LOST_NAME, type RegisterNames } from './register-names.ts';

/** Numbers of more digits are left to the decoder. */
const MOST_DIGITS = 15;
/** Bytes from the start of a line within which this pass reads without looking for the end of the window. */
const REACH = 128;

const CLK = wordOf(' clk');
const EXECUTED = wordOf(' IT ');
const NOT_EXECUTED = wordOf(' IS ');

/** Returns four characters as a little-endian word. */
function wordOf(characters: string): number {
  return Array.from(characters, (_, at) => characters.charCodeAt(at) << (8 * at)).reduce((word, byte) => word | byte);
}

export interface Skimmed {
  readonly records: number;
  /** CPU of the last instruction line. */
  readonly cpu: number;
}

/**
 * Counts at most `most` lines and advances the window's position. Stops before a line in another form, and before an instruction that
 * `tails` does not know.
 */
export function countPlainLines(
  window: Window,
  firstCpu: number,
  most: number,
  { rows, kinds, counts, firstCell }: AddressCells,
  tails: KnownTails,
  names: RegisterNames,
): Skimmed {
  const { bytes, base, length } = window;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { lengths } = tails;
  const lowest = rows.low | 0;
  const last = rows.last >>> 0;
  const first = firstCell | 0;
  const limit = Math.min(most, 2 ** 30) | 0;
  const safe = length === 0 ? 0 : bytes.lastIndexOf(LF, length - 1) + 1;
  const stop = Math.min(indexIn(window, window.end), safe, bytes.length - REACH) | 0;
  let cpu = firstCpu | 0;
  let at = indexIn(window, window.position);
  let records = 0;
  let timeDigits = 0;
  let numberDigits = 0;
  for (; at < stop && records < limit; records++) {
    // Time and ` clk `.
    let p = at + timeDigits;
    if (view.getInt32(p, true) !== CLK || !areDigits(view, at, timeDigits)) {
      timeDigits = digitsAt(bytes, at);
      p = at + timeDigits;
      if (timeDigits > MOST_DIGITS || view.getInt32(p, true) !== CLK) break;
    }
    if (timeDigits === 0 || bytes[p + 4] !== SPACE) break;
    p += 5;
    let low = 0;
    let kind: number;
    const word = bytes[p]!;
    if (word === UPPER_R) {
      // `R name value`
      if (bytes[++p] !== SPACE || bytes[++p]! <= SPACE) break;
      const name = p;
      while (bytes[++p]! > SPACE);
      const nameEnd = p;
      if (bytes[p] !== SPACE || HEX[bytes[++p]!] === NO_DIGIT) break;
      while (HEX[bytes[++p]!] !== NO_DIGIT);
      if (p - nameEnd - 1 !== 8 || (bytes[name]! | 0x20) === LOWER_X) break;
      if (names.numberOf(bytes, name, nameEnd, 0, 0) === LOST_NAME) break;
      kind = -1;
    } else if (word === UPPER_M) {
      // `MR4 address data`
      const letter = bytes[++p];
      if (letter === UPPER_W) kind = KIND.write;
      else if (letter === UPPER_R) kind = KIND.read;
      else break;
      const size = (bytes[++p]! - ZERO) >>> 0;
      if (size === 0 || size > 9) break;
      if (bytes[++p] !== SPACE) break;
      const upper = spelled(view.getInt32(p + 1, true));
      const lower = spelled(view.getInt32(p + 5, true));
      if ((upper | lower) < 0 || bytes[p + 9] !== SPACE) break;
      low = (upper << 16) | lower;
      p += 10;
      const dataEnd = p + 2 * size;
      while (HEX[bytes[p]!] !== NO_DIGIT && p < dataEnd) p++;
      if (p < dataEnd) break;
    } else {
      // `0 IT (1) address opcode A svc : text`
      const its = (word - ZERO) >>> 0;
      const taken = view.getInt32(p + 1, true);
      if (its > 9 || (taken !== EXECUTED && taken !== NOT_EXECUTED) || bytes[p + 5] !== OPEN) break;
      p += 6;
      if (bytes[p + numberDigits] !== CLOSE || numberDigits === 0 || !areDigits(view, p, numberDigits)) {
        numberDigits = digitsAt(bytes, p);
        if (numberDigits === 0 || numberDigits > MOST_DIGITS || bytes[p + numberDigits] !== CLOSE) break;
      }
      p += numberDigits + 1;
      if (bytes[p] !== SPACE) break;
      const upper = spelled(view.getInt32(p + 1, true));
      const lower = spelled(view.getInt32(p + 5, true));
      if ((upper | lower) < 0) break;
      low = (upper << 16) | lower;
      p += 9;
      const known = tails.entryAt(view, p, low >>> 0, 0);
      if (known === 0) break;
      p += lengths[known]! - 1;
      kind = taken === EXECUTED ? KIND.instruction : KIND.skipped;
      cpu = its;
    }
    if (bytes[p] !== LF && (bytes[p] !== CR || bytes[++p] !== LF)) break;
    if (p - at >= LONG_LINE) break;
    at = p + 1;
    if (kind < 0 || (kinds & (1 << kind)) === 0) continue;
    const distance = (low - lowest) >>> 0;
    if (distance > last) continue;
    const row = rowAt(rows, distance);
    if (row === NO_ROW) continue;
    const cell = first + row;
    counts[cell] = counts[cell]! + 1;
  }
  window.position = base + at;
  return { records, cpu };
}
