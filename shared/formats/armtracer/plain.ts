/**
 * Fast pass over lines in exactly the form that their writers print: the hot path of Tracer text.
 *
 *     MNR4O___ 00008000 E28F8090
 *
 * becomes a row with kind `fetch`, address 0x8000 and the four bytes of the value. Single blanks and nothing after the data are required.
 * The pass checks every byte and gives the same columns as `read.ts`, which reads all other lines. It never steps over a byte that can be
 * a line end, and it reads at most REACH bytes past the start of a line before it finds the line's LF. Numbers are read inline: a call
 * per field makes V8 look up every column again after it.
 */
import { FLAG, NO_CPU, reserve } from '../../records/batch.ts';
import {
  CLOSE,
  COMMA,
  CR,
  EQUALS,
  HEX,
  LF,
  LOWER_A,
  LOWER_C,
  LOWER_I,
  LOWER_P,
  LOWER_R,
  LOWER_S,
  LOWER_T,
  LOWER_W,
  NO_DIGIT,
  OPEN,
  SPACE,
  UNDERSCORE,
  UPPER_B,
  UPPER_C,
  UPPER_D,
  UPPER_E,
  UPPER_I,
  UPPER_M,
  UPPER_O,
  UPPER_R,
  UPPER_S,
  UPPER_T,
  UPPER_W,
  UPPER_X,
  ZERO,
} from '../../base/characters.ts';
import { LONG_LINE } from '../../format/format.ts';
import { MOVES } from '../../records/record.ts';
import { CODE, FIRST_ACCESS, isThumbLine, kindOf, LETTERS, NO_LETTER, OWN_FLAG } from './codes.ts';
import { CPSR_BIT, type RegisterSets, SPSR_BIT } from './register-sets.ts';
import { endOfWords } from './words.ts';
import type { ReadPlainLines } from '../../format/lines.ts';

/** Value of `Carried.time` before the first time stamp. */
export const NO_TIME = -1;

/** State that the decoder carries from line to line: the time of the last time stamp. */
export interface Carried {
  time: number;
}

/** Minimum and maximum number of letters in a dialect's access words. */
export interface Widths {
  readonly least: number;
  readonly most: number;
}

/** Settings of a decoder, and its numbers of register sets. */
export interface Rules {
  readonly widths: Widths;
  /** The lowest byte of a value is at its address. */
  readonly little: boolean;
  readonly sets: RegisterSets;
}

/** Number of bytes that the pass reads past the start of a line, and past an item of a list, before it has found the line end. */
const REACH = 96;
const LIST_REACH = 32;
const STAMP_COLUMNS = 12;
const LONGEST_VALUE = 8;
const MOST_WORD_DIGITS = 8;

// The letters that the pass accepts: upper case, except those of cycles without a transfer.
const BUS = LETTERS[0]![UPPER_B]!;
const TYPE = only(LETTERS[1]!, 'NS');
const DIRECTION = only(LETTERS[2]!, 'RW');
const SIZE = only(LETTERS[3]!, '1248');
const OPCODE = only(LETTERS[4]!, '_O');
const LOCK = only(LETTERS[5]!, '_L');
const SPECULATION = only(LETTERS[6]!, '_S');
const EIGHTH = only(LETTERS[7]!, '_D48r');
const NINTH = only(LETTERS[8]!, '_48r');

// The letters of the architectural form: `MR4`, `IAP`.
const PLAIN_LETTERS = 3;
const PLAIN_SIZE = summands('1248', 1);
const PLAIN_SET = summands('ATJX', CODE.ITP - CODE.IAP);
const PLAIN_PASS = summands('PF', CODE.IAF - CODE.IAP);

export function createPlainReader({ widths, little, sets }: Rules, carried: Carried): ReadPlainLines {
  const { least, most } = widths;
  return (bytes, start, stop, safe, base, batch) => {
    const capacity = batch.kind.length;
    const { start: starts, end: ends, time: times, kind: kinds, native: natives } = batch;
    const { addressLow: lows, addressHigh: highs, size: sizes, cpu: cpus, flags, registers, valueAt: valueAts } = batch;
    const heap = batch.values;
    reserve(heap, LONGEST_VALUE);
    let values = heap.bytes;
    let valueEnd = heap.length;
    const fastEnd = Math.min(stop, safe - REACH);
    let lastTime = carried.time;
    let row = batch.count;
    let at = start;
    while (at < fastEnd && row < capacity) {
      fast: {
        let p = at;
        let first = bytes[p]!;
        let time = Number.NaN;
        let nextTime = lastTime;
        let mark = 0;
        if (first === UPPER_T) {
          // `T 0000001A  `
          if (bytes[p + 1] !== SPACE || bytes[p + 10] !== SPACE || bytes[p + 11] !== SPACE) break fast;
          let bad = 0;
          let value = 0;
          for (let i = p + 2; i < p + 10; i++) {
            const digit = HEX[bytes[i]!]!;
            bad |= digit;
            value = (value << 4) | digit;
          }
          if (bad >= NO_DIGIT) break fast;
          time = value >>> 0;
          if (time < lastTime) mark = OWN_FLAG.wentBack;
          nextTime = time;
          p += STAMP_COLUMNS;
          first = bytes[p]!;
        } else if (first === SPACE) {
          while (bytes[++p] === SPACE) if (p - at > STAMP_COLUMNS) break fast;
          if (lastTime >= 0) time = lastTime;
          first = bytes[p]!;
        }
        let native: number;
        let low = 0;
        let size = 0;
        let register = 0;
        let valueBytes = 0;
        const second = bytes[p + 1]!;
        if ((first === UPPER_M || first === UPPER_B) && (second === UPPER_I || second === UPPER_C)) {
          // `MI`, `MIO`, `MC`
          native = (first === UPPER_M ? CODE.MI : CODE.BI) + (second === UPPER_C ? CODE.MC - CODE.MI : 0);
          p += 2;
          if (bytes[p] === UPPER_O) {
            native += CODE.MIO - CODE.MI;
            p++;
          }
        } else if ((first === UPPER_M || first === UPPER_X) && (second === UPPER_R || second === UPPER_W)) {
          // `MR4 00008000 e28f8090`
          native = (first === UPPER_M ? CODE.MR1 : CODE.XR1) + (second === UPPER_W ? CODE.MW1 - CODE.MR1 : 0);
          native += PLAIN_SIZE[bytes[p + 2]!]!;
          if (native >= NO_LETTER || bytes[p + 3] !== SPACE || least > PLAIN_LETTERS) break fast;
          size = bytes[p + 2]! - ZERO;
          p += 4;
          let bad = 0;
          for (let i = p; i < p + 8; i++) {
            const digit = HEX[bytes[i]!]!;
            bad |= digit;
            low = (low << 4) | digit;
          }
          if (bad >= NO_DIGIT || bytes[p + 8] !== SPACE) break fast;
          p += 9;
          let value = 0;
          for (let i = p; i < p + 8; i++) {
            const digit = HEX[bytes[i]!]!;
            bad |= digit;
            value = (value << 4) | digit;
          }
          if (bad >= NO_DIGIT) break fast;
          p += 8;
          mark |= FLAG.address;
          if (first === UPPER_X) mark |= FLAG.noEffect;
          else if (size <= 4 && (size === 4 || value >>> (8 * size) === 0)) {
            // Digits beyond the size would be those of a bus.
            for (let i = 0; i < size; i++, value >>>= 8) values[valueEnd + (little ? i : size - 1 - i)] = value;
            valueBytes = size;
          }
        } else if (first === UPPER_M || first === UPPER_B) {
          native =
            FIRST_ACCESS +
            (first === UPPER_B ? BUS : 0) +
            TYPE[second]! +
            DIRECTION[bytes[p + 2]!]! +
            SIZE[bytes[p + 3]!]! +
            OPCODE[bytes[p + 4]!]! +
            LOCK[bytes[p + 5]!]! +
            SPECULATION[bytes[p + 6]!]!;
          size = bytes[p + 3]! - ZERO;
          let letters = 7;
          if (bytes[p + 7] !== SPACE) {
            const eighth = bytes[p + 7]!;
            native += EIGHTH[eighth]!;
            letters = 8;
            if (bytes[p + 8] !== SPACE) {
              if (eighth !== UNDERSCORE && eighth !== UPPER_D) break fast;
              native += NINTH[bytes[p + 8]!]!;
              letters = 9;
            }
          }
          if (native >= NO_LETTER || letters < least || letters > most) break fast;
          p += letters;
          if (bytes[p] !== SPACE) break fast;
          p++;
          let bad = 0;
          for (let i = p; i < p + 8; i++) {
            const digit = HEX[bytes[i]!]!;
            bad |= digit;
            low = (low << 4) | digit;
          }
          if (bad >= NO_DIGIT || bytes[p + 8] !== SPACE) break fast;
          p += 9;
          if (bytes[p] === OPEN) {
            if (bytes[p + 1] !== LOWER_W || bytes[p + 2] !== LOWER_A || bytes[p + 3] !== LOWER_I) break fast;
            if (bytes[p + 4] !== LOWER_T || bytes[p + 5] !== CLOSE) break fast;
            p += 6;
            mark |= FLAG.noEffect;
          } else {
            const word = size === 8 ? 4 : size;
            const step = little ? -1 : 1;
            let to = little ? valueEnd + word - 1 : valueEnd;
            for (let i = 0; i < word; i++, p += 2, to += step) {
              const upper = HEX[bytes[p]!]!;
              const lower = HEX[bytes[p + 1]!]!;
              bad |= upper | lower;
              values[to] = (upper << 4) | lower;
            }
            if (size === 8) {
              // The second word is at address + 4.
              if (bad >= NO_DIGIT || bytes[p] !== SPACE) break fast;
              p++;
              to = little ? valueEnd + 7 : valueEnd + 4;
              for (let i = 0; i < 4; i++, p += 2, to += step) {
                const upper = HEX[bytes[p]!]!;
                const lower = HEX[bytes[p + 1]!]!;
                bad |= upper | lower;
                values[to] = (upper << 4) | lower;
              }
            }
            if (bad >= NO_DIGIT) break fast;
            valueBytes = size;
          }
          mark |= FLAG.address;
        } else if (first === UPPER_I) {
          // `IT 00008000 e28f8090 ADD ..`
          if (bytes[p + 2] === SPACE) {
            if (second !== UPPER_T && second !== UPPER_S) break fast;
            native = second === UPPER_T ? CODE.IT : CODE.IS;
            p += 3;
          } else {
            // `IAP 00008000 e28f8090  ADD ..`
            native = CODE.IAP + PLAIN_SET[second]! + PLAIN_PASS[bytes[p + 2]!]!;
            if (native >= NO_LETTER || bytes[p + 3] !== SPACE || least > PLAIN_LETTERS) break fast;
            p += 4;
          }
          let bad = 0;
          for (let i = p; i < p + 8; i++) {
            const digit = HEX[bytes[i]!]!;
            bad |= digit;
            low = (low << 4) | digit;
          }
          if (bad >= NO_DIGIT || bytes[p + 8] !== SPACE) break fast;
          const opcode = p + 9;
          p = opcode;
          while (HEX[bytes[p]!] !== NO_DIGIT) p++;
          const digits = p - opcode;
          if (digits !== 8 && digits !== 4) break fast;
          size = digits >>> 1;
          if (size === 4 && isThumbLine(native) && bytes[opcode] === ZERO) break fast;
          p = endOfWords(bytes, p);
          if (p < 0) break fast;
          mark |= FLAG.address;
        } else if (first === UPPER_E) {
          // `E 00008000 00000000 10002 `
          if (bytes[p + 1] !== SPACE || bytes[p + 10] !== SPACE || bytes[p + 19] !== SPACE) break fast;
          let bad = 0;
          for (let i = p + 2; i < p + 10; i++) bad |= HEX[bytes[i]!]!;
          for (let i = p + 11; i < p + 19; i++) bad |= HEX[bytes[i]!]!;
          if (bad >= NO_DIGIT) break fast;
          const number = p + 20;
          p = number;
          while (HEX[bytes[p]!] !== NO_DIGIT) p++;
          if (p === number || p - number > MOST_WORD_DIGITS) break fast;
          p = endOfWords(bytes, p);
          if (p < 0) break fast;
          native = CODE.E;
        } else if (first === UPPER_R) {
          // `R r14=20000060, cpsr=200000d3`
          if (bytes[++p] !== SPACE) break fast;
          let mask = 0;
          for (;;) {
            let bit: number;
            if (++p > safe - LIST_REACH) break fast;
            const letter = bytes[p]!;
            if (letter === LOWER_R) {
              const digit = (bytes[p + 1]! - ZERO) >>> 0;
              if (digit > 9) break fast;
              p += 2;
              const second = (bytes[p]! - ZERO) >>> 0;
              if (digit === 1 && second < 6) {
                bit = 1 << (10 + second);
                p++;
              } else bit = 1 << digit;
            } else {
              if ((letter !== LOWER_C && letter !== LOWER_S) || bytes[p + 1] !== LOWER_P) break fast;
              if (bytes[p + 2] !== LOWER_S || bytes[p + 3] !== LOWER_R) break fast;
              bit = letter === LOWER_C ? CPSR_BIT : SPSR_BIT;
              p += 4;
            }
            // The writer lists registers in order.
            if (bit <= mask || bytes[p] !== EQUALS) break fast;
            mask |= bit;
            let bad = 0;
            for (let i = p + 1; i < p + 9; i++) bad |= HEX[bytes[i]!]!;
            // Checking each whole value first keeps the pass inside the line.
            if (bad >= NO_DIGIT) break fast;
            p += 9;
            if (bytes[p] !== COMMA) break;
            if (bytes[++p] !== SPACE) break fast;
          }
          native = CODE.R;
          time = Number.NaN;
          if (nextTime !== lastTime || mark !== 0) break fast;
          register = sets.ofMask(mask);
        } else break fast;
        while (bytes[p] === SPACE) p++;
        if (bytes[p] !== LF && (bytes[p] !== CR || bytes[++p] !== LF)) break fast;
        p++;
        if (p - at > LONG_LINE) break fast;
        lastTime = nextTime;
        starts[row] = base + at;
        ends[row] = base + p;
        times[row] = time;
        kinds[row] = kindOf(native);
        natives[row] = native;
        lows[row] = low;
        highs[row] = 0;
        sizes[row] = size;
        cpus[row] = NO_CPU;
        flags[row] = valueBytes === 0 || MOVES[kinds[row]!] === 0 ? mark : mark | FLAG.value;
        registers[row] = register;
        valueAts[row] = valueEnd;
        valueEnd += valueBytes;
        if (valueEnd + LONGEST_VALUE > values.length) {
          heap.length = valueEnd;
          reserve(heap, LONGEST_VALUE);
          values = heap.bytes;
        }
        row++;
        at = p;
        continue;
      }
      break;
    }
    batch.count = row;
    heap.length = valueEnd;
    carried.time = lastTime;
    return at;
  };
}

/** Returns a table in which each letter counts `step` more than the previous one. */
function summands(letters: string, step: number): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    const index = letters.indexOf(String.fromCharCode(byte));
    return index < 0 ? NO_LETTER : index * step;
  });
}

/** Returns a letter table restricted to the given letters. */
function only(table: Int32Array, letters: string): Int32Array {
  return table.map((summand, byte) => (letters.includes(String.fromCharCode(byte)) ? summand : NO_LETTER));
}
