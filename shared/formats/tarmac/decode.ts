/**
 * The lines of a window as columns: the hot path of QEMU4V text.
 *
 * Lines of the shape that the writers of this format print go through one inlined pass without calls; it accepts only
 * what it has checked byte by byte. Whatever differs in the least is read by `line.ts`, which gives the same columns for
 * those shapes. The pass needs no bounds checks: it never steps over a byte that could be a line end, and it only runs
 * on lines whose LF is known to lie in the window.
 */
import type { Batch } from '../../batch.ts';
import { FLAG, NO_CPU } from '../../batch.ts';
import { LONG_LINE } from '../../format.ts';
import type { Window } from '../../format.ts';
import { KIND } from '../../record.ts';
import { assert } from '../../result.ts';
import type { ByteOffset } from '../../units.ts';
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
} from '../../characters.ts';
import { OTHER, readCode, REGISTER, SKIPPED, TAKEN, writeCode } from './codes.ts';
import { createLine, FAULT, MOST_CPU, readLine, trimEnd } from './line.ts';

/** Codes of the diagnostics counted here, and the sentence for each. */
export const DIAGNOSTICS = {
  'unknown-line': 'The line is no record of the format; its text is kept.',
  'cut-line': 'The last line breaks off before its record is complete; its text is kept.',
  'long-line': `The line is longer than ${LONG_LINE} bytes; its beginning is kept as text.`,
  'data-size': 'The data has not two digits per byte of the stated size; the digits are trusted.',
  'odd-opcode': 'The opcode has an odd number of digits; it is rounded up to whole bytes.',
  'unknown-digits': 'The value has digits written as x; the record is kept without a value.',
  'missing-colon': 'Text follows the mode without a colon; it is taken as the disassembly.',
  'cpu-range': `The cpu number is above ${MOST_CPU}; it is kept as a mark of the record only.`,
} as const;

const INSTRUCTION = KIND.instruction;
const SKIPPED_KIND = KIND.skipped;
const READ = KIND.read;
const WRITE = KIND.write;
const REGISTER_KIND = KIND.register;
const OTHER_KIND = KIND.other;

/** Times of up to this many digits are summed up exactly in a double. */
const EXACT_DIGITS = 15;
/** The fast pass knows cpu numbers of up to this many digits: they fit the column. */
const SHORT_CPU = 4;
/** The fast pass knows opcodes of up to this many digits. */
const SHORT_OPCODE = 16;

/** The cpu of the last instruction line that named one, and where in the file that line starts; NO_CPU and -1 before it. */
export interface LastCpu {
  readonly cpu: number;
  readonly at: ByteOffset;
}

/** Fills the batch from window.position on, moves the position, and returns the last cpu there. */
export function decodeLines(window: Window, last: LastCpu, batch: Batch): LastCpu {
  const { bytes, base, length } = window;
  const stop = window.end - base;
  assert(stop <= length, 'a window holds the start of every record of its block');
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
  const lastLineFeed = length === 0 ? -1 : bytes.lastIndexOf(LF, length - 1);

  let cpu = last.cpu;
  let cpuLine = -1;
  let assumed = columnCpu(cpu);
  let row = batch.count;
  let at = window.position - base;
  // A batch is also full when it holds as many blank lines, or memory would grow with their number.
  while (at < stop && row < capacity && batch.gaps.length < capacity) {
    fast: {
      if (at > lastLineFeed) break fast;
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
      const word = bytes[p]!;
      if (word === UPPER_R) {
        // `R name value`
        if (bytes[++p] !== SPACE || bytes[++p]! <= SPACE) break fast;
        while (bytes[++p]! > SPACE);
        if (bytes[p] !== SPACE || HEX[bytes[++p]!] === NO_DIGIT) break fast;
        while (HEX[bytes[++p]!] !== NO_DIGIT);
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
        for (; (digit = HEX[bytes[p]!]!) !== NO_DIGIT; p++) {
          high = (high << 4) | (low >>> 28);
          low = (low << 4) | digit;
        }
        if (p === address || p - address > 16 || bytes[p] !== SPACE) break fast;
        const data = p + 1;
        while (HEX[bytes[++p]!] !== NO_DIGIT);
        if (p - data !== 2 * size || size === 0) break fast;
        kind = write ? WRITE : READ;
        native = write ? writeCode(size) : readCode(size);
        mark = FLAG.address | FLAG.cpuAssumed;
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
        for (; (digit = HEX[bytes[p]!]!) !== NO_DIGIT; p++) {
          high = (high << 4) | (low >>> 28);
          low = (low << 4) | digit;
        }
        if (p === address || p - address > 16 || bytes[p] !== SPACE) break fast;
        const opcode = p + 1;
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
        cpuLine = at;
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
      row++;
      at = p;
      continue;
    }
    batch.count = row;
    const found = at > lastLineFeed ? -1 : bytes.indexOf(LF, at);
    const end = found >= 0 ? found + 1 : base + length < window.fileEnd ? window.lastLineEnd - base : length;
    decodeCarefully(window, at, end, found >= 0, assumed, batch);
    if (namesCpu(batch, row)) {
      cpu = line.cpu;
      cpuLine = at;
      assumed = columnCpu(cpu);
    }
    row = batch.count;
    at = end;
  }
  batch.count = row;
  window.position = base + at;
  return cpuLine < 0 ? last : { cpu, at: base + cpuLine };
}

function columnCpu(cpu: number): number {
  return cpu > MOST_CPU ? NO_CPU : cpu;
}

const line = createLine();

/** Any line from `at` to `end` (its line end included): one record, or a gap when it is blank. */
function decodeCarefully(window: Window, at: number, end: number, ended: boolean, cpu: number, batch: Batch): void {
  const { bytes, base } = window;
  const long = end - at > LONG_LINE;
  assert(long || end <= window.length, 'a window holds LONG_LINE bytes of its last line');
  const to = long ? at : trimEnd(bytes, at, end);
  if (to === at && !long) {
    batch.gaps.push({ name: 'blank', start: base + at, end: base + end });
    return;
  }
  const row = batch.count;
  batch.count++;
  batch.start[row] = base + at;
  batch.end[row] = base + end;
  if (long || !readLine(bytes, at, to, line)) {
    keepText(batch, row, long ? 'long-line' : ended ? 'unknown-line' : 'cut-line');
    return;
  }
  fillColumns(batch, row, cpu);
  if (line.faults !== 0) countFaults(batch, row);
}

/** Whether decodeCarefully has just added an instruction line that names its cpu as this row. */
function namesCpu(batch: Batch, row: number): boolean {
  if (batch.count === row) return false;
  const native = batch.native[row];
  return (native === TAKEN || native === SKIPPED) && (batch.flags[row]! & FLAG.cpuAssumed) === 0;
}

function keepText(batch: Batch, row: number, code: keyof typeof DIAGNOSTICS): void {
  batch.time[row] = Number.NaN;
  batch.kind[row] = OTHER_KIND;
  batch.native[row] = OTHER;
  batch.addressLow[row] = 0;
  batch.addressHigh[row] = 0;
  batch.size[row] = 0;
  batch.cpu[row] = NO_CPU;
  // Text between the records is no broken record: the emulator's log belongs there.
  batch.flags[row] = code === 'unknown-line' ? 0 : FLAG.malformed;
  batch.diagnostics.add(code, batch.start[row]!, batch.first + row);
}

function fillColumns(batch: Batch, row: number, cpu: number): void {
  const assumed = line.cpu < 0;
  const register = line.native === REGISTER;
  const rowCpu = assumed ? cpu : line.cpu;
  batch.time[row] = line.time;
  batch.kind[row] = kindOf(line.native);
  batch.native[row] = line.native;
  batch.addressLow[row] = line.addressLow;
  batch.addressHigh[row] = line.addressHigh;
  batch.size[row] = register ? 0 : line.size;
  batch.cpu[row] = columnCpu(rowCpu);
  batch.flags[row] =
    (register ? 0 : FLAG.address) |
    (Number.isSafeInteger(line.time) ? 0 : FLAG.wideTime) |
    (assumed ? FLAG.cpuAssumed : 0) |
    (line.faults === 0 ? 0 : FLAG.malformed);
}

function kindOf(native: number): number {
  if (native === TAKEN) return INSTRUCTION;
  if (native === SKIPPED) return SKIPPED_KIND;
  if (native === REGISTER) return REGISTER_KIND;
  return native % 2 === readCode(0) % 2 ? READ : WRITE;
}

const FAULT_CODES: readonly (readonly [number, keyof typeof DIAGNOSTICS])[] = [
  [FAULT.dataSize, 'data-size'],
  [FAULT.oddOpcode, 'odd-opcode'],
  [FAULT.unknownDigits, 'unknown-digits'],
  [FAULT.missingColon, 'missing-colon'],
  [FAULT.cpuRange, 'cpu-range'],
];

function countFaults(batch: Batch, row: number): void {
  for (const [bit, code] of FAULT_CODES)
    if ((line.faults & bit) !== 0) batch.diagnostics.add(code, batch.start[row]!, batch.first + row);
}
