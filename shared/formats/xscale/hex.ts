/**
 * A buffer as hexadecimal text: 256 bytes of two digits each, apart by blanks, commas or line ends or not at all, then,
 * if they were kept, CHKPT0 and CHKPT1 with eight digits each. Then the next buffer.
 *
 *     00000000: 00 00 80 00 90 83 ff 85    # a word that ends in a colon counts lines, and a # begins a comment
 *     0x22, 0x81
 *
 * The spans of two-digit bytes include what separates them from the next one; everything else is text between the entries.
 */
import { afterMark, COLON, CR, HEX, LF, NO_DIGIT, SPACE, TAB, ZERO, LOWER_X } from '../../characters.ts';
import { lineShape } from '../../diagnostics.ts';
import { BUFFER_BYTES } from '../../xscale/messages.ts';
import type { Container } from './capture.ts';

const HASH = 35;
const COMMA = 44;
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
      capture.trailer = found.checkpoints.length > 0 ? 'checkpoints' : 'text';
      capture.checkpoint0 = found.checkpoints[0] ?? 0;
      capture.checkpoint1 = found.checkpoints[1] ?? 0;
      capture.known = (1 << found.checkpoints.length) - 1;
      return undefined;
    },
  };
}

export interface HexScan {
  /** Bytes found, at most BUFFER_BYTES, and where each begins and ends. */
  readonly count: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly checkpoints: readonly number[];
  /** Where the next buffer begins, or the text ends. */
  readonly stop: number;
}

/** Words are taken in parts of this many characters, so that a run of digits without end is not read again for each buffer. */
const MOST_CHARACTERS = 1024;

/** Reads one buffer from text[at, to), calls `unknown` with where each word begins and ends that is nothing of this. `inRun`: it starts with bytes, however many digits follow. */
export function scanHex(
  text: Uint8Array,
  at: number,
  to: number,
  bytes: Uint8Array,
  unknown: (at: number, end: number) => void,
  inRun = at > 0 && HEX[text[at - 1]!] !== NO_DIGIT,
): HexScan {
  const start = new Float64Array(BUFFER_BYTES);
  const end = new Float64Array(BUFFER_BYTES);
  const checkpoints: number[] = [];
  let count = 0;
  let i = skipBlanks(text, afterMark(text, at, to), to);
  while (i < to) {
    const word = i;
    if (text[i] === HASH) {
      i = skipBlanks(text, lineEnd(text, i, to), to);
      continue;
    }
    const most = Math.min(to, word + MOST_CHARACTERS);
    while (i < most && !isSeparator(text[i]!)) i++;
    const next = skipBlanks(text, i, to);
    if (text[i - 1] === COLON && allHex(text, word, i - 1)) {
      i = next;
      continue;
    }
    const digits = text[word] === ZERO && ((text[word + 1] ?? 0) | 0x20) === LOWER_X ? word + 2 : word;
    const length = i - digits;
    const goesOn = digits === word && (word === at ? inRun : HEX[text[word - 1]!] !== NO_DIGIT);
    if (length <= 0 || !allHex(text, digits, i)) {
      unknown(word, i);
    } else if (length === CHECKPOINT_DIGITS && !goesOn) {
      if (count === BUFFER_BYTES && checkpoints.length < 2) checkpoints.push(number(text, digits, i));
      else unknown(word, i);
    } else if (length % 2 === 0 || (length === 1 && digits !== word)) {
      if (count === BUFFER_BYTES) return { count, start, end, checkpoints, stop: word };
      const width = Math.min(length, 2);
      for (let digit = digits; digit < i; digit += width) {
        if (count === BUFFER_BYTES) return { count, start, end, checkpoints, stop: digit };
        bytes[count] = number(text, digit, digit + width);
        start[count] = digit === digits ? word : digit;
        end[count++] = digit + width === i ? next : digit + width;
      }
    } else {
      unknown(word, i);
    }
    i = next;
  }
  return { count, start, end, checkpoints, stop: to };
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
