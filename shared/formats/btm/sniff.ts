/**
 * Detects captures of a Pentium bus and the settings to read them.
 *
 * Text: the first row with titles of all required signals is the header. If there is none, the first row that can be a header is returned
 * as a weak guess, so that the user only has to assign the columns. The rows below the header show the other settings: fast messages, the
 * K5's layout, the shift of the address column, and two processors. Binary: the first sixteen bytes decide.
 */
import { LF } from '../../base/characters.ts';
import { latin1 } from '../../base/bytes.ts';
import type { Claim, Head } from '../../format/format.ts';
import { looksBinary } from '../../format/heads.ts';
import { isMagic } from './binary.ts';
import { type Layout, layoutOf, NEEDED_SIGNALS, ROLE, signalsIn, splitTitles } from './columns.ts';
import { isMessage } from './cycles.ts';
import { LOWEST } from '../../pentium/bus-cycles.ts';
import { createRow, isCut, readRow, type Row, rowEnd } from './row.ts';
import { D59 } from './pairing.ts';

export function sniff(head: Head, named = false): Claim | undefined {
  const { bytes } = head;
  if (isMagic(bytes)) {
    return { confidence: 1, dialect: 'binary', options: {}, reasons: ['it starts with the header of the binary form'] };
  }
  const found = findHeader(bytes);
  if (found === undefined) return named && looksBinary(bytes) ? NO_HEADER : undefined;
  const base = { header: found.text };
  const layout = layoutOf(found.text, '', 0, 'auto');
  if (!layout.ok) return guess(found, base, layout.error.message);
  const seen = look(head, found.end, layout.value);
  if (seen.lines > 0 && seen.rows === 0) return guess(found, base, whyNoRow(bytes, found.end, layout.value));
  const { shift } = suggestions(seen);
  // Messages can only be judged with the right shift of the address pins.
  const shifted = shift === undefined ? undefined : layoutOf(found.text, '', Number(shift), 'auto');
  const sure = shifted?.ok === true ? look(head, found.end, shifted.value) : seen;
  return claim(sure, { ...base, ...suggestions(sure) });
}

/** Reading of bytes that are no text and have no header, if the user named the format. */
const NO_HEADER: Claim = { confidence: 0.05, dialect: 'binary', options: {}, reasons: ['it is no text'] };

/** Number of lines that are searched for the header. */
const MOST_PREAMBLE = 200;
/** Minimum number of columns of a capture. */
const LEAST_COLUMNS = 5;
/** Maximum number of rows that are examined. */
const MOST_ROWS = 2000;
/** Minimum number of messages that show the layout or mode of messages. */
const MANY_MESSAGES = 4;

interface FoundHeader {
  readonly text: string;
  /** Index of the next line. */
  readonly end: number;
  readonly signals: number;
}

/** Returns the row with the most signals. If no row has any, returns the first row of titles above a row with numbers. */
function findHeader(bytes: Uint8Array): FoundHeader | undefined {
  let best: FoundHeader | undefined;
  let at = 0;
  for (let line = 0; line < MOST_PREAMBLE && at < bytes.length; line++) {
    const end = lineEnd(bytes, at);
    const row = bytes.subarray(at, Math.min(end, at + MOST_HEADER));
    at = end;
    if (looksBinary(row)) continue;
    const text = latin1(row)
      .replace(/^\u00ef\u00bb\u00bf/, '')
      .trim();
    const signals = signalsIn(text);
    const better = signals > (best?.signals ?? 0) || (best === undefined && isTitles(text, bytes, end));
    if (better) best = { text, end, signals };
    if (signals === NEEDED_SIGNALS) return best;
  }
  return best !== undefined && (best.signals > 1 || isTitles(best.text, bytes, best.end)) ? best : undefined;
}

const MOST_HEADER = 4096;

/** True if a line has at least LEAST_COLUMNS words, none of them a number, and the next line has as many cells with numbers. */
function isTitles(text: string, bytes: Uint8Array, next: number): boolean {
  return [',', ';', '\t', '|'].some((separator) => {
    const titles = splitTitles(text, separator);
    if (titles.length < LEAST_COLUMNS || !titles.every((title) => /^[A-Za-z]/.test(title))) return false;
    const below = latin1(bytes.subarray(next, Math.min(lineEnd(bytes, next), next + MOST_HEADER)));
    const cells = splitTitles(below, separator);
    return cells.length === titles.length && cells.filter((cell) => /^-?[0-9]/.test(cell)).length >= 2;
  });
}

function lineEnd(bytes: Uint8Array, at: number): number {
  const found = bytes.indexOf(LF, at);
  return found < 0 ? bytes.length : found + 1;
}

function guess({ text, signals }: FoundHeader, options: Readonly<Record<string, string>>, why: string): Claim {
  const names = `a row of titles, '${text.slice(0, 100)}', contains ${String(signals)} of the ${String(NEEDED_SIGNALS)} signals of a bus capture`;
  return {
    confidence: 0.05 * signals,
    dialect: 'text',
    options,
    reasons: [signals === NEEDED_SIGNALS ? why : names],
  };
}

/** Explains why the first line below the header is not a row, if no line is. */
function whyNoRow(bytes: Uint8Array, from: number, layout: Layout): string {
  let at = from;
  while (rowEnd(bytes, at, lineEnd(bytes, at)) === at) at = lineEnd(bytes, at);
  const row = createRow();
  readRow(bytes, at, rowEnd(bytes, at, lineEnd(bytes, at)), layout, row);
  const { column } = row;
  const below = `the header '${layout.header.slice(0, 100)}' contains the signals of a Pentium bus, but no line below it is a row: the first`;
  if (column < 0) return `${below} does not have ${String(layout.titles.length)} cells`;
  const cell = latin1(bytes.subarray(row.from[column], row.to[column])).slice(0, 40);
  return `${below} has '${cell}' for ${layout.titles[column]!}`;
}

interface Seen {
  lines: number;
  rows: number;
  /** First and second cycles of branch trace messages, by D59. */
  firsts: number;
  seconds: number;
  /** Sequences of two first cycles followed by two second cycles. */
  crossed: number;
  /** First cycles less second cycles since the first first cycle, and whether that was ever outside 0 to 2. */
  depth: number;
  strayed: boolean;
  /** Rows that equal the previous row except for the time. */
  repeats: number;
  /** Rows with the same time step as the previous row. */
  evenSteps: number;
  /** The title of the time column contains no unit. */
  unitMissing: boolean;
  /** Positive time steps that are too short for a bus in nanoseconds, and steps that are long enough. */
  shortSteps: number;
  longSteps: number;
  /** Messages in which the address bits that are 0 in the K5's layout are 0, and changes of A31 between consecutive messages. */
  k5Like: number;
  a31Changes: number;
  data: boolean;
  processors: boolean;
  /** Address cells with bits below A3, and those among them in which these bits are the lowest requested byte. */
  lowBits: number;
  lowBitsOfByte: number;
  largest: number;
  /** Address cells of seven digits, the number for pins A31-A4. */
  sevens: number;
  /** Lowest pin of the address columns according to their titles. */
  lowestPin: number;
  /** Roles with cells of all digits that begin with 0, and cells with another number of digits. */
  readonly padded: Set<number>;
  unequal: number;
  /** Address cells without letters that are multiples of 8 as decimal numbers. */
  decimal: number;
}

function look({ bytes, size }: Head, from: number, layout: Layout): Seen {
  const seen: Seen = {
    lines: 0,
    rows: 0,
    firsts: 0,
    seconds: 0,
    crossed: 0,
    depth: 0,
    strayed: false,
    repeats: 0,
    evenSteps: 0,
    unitMissing: layout.unitMissing,
    shortSteps: 0,
    longSteps: 0,
    k5Like: 0,
    a31Changes: 0,
    data: layout.roles.includes(ROLE.data),
    processors: layout.roles.includes(ROLE.cpu) || layout.roles.includes(ROLE.dp),
    lowBits: 0,
    lowBitsOfByte: 0,
    largest: 0,
    sevens: 0,
    lowestPin: layout.lowestPin,
    padded: new Set(),
    unequal: 0,
    decimal: 0,
  };
  const row = createRow();
  let order = '';
  let a31 = -1;
  let previous = '';
  let time = Number.NaN;
  let step = Number.NaN;
  for (let at = from; at < bytes.length && seen.rows < MOST_ROWS;) {
    const end = lineEnd(bytes, at);
    // A last line that the head cuts off is ignored.
    if (end === bytes.length && bytes.length < size) break;
    const to = rowEnd(bytes, at, end);
    if (to > at) {
      seen.lines++;
      const ended = bytes[end - 1] === LF;
      if (readRow(bytes, at, to, layout, row) && (ended || !isCut(row, layout))) {
        seen.rows++;
        lookAtAddress(bytes, row, layout, seen);
        lookAtDigits(bytes, row, layout, seen);
        const content = [row.control, row.enables, row.address, row.low, row.high, row.cpu].join(' ');
        if (content === previous) seen.repeats++;
        previous = content;
        if (row.time - time === step) seen.evenSteps++;
        step = row.time - time;
        if (step >= SHORTEST_STEP) seen.longSteps++;
        else if (step > 0) seen.shortSteps++;
        time = row.time;
        if (isMessage(row.control, row.enables)) {
          const second = (row.high & D59) !== 0;
          if (second) seen.seconds++;
          else seen.firsts++;
          order = (order + (second ? '2' : '1')).slice(-4);
          if (order === '1122') seen.crossed++;
          if (!second || seen.firsts > 0) seen.depth += second ? -1 : 1;
          if (seen.depth < 0 || seen.depth > 2) seen.strayed = true;
          if ((row.address & 0x0ff00008) === 0) seen.k5Like++;
          if (a31 !== -1 && a31 !== row.address >>> 31) seen.a31Changes++;
          a31 = row.address >>> 31;
        }
      }
    }
    at = end;
  }
  return seen;
}

/** Examines the text of the address cell, because readRow clears the low bits of its value. */
function lookAtAddress(bytes: Uint8Array, row: Row, layout: Layout, seen: Seen): void {
  // Of several address columns, only the one with A3 matters.
  const cell = layout.roles.findIndex((role, at) => role === ROLE.address && (layout.parts[at]?.low ?? 0) <= 4);
  const part = layout.parts[cell];
  if (part !== undefined && part.high === part.low) return;
  const digits = latin1(bytes.subarray(row.from[cell], row.to[cell])).replace(/h$/i, '').replaceAll('_', '');
  const bare = digits.replace(/^(0x|\$)/i, '');
  const value = Number.parseInt(bare, 16);
  if (Number.isNaN(value)) return;
  if (bare.length === 7) seen.sevens++;
  seen.largest = Math.max(seen.largest, value);
  if (/^[0-9]+$/.test(digits) && Number(digits) % 8 === 0) seen.decimal++;
  if (value % 8 === 0) return;
  seen.lowBits++;
  if (value % 8 === LOWEST[row.enables]) seen.lowBitsOfByte++;
}

/** Examines whether numbers have leading zeros. */
function lookAtDigits(bytes: Uint8Array, row: Row, { roles, digits }: Layout, seen: Seen): void {
  roles.forEach((role, cell) => {
    const most = digits[cell]!;
    if (most < 2 || row.to[cell] === row.from[cell]) return;
    const text = latin1(bytes.subarray(row.from[cell], row.to[cell])).replace(/^(0x|\$)|h$|[_ ]/gi, '');
    if (text.length !== most && !(role === ROLE.enables && text.length === 8)) seen.unequal++;
    else if (text.startsWith('0')) seen.padded.add(role);
  });
}

/** True if addresses and data have leading zeros. */
function isPadded({ rows, data, padded, unequal }: Seen): boolean {
  return padded.has(ROLE.address) && (!data || padded.has(ROLE.data)) && unequal * 10 <= rows;
}

function suggestions(seen: Seen): Readonly<Record<string, string>> {
  const k5 = isK5(seen);
  return {
    ...(k5 && { vendor: 'k5' }),
    ...(!k5 && seen.firsts === 0 && seen.seconds >= MANY_MESSAGES && { mode: 'fast' }),
    ...(!k5 && seen.crossed > 0 && !seen.strayed && !seen.processors && { processors: 'two' }),
    ...(isShifted(seen) && !isDecimal(seen) && { shift: String(seen.lowestPin) }),
    ...(isClocked(seen) && { rows: 'clocks' }),
    ...(isInSeconds(seen) && { unit: 's' }),
    ...(isPadded(seen) && { digits: 'all' }),
  };
}

/** Shortest time step in nanoseconds that an instrument can resolve. A bus cycle takes more than ten. */
const SHORTEST_STEP = 0.001;

function isInSeconds({ unitMissing, shortSteps, longSteps }: Seen): boolean {
  return unitMissing && shortSteps > 0 && longSteps === 0;
}

/** True for the K5's layout: A31 is low in first cycles and high in second cycles, and A27-A20 and A3 are low in both. */
function isK5({ firsts, seconds, k5Like, a31Changes }: Seen): boolean {
  const messages = firsts + seconds;
  return messages >= MANY_MESSAGES && k5Like === messages && a31Changes * 10 >= (messages - 1) * 8;
}

/**
 * True if the address column is shifted: numbers of 29 bits (28 if it begins at A4) have low bits that are not the lowest requested byte.
 * A column that begins at A4 is also shifted if all cells have seven digits, one less than with A3-A0.
 */
function isShifted({ rows, lowBits, lowBitsOfByte, largest, sevens, lowestPin }: Seen): boolean {
  if (lowestPin > 3 && rows > 0 && sevens === rows) return true;
  return lowBits * 4 >= rows && lowBitsOfByte * 2 < lowBits && largest < 2 ** (32 - lowestPin);
}

/** True if addresses are printed in decimal: all of them are multiples of 8 as decimal numbers, but not as hexadecimal ones. */
function isDecimal({ rows, lowBits, decimal }: Seen): boolean {
  return rows >= 8 && lowBits * 4 >= rows && decimal === rows;
}

/** True if rows are clocks: a cycle takes several clocks, so most rows repeat the previous row, at even time steps. */
function isClocked({ rows, repeats, evenSteps }: Seen): boolean {
  return rows >= 8 && repeats * 10 >= rows * 4 && evenSteps * 10 >= (rows - 2) * 9;
}

function claim(seen: Seen, options: Readonly<Record<string, string>>): Claim {
  const share = seen.rows / Math.max(1, seen.lines);
  const few = seen.rows < MANY_MESSAGES ? 0.75 : 0.98;
  const { firsts, seconds } = seen;
  const reasons = ['the header contains the signals of a Pentium bus'];
  reasons.push(`${String(seen.rows)} of the first ${String(seen.lines)} lines below it are bus cycles`);
  if (firsts + seconds > 0)
    reasons.push(
      `these include ${String(firsts)} first and ${String(seconds)} second or fast cycles of branch trace messages`,
    );
  if (options['vendor'] === 'k5') reasons.push('the messages have the layout of the AMD-K5');
  if (options['mode'] === 'fast') reasons.push('the messages are fast messages');
  if (options['processors'] === 'two')
    reasons.push('messages of two processors are interleaved and no column shows the processor');
  if (options['shift'] !== undefined) reasons.push(`the address column has A${options['shift']} as its lowest bit`);
  if (options['rows'] === 'clocks') reasons.push('there is a row for every clock');
  if (options['unit'] === 's') reasons.push('the times have no unit, and their steps fit seconds');
  if (!seen.data) reasons.push('there is no data column, so branch trace messages have no low address bits');
  else if (options['vendor'] !== 'k5' && firsts >= 2 * MANY_MESSAGES && seconds === 0)
    reasons.push('D59 is 0 in every message, so the data bus was probably not captured');
  const decimal = isDecimal(seen);
  if (decimal)
    reasons.unshift('the addresses look like decimal numbers, which are not supported: export them in hexadecimal');
  return { confidence: decimal ? 0.3 : Math.max(0.1, few * share), dialect: 'text', options, reasons };
}
