/** Writes a line that was read into a row of the batch, and counts its faults as diagnostics. */
import { LINE_DIAGNOSTICS } from '../../../format/lines.ts';
import { type Batch, FLAG, NO_CPU } from '../../../records/batch.ts';
import { isBlank } from '../../../base/characters.ts';
import { lineShape } from '../../../format/diagnostics.ts';
import { KIND, MOVES } from '../../../records/record.ts';
import { WORD } from '../codes.ts';
import { FAULT, type Line, MARK, MOST_CPU } from '../line/line.ts';
import { announces } from '../line/rest.ts';
import { LOST_NAME, type RegisterNames } from './register-names.ts';
import { type Endian, putValue } from '../line/value.ts';

/** Codes of the diagnostics that this format counts, each with its sentence. */
export const DIAGNOSTICS = {
  ...LINE_DIAGNOSTICS,
  'data-size': 'The data does not have two digits per byte of the stated size; the bytes that moved are not known.',
  'lost-address':
    'The line names a write whose address cannot be read; bytes that it changed are shown with their older values.',
  'lost-register': 'The name of the register cannot be read; all registers of the processor are unknown after it.',
  'lost-word': 'The word of the record cannot be read; the register or the bytes that it names are unknown after it.',
  'lost-time': 'The record has no time, as if the first bytes of its line were lost; it is kept without one.',
  'lost-value': 'The value cannot be read; what the record sets is unknown after it.',
  'extra-words': 'Words that the format does not explain precede or follow the fields of the record; they are ignored.',
  'odd-opcode': 'The opcode has an odd number of digits; its size is rounded up to whole bytes.',
  'unknown-digits': 'The value contains x or z in place of digits; the record is kept without a value.',
  'missing-colon': 'Text follows the mode without a colon; it is taken as the disassembly.',
  'cpu-range': `The cpu number is above ${MOST_CPU}, or the numbers in a component's name do not fit into one; the cpu is kept only as a mark of the record.`,
} as const;

/**
 * Writes a row except for its start and end. `cpu` and `time` apply if the line does not contain them, and `flags` mark their origin.
 */
export function fillColumns(batch: Batch, row: number, line: Line, cpu: number, time: number, flags: number): void {
  batch.kind[row] = line.kind;
  batch.native[row] = line.native;
  batch.addressLow[row] = line.addressLow;
  batch.addressHigh[row] = line.addressHigh;
  batch.size[row] = line.hasAddress ? line.size : 0;
  // Header lines have no word, and belong to no time and no cpu.
  const header = line.wordEnd === line.wordAt && line.native === WORD['Tarmac Text'];
  batch.time[row] = line.timeEnd > line.timeAt ? line.time : header ? Number.NaN : time;
  batch.cpu[row] = columnCpu(line.cpuEnd > line.cpuAt ? line.cpu : header ? NO_CPU : cpu);
  let mark = header ? 0 : flags;
  if (line.hasAddress) mark |= FLAG.address;
  if (line.hasTarget) {
    mark |= FLAG.target;
    batch.targetLow[row] = line.targetLow;
    batch.targetHigh[row] = line.targetHigh;
  }
  if (!line.exact) mark |= FLAG.wideTime;
  if (line.faults !== 0) mark |= FLAG.malformed;
  if ((line.marks & MARK.aborted) !== 0) mark |= FLAG.noEffect;
  batch.flags[row] = mark;
}

/** Writes the row's columns `registers` and `values`. Its other columns are already written. */
export function fillContents(
  batch: Batch,
  row: number,
  bytes: Uint8Array,
  line: Line,
  endian: Endian,
  names: RegisterNames,
): void {
  const { kind, nameAt, nameEnd, noteAt, noteEnd } = line;
  const isLost = (line.faults & FAULT.lostRegister) !== 0;
  batch.registers[row] = isLost
    ? LOST_NAME
    : kind === KIND.register
      ? names.numberOf(bytes, nameAt, nameEnd, noteAt, noteEnd)
      : 0;
  if (MOVES[kind] === 1) putValue(batch, row, bytes, line, endian);
}

export function columnCpu(cpu: number): number {
  return cpu > MOST_CPU ? NO_CPU : cpu;
}

const FAULT_CODES: readonly (readonly [number, keyof typeof DIAGNOSTICS])[] = [
  [FAULT.dataSize, 'data-size'],
  [FAULT.lostValue, 'lost-value'],
  [FAULT.lostRegister, 'lost-register'],
  [FAULT.lostWord, 'lost-word'],
  [FAULT.lostAddress, 'lost-address'],
  [FAULT.extraWords, 'extra-words'],
  [FAULT.oddOpcode, 'odd-opcode'],
  [FAULT.unknownDigits, 'unknown-digits'],
  [FAULT.missingColon, 'missing-colon'],
  [FAULT.cpuRange, 'cpu-range'],
];

/** Counts a line that is no record, although its first words are those of a write with a time, behind blanks or before data. */
export function countLostAddress(
  bytes: Uint8Array,
  at: number,
  to: number,
  batch: Batch,
  row: number,
  line: Line,
): void {
  if (line.kind !== KIND.write && line.kind !== KIND['bus-write']) return;
  if (line.timeEnd === line.timeAt && !isBlank(bytes[at]!) && !announces(bytes, at, to)) return;
  batch.diagnostics.add('lost-address', batch.start[row]!, batch.first + row, lineShape(bytes, at, to));
}

/** Counts the faults of the line bytes[at, to) in row `row`. */
export function countFaults(
  bytes: Uint8Array,
  at: number,
  to: number,
  batch: Batch,
  row: number,
  faults: number,
): void {
  for (const [bit, code] of FAULT_CODES) {
    if ((faults & bit) !== 0) {
      batch.diagnostics.add(code, batch.start[row]!, batch.first + row, lineShape(bytes, at, to));
    }
  }
}
