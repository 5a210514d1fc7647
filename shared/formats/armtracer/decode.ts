/**
 * The lines of a window as columns: the hot path of Tracer text.
 *
 * Lines as their writer prints them (eight letters, single blanks, nothing behind the data) go through one inlined pass
 * without calls, which accepts only what it has checked byte by byte; everything else is read by `line.ts`, which gives
 * the same columns for those shapes. The pass never steps over a byte that could be a line end, runs only on lines whose
 * LF lies in the window, and looks at most REACH bytes ahead of a line's start before it has seen that LF.
 */
import { FLAG, NO_CPU, reserve, type Batch } from '../../records/batch.ts';
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
import { lineShape } from '../../format/diagnostics.ts';
import { indexIn, LONG_LINE, type Window } from '../../format/format.ts';
import { keepText, LINE_DIAGNOSTICS } from '../../format/lines.ts';
import { KIND, MOVES } from '../../records/record.ts';
import { assert } from '../../base/result.ts';
import { CODE, FIRST_ACCESS, isThumbLine, kindOf, LETTERS, NO_LETTER, widthOf } from './codes.ts';
import { CPSR_BIT, SPSR_BIT, type RegisterSets } from './register-sets.ts';
import { putValue } from './values.ts';
import { createLine, FAULT, isFirstHeaderLine, isHeaderLine, readLine, STAMP, SUFFIX } from './line.ts';
import { trimEnd } from './tokens.ts';

/** Codes of the diagnostics counted here, and the sentence for each. */
export const DIAGNOSTICS = {
  ...LINE_DIAGNOSTICS,
  'data-size': 'The data has not two digits for each byte of the size in the letters; the letters are trusted.',
  'missing-data': 'The access has neither data nor (wait) or (abort); it is kept without a value.',
  'opcode-size': 'The opcode has neither four nor eight digits; it is kept as it is.',
  'event-number': 'The event has no number; its words are kept.',
  'register-list': 'The list names an unknown register, or lacks a comma or digits; it is read as far as it goes.',
  'trailing-text': 'Something unknown follows the record; it is kept as its text.',
  'other-width':
    'The letters are not as many as this dialect writes; they are read all the same, the option dialect says which to expect.',
} as const;

/** Bits of the `flags` column that are this format's own. */
export const OWN_FLAG = { wentBack: 1 << 8 } as const;

/** The last time stamp in front of a place; NO_TIME before the first. */
export const NO_TIME = -1;

/** How many letters a dialect's words of accesses have. */
export interface Widths {
  readonly least: number;
  readonly most: number;
}

/** How a trace is decoded. */
export interface Ways {
  readonly widths: Widths;
  /** The lowest byte of a value lies at its address. */
  readonly little: boolean;
  readonly sets: RegisterSets;
}

/** How far the pass looks ahead of a line's start, and of a place in a list, before it has seen the line's end. */
const REACH = 96;
const LIST_REACH = 32;
const STAMP_COLUMNS = 12;
const LONGEST_VALUE = 8;
const MOST_WORD_DIGITS = 8;

// The letters that the pass knows: all but those of cycles without a transfer, in the case in which they are written.
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

/** Fills the batch from window.position on, moves the position, and returns the last time there. */
export function decodeLines(window: Window, entryTime: number, { widths, little, sets }: Ways, batch: Batch): number {
  const { bytes, base, length } = window;
  const stop = indexIn(window, window.end);
  assert(stop <= length, 'a window holds the start of every record of its block');
  const capacity = batch.kind.length;
  const { start: starts, end: ends, time: times, kind: kinds, native: natives } = batch;
  const { addressLow: lows, addressHigh: highs, size: sizes, cpu: cpus, flags, registers, valueAt: valueAts } = batch;
  const heap = batch.values;
  reserve(heap, LONGEST_VALUE);
  let values = heap.bytes;
  let valueEnd = heap.length;
  const lastLineFeed = length === 0 ? -1 : bytes.lastIndexOf(LF, length - 1);
  const fastEnd = Math.min(lastLineFeed, length - REACH);
  const { least, most } = widths;

  let lastTime = entryTime;
  let row = batch.count;
  let at = indexIn(window, window.position);
  // A batch is also full when it holds as many gaps, or memory would grow with their number.
  while (at < stop && row < capacity && batch.gaps.length < capacity) {
    fast: {
      if (at > fastEnd) break fast;
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
          // Digits above the size would be those of a bus.
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
            // The second word lies at address + 4.
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
        if (bytes[p] === SPACE) while (bytes[++p] !== LF);
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
        if (bytes[p] === SPACE) while (bytes[++p] !== LF);
        native = CODE.E;
      } else if (first === UPPER_R) {
        // `R r14=20000060, cpsr=200000d3`
        if (bytes[++p] !== SPACE) break fast;
        let mask = 0;
        for (;;) {
          if (++p > length - LIST_REACH) break fast;
          const letter = bytes[p]!;
          if (letter === LOWER_R) {
            const digit = (bytes[p + 1]! - ZERO) >>> 0;
            if (digit > 9) break fast;
            p += 2;
            const second = (bytes[p]! - ZERO) >>> 0;
            if (digit === 1 && second < 6) {
              mask |= 1 << (10 + second);
              p++;
            } else mask |= 1 << digit;
          } else {
            if ((letter !== LOWER_C && letter !== LOWER_S) || bytes[p + 1] !== LOWER_P) break fast;
            if (bytes[p + 2] !== LOWER_S || bytes[p + 3] !== LOWER_R) break fast;
            mask |= letter === LOWER_C ? CPSR_BIT : SPSR_BIT;
            p += 4;
          }
          if (bytes[p] !== EQUALS) break fast;
          let bad = 0;
          for (let i = p + 1; i < p + 9; i++) bad |= HEX[bytes[i]!]!;
          // Seeing each value whole before going on keeps the pass inside the line.
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
    batch.count = row;
    heap.length = valueEnd;
    const found = at > lastLineFeed ? -1 : bytes.indexOf(LF, at);
    const end = found >= 0 ? found + 1 : base + length < window.fileEnd ? window.lastLineEnd - base : length;
    lastTime = decodeCarefully(window, at, end, found >= 0, lastTime, { widths, little, sets }, batch);
    row = batch.count;
    reserve(heap, LONGEST_VALUE);
    values = heap.bytes;
    valueEnd = heap.length;
    at = end;
  }
  batch.count = row;
  heap.length = valueEnd;
  window.position = base + at;
  return lastTime;
}

/** A letter table of its own: each letter is `step` more than the one before. */
function summands(letters: string, step: number): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    const index = letters.indexOf(String.fromCharCode(byte));
    return index < 0 ? NO_LETTER : index * step;
  });
}

/** The letter table with these letters only. */
function only(table: Int32Array, letters: string): Int32Array {
  return table.map((summand, byte) => (letters.includes(String.fromCharCode(byte)) ? summand : NO_LETTER));
}

const line = createLine();

/** Any line from `at` to `end` (its line end included): one record, or a gap. Returns the last time behind it. */
function decodeCarefully(
  window: Window,
  at: number,
  end: number,
  ended: boolean,
  lastTime: number,
  { widths, little, sets }: Ways,
  batch: Batch,
): number {
  const { bytes, base } = window;
  const long = end - at > LONG_LINE;
  assert(long || end <= window.length, 'a window holds LONG_LINE bytes of its last line');
  const to = long ? at : trimEnd(bytes, at, end);
  if (to === at && !long) {
    batch.gaps.push({ name: 'blank', start: base + at, end: base + end });
    return lastTime;
  }
  if (!long && isHeaderLine(bytes, at, to)) {
    batch.gaps.push({ name: 'header', start: base + at, end: base + end });
    return isFirstHeaderLine(bytes, at, to) ? NO_TIME : lastTime;
  }
  const row = batch.count++;
  batch.start[row] = base + at;
  batch.end[row] = base + end;
  if (long || !readLine(bytes, at, to, line)) {
    keepText(batch, row, CODE.OTHER);
    const code = long ? 'long-line' : ended ? 'unknown-line' : 'cut-line';
    // Text between the records is no broken record: what a debugger logs belongs there.
    if (code !== 'unknown-line') batch.flags[row] = FLAG.malformed;
    batch.diagnostics.add(code, base + at, batch.first + row, lineShape(bytes, at, long ? end : to));
    return lastTime;
  }
  fillColumns(batch, row, lastTime);
  putValue(batch, row, bytes, line, little);
  batch.registers[row] = kindOf(line.native) === KIND.register ? sets.ofList(bytes, line.textAt, line.textEnd) : 0;
  if (line.faults !== 0) countFaults(bytes, at, to, batch, row);
  if (isOtherWidth(widths)) {
    batch.diagnostics.add('other-width', base + at, batch.first + row, `${widthOf(line.native)} letters`);
  }
  return line.stamp === STAMP.own ? line.time : lastTime;
}

function isOtherWidth({ least, most }: Widths): boolean {
  const width = widthOf(line.native);
  return width !== 0 && (width < least || width > most);
}

function fillColumns(batch: Batch, row: number, lastTime: number): void {
  const own = line.stamp === STAMP.own;
  const known = line.stamp === STAMP.asBefore && lastTime >= 0;
  batch.time[row] = own ? line.time : known ? lastTime : Number.NaN;
  batch.kind[row] = kindOf(line.native);
  batch.native[row] = line.native;
  batch.addressLow[row] = line.hasAddress ? line.address : 0;
  batch.addressHigh[row] = 0;
  batch.size[row] = line.size;
  batch.cpu[row] = NO_CPU;
  batch.flags[row] =
    (line.hasAddress ? FLAG.address : 0) |
    ((line.suffixes & (SUFFIX.abort | SUFFIX.wait)) === 0 ? 0 : FLAG.noEffect) |
    (line.faults === 0 ? 0 : FLAG.malformed) |
    (own && line.time < lastTime ? OWN_FLAG.wentBack : 0);
}

const FAULT_CODES: readonly (readonly [number, keyof typeof DIAGNOSTICS])[] = [
  [FAULT.dataSize, 'data-size'],
  [FAULT.missingData, 'missing-data'],
  [FAULT.opcodeSize, 'opcode-size'],
  [FAULT.eventNumber, 'event-number'],
  [FAULT.registerList, 'register-list'],
  [FAULT.trailingText, 'trailing-text'],
];

function countFaults(bytes: Uint8Array, at: number, to: number, batch: Batch, row: number): void {
  for (const [bit, code] of FAULT_CODES)
    if ((line.faults & bit) !== 0)
      batch.diagnostics.add(code, batch.start[row]!, batch.first + row, lineShape(bytes, at, to));
}
