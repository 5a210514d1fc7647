/**
 * The lines of a window as columns: the hot path of QEMU4V text.
 *
 * Lines of the shape that the writers of this format print go through one inlined pass without calls; it accepts only
 * what it has checked byte by byte. Whatever differs in the least is read by `read.ts`, which gives the same columns for
 * those shapes. The pass needs no bounds checks: it never steps over a byte that could be a line end, and it only runs
 * on lines whose LF is known to lie in the window.
 */
import type { Batch } from '../../records/batch.ts';
import { FLAG, NO_CPU, reserve } from '../../records/batch.ts';
import { LONG_LINE } from '../../format/format.ts';
import type { Window } from '../../format/format.ts';
import { decodeLines, type ReadPlainLines } from '../../format/lines.ts';
import { KIND } from '../../records/record.ts';
import {
  CLOSE,
  COLON,
  CR,
  HEX,
  LF,
  LOWER_C,
  LOWER_K,
  LOWER_L,
  NO_DIGIT,
  OPEN,
  SPACE,
  UPPER_I,
  UPPER_L,
  UPPER_M,
  UPPER_R,
  UPPER_S,
  UPPER_T,
  UPPER_W,
  UPPER_X,
  ZERO,
} from '../../base/characters.ts';
import { OTHER, readCode, REGISTER, SKIPPED, TAKEN, writeCode } from './codes.ts';
import { columnCpu, countFaults, fillColumns, fillContents, isInstruction } from './columns.ts';
import { createLine } from './line/line.ts';
import { createRegisterNames, type RegisterNames } from './line/names.ts';
import { readLine } from './read.ts';
import type { Endian } from './line/value.ts';

const INSTRUCTION = KIND.instruction;
const SKIPPED_KIND = KIND.skipped;
const READ = KIND.read;
const WRITE = KIND.write;
const REGISTER_KIND = KIND.register;

/** Times of up to this many digits are summed up exactly in a double. */
const EXACT_DIGITS = 15;
/** The fast pass knows cpu numbers of up to this many digits: they fit the column. */
const SHORT_CPU = 4;
/** The fast pass knows opcodes of up to this many digits. */
const SHORT_OPCODE = 16;

/** By two characters, the first one low, as they are read from a word: the byte that they spell as hexadecimal digits, else -1. */
const HEX_PAIR = new Int16Array(65536).map((_, pair) => {
  const upper = HEX[pair & 255]!;
  const lower = HEX[pair >>> 8]!;
  return upper === NO_DIGIT || lower === NO_DIGIT ? -1 : (upper << 4) | lower;
});

/** What four hexadecimal digits spell; negative where one is none. */
function spelled(characters: number): number {
  return (HEX_PAIR[characters & 0xffff]! << 8) | HEX_PAIR[characters >>> 16]!;
}

/** Fills the batch from window.position on, moves the position; takes the cpu of the last instruction line before it that named a source and returns that at its end. NO_CPU before the first, and where the name has no number. */
export type DecodeQemu = (window: Window, cpu: number, batch: Batch) => number;

export function createQemuDecoder(endian: Endian): DecodeQemu {
  /** The last cpu while a window is decoded. */
  const carried: Carried = { cpu: NO_CPU };
  const names = createRegisterNames();
  const line = createLine();
  const plain = createPlainReader(endian, names, carried);
  return (window, cpu, batch) => {
    carried.cpu = cpu;
    decodeLines(window, batch, OTHER, read, plain);
    return carried.cpu;
  };

  function read(bytes: Uint8Array, at: number, to: number, batch: Batch, row: number): boolean {
    if (!readLine(bytes, at, to, 'qemu4v', line)) return false;
    const named = line.cpuEnd > line.cpuAt;
    fillColumns(batch, row, line, carried.cpu, Number.NaN, named ? 0 : FLAG.cpuAssumed);
    fillContents(batch, row, bytes, line, endian, names);
    // A name without a number is that of a processor too, and not of the one before.
    if (named && isInstruction(line.kind)) carried.cpu = line.cpu;
    if (line.faults !== 0) countFaults(bytes, at, to, batch, row, line.faults);
    return true;
  }
}

function swapped(value: number): number {
  return (value << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24);
}

interface Carried {
  cpu: number;
}

function createPlainReader(endian: Endian, names: RegisterNames, carried: Carried): ReadPlainLines {
  const little = endian === 'little';
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
    const registers = batch.registers;
    const valueAts = batch.valueAt;
    const heap = batch.values;
    let values = heap.bytes;
    let words = new Int32Array(values.buffer, values.byteOffset, values.length >>> 2);
    let valueEnd = heap.length;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    /** Up to here nine bytes lie in the window. */
    const reach = bytes.length - 9;
    let cpu = carried.cpu;
    let assumed = columnCpu(cpu);
    let row = batch.count;
    let at = start;
    while (at < stop && row < capacity) {
      fast: {
        // Time.
        let p = at;
        let digit = (bytes[p]! - ZERO) >>> 0;
        if (digit > 9) break fast;
        let time = digit;
        for (;;) {
          digit = (bytes[++p]! - ZERO) >>> 0;
          if (digit > 9) break;
          time = time * 10 + digit;
        }
        if (p - at > EXACT_DIGITS) break fast;
        // ` clk `
        if (bytes[p] !== SPACE || bytes[p + 1] !== LOWER_C || bytes[p + 2] !== LOWER_L) break fast;
        if (bytes[p + 3] !== LOWER_K || bytes[p + 4] !== SPACE) break fast;
        p += 5;
        let kind: number;
        let native: number;
        let low = 0;
        let high = 0;
        let size: number;
        let mark: number;
        let rowCpu: number;
        let register = 0;
        let valueBytes = 0;
        const word = bytes[p]!;
        if (word === UPPER_R) {
          // `R name value`
          if (bytes[++p] !== SPACE || bytes[++p]! <= SPACE) break fast;
          const name = p;
          while (bytes[++p]! > SPACE);
          const nameEnd = p;
          if (bytes[p] !== SPACE || HEX[bytes[++p]!] === NO_DIGIT) break fast;
          while (HEX[bytes[++p]!] !== NO_DIGIT);
          register = names.numberOf(bytes, name, nameEnd, 0, 0);
          kind = REGISTER_KIND;
          native = REGISTER;
          size = 0;
          mark = FLAG.cpuAssumed;
          rowCpu = assumed;
        } else if (word === UPPER_M) {
          // `MR4 address data`, perhaps with an attribute letter
          const write = bytes[++p] === UPPER_W;
          if (!write && bytes[p] !== UPPER_R) break fast;
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
          const upper = p <= reach ? spelled(view.getInt32(p, true)) : -1;
          const lower = upper < 0 ? -1 : spelled(view.getInt32(p + 4, true));
          if (lower >= 0 && bytes[p + 8] === SPACE) {
            low = (upper << 16) | lower;
            p += 8;
          } else {
            for (; (digit = HEX[bytes[p]!]!) !== NO_DIGIT; p++) {
              high = (high << 4) | (low >>> 28);
              low = (low << 4) | digit;
            }
          }
          if (p === address || p - address > 16 || bytes[p] !== SPACE || size === 0) break fast;
          // Where they may lie as words: those who go through values then do so by words.
          if (size >= 4) valueEnd = (valueEnd + 3) & ~3;
          if (valueEnd + size > values.length) {
            heap.length = valueEnd;
            reserve(heap, size);
            values = heap.bytes;
            words = new Int32Array(values.buffer, values.byteOffset, values.length >>> 2);
          }
          p++;
          if (size === 4 && p <= reach) {
            const first = spelled(view.getInt32(p, true));
            const second = spelled(view.getInt32(p + 4, true));
            if ((first | second) < 0) break fast;
            const value = (first << 16) | second;
            words[valueEnd >>> 2] = little ? value : swapped(value);
            p += 8;
          } else {
            let to = little ? valueEnd + size - 1 : valueEnd;
            const step = little ? -1 : 1;
            for (let left = size; left > 0; left--) {
              const upper = HEX[bytes[p]!]!;
              if (upper === NO_DIGIT) break fast;
              const lower = HEX[bytes[++p]!]!;
              if (lower === NO_DIGIT) break fast;
              values[to] = (upper << 4) | lower;
              to += step;
              p++;
            }
          }
          valueBytes = size;
          kind = write ? WRITE : READ;
          native = write ? writeCode(size) : readCode(size);
          mark = FLAG.address | FLAG.value | FLAG.cpuAssumed;
          rowCpu = assumed;
        } else {
          // `0 IT (1) address opcode A svc : text`
          rowCpu = (word - ZERO) >>> 0;
          if (rowCpu > 9) break fast;
          const cpuAt = p;
          for (;;) {
            digit = (bytes[++p]! - ZERO) >>> 0;
            if (digit > 9) break;
            rowCpu = rowCpu * 10 + digit;
          }
          if (p - cpuAt > SHORT_CPU || bytes[p] !== SPACE || bytes[++p] !== UPPER_I) break fast;
          const taken = bytes[++p] === UPPER_T;
          if (!taken && bytes[p] !== UPPER_S) break fast;
          if (bytes[++p] !== SPACE || bytes[++p] !== OPEN || (bytes[++p]! - ZERO) >>> 0 > 9) break fast;
          while ((bytes[++p]! - ZERO) >>> 0 < 10);
          if (bytes[p] !== CLOSE || bytes[++p] !== SPACE) break fast;
          const address = ++p;
          const upper = p <= reach ? spelled(view.getInt32(p, true)) : -1;
          const lower = upper < 0 ? -1 : spelled(view.getInt32(p + 4, true));
          if (lower >= 0 && bytes[p + 8] === SPACE) {
            low = (upper << 16) | lower;
            p += 8;
          } else {
            for (; (digit = HEX[bytes[p]!]!) !== NO_DIGIT; p++) {
              high = (high << 4) | (low >>> 28);
              low = (low << 4) | digit;
            }
          }
          if (p === address || p - address > 16 || bytes[p] !== SPACE) break fast;
          const opcode = p + 1;
          if (opcode <= reach && (spelled(view.getInt32(opcode, true)) | spelled(view.getInt32(opcode + 4, true))) >= 0)
            p += 8;
          while (HEX[bytes[++p]!] !== NO_DIGIT);
          const digits = p - opcode;
          if (digits === 0 || digits > SHORT_OPCODE || (digits & 1) !== 0 || bytes[p] !== SPACE) break fast;
          if (((bytes[++p]! | 0x20) - 97) >>> 0 > 25 || bytes[++p] !== SPACE) break fast;
          // The mode. Where it ends decides no column, so a colon in it does no harm.
          if (bytes[++p]! <= SPACE) break fast;
          while (bytes[++p]! > SPACE);
          if (bytes[p] !== SPACE || bytes[++p] !== COLON) break fast;
          while (bytes[++p] !== LF);
          kind = taken ? INSTRUCTION : SKIPPED_KIND;
          native = taken ? TAKEN : SKIPPED;
          size = digits >>> 1;
          mark = FLAG.address;
        }
        if (bytes[p] !== LF && (bytes[p] !== CR || bytes[++p] !== LF)) break fast;
        p++;
        if (p - at > LONG_LINE) break fast;
        if (kind === INSTRUCTION || kind === SKIPPED_KIND) {
          cpu = assumed = rowCpu;
        }
        starts[row] = base + at;
        ends[row] = base + p;
        times[row] = time;
        kinds[row] = kind;
        natives[row] = native;
        lows[row] = low;
        highs[row] = high;
        sizes[row] = size;
        cpus[row] = rowCpu;
        flags[row] = mark;
        registers[row] = register;
        valueAts[row] = valueEnd;
        valueEnd += valueBytes;
        row++;
        at = p;
        continue;
      }
      break;
    }
    batch.count = row;
    heap.length = valueEnd;
    carried.cpu = cpu;
    return at;
  };
}
