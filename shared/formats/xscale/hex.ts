/**
 * A buffer as hexadecimal text: 256 bytes of two digits each, apart by blanks, commas or line ends or not at all, or as words
 * of TBREG with eight digits each, then, if they were kept, CHKPT0 and CHKPT1 with eight digits each. Then the next buffer. Where a
 * register has its name in front (`CHKPT1 = 0x8130`) the name tells which one it is, and it may stand before the bytes as well.
 *
 *     00000000: 00 00 80 00 90 83 ff 85    # a word that ends in a colon counts lines, and a # begins a comment
 *     0x22, 0x81
 *
 * Dumps of other programs are read as well: the number of a line's first byte may lack its colon, and what stands between | and |,
 * behind two blanks between > and < or, where the line has a number, behind two blanks and with a letter for each of its bytes, draws
 * the bytes once more.
 *
 * The spans of two-digit bytes include what separates them from the next one; everything else is text between the entries.
 */
import { afterMark, COLON, CR, HEX, LF, NO_DIGIT, SPACE, TAB, ZERO, LOWER_X } from '../../base/characters.ts';
import { latin1 } from '../../base/bytes.ts';
import { lineShape } from '../../format/diagnostics.ts';
import { BUFFER_BYTES, MESSAGE, MESSAGE_OF } from '../../xscale/messages.ts';
import type { Container } from './capture.ts';

const HASH = 35;
const BAR = 124;
const ASTERISK = 42;
const LESS = 60;
const MORE = 62;
const COMMA = 44;
const EQUALS = 61;
const CHECKPOINT_DIGITS = 8;

export function hexContainer(): Container {
  const scratch = new Uint8Array(BUFFER_BYTES);
  const places = { start: new Float64Array(BUFFER_BYTES), end: new Float64Array(BUFFER_BYTES) };
  return {
    unit: 0,
    endsWell: () => true,
    header: 0,
    find(window, start, _, capture, report) {
      const { bytes, base, fileEnd } = window;
      const unknown = (at: number, end: number): void => report?.('unknown-text', base + at, lineShape(bytes, at, end));
      const found = scanHex(bytes, start - base, fileEnd - base, scratch, unknown);
      if (found.leftOut) return { gap: 'text', end: fileEnd, code: 'left-out-lines', shape: '' };
      if (found.count < BUFFER_BYTES) {
        if (found.count === 0) return { gap: 'text', end: fileEnd, code: '', shape: '' };
        const shape = `${found.count} of ${BUFFER_BYTES} bytes`;
        return { gap: 'tail', end: fileEnd, code: 'cut-buffer', shape };
      }
      for (let i = 0; i < BUFFER_BYTES; i++) {
        places.start[i] = base + found.start[i]!;
        places.end[i] = base + found.end[i]!;
      }
      capture.bytes = scratch;
      capture.at = 0;
      capture.length = BUFFER_BYTES;
      capture.origin = places.start[0]!;
      capture.places = places;
      capture.end = base + found.stop;
      capture.trailer = found.registersBehind ? 'checkpoints' : 'text';
      const [checkpoint0, checkpoint1] = found.checkpoints;
      capture.checkpoint0 = checkpoint0 ?? 0;
      capture.checkpoint1 = checkpoint1 ?? 0;
      capture.known = Number(checkpoint0 !== undefined) + 2 * Number(checkpoint1 !== undefined);
      return undefined;
    },
  };
}

export interface HexScan {
  /** Bytes found, at most BUFFER_BYTES, and where each begins and ends. */
  readonly count: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** CHKPT0 and CHKPT1. */
  readonly checkpoints: readonly (number | undefined)[];
  /** Registers stand behind the bytes. */
  readonly registersBehind: boolean;
  /** Lines are left out of which nothing says how many belong to this buffer. */
  readonly leftOut: boolean;
  /** Where the next buffer begins, or the text ends. */
  readonly stop: number;
}

/** Words are taken in parts of this many characters, so that a run of digits without end is not read again for each buffer. */
const MOST_CHARACTERS = 1024;

/**
 * Reads one buffer from text[at, to), calls `unknown` with where each word begins and ends that is nothing of this. `inRun`: it starts
 * with bytes, however many digits follow. `bytesAlone`: words of eight digits are four bytes each, as where a line of digits was cut.
 */
export function scanHex(
  text: Uint8Array,
  at: number,
  to: number,
  bytes: Uint8Array,
  unknown: (at: number, end: number) => void,
  inRun = at > 0 && HEX[text[at - 1]!] !== NO_DIGIT,
  bytesAlone = false,
): HexScan {
  const start = new Float64Array(BUFFER_BYTES);
  const end = new Float64Array(BUFFER_BYTES);
  const checkpoints: (number | undefined)[] = [];
  /** The registers that were named and have no value yet. */
  const named: number[] = [];
  /** Registers are named before the bytes: those behind them belong to the next buffer. */
  let inFront = false;
  let registersBehind = false;
  let count = 0;
  /** The last byte was a word of TBREG. */
  let inWords = false;
  /** The last bytes were in a word of more digits than those have: a shorter one may be the rest of them in another line. */
  let inDigits = false;
  // Digits of the numbers without a colon that lines begin with, and where the line that has a number begins in bytes.
  let numbered = 0;
  let lineCount = -1;
  /** Where the digits of the last byte end. */
  let bytesEnd = at;
  /** Where the last of those numbers is. */
  let numberAt = at;
  /** How many bytes were before it; -1 while there was none. */
  let numberCount = -1;
  const scanned = (stop: number): HexScan => ({
    count,
    start,
    end,
    checkpoints,
    registersBehind,
    leftOut: false,
    stop,
  });
  let i = skipBlanks(text, afterMark(text, at, to), to);
  while (i < to) {
    const word = i;
    const isFirst = startsLine(text, word);
    if (isFirst) lineCount = -1;
    if (
      text[i] === HASH ||
      text[i] === BAR ||
      isAngled(text, i, to, bytesEnd) ||
      (lineCount >= 0 && isDrawing(text, i, to, count - lineCount, bytesEnd))
    ) {
      i = skipBlanks(text, lineEnd(text, i, to), to);
      continue;
    }
    if (isFirst && text[i] === ASTERISK && (i + 1 === to || isSeparator(text[i + 1]!))) {
      if (count === BUFFER_BYTES) return scanned(word);
      const next = skipBlanks(text, i + 1, to);
      const isFront = numberCount >= 0 && bytes.subarray(0, count).every((byte) => byte === 0);
      const missing = isFront ? bytesLeftOut(text, numberAt, next, to, count - numberCount) : 0;
      if (missing === 0 || count + missing > BUFFER_BYTES) return { ...scanned(to), leftOut: true };
      bytes.fill(0, count, count + missing);
      start.fill(next, count, count + missing);
      end.fill(next, count, count + missing);
      count += missing;
      i = next;
      continue;
    }
    const most = Math.min(to, word + MOST_CHARACTERS);
    while (i < most && !isSeparator(text[i]!)) i++;
    const next = skipBlanks(text, i, to);
    const digits = text[word] === ZERO && ((text[word + 1] ?? 0) | 0x20) === LOWER_X ? word + 2 : word;
    if (text[i - 1] === COLON && allHex(text, digits, i - 1)) {
      lineCount = count;
      numberAt = word;
      numberCount = count;
      i = next;
      continue;
    }
    const labelled = isFirst ? labelEnd(text, next, to) : 0;
    if (labelled > 0 && allHex(text, digits, i)) {
      lineCount = count;
      numberAt = word;
      numberCount = count;
      i = skipBlanks(text, labelled, to);
      continue;
    }
    const length = i - digits;
    if (named.length > 0 && isRegisterValue(text, word, digits, i)) {
      checkpoints[named.shift()!] = number(text, digits, i);
      i = next;
      continue;
    }
    const register = count === 0 || count === BUFFER_BYTES ? registerNamed(text, word, i) : -1;
    if (register >= 0) {
      if (inFront && count === BUFFER_BYTES) return scanned(word);
      if (count === 0) inFront = true;
      else registersBehind = true;
      named.push(register);
      i = next;
      continue;
    }
    if (named.length > 0 && i === word + 1 && text[word] === EQUALS) {
      i = next;
      continue;
    }
    // Registers stand alone in their lines as well.
    const isRegister =
      length === CHECKPOINT_DIGITS &&
      numberCount >= 0 &&
      number(text, word, i) !== number(text, numberAt, numberAt + length) + count - numberCount;
    const closes = isRegister ? 0 : numbered;
    if (isFirst && isLineNumber(text, word, i, next, to, closes)) {
      numbered = length;
      lineCount = count;
      numberAt = word;
      numberCount = count;
      i = next;
      continue;
    }
    // Digits of a run have nothing behind them either.
    const isRest = inDigits && isFirst && lineEnd(text, i, to) <= next && count + CHECKPOINT_DIGITS / 2 <= BUFFER_BYTES;
    const goesOn =
      digits === word &&
      (bytesAlone || isRest || (word === at ? inRun && i === to : HEX[text[word - 1]!] !== NO_DIGIT));
    if (length <= 0 || !allHex(text, digits, i)) {
      unknown(word, i);
    } else if (length === CHECKPOINT_DIGITS && !goesOn) {
      const value = number(text, digits, i);
      if (count < BUFFER_BYTES && value < 256) {
        bytes[count] = value;
        start[count] = word;
        end[count++] = next;
        bytesEnd = i;
        inWords = true;
      } else if (inWords && value < 256 && isNextBuffer(text, word, to, checkpoints.length)) {
        return scanned(word);
      } else if (count === BUFFER_BYTES && checkpoints.length < 2 && !inFront) {
        checkpoints.push(value);
        registersBehind = true;
      } else unknown(word, i);
    } else if (length % 2 === 0 || (length === 1 && digits !== word)) {
      // The number of a line says what is drawn behind its bytes, so it is left to whoever reads those.
      if (count === BUFFER_BYTES) return scanned(lineCount === count ? numberAt : word);
      const width = Math.min(length, 2);
      for (let digit = digits; digit < i; digit += width) {
        if (count === BUFFER_BYTES) return scanned(digit);
        inWords = false;
        bytesEnd = i;
        inDigits = length > CHECKPOINT_DIGITS || (inDigits && length === CHECKPOINT_DIGITS);
        bytes[count] = number(text, digit, digit + width);
        start[count] = digit === digits ? word : digit;
        end[count++] = digit + width === i ? next : digit + width;
      }
    } else {
      unknown(word, i);
    }
    i = next;
  }
  return scanned(to);
}

/**
 * Bytes of the lines that a dump leaves out because they are like the one before, which has `lineBytes` and its number at `before`;
 * `after` is where the next line begins. 0 where the numbers do not tell: od writes them with seven digits, octal or decimal.
 */
function bytesLeftOut(text: Uint8Array, before: number, after: number, to: number, lineBytes: number): number {
  const digits = numberDigits(text, before, to);
  const bases = digits.length === OD_DIGITS && text[before + OD_DIGITS] !== COLON ? [8, 10] : [16];
  const found = bases
    .filter((base) => bases.length === 1 || countsIn(text, after, to, base))
    .map((base) => numberIn(numberDigits(text, after, to), base) - numberIn(digits, base) - lineBytes)
    .filter((missing) => missing > 0 && missing % lineBytes === 0);
  return found.length === 1 ? found[0]! : 0;
}

const OD_DIGITS = 7;

/** Whether the line at `at` has as many bytes of two digits as the numbers of it and the next one differ by in this base. */
function countsIn(text: Uint8Array, at: number, to: number, base: number): boolean {
  const [own = '', ...bytes] = latin1(text.subarray(at, lineEnd(text, at, to)))
    .trim()
    .replace(/ {2}>.*<$/, '')
    .split(/\s+/);
  const next = numberDigits(text, skipBlanks(text, lineEnd(text, at, to), to), to);
  return numberIn(next, base) - numberIn(own, base) === bytes.filter((byte) => byte.length === 2).length;
}

function numberDigits(text: Uint8Array, at: number, to: number): string {
  let end = at;
  while (end < Math.min(to, at + MOST_NUMBER_DIGITS) && HEX[text[end]!] !== NO_DIGIT) end++;
  return latin1(text.subarray(at, end));
}

const MOST_NUMBER_DIGITS = 16;

/** NaN where it has digits that the base does not. */
function numberIn(digits: string, base: number): number {
  const isOne = base === 16 ? digits !== '' : base === 10 ? /^[0-9]+$/.test(digits) : /^[0-7]+$/.test(digits);
  return isOne ? Number.parseInt(digits, base) : Number.NaN;
}

/** Bytes and registers of a buffer that has them, as words of TBREG. */
const WITH_REGISTERS = BUFFER_BYTES + 2;
/** Buffers behind one that are looked at for whether they have registers. */
const LOOKED_AT = 8;
const ahead = new Uint32Array(LOOKED_AT * WITH_REGISTERS);

/**
 * Whether the word of TBREG at `at`, behind the words of a buffer and so many registers, begins the next buffer. Registers below 256,
 * which nothing but their place tells from bytes, are those of code at address 0 or were never written.
 */
function isNextBuffer(text: Uint8Array, at: number, to: number, registers: number): boolean {
  if (registers > 0) return registers === 2;
  const found = readWords(text, at, to, ahead);
  const words = ahead.subarray(0, found);
  if (words.subarray(0, 2 * BUFFER_BYTES).some((value) => value > 255)) return false;
  if (found < ahead.length) return found % BUFFER_BYTES === 0;
  const bare = endsAmong(words, BUFFER_BYTES);
  const behindRegisters = endsAmong(words, WITH_REGISTERS);
  if (bare !== behindRegisters) return bare > behindRegisters;
  return [0, 1, WITH_REGISTERS, WITH_REGISTERS + 1].some((index) => words[index] !== 0);
}

/** How many buffers of LOOKED_AT end in a message: each with so many words. */
function endsAmong(words: Uint32Array, unit: number): number {
  let ends = 0;
  for (let k = 0; k < LOOKED_AT; k++) if (MESSAGE_OF[words[(k + 1) * unit - 1]!] !== MESSAGE.reserved) ends++;
  return ends;
}

/** Reads words of eight digits from text[at, to) as far as nothing else stands between; returns how many `values` has. */
function readWords(text: Uint8Array, at: number, to: number, values: Uint32Array): number {
  let count = 0;
  for (let i = at; i < to && count < values.length;) {
    const word = i;
    if (text[i] === HASH || text[i] === BAR) i = lineEnd(text, i, to);
    else {
      while (i < to && !isSeparator(text[i]!)) i++;
      const digits = text[word] === ZERO && ((text[word + 1] ?? 0) | 0x20) === LOWER_X ? word + 2 : word;
      if (text[i - 1] !== COLON) {
        if (i - digits !== CHECKPOINT_DIGITS || !allHex(text, digits, i)) break;
        values[count++] = number(text, digits, i);
      }
    }
    i = skipBlanks(text, i, to);
  }
  return count;
}

/** Which register text[at, end) names, as `CHKPT1`, `CHKPT1:` or `XSCALE_CHKPT1`; -1: none. */
function registerNamed(text: Uint8Array, at: number, end: number): number {
  if (end - at > LONGEST_NAME) return -1;
  const digit = /^(?:XSCALE_)?CHKPT_?([01])[:=]?$/i.exec(latin1(text.subarray(at, end)))?.[1];
  return digit === undefined ? -1 : Number(digit);
}

const LONGEST_NAME = 16;

/** Whether text[at, end), digits from `digits` on, is what a register holds: eight digits, or with 0x up to eight. */
function isRegisterValue(text: Uint8Array, at: number, digits: number, end: number): boolean {
  const length = end - digits;
  const fits = digits > at ? length > 0 && length <= CHECKPOINT_DIGITS : length === CHECKPOINT_DIGITS;
  return fits && allHex(text, digits, end);
}

/** Whether nothing but blanks stands before it in its line. */
function startsLine(text: Uint8Array, at: number): boolean {
  let before = at;
  while (before > 0 && (text[before - 1] === SPACE || text[before - 1] === TAB)) before--;
  return before === 0 || text[before - 1] === LF || text[before - 1] === CR;
}

/**
 * Whether text[at, end), the first word of its line, is the number of the line's first byte: six to eight digits before a byte, or,
 * behind lines that have one, the number alone with which a dump ends.
 */
function isLineNumber(text: Uint8Array, at: number, end: number, next: number, to: number, numbered: number): boolean {
  if (end - at < 6 || end - at > CHECKPOINT_DIGITS || !allHex(text, at, end)) return false;
  const alone = lineEnd(text, end, to) <= next;
  if (alone) return end - at === numbered;
  return allHex(text, next, next + 2) && (next + 2 >= to || isSeparator(text[next + 2]!));
}

/** Past the `<symbol+8>:` at `at` that debuggers put behind an address, 0 where there is none. */
function labelEnd(text: Uint8Array, at: number, to: number): number {
  if (text[at] !== LESS) return 0;
  const most = Math.min(to, at + MOST_CHARACTERS);
  for (let i = at + 1; i + 1 < most && text[i] !== LF; i++) if (text[i] === MORE && text[i + 1] === COLON) return i + 2;
  return 0;
}

/** Whether `>..<`, as od's -t x1z draws a line's bytes, begins at `at`, apart from the digits, which end at `digitsEnd`. */
function isAngled(text: Uint8Array, at: number, to: number, digitsEnd: number): boolean {
  if (text[at] !== MORE || at < digitsEnd + 2) return false;
  let end = lineEnd(text, at, to);
  if (text[end - 1] === CR) end--;
  return text[end - 1] === LESS;
}

/**
 * Whether the word at `at` is among the letters that draw a line's `count` bytes, one for each: they end with the line and stand apart
 * from the digits, which end at `digitsEnd`. Blanks may be letters as well.
 */
function isDrawing(text: Uint8Array, at: number, to: number, count: number, digitsEnd: number): boolean {
  if (count <= 0 || at < digitsEnd + 2) return false;
  // From `at` on there are at most all of the letters.
  const most = Math.min(to, at + count);
  let end = at;
  while (end < most && text[end] !== LF && text[end] !== CR) end++;
  if (end < to && text[end] !== LF && text[end] !== CR) return false;
  const start = end - count;
  if (start < digitsEnd + 2) return false;
  for (let i = digitsEnd; i < start; i++) if (text[i] !== SPACE) return false;
  return true;
}

function isSeparator(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === LF || byte === CR || byte === COMMA;
}

function skipBlanks(text: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isSeparator(text[at]!)) at++;
  return at;
}

function lineEnd(text: Uint8Array, from: number, to: number): number {
  const lf = text.indexOf(LF, from);
  return lf < 0 || lf >= to ? to : lf;
}

function allHex(text: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (HEX[text[at]!] === NO_DIGIT) return false;
  return true;
}

function number(text: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) value = value * 16 + HEX[text[at]!]!;
  return value;
}
