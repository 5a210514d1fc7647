/**
 * The fields of one line of Tracer text.
 *
 *     T 0000001A  MNR8O___ 00008000 E28F8090 E898000F (abort)
 *     | |         |        |        |        |        outcome of the access
 *     | |         |        |        |        second word of eight bytes, from address + 4
 *     | |         |        |        data in value order, two digits a byte
 *     | |         |        address
 *     | |         letters of the access
 *     | time, low 32 bits; blanks in place of both mean the time of the previous line
 *     only in traces with time stamps
 *
 * One or more spaces, tabs and no-break spaces separate the fields.
 */
import { assert } from '../../base/result.ts';
import { hexOf } from '../../base/scan.ts';
import { trimEnd, wordEnd } from './tokens.ts';
import { namesWrite, nextRecord } from './words.ts';

/** Time stamp of a line: none, its own, or that of the previous line. */
export const STAMP = { none: 0, own: 1, asBefore: 2 } as const;

/** Bits of `Line.suffixes`. */
export const SUFFIX = { abort: 1, wait: 2, peek: 4, poke: 8, pipe: 16 } as const;

/** Bits of `Line.faults`: rules of the format that a readable line breaks. */
export const FAULT = {
  dataSize: 1,
  missingData: 2,
  opcodeSize: 4,
  eventNumber: 8,
  registerList: 16,
  trailingText: 32,
  leadingText: 64,
  lostValue: 128,
  lostRegister: 256,
  lostWord: 512,
  /** Counted without a mark: the address belongs to a write that is not in the record. */
  lostAddress: 1024,
} as const;

/** The diagnostic code of each fault with a mark, which is the same. */
export const FAULTS = [
  [FAULT.dataSize, 'data-size'],
  [FAULT.missingData, 'missing-data'],
  [FAULT.opcodeSize, 'opcode-size'],
  [FAULT.eventNumber, 'event-number'],
  [FAULT.registerList, 'register-list'],
  [FAULT.trailingText, 'trailing-text'],
  [FAULT.leadingText, 'leading-text'],
  [FAULT.lostValue, 'lost-value'],
  [FAULT.lostRegister, 'lost-register'],
  [FAULT.lostWord, 'lost-word'],
] as const;

/** The fields of a line as positions in its bytes. Start and end of an absent field are equal. */
export interface Line {
  stamp: number;
  /** Time of the line's own stamp, below 2^52. */
  time: number;
  timeAt: number;
  timeEnd: number;
  native: number;
  /** Size of the access or the opcode in bytes; 0 if the line does not say. */
  size: number;
  /** True if `address` is an address and not the first word of an event. */
  hasAddress: boolean;
  address: number;
  suffixes: number;
  faults: number;
  /** True if another record follows in the same line: bytes lost before it can include the end of the last field. */
  joined: boolean;
  wordAt: number;
  wordEnd: number;
  /** The address, or the first word of an event. */
  addressAt: number;
  addressEnd: number;
  /** The opcode, the (first) data word, or the second word of an event. */
  dataAt: number;
  dataEnd: number;
  /** The second data word, or the number of an event. */
  secondAt: number;
  secondEnd: number;
  /** Span of all suffixes. */
  suffixAt: number;
  suffixEnd: number;
  /** Disassembly, name, register list or unknown trailing text. */
  textAt: number;
  textEnd: number;
  /** Start of another record in the same line; the end of the line if there is none. */
  restAt: number;
}

export function createLine(): Line {
  return {
    stamp: STAMP.none,
    time: 0,
    timeAt: 0,
    timeEnd: 0,
    native: 0,
    size: 0,
    hasAddress: false,
    address: 0,
    suffixes: 0,
    faults: 0,
    joined: false,
    wordAt: 0,
    wordEnd: 0,
    addressAt: 0,
    addressEnd: 0,
    dataAt: 0,
    dataEnd: 0,
    secondAt: 0,
    secondEnd: 0,
    suffixAt: 0,
    suffixEnd: 0,
    textAt: 0,
    textEnd: 0,
    restAt: 0,
  };
}

export function clearLine(line: Line, at: number): void {
  line.stamp = STAMP.none;
  line.time = 0;
  line.size = line.address = line.suffixes = line.faults = 0;
  line.hasAddress = false;
  line.timeAt = line.timeEnd = line.addressAt = line.addressEnd = line.dataAt = line.dataEnd = at;
  line.secondAt = line.secondEnd = line.suffixAt = line.suffixEnd = line.textAt = line.textEnd = at;
  line.wordAt = line.wordEnd = at;
  assert(at >= 0, 'a line starts in the bytes');
}

/** Number of digits of an address, and the most of a data word. */
export const ADDRESS_DIGITS = 8;
export const WORD_DIGITS = 8;

/**
 * Sets the line's `restAt` to a record that begins in bytes[from, to). Returns the end of the text before it, without blanks. A word of a
 * write in that text, whose address cannot be read, adds the fault `lostAddress`.
 */
export function splitRest(bytes: Uint8Array, from: number, to: number, line: Line): number {
  line.restAt = nextRecord(bytes, from, to);
  if (namesWrite(bytes, from, line.restAt)) line.faults |= FAULT.lostAddress;
  return Math.max(from, trimEnd(bytes, from, line.restAt));
}

/** Makes the value of the line unknown. */
export function loseValue(line: Line): void {
  line.faults |= FAULT.lostValue;
  line.dataEnd = line.dataAt;
  line.secondEnd = line.secondAt;
}

/** Reads an address of at most eight digits. */
export function readAddress(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  const end = wordEnd(bytes, at, to, ADDRESS_DIGITS);
  if (end < 0) return false;
  line.addressAt = at;
  line.addressEnd = end;
  line.address = hexOf(bytes, at, end);
  return true;
}
