/**
 * Reads one row of an export as a bus cycle, in every form of cells that instruments write. The fast pass in text.ts reads the most common
 * form.
 *
 *     "95.455 us";0;0;1;DFh;0x0010_0668;524E6465F8ACC2CC
 *
 * Cells may be in quotes and among blanks. Numbers are hexadecimal with an optional `0x`, `$` or `h`, and `_` or blanks between digits.
 * Eight digits 0 and 1 are byte enables in binary. Pins are 0 and 1 or L and H. The time is decimal with an optional fraction, power of ten
 * and unit.
 */
import {
  COMMA,
  CR,
  DOLLAR,
  DOT,
  HASH,
  HEX,
  isBlank,
  isDecimal,
  isLetter,
  LF,
  LOWER_B,
  LOWER_H,
  LOWER_X,
  LOWER_Z,
  MINUS,
  NO_DIGIT,
  PLUS,
  QUESTION,
  QUOTE,
  SEMICOLON,
  SPACE,
  UNDERSCORE,
  ZERO,
} from '../../base/characters.ts';
import { type BitRange, type Layout, ROLE, unitExponent } from './columns.ts';
import { NOT_CACHEABLE } from './cycles.ts';
import { decimalOf, textOf } from '../../base/scan.ts';

export interface Row {
  /** Time in nanoseconds; NaN if the row has none. */
  time: number;
  /** True if a double does not hold the time exactly, or if it is not a whole number. */
  isWideTime: boolean;
  /** Bits of M/IO#, D/C#, W/R# and CACHE#, see cycles.ts. */
  control: number;
  enables: number;
  /** Pins A31-A3; the low three bits are 0. */
  address: number;
  /** Data bus. */
  low: number;
  high: number;
  /** True if the row contains every digit of the data bus. */
  captured: boolean;
  /** Digits of the data bus are missing, although the cells of the capture have leading zeros. */
  lost: boolean;
  /** Highest data bus bit in the cell if no title contains the range of the data bus; otherwise 63. */
  dataTop: number;
  /** Cpu number; -1 if the row has none. */
  cpu: number;
  /** BRDY# is high, so the cycle is not complete yet. */
  waits: boolean;
  /** Column that was read last, which is the unreadable one if the line is not a row; -1 if the number of cells is wrong. */
  column: number;
  /** Number of digits of the number that was read last; 0 if that cell was empty. */
  digits: number;
  /** Number of cells; `from` and `to` are the spans of their contents. */
  cells: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
}

const MOST_CELLS = 256;
const MOST_CPU = 32767;
/** A double sums up times of up to this many digits exactly. */
export const EXACT_DIGITS = 15;
const MOST_TIME_DIGITS = 30;

export function createRow(): Row {
  return {
    time: Number.NaN,
    isWideTime: false,
    control: 0,
    enables: 0,
    address: 0,
    low: 0,
    high: 0,
    captured: false,
    lost: false,
    dataTop: 63,
    cpu: -1,
    waits: false,
    column: -1,
    digits: 0,
    cells: 0,
    from: new Int32Array(MOST_CELLS),
    to: new Int32Array(MOST_CELLS),
  };
}

/** Returns the end of a row's content: before the line end and blanks, but after tabs, which separate cells. */
export function rowEnd(bytes: Uint8Array, at: number, end: number): number {
  let to = end;
  while (to > at && (bytes[to - 1] === LF || bytes[to - 1] === CR || bytes[to - 1] === SPACE)) to--;
  return to;
}

/** Reads the line bytes[at, end) into `row`. Returns false if it is not a row of this layout. */
export function readRow(bytes: Uint8Array, at: number, end: number, layout: Layout, row: Row): boolean {
  const { roles, parts, exactDigits: exact } = layout;
  row.column = -1;
  if (!splitCells(bytes, at, end, layout, row)) return false;
  row.time = Number.NaN;
  row.isWideTime = false;
  row.control = NOT_CACHEABLE;
  row.enables = row.address = row.low = row.high = 0;
  row.captured = true;
  row.lost = false;
  row.dataTop = 63;
  row.cpu = -1;
  row.waits = false;
  let dp = -1;
  let data = false;
  for (let cell = 0; cell < roles.length; cell++) {
    const from = row.from[cell]!;
    const to = row.to[cell]!;
    const role = roles[cell]!;
    const part = parts[cell];
    row.column = cell;
    switch (role) {
      case ROLE.ignored:
        break;
      case ROLE.wr:
      case ROLE.dc:
      case ROLE.mio: {
        const bit = readPin(bytes, from, to);
        if (bit < 0) return false;
        row.control |= bit << (role - ROLE.wr);
        break;
      }
      case ROLE.cache:
      case ROLE.ready:
      case ROLE.dp: {
        const bit = readPin(bytes, from, to);
        // A level that was not captured is allowed; any other text means that the line is not a row.
        if (bit < 0 && !isUnknown(bytes, from, to)) return false;
        if (role === ROLE.dp) dp = bit;
        else if (role === ROLE.ready) row.waits = bit === 1;
        else if (bit === 0) row.control &= ~NOT_CACHEABLE;
        break;
      }
      case ROLE.time:
        if (from < to && !readTime(bytes, from, to, layout)) return false;
        row.time = from < to ? timeValue : Number.NaN;
        row.isWideTime = from < to && isWideTime;
        break;
      case ROLE.enables: {
        const enables = enablesOf(bytes, from, to, part, exact[cell]!);
        if (enables < 0) return false;
        row.enables |= enables;
        row.digits = numberDigits;
        break;
      }
      case ROLE.address: {
        const address = addressOf(bytes, from, to, part, layout.shift, exact[cell]!);
        if (address < 0) return false;
        row.address = (row.address | address) >>> 0;
        row.digits = numberDigits;
        break;
      }
      case ROLE.data:
        data = true;
        if (from === to) {
          row.captured = false;
          row.digits = 0;
          break;
        }
        if (
          part === undefined
            ? !readNumber(bytes, from, to) || !placeData(layout.dataBit)
            : !readPart(bytes, from, to, part)
        )
          return false;
        if (numberUnknown) row.captured = false;
        if (!isExact(exact[cell]!)) {
          row.captured = false;
          row.lost = true;
        }
        if (layout.dataOpen) row.dataTop = 4 * numberDigits - 1;
        row.low = (row.low | numberLow) >>> 0;
        row.high = (row.high | numberHigh) >>> 0;
        row.digits = numberDigits;
        break;
      case ROLE.cpu:
        row.cpu = readCpu(bytes, from, to);
        if (row.cpu < 0 && !isUnknown(bytes, from, to)) return false;
        break;
      default:
        break;
    }
  }
  row.captured &&= data;
  // D/P# is low when the primary processor drives the bus.
  if (row.cpu < 0 && dp >= 0) row.cpu = dp;
  return true;
}

/** True if the row just read, a last line without a line end, may lack digits of its last cell. */
export function isCut(row: Row, { digits }: Layout): boolean {
  const least = digits.at(-1)!;
  return row.cells < digits.length || (least > 0 && row.digits < least);
}

/** Number of digits of byte enables in binary. */
const BINARY_DIGITS = 8;

/** True if the number just read has so many digits; 0 stands for any number. */
function isExact(digits: number): boolean {
  return digits === 0 || numberDigits === digits;
}

/** Reads a cell with byte enables, BE7# first, or a part of them; -1 if it cannot be read or has another number of digits. */
export function enablesOf(
  bytes: Uint8Array,
  from: number,
  to: number,
  part: BitRange | undefined,
  exact: number,
): number {
  const isRead = part === undefined ? readEnables(bytes, from, to) : readPart(bytes, from, to, part) && !numberUnknown;
  return isRead && (isExact(exact) || numberDigits === BINARY_DIGITS) ? numberLow : -1;
}

/** Reads a cell with pins A31-A3, or a part of them; -1 if it cannot be read or has another number of digits. */
export function addressOf(
  bytes: Uint8Array,
  from: number,
  to: number,
  part: BitRange | undefined,
  shift: number,
  exact: number,
): number {
  const isRead =
    part === undefined || (part.low <= LOWEST_PIN && part.high > part.low)
      ? readNumber(bytes, from, to) && placeAddress(shift)
      : readPart(bytes, from, to, part);
  return isRead && !numberUnknown && isExact(exact) ? numberLow : -1;
}

/** Splits a line into cells. Returns false if a column with a role is missing, or if there are surplus cells that are not empty. */
function splitCells(
  bytes: Uint8Array,
  at: number,
  end: number,
  { separator, roles, least }: Layout,
  row: Row,
): boolean {
  const columns = roles.length;
  let p = at;
  let cell = 0;
  for (;;) {
    while (p < end && isSpace(bytes[p]!, separator)) p++;
    const quoted = p < end && bytes[p] === QUOTE;
    if (quoted) p++;
    let from = p;
    // A quote within a quoted cell is doubled.
    while (p < end && (quoted ? bytes[p] !== QUOTE || bytes[p + 1] === QUOTE : bytes[p] !== separator))
      p += quoted && bytes[p] === QUOTE ? 2 : 1;
    let to = p;
    if (quoted) {
      if (p >= end) return false;
      p++;
      while (p < end && isSpace(bytes[p]!, separator)) p++;
      if (p < end && bytes[p] !== separator) return false;
    }
    while (to > from && isBlank(bytes[to - 1]!)) to--;
    while (from < to && isBlank(bytes[from]!)) from++;
    if (cell < columns && cell < MOST_CELLS) {
      row.from[cell] = from;
      row.to[cell] = to;
    } else if (to > from) return false;
    cell++;
    if (p >= end) break;
    p++;
  }
  row.cells = Math.min(cell, columns);
  for (let missing = row.cells; missing < Math.min(columns, MOST_CELLS); missing++)
    row.from[missing] = row.to[missing] = end;
  return cell >= least && columns <= MOST_CELLS;
}

function isSpace(byte: number, separator: number): boolean {
  return isBlank(byte) && byte !== separator;
}

/** Reads the level of a pin: 0 and 1, L and H, or Low and High; -1 for anything else. */
export function readPin(bytes: Uint8Array, from: number, to: number): number {
  if (to - from !== 1 && !isWord(bytes, from, to, 'low') && !isWord(bytes, from, to, 'high')) return -1;
  switch (bytes[from]) {
    case ZERO:
    case 76:
    case 108:
      return 0;
    case ZERO + 1:
    case 72:
    case 104:
      return 1;
    default:
      return -1;
  }
}

/** True for an empty cell, and for a cell that contains only signs for unknown digits. */
function isUnknown(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if ((byte | 0x20) !== LOWER_X && (byte | 0x20) !== LOWER_Z && byte !== QUESTION && byte !== MINUS) return false;
  }
  return true;
}

function isWord(bytes: Uint8Array, from: number, to: number, word: string): boolean {
  if (to - from !== word.length) return false;
  for (let k = 0; k < word.length; k++) if ((bytes[from + k]! | 0x20) !== word.charCodeAt(k)) return false;
  return true;
}

/** Reads the number at the end of a cell: `1`, `CPU 1`, `P1`; -1 if there is none. */
function readCpu(bytes: Uint8Array, from: number, to: number): number {
  let at = to;
  while (at > from && to - at < 6 && isDecimal(bytes[at - 1]!)) at--;
  if (at === to || (at > from && isDecimal(bytes[at - 1]!))) return -1;
  for (let k = from; k < at; k++) if (!isLetter(bytes[k]!) && !isBlank(bytes[k]!) && bytes[k] !== HASH) return -1;
  const cpu = decimalOf(bytes, at, to);
  return cpu <= MOST_CPU ? cpu : -1;
}

// Results of the readers below. Module variables, because the readers are called per cell and must not allocate.
let numberLow = 0;
let numberHigh = 0;
let numberDigits = 0;
let numberUnknown = false;
let timeValue = 0;
let isWideTime = false;

/** Reads a hexadecimal number of at most 64 bits. x, z and ? stand for unknown digits. */
function readNumber(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from;
  let end = to;
  if (at < end && bytes[at] === DOLLAR) at++;
  else if (end - at > 2 && bytes[at] === ZERO && (bytes[at + 1]! | 0x20) === LOWER_X) at += 2;
  else if (end - at > 1 && (bytes[end - 1]! | 0x20) === LOWER_H) end--;
  numberLow = numberHigh = numberDigits = 0;
  numberUnknown = false;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    let digit = HEX[byte]!;
    if (digit === NO_DIGIT) {
      if ((byte === UNDERSCORE || byte === SPACE) && numberDigits > 0 && at + 1 < end) continue;
      if ((byte | 0x20) !== LOWER_X && (byte | 0x20) !== LOWER_Z && byte !== QUESTION && byte !== MINUS) return false;
      if (byte === MINUS && bytes[from] !== MINUS) return false;
      numberUnknown = true;
      digit = 0;
    }
    numberHigh = ((numberHigh << 4) | (numberLow >>> 28)) >>> 0;
    numberLow = ((numberLow << 4) | digit) >>> 0;
    if (++numberDigits > 16) return false;
  }
  // `--------` is an unknown number, but the minus of `-1` is a sign.
  return numberDigits > 0 && (bytes[from] !== MINUS || allMinus(bytes, from, to));
}

function allMinus(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] !== MINUS) return false;
  return true;
}

/** Reads byte enables: two hexadecimal or eight binary digits, BE7# first. */
function readEnables(bytes: Uint8Array, from: number, to: number): boolean {
  let at = from;
  let end = to;
  if (end - at > 8 && bytes[at] === ZERO && (bytes[at + 1]! | 0x20) === LOWER_B) at += 2;
  else if (end - at > 8 && (bytes[end - 1]! | 0x20) === LOWER_B) end--;
  if (end - at < 8) return readNumber(bytes, from, to) && !numberUnknown && numberHigh === 0 && numberLow <= 255;
  numberLow = numberDigits = 0;
  for (; at < end; at++) {
    const bit = bytes[at]! - ZERO;
    if (bytes[at] === UNDERSCORE || bytes[at] === SPACE) continue;
    if (bit !== 0 && bit !== 1) return false;
    numberLow = (numberLow << 1) | bit;
    numberDigits++;
  }
  return numberDigits === 8;
}

/** Converts the number just read to pins A31-A3; bits of A2-A0, which do not exist, are cleared. Returns false if it does not fit. */
function placeAddress(shift: number): boolean {
  if (numberHigh !== 0) return false;
  if (shift === 0) {
    numberLow = (numberLow & ~7) >>> 0;
    return true;
  }
  if (numberLow >>> (32 - shift) !== 0) return false;
  numberLow = (numberLow << shift) >>> 0;
  return true;
}

/** Highest pin with which an address column may begin. */
const LOWEST_PIN = 4;

/** Reads one part of a signal with several columns and shifts it to its place. Returns false if the cell contains more bits. */
function readPart(bytes: Uint8Array, from: number, to: number, { high, low }: BitRange): boolean {
  if (high === low) {
    const bit = readPin(bytes, from, to);
    numberLow = Math.max(0, bit);
    numberHigh = 0;
    // A level may be a word, such as `High`.
    numberDigits = bit < 0 ? to - from : 1;
    numberUnknown = bit < 0;
    return placeData(low);
  }
  if (!readNumber(bytes, from, to)) return false;
  const bits = high - low + 1;
  const fits =
    bits >= 64 ||
    (bits > 32 ? numberHigh >>> (bits - 32) === 0 : numberHigh === 0 && (bits === 32 || numberLow >>> bits === 0));
  return fits && placeData(low);
}

/** Shifts the number just read to its place on the data bus. Returns false if it does not fit. */
function placeData(bit: number): boolean {
  if (bit === 0) return true;
  if (bit >= 32) {
    if (numberHigh !== 0 || (bit > 32 && numberLow >>> (64 - bit) !== 0)) return false;
    numberHigh = (numberLow << (bit - 32)) >>> 0;
    numberLow = 0;
    return true;
  }
  if (numberHigh >>> (32 - bit) !== 0) return false;
  numberHigh = ((numberHigh << bit) | (numberLow >>> (32 - bit))) >>> 0;
  numberLow = (numberLow << bit) >>> 0;
  return true;
}

/** Reads a decimal number with an optional fraction, power of ten and unit. */
function readTime(bytes: Uint8Array, from: number, to: number, { timeExponent, separator }: Layout): boolean {
  let end = to;
  while (end > from && (isLetter(bytes[end - 1]!) || bytes[end - 1]! >= 128)) end--;
  let exponent = timeExponent;
  if (end < to) {
    const own = unitExponent(utf8Unit(bytes, end, to));
    if (own === undefined) return false;
    exponent = own;
    while (end > from && isBlank(bytes[end - 1]!)) end--;
  }
  const negative = bytes[from] === MINUS;
  let at = negative || bytes[from] === PLUS ? from + 1 : from;
  const first = at;
  let value = 0;
  let digits = 0;
  let point = -1;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    if ((byte === DOT || byte === COMMA) && point < 0) {
      point = at;
      continue;
    }
    if (!isDecimal(byte)) break;
    value = value * 10 + byte - ZERO;
    digits++;
  }
  if (digits === 0 || digits > MOST_TIME_DIGITS) return false;
  if (point >= 0) {
    const places = at - point - 1;
    // A comma may also separate thousands, but not if cells are separated by semicolons.
    const thousands =
      bytes[point] === COMMA &&
      places === 3 &&
      separator !== SEMICOLON &&
      !(point === first + 1 && bytes[first] === ZERO);
    if (thousands) return false;
    exponent -= places;
  }
  const mantissa = at;
  if (at < end) {
    const power = readPower(bytes, at, end);
    if (Number.isNaN(power)) return false;
    exponent += power;
  }
  if (digits > EXACT_DIGITS) value = Number(`${digitText(bytes, first, mantissa)}e${String(exponent)}`);
  else value = scaled(value, exponent);
  timeValue = negative ? 0 - value : value;
  // Longer numbers may be rounded to whole ones.
  const isRounded = digits > EXACT_DIGITS && exponent < 0;
  isWideTime =
    !Number.isSafeInteger(timeValue) || (isRounded && /[1-9]/.test(digitText(bytes, first, mantissa).slice(exponent)));
  return true;
}

const MOST_POWER = 12;

/** Reads a power of ten such as `E-06`; NaN for anything else and for powers that no time has. */
function readPower(bytes: Uint8Array, from: number, end: number): number {
  const text = textOf(bytes, from, Math.min(end, from + 8));
  const power = /^e[+-]?\d{1,3}$/i.test(text) && end - from <= 5 ? Number(text.slice(1)) : Number.NaN;
  return Math.abs(power) <= MOST_POWER ? power : Number.NaN;
}

function utf8Unit(bytes: Uint8Array, from: number, to: number): string {
  // Units are short. The micro sign has two bytes in UTF-8 and one in Latin-1.
  if (to - from > 3) return '';
  const text = textOf(bytes, from, to);
  return text.replace(/^(\u00c2\u00b5|\u00ce\u00bc)/, '\u00b5');
}

function digitText(bytes: Uint8Array, from: number, to: number): string {
  return textOf(bytes, from, to).replace(/[.,]/, '');
}

const TENS = Float64Array.from({ length: 23 }, (_, power) => Number(`1e${String(power)}`));

/** Returns an integer below 2^53 times a power of ten, rounded once. */
export function scaled(value: number, exponent: number): number {
  if (exponent >= 0) return value * TENS[exponent]!;
  return exponent >= -22 ? value / TENS[-exponent]! : Number(`${String(value)}e${String(exponent)}`);
}
