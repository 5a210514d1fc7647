/**
 * Fast pass over the most common lines of Fast Models, gem5, cycle models and RTL: the hot path of all dialects but QEMU4V.
 *
 *     53 clk [cpu0] IT (53) 00008068[:000000008068_NS] e59f0060 A svc_s : LDR r0,[pc,#0x60]
 *     53 clk [cpu0] MR8 0000c7c8[:00000000c7c8] 00000000_0000ca68
 *     53 clk [cpu0] R X0 0000000000008004
 *        17000 ns ES (00000000:e59ff018) A svc: LDR pc,{pc}+0x20
 *                 LD 00000020 ........ ........ ........ 00000080 0000000020 NM
 *                 BR (00000080) A
 *                 R R1 (USR) 00000800
 *     3041 cyc IT (00022a7c:00000006) 00022a7c 48f6 T16 LDR r0,[pc,#984]
 *     3037 cyc MNR4O__I 00022ae4 f7ffffcb
 *
 * It checks every byte and gives the same columns as `line/read.ts`. It needs no bounds checks, because it never steps over a byte that
 * can be a line end. A line without a time gets the time of the previous line, as in `untimed.ts`. Numbers are read inline: a call per
 * field makes V8 look up every column again after it.
 */
import { FLAG, NO_CPU, reserve } from '../../../records/batch.ts';
import {
  CLOSE,
  COLON,
  CR,
  DOT,
  HEX,
  LF,
  LOWER_C,
  LOWER_N,
  LOWER_P,
  LOWER_R,
  LOWER_S,
  LOWER_U,
  LOWER_X,
  NO_DIGIT,
  OPEN,
  SPACE,
  TAB,
  UNDERSCORE,
  UPPER_A,
  UPPER_B,
  UPPER_C,
  UPPER_D,
  UPPER_E,
  UPPER_I,
  UPPER_L,
  UPPER_M,
  UPPER_N,
  UPPER_R,
  UPPER_S,
  UPPER_T,
  UPPER_W,
  UPPER_X,
  ZERO,
} from '../../../base/characters.ts';
import { LONG_LINE } from '../../../format/format.ts';
import type { ReadPlainLines } from '../../../format/lines.ts';
import { KIND } from '../../../records/record.ts';
import { OTHER, readCode, REGISTER, rtlCode, rtlKind, SKIPPED, TAKEN, WORD, writeCode } from '../codes.ts';
import { createKnownTails } from './known-tails.ts';
import { holdsRecord } from '../line/rest.ts';
import { LOST_NAME, type RegisterNames } from './register-names.ts';
import type { Endian } from '../line/value.ts';

/** State that a decoder carries from line to line. */
export interface Carried {
  /** Time of the last line that contains one; NaN if there is none or if it is not exact. */
  time: number;
  /** File offset of that line; -1 before the first one. */
  at: number;
  /** WORD.LD or WORD.ST after such a line; otherwise OTHER. */
  access: number;
}

/** A double sums up times of up to this many digits exactly. */
const EXACT_DIGITS = 15;
const POWERS = Float64Array.from({ length: EXACT_DIGITS + 1 }, (_, digits) => 10 ** digits);
const SHORT_CPU = 4;
const SHORT_OPCODE = 16;
/** Number of bytes that an LD or ST line shows. */
const SHOWN = 16;
/** Size of the longest value that the pass reads: sizes have up to two digits. */
const ROOM = 100;

const INSTRUCTION = KIND.instruction;
const SKIPPED_KIND = KIND.skipped;
const READ = KIND.read;
const WRITE = KIND.write;
const REGISTER_KIND = KIND.register;
const BRANCH = KIND.branch;
const EVENT = KIND.event;
const { ES, LD, ST, BR } = WORD;

export function createPlainReader(endian: Endian, names: RegisterNames, carried: Carried): ReadPlainLines {
  const little = endian === 'little';
  /** Tails of IT and IS lines with one and with two numbers in parentheses, and of ES lines. */
  const takenTails = createKnownTails();
  const pairTails = createKnownTails();
  const executedTails = createKnownTails();
  return (bytes, start, stop, _safe, base, batch) => {
    const capacity = batch.kind.length;
    const starts = batch.start;
    const ends = batch.end;
    const times = batch.time;
    const kinds = batch.kind;
    const natives = batch.native;
    const lows = batch.addressLow;
    const highs = batch.addressHigh;
    const sizes = batch.size;
    const cpus = batch.cpu;
    const flags = batch.flags;
    const targetLows = batch.targetLow;
    const targetHighs = batch.targetHigh;
    const registers = batch.registers;
    const valueAts = batch.valueAt;
    const heap = batch.values;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let values = heap.bytes;
    let valueEnd = heap.length;
    let last = carried.time;
    let lastLine = -1;
    let access = carried.access;
    let row = batch.count;
    let at = start;
    while (at < stop && row < capacity) {
      fast: {
        let p = at;
        let mark: number = FLAG.timeAssumed;
        let time = last;
        let cpu = NO_CPU;
        while (bytes[p] === SPACE) p++;
        let digit = (bytes[p]! - ZERO) >>> 0;
        if (digit < 10) {
          const first = p;
          time = digit;
          for (;;) {
            digit = (bytes[++p]! - ZERO) >>> 0;
            if (digit > 9) break;
            time = time * 10 + digit;
          }
          let digits = p - first;
          if (bytes[p] === DOT) {
            const fraction = p;
            while ((digit = (bytes[++p]! - ZERO) >>> 0) < 10) time = time * 10 + digit;
            digits += p - fraction - 1;
            if (p - fraction < 2 || digits > EXACT_DIGITS) break fast;
            time /= POWERS[p - fraction - 1]!;
          }
          // A unit of two or three letters. Only ns, us, ps or cs may follow the time without a blank.
          if (digits > EXACT_DIGITS) break fast;
          if (bytes[p] !== SPACE) {
            const letter = bytes[p];
            if (letter !== LOWER_N && letter !== LOWER_U && letter !== LOWER_P && letter !== LOWER_C) break fast;
            if (bytes[p + 1] !== LOWER_S || bytes[p + 2] !== SPACE) break fast;
            p--;
          }
          if (((bytes[++p]! | 0x20) - 97) >>> 0 > 25 || ((bytes[++p]! | 0x20) - 97) >>> 0 > 25) break fast;
          if (bytes[++p] !== SPACE && (((bytes[p]! | 0x20) - 97) >>> 0 > 25 || bytes[++p] !== SPACE)) break fast;
          mark = 0;
          while (bytes[++p] === SPACE);
          if (bytes[p] === LOWER_C) {
            if (bytes[++p] !== LOWER_P || bytes[++p] !== LOWER_U) break fast;
            const number = ++p;
            cpu = 0;
            for (; (digit = (bytes[p]! - ZERO) >>> 0) < 10; p++) cpu = cpu * 10 + digit;
            if (p === number || p - number > SHORT_CPU || bytes[p] !== SPACE) break fast;
            p++;
          }
        }
        let kind: number;
        let native: number;
        let low = 0;
        let high = 0;
        let size = 0;
        let register = 0;
        /** Start of the row's value; the heap is free after `valueNext`. */
        let valueAt = valueEnd;
        let valueNext = valueEnd;
        if (valueEnd + ROOM > values.length) {
          heap.length = valueEnd;
          reserve(heap, ROOM);
          values = heap.bytes;
        }
        const word = bytes[p]!;
        const second = bytes[p + 1]!;
        // RTL words of the bus and the core have the same form.
        switch (word === UPPER_B && (second === UPPER_N || second === UPPER_S) ? UPPER_M : word) {
          case UPPER_R: {
            // `R name value`, `R name (USR) value`
            if (bytes[++p] !== SPACE || bytes[++p]! <= SPACE) break fast;
            const name = p;
            while (bytes[++p]! > SPACE);
            if (bytes[p] !== SPACE) break fast;
            const nameEnd = p;
            let note = 0;
            let noteEnd = 0;
            if (bytes[++p] === OPEN) {
              note = p + 1;
              while (bytes[++p]! > SPACE && bytes[p] !== CLOSE);
              if (p === note || bytes[p] !== CLOSE || bytes[++p] !== SPACE) break fast;
              noteEnd = p++ - 1;
            }
            if (HEX[bytes[p]!] === NO_DIGIT) break fast;
            const value = p;
            while (HEX[bytes[++p]!] !== NO_DIGIT || (bytes[p] === UNDERSCORE && HEX[bytes[p + 1]!] !== NO_DIGIT));
            const letter = bytes[name]! | 0x20;
            const digits = p - value;
            if (letter === LOWER_R ? digits !== 8 : letter === LOWER_X ? digits !== 16 : digits !== 8 && digits < 16)
              break fast;
            register = names.numberOf(bytes, name, nameEnd, note, noteEnd);
            if (register === LOST_NAME) break fast;
            kind = REGISTER_KIND;
            native = REGISTER;
            break;
          }
          case UPPER_M: {
            // `MR4 address data`, perhaps with an attribute letter and a physical address
            const write = bytes[++p] === UPPER_W;
            if (!write && bytes[p] !== UPPER_R) {
              // `MNR4O__I address data`
              native = rtlCode(bytes, p - 1, p + 7);
              if (native === OTHER || mark !== 0) break fast;
              size = (bytes[p + 2]! - ZERO) >>> 0;
              kind = rtlKind(native);
              if (size > 8 || kind === EVENT) break fast;
              p += 7;
              if (bytes[p] !== SPACE) break fast;
              const address = ++p;
              for (; (digit = HEX[bytes[p]!]!) !== NO_DIGIT; p++) {
                high = (high << 4) | (low >>> 28);
                low = (low << 4) | digit;
              }
              if (p === address || p - address > 16 || bytes[p] !== SPACE) break fast;
              const port = bytes[address - 2];
              let data = ++p;
              if (HEX[bytes[p]!] === NO_DIGIT) break fast;
              while (HEX[bytes[++p]!] !== NO_DIGIT);
              mark |= FLAG.address;
              if (port === UPPER_I || port === UPPER_A || p - data !== 2 * size) break;
              const backward = port !== UPPER_D && little;
              let to = backward ? valueEnd + size - 1 : valueEnd;
              const step = backward ? -1 : 1;
              for (; data < p; data += 2, to += step) values[to] = (HEX[bytes[data]!]! << 4) | HEX[bytes[data + 1]!]!;
              mark |= FLAG.value;
              valueNext += size;
              break;
            }
            size = (bytes[++p]! - ZERO) >>> 0;
            if (size > 9) break fast;
            digit = (bytes[++p]! - ZERO) >>> 0;
            if (digit < 10) {
              size = size * 10 + digit;
              p++;
            }
            const letter = bytes[p];
            if (letter === UPPER_X || letter === UPPER_T || letter === UPPER_L) p++;
            if (bytes[p] !== SPACE) break fast;
            const address = ++p;
            for (; (digit = HEX[bytes[p]!]!) !== NO_DIGIT; p++) {
              high = (high << 4) | (low >>> 28);
              low = (low << 4) | digit;
            }
            if (p === address || p - address > 16) break fast;
            if (bytes[p] === COLON) {
              const physical = ++p;
              while (HEX[bytes[p]!] !== NO_DIGIT) p++;
              if (p === physical || p - physical > 16) break fast;
              if (bytes[p] === UNDERSCORE) {
                if (bytes[++p] === UPPER_N) p++;
                if (bytes[p] !== UPPER_S) break fast;
                p++;
              }
            }
            if (bytes[p] !== SPACE) break fast;
            if (size === 0) break fast;
            p++;
            let to = little ? valueEnd + size - 1 : valueEnd;
            const step = little ? -1 : 1;
            for (let left = size; left > 0; left--) {
              let upper = HEX[bytes[p]!]!;
              if (upper === NO_DIGIT && bytes[p] === UNDERSCORE && left < size) upper = HEX[bytes[++p]!]!;
              if (upper === NO_DIGIT) break fast;
              const lower = HEX[bytes[++p]!]!;
              if (lower === NO_DIGIT) break fast;
              values[to] = (upper << 4) | lower;
              to += step;
              p++;
            }
            valueNext += size;
            kind = write ? WRITE : READ;
            native = write ? writeCode(size) : readCode(size);
            mark |= FLAG.address | FLAG.value;
            break;
          }
          case UPPER_I: {
            // `IT (1) address opcode A svc : text`
            const taken = bytes[++p] === UPPER_T;
            if (!taken && bytes[p] !== UPPER_S) break fast;
            if (bytes[++p] !== SPACE || bytes[++p] !== OPEN) break fast;
            const bracket = p + 1;
            while ((bytes[++p]! - ZERO) >>> 0 < 10);
            let pair = false;
            if (bytes[p] !== CLOSE) {
              while (HEX[bytes[p]!] !== NO_DIGIT) p++;
              if (p === bracket || bytes[p] !== COLON || HEX[bytes[++p]!] === NO_DIGIT) break fast;
              while (HEX[bytes[++p]!] !== NO_DIGIT);
              pair = true;
            }
            if (p === bracket || bytes[p] !== CLOSE || bytes[++p] !== SPACE) break fast;
            const address = ++p;
            for (; (digit = HEX[bytes[p]!]!) !== NO_DIGIT; p++) {
              high = (high << 4) | (low >>> 28);
              low = (low << 4) | digit;
            }
            if (p === address || p - address > 16) break fast;
            const tails = pair ? pairTails : takenTails;
            const tail = p;
            const known = tails.entryAt(view, tail, low >>> 0, high >>> 0);
            if (known !== 0) {
              size = tails.sizes[known]!;
              p = tail + tails.lengths[known]! - 1;
            } else {
              if (bytes[p] === COLON) {
                const physical = ++p;
                while (HEX[bytes[p]!] !== NO_DIGIT) p++;
                if (p === physical || p - physical > 16) break fast;
                if (bytes[p] === UNDERSCORE) {
                  if (bytes[++p] === UPPER_N) p++;
                  if (bytes[p] !== UPPER_S) break fast;
                  p++;
                }
              }
              if (bytes[p] !== SPACE) break fast;
              const opcode = p + 1;
              while (HEX[bytes[++p]!] !== NO_DIGIT);
              const digits = p - opcode;
              if (digits < 2 || digits > SHORT_OPCODE || (digits & 1) !== 0 || bytes[p] !== SPACE) break fast;
              // R can be the word of a register line.
              if (bytes[++p] === UPPER_R || ((bytes[p]! | 0x20) - 97) >>> 0 > 25) break fast;
              if (bytes[++p] === SPACE) {
                // An optional mode before the colon. Its end affects no column, so a colon in it does not matter.
                if (bytes[++p]! <= SPACE) break fast;
                if (bytes[p] !== COLON || bytes[p + 1] !== SPACE) {
                  while (bytes[++p]! > SPACE);
                  if (bytes[p] !== SPACE || bytes[++p] !== COLON) break fast;
                }
              } else {
                // T16 or T32, followed by the text
                if (!pair || bytes[p - 1] !== UPPER_T || (bytes[p]! - ZERO) >>> 0 > 9) break fast;
                if ((bytes[++p]! - ZERO) >>> 0 > 9 || bytes[++p] !== SPACE || bytes[p + 1]! <= SPACE) break fast;
                if (bytes[p + 1] === COLON) break fast;
              }
              const text = p;
              while (bytes[++p] !== LF);
              if (holdsRecord(bytes, text, p)) break fast;
              size = digits >>> 1;
              tails.keep(bytes, tail, p + 1, low >>> 0, high >>> 0, size);
            }
            kind = taken ? INSTRUCTION : SKIPPED_KIND;
            native = taken ? TAKEN : SKIPPED;
            mark |= FLAG.address;
            break;
          }
          case UPPER_E: {
            // `ES (address:opcode) A svc: text`
            if (bytes[++p] !== UPPER_S) break fast;
            while (bytes[++p] === SPACE);
            if (bytes[p - 1] !== SPACE || bytes[p] !== OPEN) break fast;
            const address = ++p;
            for (; (digit = HEX[bytes[p]!]!) !== NO_DIGIT; p++) {
              high = (high << 4) | (low >>> 28);
              low = (low << 4) | digit;
            }
            if (p === address || p - address > 16 || bytes[p] !== COLON) break fast;
            const tail = p;
            const known = executedTails.entryAt(view, tail, low >>> 0, high >>> 0);
            if (known !== 0) {
              size = executedTails.sizes[known]!;
              p = tail + executedTails.lengths[known]! - 1;
            } else {
              const opcode = p + 1;
              while (HEX[bytes[++p]!] !== NO_DIGIT);
              const digits = p - opcode;
              if (digits === 0 || digits > SHORT_OPCODE || (digits & 1) !== 0 || bytes[p] !== CLOSE) break fast;
              while (bytes[++p] === SPACE);
              // R is the word of a register line that follows, as in `R V0<127:64> ..`, not an instruction set.
              if (bytes[p] === UPPER_R || ((bytes[p]! | 0x20) - 97) >>> 0 > 25 || bytes[++p] !== SPACE) break fast;
              while (bytes[++p] === SPACE);
              // The mode, directly followed by its colon. CCFAIL may begin the text.
              while (bytes[p]! > SPACE && bytes[p] !== COLON) p++;
              if (bytes[p] !== COLON) break fast;
              while (bytes[++p] === SPACE);
              if (bytes[p] === TAB || (bytes[p] === UPPER_C && bytes[p + 1] === UPPER_C)) break fast;
              const text = p;
              for (; bytes[p] !== LF; p++);
              if (holdsRecord(bytes, text, p)) break fast;
              size = digits >>> 1;
              executedTails.keep(bytes, tail, p + 1, low >>> 0, high >>> 0, size);
            }
            kind = INSTRUCTION;
            native = ES;
            mark |= FLAG.address;
            break;
          }
          case UPPER_L:
          case UPPER_S: {
            // `LD address ........ ........ ........ 00000080 rest`
            const load = bytes[p] === UPPER_L;
            if (bytes[++p] !== (load ? UPPER_D : UPPER_T)) break fast;
            while (bytes[++p] === SPACE);
            if (bytes[p - 1] !== SPACE) break fast;
            const address = p;
            for (; (digit = HEX[bytes[p]!]!) !== NO_DIGIT; p++) {
              high = (high << 4) | (low >>> 28);
              low = (low << 4) | digit;
            }
            if (p === address || p - address > 16 || bytes[p] !== SPACE) break fast;
            let lowest = 0;
            let highest = -1;
            let accessed = 0;
            for (let left = SHOWN - 1; left >= 0; left--) {
              while (bytes[p] === SPACE) p++;
              const first = bytes[p]!;
              if (first === DOT) {
                if (bytes[p + 1] !== DOT) break fast;
              } else {
                const upper = HEX[first]!;
                const lower = HEX[bytes[p + 1]!]!;
                if (((upper | lower) & NO_DIGIT) !== 0) break fast;
                if (highest < 0) highest = left;
                lowest = left;
                accessed++;
                values[valueEnd + left] = (upper << 4) | lower;
              }
              p += 2;
            }
            if (bytes[p] !== SPACE) break fast;
            while (bytes[p] === SPACE) p++;
            // A physical address, `S:..` or attributes follow. A unit would make the last of the bytes a time.
            if (bytes[p]! >= UPPER_A && bytes[p] !== UPPER_N && (bytes[p] !== UPPER_S || bytes[p + 1] !== COLON))
              break fast;
            const text = p;
            while (bytes[p] !== LF) p++;
            if (holdsRecord(bytes, text, p)) break fast;
            const sum = (low >>> 0) + lowest;
            low = sum >>> 0;
            if (sum > 0xffffffff) high++;
            size = highest < 0 ? 0 : highest - lowest + 1;
            if (accessed === size && size > 0) {
              mark |= FLAG.value;
              valueAt += lowest;
              valueNext = valueAt + size;
            }
            kind = load ? READ : WRITE;
            native = load ? LD : ST;
            mark |= FLAG.address;
            break;
          }
          case UPPER_B: {
            // `BR (target) A`
            if (bytes[++p] !== UPPER_R || bytes[++p] !== SPACE || bytes[++p] !== OPEN) break fast;
            const target = ++p;
            for (; (digit = HEX[bytes[p]!]!) !== NO_DIGIT; p++) {
              high = (high << 4) | (low >>> 28);
              low = (low << 4) | digit;
            }
            if (p === target || p - target > 16 || bytes[p] !== CLOSE || bytes[++p] !== SPACE) break fast;
            if (((bytes[++p]! | 0x20) - 97) >>> 0 > 25) break fast;
            p++;
            targetLows[row] = low;
            targetHighs[row] = high;
            low = high = 0;
            kind = BRANCH;
            native = BR;
            mark |= FLAG.target;
            break;
          }
          default:
            break fast;
        }
        if (bytes[p] !== LF && (bytes[p] !== CR || bytes[++p] !== LF)) break fast;
        p++;
        if (p - at > LONG_LINE) break fast;
        if ((mark & FLAG.timeAssumed) === 0) {
          last = time;
          lastLine = at;
        }
        access = native === LD || native === ST ? native : OTHER;
        starts[row] = base + at;
        ends[row] = base + p;
        times[row] = time;
        kinds[row] = kind;
        natives[row] = native;
        lows[row] = low;
        highs[row] = high;
        sizes[row] = size;
        cpus[row] = cpu;
        flags[row] = mark;
        registers[row] = register;
        valueAts[row] = valueAt;
        valueEnd = valueNext;
        row++;
        at = p;
        continue;
      }
      break;
    }
    batch.count = row;
    heap.length = valueEnd;
    carried.access = access;
    if (lastLine >= 0) {
      carried.time = last;
      carried.at = base + lastLine;
    }
    return at;
  };
}
