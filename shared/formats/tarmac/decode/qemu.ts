/**
 * Decodes the lines of a window into columns: the hot path of QEMU4V text.
 *
 *     53 clk 0 IT (53) 00008068 e59f0060 A svc_s : LDR r0,[pc,#0x60]
 *
 * becomes a row with time 53, cpu 0, kind `instruction`, address 0x8068 and size 4. Lines in exactly the form that the format's writers
 * print go through one inlined fast pass without calls, which checks every byte. All other lines are read by `line/read.ts`, which gives
 * the same columns for those forms. The fast pass needs no bounds checks: it never steps over a byte that can be a line end, and it
 * only runs on lines whose LF is in the window.
 */
import { type Batch, FLAG, NO_CPU, reserve } from '../../../records/batch.ts';
import type { AddressCells } from '../../../format/address-cells.ts';
import { type Capabilities, type Counted, LONG_LINE, type State, type Window } from '../../../format/format.ts';
import { decodeLines, type ReadPlainLines } from '../../../format/lines.ts';
import { KIND } from '../../../records/record.ts';
import {
  CLOSE,
  COLON,
  CR,
  HEX,
  LF,
  LOWER_C,
  LOWER_K,
  LOWER_L,
  LOWER_R,
  LOWER_X,
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
} from '../../../base/characters.ts';
import { OTHER, readCode, REGISTER, SKIPPED, TAKEN, writeCode } from '../codes.ts';
import { countPlainLines } from './count-plain.ts';
import { columnCpu, countFaults, countLostAddress, fillColumns, fillContents } from './columns.ts';
import { createLine, isInstruction } from '../line/line.ts';
import { createRegisterNames, LOST_NAME, type RegisterNames } from './register-names.ts';
import { createKnownTails, ENTRIES, type KnownTails } from './known-tails.ts';
import { createPartMarks, type PartMarks } from './part-marks.ts';
import { lineShape } from '../../../format/diagnostics.ts';
import { holdsRecord } from '../line/rest.ts';
import { readLine } from '../line/read.ts';
import type { Endian } from '../line/value.ts';
import { swapBytes } from '../../../base/bytes.ts';
import { spelled } from '../../../base/digits.ts';

const INSTRUCTION = KIND.instruction;
const SKIPPED_KIND = KIND.skipped;
const READ = KIND.read;
const WRITE = KIND.write;
const REGISTER_KIND = KIND.register;

/** A double sums up times of up to this many digits exactly. */
const EXACT_DIGITS = 15;
/** Maximum number of cpu digits in the fast pass. Such numbers fit the column. */
const SHORT_CPU = 4;
/** Maximum number of opcode digits in the fast pass. */
const SHORT_OPCODE = 16;

/**
 * The state at the start of a file. `cpu` is the cpu of the last preceding instruction line with a source: NO_CPU before the first one and
 * if its name has no number. `rest` is the position if it is within a line, after another record; -1 otherwise.
 */
export const START_QEMU: State = { cpu: NO_CPU, rest: -1 };

/** Fills the batch, starting at window.position, and moves the position. Returns the state there. */
export type DecodeQemu = (window: Window, state: State, batch: Batch) => State;

export function createQemuDecoder(endian: Endian): { decode: DecodeQemu } & Pick<Required<Capabilities>, 'countPlain'> {
  const carried: Carried = { cpu: NO_CPU, rest: -1 };
  const names = createRegisterNames();
  const line = createLine();
  const marks = createPartMarks();
  const tails = createKnownTails();
  const plain = createPlainReader(endian, names, tails, carried, marks);
  return { decode, countPlain };

  function decode(window: Window, state: State, batch: Batch): State {
    carried.cpu = state['cpu'] ?? NO_CPU;
    carried.rest = state['rest'] ?? -1;
    marks.begin(batch);
    decodeLines(window, batch, OTHER, read, plain);
    marks.end();
    const { cpu, rest } = carried;
    return { cpu, rest: rest === window.position && rest < window.end ? rest : -1 };
  }

  function countPlain(window: Window, state: State, most: number, cells: AddressCells): Counted {
    const { records, cpu } = countPlainLines(window, state['cpu'] ?? NO_CPU, most, cells, tails, names);
    return { records, state: records === 0 ? state : { cpu, rest: -1 } };
  }

  function read(bytes: Uint8Array, at: number, to: number, batch: Batch, row: number): boolean {
    // Only a record that follows another one in the same line has no time.
    const follows = batch.start[row] === carried.rest;
    marks.enter(row, carried.cpu, follows ? carried.rest : -1);
    const found = readLine(bytes, at, to, 'qemu4v', line) || (follows && readLine(bytes, at, to, 'qemu4v', line, true));
    if (line.restAt > 0) carried.rest = batch.end[row] = batch.start[row]! + line.restAt - at;
    if (!found) {
      countLostAddress(bytes, at, to, batch, row, line);
      return false;
    }
    if (IN_PARTS.has(line.kind)) marks.spoil();
    const named = line.cpuEnd > line.cpuAt;
    fillColumns(batch, row, line, carried.cpu, Number.NaN, named ? 0 : FLAG.cpuAssumed);
    fillContents(batch, row, bytes, line, endian, names);
    // A name without a number also denotes a processor, which is not the previous one.
    if (named && isInstruction(line.kind)) carried.cpu = line.cpu;
    if (!follows && line.timeEnd === line.timeAt && line.wordEnd > line.wordAt)
      batch.diagnostics.add('lost-time', batch.start[row]!, batch.first + row, lineShape(bytes, at, to));
    if (line.faults !== 0) countFaults(bytes, at, to, batch, row, line.faults);
    return true;
  }
}

/** Kinds of records with code or registers, which only the fast pass adds to fingerprints. */
const IN_PARTS: ReadonlySet<number> = new Set([KIND.instruction, KIND.skipped, KIND.register, KIND.exception]);

/** State while a window is decoded. */
interface Carried {
  cpu: number;
  /** Position after the last record that another one follows in its line. */
  rest: number;
}

function createPlainReader(
  endian: Endian,
  names: RegisterNames,
  tails: KnownTails,
  carried: Carried,
  marks: PartMarks,
): ReadPlainLines {
  const little = endian === 'little';
  const { firstHashes, secondHashes } = tails;
  /** By twice the entry of a tail, plus 1 if it executed, and by number of a register: the stamp of the part that it was seen in last. */
  const tailStamps = new Int32Array(2 * ENTRIES);
  const registerStamps = new Int32Array(2 ** 16);
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
    /** Last index at which the window still contains nine bytes. */
    const reach = bytes.length - 9;
    let cpu = carried.cpu;
    let assumed = columnCpu(cpu);
    let row = batch.count;
    let at = start;
    let partEnd = 0;
    let stamp = marks.stamp;
    while (at < stop && row < capacity) {
      if (row >= partEnd) {
        partEnd = marks.enter(row, cpu, carried.rest === base + at ? carried.rest : -1);
        ({ stamp } = marks);
      }
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
          const letter = bytes[name]! | 0x20;
          const digits = p - nameEnd - 1;
          if (letter === LOWER_R ? digits !== 8 : letter === LOWER_X ? digits !== 16 : digits !== 8 && digits < 16)
            break fast;
          register = names.numberOf(bytes, name, nameEnd, 0, 0);
          if (register === LOST_NAME) break fast;
          if (registerStamps[register] !== stamp) {
            registerStamps[register] = stamp;
            if (register === 0) marks.spoil();
            else marks.addRegister(bytes, name, nameEnd);
          }
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
          // Values of 4 bytes and more are aligned, so that readers of values can compare whole words.
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
            words[valueEnd >>> 2] = little ? value : swapBytes(value);
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
          const tail = p;
          let known = tails.entryAt(view, tail, low >>> 0, high >>> 0);
          if (known !== 0) {
            size = tails.sizes[known]!;
            p = tail + tails.lengths[known]! - 1;
          } else {
            while (HEX[bytes[++p]!] !== NO_DIGIT);
            const digits = p - tail - 1;
            if (digits === 0 || digits > SHORT_OPCODE || (digits & 1) !== 0 || bytes[p] !== SPACE) break fast;
            // R can be the word of a register line.
            if (bytes[++p] === UPPER_R || ((bytes[p]! | 0x20) - 97) >>> 0 > 25 || bytes[++p] !== SPACE) break fast;
            // The mode. Its end affects no column, so a colon in it does not matter.
            if (bytes[++p]! <= SPACE) break fast;
            while (bytes[++p]! > SPACE);
            if (bytes[p] !== SPACE || bytes[++p] !== COLON) break fast;
            const text = p;
            while (bytes[++p] !== LF);
            if (holdsRecord(bytes, text, p)) break fast;
            size = digits >>> 1;
            known = tails.keep(bytes, tail, p + 1, low >>> 0, high >>> 0, size);
            // The instruction that it replaced is not known any more, and would count again.
            const isReplaced = tailStamps[2 * known] === stamp || tailStamps[2 * known + 1] === stamp;
            if (known === 0 || isReplaced) marks.spoil();
            tailStamps[2 * known] = tailStamps[2 * known + 1] = 0;
          }
          const member = 2 * known + Number(taken);
          if (tailStamps[member] !== stamp) {
            tailStamps[member] = stamp;
            marks.addInstruction(firstHashes[known]!, secondHashes[known]!, taken);
          }
          kind = taken ? INSTRUCTION : SKIPPED_KIND;
          native = taken ? TAKEN : SKIPPED;
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
