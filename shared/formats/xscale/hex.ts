/**
 * Container of buffers as hexadecimal text. A buffer is 256 bytes of two digits, separated by blanks, commas, line ends or nothing, or 256
 * words of TBREG with eight digits. CHKPT0 and CHKPT1 may follow with eight digits each. A register with a name (`CHKPT1 = 0x8130`) may
 * also precede the bytes.
 *
 *     00000000: 00 00 80 00 90 83 ff 85    # a word that ends in a colon is an offset, and # begins a comment
 *     0x22, 0x81
 *
 * Dumps of hexdump, od, xxd and debuggers are accepted. The offset of a line may lack its colon. The column that repeats the bytes as
 * characters is skipped: between | and |, between > and < after two blanks, or one character per byte after two blanks in a line with an
 * offset.
 *
 * The span of a two-digit byte includes the separators after it; everything else is text between the entries.
 */
import { afterMark, COLON, CR, HEX, LF, NO_DIGIT, SPACE, TAB, ZERO, LOWER_X } from '../../base/characters.ts';
import { latin1 } from '../../base/bytes.ts';
import { hexEnd, hexOf } from '../../base/scan.ts';
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
  /** Number of bytes found, at most BUFFER_BYTES, and the index of the start and end of each. */
  readonly count: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** CHKPT0 and CHKPT1. */
  readonly checkpoints: readonly (number | undefined)[];
  /** Checkpoint registers follow the bytes. */
  readonly registersBehind: boolean;
  /** The dump leaves out lines, and their number is not known. */
  readonly leftOut: boolean;
  /** Index of the next buffer, or of the end of the text. */
  readonly stop: number;
}

/** Longest part of a word that is read at once, so that an endless run of digits is not scanned again for each buffer. */
const MOST_CHARACTERS = 1024;

/**
 * Reads one buffer from text[at, to) and calls `unknown` with the start and end of each word that does not belong to it. `inRun`: the text
 * starts inside a run of digits. `bytesAlone`: words of eight digits are four bytes each, as in a line of digits that was cut.
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
  /** Registers that were named and have no value yet. */
  const named: number[] = [];
  /** Registers were named before the bytes, so registers after the bytes belong to the next buffer. */
  let inFront = false;
  let registersBehind = false;
  let count = 0;
  /** The last byte was a word of TBREG. */
  let inWords = false;
  /** The last bytes were in a word of more than eight digits: a shorter word may be its rest in the next line. */
  let inDigits = false;
  // Number of digits of line offsets without a colon, and the byte count at the start of the current line if it has an offset.
  let numbered = 0;
  let lineCount = -1;
  /** Index after the digits of the last byte. */
  let bytesEnd = at;
  /** Index of the last line offset. */
  let numberAt = at;
  /** Number of bytes before that offset; -1 if there was none. */
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
  let i = skipSeparators(text, afterMark(text, at, to), to);
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
      i = skipSeparators(text, lineEnd(text, i, to), to);
      continue;
    }
    if (isFirst && text[i] === ASTERISK && (i + 1 === to || isSeparator(text[i + 1]!))) {
      if (count === BUFFER_BYTES) return scanned(word);
      const next = skipSeparators(text, i + 1, to);
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
    const next = skipSeparators(text, i, to);
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
      i = skipSeparators(text, labelled, to);
      continue;
    }
    const length = i - digits;
    if (named.length > 0 && isRegisterValue(text, word, digits, i)) {
      checkpoints[named.shift()!] = hexOf(text, digits, i);
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
    // Registers may be alone in their lines, like the offset that ends a dump.
    const isRegister =
      length === CHECKPOINT_DIGITS &&
      numberCount >= 0 &&
      hexOf(text, word, i) !== hexOf(text, numberAt, numberAt + length) + count - numberCount;
    const closes = isRegister ? 0 : numbered;
    if (isFirst && isLineNumber(text, word, i, next, to, closes)) {
      numbered = length;
      lineCount = count;
      numberAt = word;
      numberCount = count;
      i = next;
      continue;
    }
    // A word of eight digits alone in its line may also be the rest of a run of digits.
    const isRest = inDigits && isFirst && lineEnd(text, i, to) <= next && count + CHECKPOINT_DIGITS / 2 <= BUFFER_BYTES;
    const goesOn =
      digits === word &&
      (bytesAlone || isRest || (word === at ? inRun && i === to : HEX[text[word - 1]!] !== NO_DIGIT));
    if (length <= 0 || !allHex(text, digits, i)) {
      unknown(word, i);
    } else if (length === CHECKPOINT_DIGITS && !goesOn) {
      const value = hexOf(text, digits, i);
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
      // The offset of a line is needed to skip its character column, so the next buffer starts with it.
      if (count === BUFFER_BYTES) return scanned(lineCount === count ? numberAt : word);
      const width = Math.min(length, 2);
      for (let digit = digits; digit < i; digit += width) {
        if (count === BUFFER_BYTES) return scanned(digit);
        inWords = false;
        bytesEnd = i;
        inDigits = length > CHECKPOINT_DIGITS || (inDigits && length === CHECKPOINT_DIGITS);
        bytes[count] = hexOf(text, digit, digit + width);
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
 * Returns the number of bytes in the lines that a dump leaves out because they equal the previous line. That line has `lineBytes` bytes and
 * its offset at `before`; the next line begins at `after`. Returns 0 if offsets are ambiguous: od writes seven digits, octal or decimal.
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

/** Returns true if the line at `at` has as many two-digit bytes as its offset and the next one differ by in this base. */
function countsIn(text: Uint8Array, at: number, to: number, base: number): boolean {
  const [own = '', ...bytes] = latin1(text.subarray(at, lineEnd(text, at, to)))
    .trim()
    .replace(/ {2}>.*<$/, '')
    .split(/\s+/);
  const next = numberDigits(text, skipSeparators(text, lineEnd(text, at, to), to), to);
  return numberIn(next, base) - numberIn(own, base) === bytes.filter((byte) => byte.length === 2).length;
}

function numberDigits(text: Uint8Array, at: number, to: number): string {
  return latin1(text.subarray(at, hexEnd(text, at, Math.min(to, at + MOST_NUMBER_DIGITS))));
}

const MOST_NUMBER_DIGITS = 16;

/** Returns NaN if a digit does not exist in the base. */
function numberIn(digits: string, base: number): number {
  const isOne = base === 16 ? digits !== '' : base === 10 ? /^[0-9]+$/.test(digits) : /^[0-7]+$/.test(digits);
  return isOne ? Number.parseInt(digits, base) : Number.NaN;
}

/** Words of TBREG in a buffer with registers. */
const WITH_REGISTERS = BUFFER_BYTES + 2;
/** Number of following buffers that decide whether buffers have registers. */
const LOOKED_AT = 8;
const ahead = new Uint32Array(LOOKED_AT * WITH_REGISTERS);

/**
 * Returns true if the word of TBREG at `at` begins the next buffer. It follows the words of a buffer and `registers` registers. Only their
 * position distinguishes registers below 256 from bytes: they belong to code at address 0 or were never written.
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

/** Counts the buffers of LOOKED_AT, with `unit` words each, that end in a message. */
function endsAmong(words: Uint32Array, unit: number): number {
  let ends = 0;
  for (let k = 0; k < LOOKED_AT; k++) if (MESSAGE_OF[words[(k + 1) * unit - 1]!] !== MESSAGE.reserved) ends++;
  return ends;
}

/** Reads words of eight digits from text[at, to) until something else follows. Returns the number of values. */
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
        values[count++] = hexOf(text, digits, i);
      }
    }
    i = skipSeparators(text, i, to);
  }
  return count;
}

/** Returns the register that text[at, end) names, as in `CHKPT1`, `CHKPT1:` or `XSCALE_CHKPT1`; -1 if none. */
function registerNamed(text: Uint8Array, at: number, end: number): number {
  if (end - at > LONGEST_NAME) return -1;
  const digit = /^(?:XSCALE_)?CHKPT_?([01])[:=]?$/i.exec(latin1(text.subarray(at, end)))?.[1];
  return digit === undefined ? -1 : Number(digit);
}

const LONGEST_NAME = 16;

/** Returns true if text[at, end), whose digits start at `digits`, is a register value: eight digits, or up to eight after 0x. */
function isRegisterValue(text: Uint8Array, at: number, digits: number, end: number): boolean {
  const length = end - digits;
  const fits = digits > at ? length > 0 && length <= CHECKPOINT_DIGITS : length === CHECKPOINT_DIGITS;
  return fits && allHex(text, digits, end);
}

/** Returns true if only blanks precede it in its line. */
function startsLine(text: Uint8Array, at: number): boolean {
  let before = at;
  while (before > 0 && (text[before - 1] === SPACE || text[before - 1] === TAB)) before--;
  return before === 0 || text[before - 1] === LF || text[before - 1] === CR;
}

/**
 * Returns true if text[at, end), the first word of its line, is the offset of the line: six to eight digits before a byte, or the offset
 * alone that ends a dump with such offsets.
 */
function isLineNumber(text: Uint8Array, at: number, end: number, next: number, to: number, numbered: number): boolean {
  if (end - at < 6 || end - at > CHECKPOINT_DIGITS || !allHex(text, at, end)) return false;
  const alone = lineEnd(text, end, to) <= next;
  if (alone) return end - at === numbered;
  return allHex(text, next, next + 2) && (next + 2 >= to || isSeparator(text[next + 2]!));
}

/** Returns the index after the `<symbol+8>:` at `at`, which debuggers write after an address; 0 if there is none. */
function labelEnd(text: Uint8Array, at: number, to: number): number {
  if (text[at] !== LESS) return 0;
  const most = Math.min(to, at + MOST_CHARACTERS);
  for (let i = at + 1; i + 1 < most && text[i] !== LF; i++) if (text[i] === MORE && text[i + 1] === COLON) return i + 2;
  return 0;
}

/** Returns true if the character column `>..<` of od -t x1z begins at `at`, two blanks or more after the digits, which end at `digitsEnd`. */
function isAngled(text: Uint8Array, at: number, to: number, digitsEnd: number): boolean {
  if (text[at] !== MORE || at < digitsEnd + 2) return false;
  let end = lineEnd(text, at, to);
  if (text[end - 1] === CR) end--;
  return text[end - 1] === LESS;
}

/**
 * Returns true if the word at `at` is in a column of one character for each of the line's `count` bytes. The column ends with the line and
 * begins two blanks or more after the digits, which end at `digitsEnd`. It may contain blanks.
 */
function isDrawing(text: Uint8Array, at: number, to: number, count: number, digitsEnd: number): boolean {
  if (count <= 0 || at < digitsEnd + 2) return false;
  // At most all of the characters follow `at`.
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

function skipSeparators(text: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isSeparator(text[at]!)) at++;
  return at;
}

function lineEnd(text: Uint8Array, from: number, to: number): number {
  const lf = text.indexOf(LF, from);
  return lf < 0 || lf >= to ? to : lf;
}

function allHex(text: Uint8Array, from: number, to: number): boolean {
  return hexEnd(text, from, to) >= to;
}
