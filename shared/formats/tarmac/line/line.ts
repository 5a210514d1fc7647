/**
 * Where the fields of one line lie, and what they are as numbers: what the readers of all line families fill.
 *
 *     53 clk 0 IT (53) 00008068:000000008068_NS e59f0060 A svc_ns : ldr r0, [pc, #0x60]
 *     |  |   | |   |   address  physical        |        | |    |   text
 *     |  |   | |   id                           code     | mode security
 *     |  |   | word                             iset
 *     |  |   source
 *     |  unit
 *     time
 *
 * A memory line has word, address and code (its data), a register line word, name and code (its value).
 */
import { KIND } from '../../../records/record.ts';
import { OTHER } from '../codes.ts';

/** Bits of `Line.faults`: rules that a line breaks although it can be read. */
export const FAULT = {
  /** The data has not two digits per byte of the stated size: the digits are trusted. */
  dataSize: 1,
  /** The opcode has an odd number of digits. */
  oddOpcode: 2,
  /** Digits of a value are written as x in a dialect whose values have none. */
  unknownDigits: 4,
  /** Text follows the mode without a colon. */
  missingColon: 8,
  /** The cpu number does not fit its column. */
  cpuRange: 16,
} as const;

/** Bits of `Line.marks`: what is particular about a line that breaks no rule. */
export const MARK = {
  /** Some or all digits of the value are unknown: it has none. */
  unknown: 1,
  /** The access was aborted and did not happen. */
  aborted: 2,
  /** The instruction could not be fetched: it has no opcode. */
  fetchFailed: 4,
  /** The digits of the value lie in memory order, lowest address first. */
  memoryOrder: 8,
  /** The digits lie highest address first whatever the byte order of the processor. */
  addressOrder: 16,
  /** Not all bytes between the first and the last touched one were touched. */
  holes: 32,
  /** An exclusive access said so in a word of its own. */
  exclusive: 64,
  /** The line goes on with the access of the line before it and has no word. */
  continued: 128,
  /** The digits are as a bus carries them: they do not tell how the bytes lie in memory. */
  busOrder: 256,
} as const;

export const MOST_CPU = 32767;

/** One line's fields as positions in the bytes it was read from; a field that is absent is the empty span at 0. */
export interface Line {
  /** Code of the `native` column; OTHER when the line is no record. */
  native: number;
  /** Position in KINDS. */
  kind: number;
  /** Number of the time, rounded to a double; NaN where the line has none. */
  time: number;
  /** Whether `time` is what the digits say exactly, as far as a double can be. */
  exact: boolean;
  timeAt: number;
  timeEnd: number;
  unitAt: number;
  unitEnd: number;
  /** The cpu number, -1 where the line names none. */
  cpu: number;
  cpuAt: number;
  cpuEnd: number;
  wordAt: number;
  wordEnd: number;
  /** Where the attribute letters of a memory access begin; they go on to wordEnd. */
  attributeAt: number;
  /** The instruction's number in brackets, or what stands beside it there. */
  pairAt: number;
  pairEnd: number;
  idAt: number;
  idEnd: number;
  hasAddress: boolean;
  addressLow: number;
  addressHigh: number;
  addressAt: number;
  addressEnd: number;
  /** The physical address, and that of the second half of an instruction on two pages. */
  physicalAt: number;
  physicalEnd: number;
  secondAt: number;
  secondEnd: number;
  hasTarget: boolean;
  targetLow: number;
  targetHigh: number;
  targetAt: number;
  targetEnd: number;
  nameAt: number;
  nameEnd: number;
  /** What stands in brackets beside a register's name or value. */
  noteAt: number;
  noteEnd: number;
  /** The letters of the flags that are set, behind a status register's value. */
  lettersAt: number;
  lettersEnd: number;
  /** Bytes of the size column: of the opcode, of the data. */
  size: number;
  codeAt: number;
  codeEnd: number;
  isetAt: number;
  isetEnd: number;
  modeAt: number;
  modeEnd: number;
  textAt: number;
  textEnd: number;
  /** Bits of FAULT. */
  faults: number;
  /** Bits of MARK. */
  marks: number;
}

export function createLine(): Line {
  return {
    native: OTHER,
    kind: KIND.other,
    time: Number.NaN,
    exact: true,
    timeAt: 0,
    timeEnd: 0,
    unitAt: 0,
    unitEnd: 0,
    cpu: -1,
    cpuAt: 0,
    cpuEnd: 0,
    wordAt: 0,
    wordEnd: 0,
    attributeAt: 0,
    pairAt: 0,
    pairEnd: 0,
    idAt: 0,
    idEnd: 0,
    hasAddress: false,
    addressLow: 0,
    addressHigh: 0,
    addressAt: 0,
    addressEnd: 0,
    physicalAt: 0,
    physicalEnd: 0,
    secondAt: 0,
    secondEnd: 0,
    hasTarget: false,
    targetLow: 0,
    targetHigh: 0,
    targetAt: 0,
    targetEnd: 0,
    nameAt: 0,
    nameEnd: 0,
    noteAt: 0,
    noteEnd: 0,
    lettersAt: 0,
    lettersEnd: 0,
    size: 0,
    codeAt: 0,
    codeEnd: 0,
    isetAt: 0,
    isetEnd: 0,
    modeAt: 0,
    modeEnd: 0,
    textAt: 0,
    textEnd: 0,
    faults: 0,
    marks: 0,
  };
}

export function clearLine(line: Line): void {
  line.native = OTHER;
  line.kind = KIND.other;
  line.time = Number.NaN;
  line.exact = true;
  line.timeAt = line.timeEnd = 0;
  line.unitAt = line.unitEnd = 0;
  line.cpu = -1;
  line.cpuAt = line.cpuEnd = 0;
  line.wordAt = line.wordEnd = 0;
  line.attributeAt = 0;
  line.pairAt = line.pairEnd = 0;
  line.idAt = line.idEnd = 0;
  line.hasAddress = false;
  line.addressLow = line.addressHigh = 0;
  line.addressAt = line.addressEnd = 0;
  line.physicalAt = line.physicalEnd = 0;
  line.secondAt = line.secondEnd = 0;
  line.hasTarget = false;
  line.targetLow = line.targetHigh = 0;
  line.targetAt = line.targetEnd = 0;
  line.nameAt = line.nameEnd = 0;
  line.noteAt = line.noteEnd = 0;
  line.lettersAt = line.lettersEnd = 0;
  line.size = 0;
  line.codeAt = line.codeEnd = 0;
  line.isetAt = line.isetEnd = 0;
  line.modeAt = line.modeEnd = 0;
  line.textAt = line.textEnd = 0;
  line.faults = 0;
  line.marks = 0;
}
