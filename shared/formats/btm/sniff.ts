/**
 * Is this head a capture of a Pentium bus, and what has to be known to read it?
 *
 * Text: the first row that names all needed signals is the header; where no row does, the first one that could be a header is
 * handed on as a weak guess, so that a person only has to say which column is which. The rows below the header tell the rest:
 * fast messages, the K5's layout, how the address column is shifted, two processors. Binary: the first sixteen bytes.
 */
import { CR, LF, SPACE } from '../../base/characters.ts';
import { latin1 } from '../../base/bytes.ts';
import type { Claim, Head } from '../../format/format.ts';
import { isMagic } from './binary.ts';
import { layoutOf, NEEDED_SIGNALS, ROLE, signalsIn, splitTitles, type Layout } from './columns.ts';
import { isMessage, LOWEST } from './cycles.ts';
import { createRow, isCut, readRow, type Row } from './row.ts';

export function sniff(head: Head): Claim | undefined {
  const { bytes } = head;
  if (isMagic(bytes)) {
    return { confidence: 1, dialect: 'binary', options: {}, reasons: ['it starts with the mark of the binary layout'] };
  }
  const found = findHeader(bytes);
  if (found === undefined) return undefined;
  const base = { header: found.text };
  const layout = layoutOf(found.text, '', 0, 'auto');
  if (!layout.ok) return guess(found, base, layout.error.message);
  const seen = look(head, found.end, layout.value);
  if (seen.lines > 0 && seen.rows === 0) return guess(found, base, whyNoRow(bytes, found.end, layout.value));
  const { shift } = suggestions(seen);
  // What pins say of messages is seen only where they are.
  const shifted = shift === undefined ? undefined : layoutOf(found.text, '', Number(shift), 'auto');
  const sure = shifted?.ok === true ? look(head, found.end, shifted.value) : seen;
  return claim(sure, { ...base, ...suggestions(sure) });
}

/** Lines among which the header is looked for. */
const MOST_PREAMBLE = 200;
/** Fewer columns make no capture. */
const LEAST_COLUMNS = 5;
/** Rows that are looked at. */
const MOST_ROWS = 2000;
/** So many messages of one sort alone tell how messages are made. */
const MANY_MESSAGES = 4;

interface FoundHeader {
  readonly text: string;
  /** Index of the next line. */
  readonly end: number;
  readonly signals: number;
}

/** The row with the most signals; of those without any the first that has titles over rows with numbers. */
function findHeader(bytes: Uint8Array): FoundHeader | undefined {
  let best: FoundHeader | undefined;
  let at = 0;
  for (let line = 0; line < MOST_PREAMBLE && at < bytes.length; line++) {
    const end = lineEnd(bytes, at);
    const text = latin1(bytes.subarray(at, Math.min(end, at + MOST_HEADER)))
      .replace(/^\u00ef\u00bb\u00bf/, '')
      .trim();
    const signals = signalsIn(text);
    const better = signals > (best?.signals ?? 0) || (best === undefined && isTitles(text, bytes, end));
    if (better) best = { text, end, signals };
    if (signals === NEEDED_SIGNALS) return best;
    at = end;
  }
  return best !== undefined && (best.signals > 1 || isTitles(best.text, bytes, best.end)) ? best : undefined;
}

const MOST_HEADER = 4096;

/** At least LEAST_COLUMNS words without a number among them, over a line of as many cells with numbers. */
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
  const names = `a row of titles, '${text.slice(0, 100)}', names ${String(signals)} of the ${String(NEEDED_SIGNALS)} signals of a bus capture`;
  return {
    confidence: 0.05 * signals,
    dialect: 'text',
    options,
    reasons: [signals === NEEDED_SIGNALS ? why : names],
  };
}

/** What keeps the first line below the header, of which none is a row, from being one. */
function whyNoRow(bytes: Uint8Array, from: number, layout: Layout): string {
  let at = from;
  while (contentEnd(bytes, at, lineEnd(bytes, at)) === at) at = lineEnd(bytes, at);
  const row = createRow();
  readRow(bytes, at, contentEnd(bytes, at, lineEnd(bytes, at)), layout, row);
  const { column } = row;
  const below = `the header '${layout.header.slice(0, 100)}' names the signals of a Pentium bus, but no line below it is a row: the first`;
  if (column < 0) return `${below} has not its ${String(layout.titles.length)} cells`;
  const cell = latin1(bytes.subarray(row.from[column], row.to[column])).slice(0, 40);
  return `${below} has '${cell}' for ${layout.titles[column]!}`;
}

interface Seen {
  lines: number;
  rows: number;
  /** Branch trace messages by D59. */
  firsts: number;
  seconds: number;
  /** Messages in a row: two first cycles, then two second ones. */
  crossed: number;
  /** First cycles less second ones since the first first one, and whether that was ever not 0, 1 or 2. */
  depth: number;
  strayed: boolean;
  /** Rows that repeat the row before in all but the time, and rows as long after the row before as that one after its own. */
  repeats: number;
  evenSteps: number;
  /** The title of the times names no unit, and how many steps between rows are shorter than any bus's, or long enough. */
  unitMissing: boolean;
  shortSteps: number;
  longSteps: number;
  /** Messages with address bits that only the K5's layout has as zeros, and changes of A31 from one to the next. */
  k5Like: number;
  a31Changes: number;
  data: boolean;
  processors: boolean;
  /** Address cells with bits set below A3, and how many of those are the first byte enabled. */
  lowBits: number;
  lowBitsOfByte: number;
  largest: number;
  /** Address cells of seven digits: all that pins A31-A4 take. */
  sevens: number;
  /** Of the address columns, as their titles say. */
  lowestPin: number;
  /** Addresses that are multiples of 8 when they are read as decimal numbers, as none with a letter is. */
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
    decimal: 0,
  };
  const row = createRow();
  let order = '';
  let a31 = -1;
  let before = '';
  let time = Number.NaN;
  let step = Number.NaN;
  for (let at = from; at < bytes.length && seen.rows < MOST_ROWS;) {
    const end = lineEnd(bytes, at);
    // A last line that the head cuts off says nothing.
    if (end === bytes.length && bytes.length < size) break;
    const to = contentEnd(bytes, at, end);
    if (to > at) {
      seen.lines++;
      const ended = bytes[end - 1] === LF;
      if (readRow(bytes, at, to, layout, row) && (ended || !isCut(row, layout))) {
        seen.rows++;
        lookAtAddress(bytes, row, layout, seen);
        const said = [row.control, row.enables, row.address, row.low, row.high, row.cpu].join(' ');
        if (said === before) seen.repeats++;
        before = said;
        if (row.time - time === step) seen.evenSteps++;
        step = row.time - time;
        if (step >= SHORTEST_STEP) seen.longSteps++;
        else if (step > 0) seen.shortSteps++;
        time = row.time;
        if (isMessage(row.control, row.enables)) {
          const second = (row.high & 0x08000000) !== 0;
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

/** The address cell as it stands, which readRow has rid of its low bits. */
function lookAtAddress(bytes: Uint8Array, row: Row, layout: Layout, seen: Seen): void {
  // Of several columns the one with A3, of which alone the lowest bits are in question.
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

function contentEnd(bytes: Uint8Array, at: number, end: number): number {
  let to = end;
  while (to > at && (bytes[to - 1] === LF || bytes[to - 1] === CR || bytes[to - 1] === SPACE)) to--;
  return to;
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
  };
}

/** Nanoseconds between two rows that no instrument resolves; a bus cycle takes more than ten. */
const SHORTEST_STEP = 0.001;

function isInSeconds({ unitMissing, shortSteps, longSteps }: Seen): boolean {
  return unitMissing && shortSteps > 0 && longSteps === 0;
}

/** The K5's first cycles have A31 low and its second ones high, and bits in between and A3 are low in both. */
function isK5({ firsts, seconds, k5Like, a31Changes }: Seen): boolean {
  const messages = firsts + seconds;
  return messages >= MANY_MESSAGES && k5Like === messages && a31Changes * 10 >= (messages - 1) * 8;
}

/**
 * Bits below A3 that are not the first byte enabled, in numbers of 29 bits: A3 is bit 0 of the column. Where it begins at A4, of 28
 * bits; and there whole cells have a digit less than those with A3-A0 filled in.
 */
function isShifted({ rows, lowBits, lowBitsOfByte, largest, sevens, lowestPin }: Seen): boolean {
  if (lowestPin > 3 && rows > 0 && sevens === rows) return true;
  return lowBits * 4 >= rows && lowBitsOfByte * 2 < lowBits && largest < 2 ** (32 - lowestPin);
}

/** Pins A31-A3 make multiples of 8: in hexadecimal not all of these numbers are, in decimal all. */
function isDecimal({ rows, lowBits, decimal }: Seen): boolean {
  return rows >= 8 && lowBits * 4 >= rows && decimal === rows;
}

/** Cycles take several clocks, so that in a list of clocks most rows repeat the one before, at even steps. */
function isClocked({ rows, repeats, evenSteps }: Seen): boolean {
  return rows >= 8 && repeats * 10 >= rows * 4 && evenSteps * 10 >= (rows - 2) * 9;
}

function claim(seen: Seen, options: Readonly<Record<string, string>>): Claim {
  const share = seen.rows / Math.max(1, seen.lines);
  const few = seen.rows < MANY_MESSAGES ? 0.75 : 0.98;
  const { firsts, seconds } = seen;
  const reasons = ['the header names the signals of a Pentium bus'];
  reasons.push(`${String(seen.rows)} of the first ${String(seen.lines)} lines below it are bus cycles`);
  if (firsts + seconds > 0)
    reasons.push(
      `among them ${String(firsts)} first and ${String(seconds)} second or fast cycles of branch trace messages`,
    );
  if (options['vendor'] === 'k5') reasons.push('the messages have the layout of the AMD-K5');
  if (options['mode'] === 'fast') reasons.push('the messages are fast ones');
  if (options['processors'] === 'two')
    reasons.push('messages of two processors are interleaved and no column tells them apart');
  if (options['shift'] !== undefined) reasons.push(`the address column has A${options['shift']} as its lowest bit`);
  if (options['rows'] === 'clocks') reasons.push('there is a row for every clock');
  if (options['unit'] === 's') reasons.push('the times name no unit, and their steps are those of seconds');
  if (!seen.data) reasons.push('there is no data column, so branch trace messages have no low address bits');
  else if (options['vendor'] !== 'k5' && firsts >= 2 * MANY_MESSAGES && seconds === 0)
    reasons.push('D59 is 0 in every message, as if the data bus was not captured');
  const decimal = isDecimal(seen);
  if (decimal)
    reasons.unshift('the addresses look like decimal numbers, which are not read: export them in hexadecimal');
  return { confidence: decimal ? 0.3 : Math.max(0.1, few * share), dialect: 'text', options, reasons };
}
