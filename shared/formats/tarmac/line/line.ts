/**
 * The fields of one line: their positions, and their values as numbers. The readers of all line forms fill a `Line`.
 *
 *     53 clk 0 IT (53) 00008068:000000008068_NS e59f0060 A svc_ns : ldr r0, [pc, #0x60]
 *     |  |   | |   |   address  physical        |        | |    |   text
 *     |  |   | |   id                           code     | mode security
 *     |  |   | word                             iset
 *     |  |   source (cpu)
 *     |  unit
 *     time
 *
 * A memory line has a word, an address and a code (its data). A register line has a word, a name and a code (its value).
 */
import { KIND } from '../../../records/record.ts';
import { OTHER } from '../codes.ts';

/** Programs that write Tarmac text. All line forms are read in each dialect; the dialect decides ambiguous lines. */
export const DIALECTS = ['qemu4v', 'fastmodels', 'es', 'gem5', 'rtl'] as const;

export type Dialect = (typeof DIALECTS)[number];

/** Bits of `Line.faults`: rules that a readable line breaks. */
export const FAULT = {
  /** The data does not have two digits per byte of the stated size. The digits are trusted. */
  dataSize: 1,
  /** The opcode has an odd number of digits. */
  oddOpcode: 2,
  /** A value contains x for unknown digits in a dialect that never writes them. */
  unknownDigits: 4,
  /** Text follows the mode without a colon. */
  missingColon: 8,
  /** The cpu number does not fit its column. */
  cpuRange: 16,
  /** The value cannot be read, so what the record sets is unknown. */
  lostValue: 32,
  /** Words that the format does not explain precede or follow the fields. */
  extraWords: 64,
  /** The name of the register cannot be read, so any register of the processor may have changed. */
  lostRegister: 128,
  /** The word cannot be read, so the register or the bytes that the line names are unknown. */
  lostWord: 256,
  /** The number behind the word of a write may not be its address but its data. */
  lostAddress: 512,
} as const;

/** Bits of `Line.marks`: special properties of a line that break no rule. */
export const MARK = {
  /** Some or all digits of the value are unknown, so the record has no value. */
  unknown: 1,
  /** The access was aborted and moved no data. */
  aborted: 2,
  /** The instruction fetch failed, so there is no opcode. */
  fetchFailed: 4,
  /** The digits of the value are in memory order, lowest address first. */
  memoryOrder: 8,
  /** The digits start with the highest address for either byte order of the processor. */
  addressOrder: 16,
  /** Some bytes between the first and the last accessed byte were not accessed. */
  holes: 32,
  /** The access is exclusive, which a separate word X in the line states. */
  exclusive: 64,
  /** The line continues the access of the previous line and has no word. */
  continued: 128,
  /** The digits show the lanes of a bus, so the order of the bytes in memory is not known. */
  busOrder: 256,
} as const;

export const MOST_CPU = 32767;

/** True for the kinds of executed and skipped instructions. */
export function isInstruction(kind: number): boolean {
  return kind === KIND.instruction || kind === KIND.skipped;
}

/** One line's fields as positions in the bytes that it was read from. An absent field is the empty span at 0. */
export interface Line {
  /** Code of the `native` column; OTHER if the line is not a record. */
  native: number;
  /** Position in KINDS. */
  kind: number;
  /** Time rounded to a double; NaN if the line has no time. */
  time: number;
  /** True if the digits of the time fit a safe integer, fraction included. */
  exact: boolean;
  timeAt: number;
  timeEnd: number;
  unitAt: number;
  unitEnd: number;
  /** Cpu number; -1 if the line does not contain one. */
  cpu: number;
  cpuAt: number;
  cpuEnd: number;
  wordAt: number;
  wordEnd: number;
  /** Start of a memory access's attribute letters, which end at wordEnd; 0 if the word has no such letters. */
  attributeAt: number;
  /** First of two numbers in parentheses; `id` is the last or only one, such as the instruction's number. */
  pairAt: number;
  pairEnd: number;
  idAt: number;
  idEnd: number;
  hasAddress: boolean;
  addressLow: number;
  addressHigh: number;
  addressAt: number;
  addressEnd: number;
  /** Physical address; `second` is the physical address of the second half of an instruction on two pages. */
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
  /** Note in parentheses next to a register's name or value. */
  noteAt: number;
  noteEnd: number;
  /** Letters of the condition flags that are set, after a status register's value. */
  lettersAt: number;
  lettersEnd: number;
  /** Size of the opcode or the data in bytes. */
  size: number;
  codeAt: number;
  codeEnd: number;
  isetAt: number;
  isetEnd: number;
  modeAt: number;
  modeEnd: number;
  textAt: number;
  textEnd: number;
  /** Start of another record in the same line; 0 if there is none. */
  restAt: number;
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
    restAt: 0,
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
  line.restAt = 0;
  line.faults = 0;
  line.marks = 0;
}
