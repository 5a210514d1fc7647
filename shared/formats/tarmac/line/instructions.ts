/**
 * Reads instruction lines: executed (IT, IF, ES) or skipped (IS, `CCFAIL`).
 *
 *     IT (53) 00008068 e59f0060 A svc_s : LDR r0,[pc,#0x60]          optional instruction number in parentheses
 *     IT (3) 0000800a:00000000800a,00000000800c e8900c00 T svc_s : ..  physical addresses of both halves
 *     IT (00000000004d6eb8) 54fffea1 O ---_- : b.ne 0x4d6e8c         address in parentheses
 *     IT (00022a7c:00000006) 00022a7c 48f6 T16 LDR r0,[pc,#984]      address and number, neither mode nor colon
 *     IT (00000000:00000000) 00000000 ea000006 A : B pc+0x00000018   no mode
 *     IT 00001000 2000 T16 MOVS r0,#0                                no number
 *     IT 0000010a b510 PUSH {r4,lr}                                  no instruction set: cores that have only one
 *     ES (000001a4:03a06a01) A svc: CCFAIL MOVEQ r6,#0x1000
 *     ES (0000aaaaabaf59f0:--------) O el0t_ns:                      the fetch failed
 *     IT (00004002:00000001) 00004002 -------- T32                   the same
 */
import {
  CLOSE,
  COLON,
  HEX,
  isBlank,
  isDecimal,
  isLetter,
  MINUS,
  NO_DIGIT,
  OPEN,
  UPPER_C,
  UPPER_T,
  UPPER_U,
} from '../../../base/characters.ts';
import { KIND } from '../../../records/record.ts';
import { FAULT, type Line, MARK } from './line.ts';
import { decimalEnd, isText, skipBlanks } from '../../../base/scan.ts';
import { MOST_ADDRESS_DIGITS, readAddress, readNumbers, scan, scanHex } from './fields.ts';
import { splitRest } from './rest.ts';

const MOST_OPCODE_DIGITS = 32;

/**
 * Reads IT, IS and IF lines bytes[from, to), starting after the word and up to another record. If `oneSet` is true, the instruction set
 * may be left out.
 */
export function readInstruction(bytes: Uint8Array, from: number, to: number, oneSet: boolean, line: Line): boolean {
  let at = skipBlanks(bytes, from, to);
  const bracketed = at < to && bytes[at] === OPEN;
  if (bracketed) {
    at = readNumbers(bytes, at, to, line);
    if (at < 0) return false;
    at = skipBlanks(bytes, at, to);
  }
  let hasOpcode = false;
  if (bracketed && at < to && bytes[at] === MINUS && isAddressInParentheses(bytes, line)) {
    takeAddressInParentheses(bytes, 0, line);
  } else {
    at = readAddress(bytes, at, to, line);
    if (at < 0 || at >= to) return false;
    const digits = scan.digits;
    at = skipBlanks(bytes, at, to);
    hasOpcode =
      bracketed && isetEnd(bytes, at, to) > 0 && line.physicalEnd === 0 && isAddressInParentheses(bytes, line);
    if (hasOpcode) takeAddressInParentheses(bytes, digits, line);
    else if (bracketed && line.pairEnd === 0 && !isDecimalText(bytes, line.idAt, line.idEnd)) return false;
  }
  if (!hasOpcode) {
    at = readOpcode(bytes, at, to, line);
    if (at < 0 || (at >= to && !oneSet) || (at < to && !isBlank(bytes[at]!))) return false;
    at = skipBlanks(bytes, at, to);
  }
  if (scan.digits % 2 === 1) line.faults |= FAULT.oddOpcode;
  return readSetAndText(bytes, at, splitRest(bytes, at, to, line), bracketed, oneSet, line);
}

/** Reads the instruction set, the mode and the text, whose presence depends on the writer. */
function readSetAndText(
  bytes: Uint8Array,
  from: number,
  to: number,
  bracketed: boolean,
  oneSet: boolean,
  line: Line,
): boolean {
  const end = isetEnd(bytes, from, to);
  if (end < 0) {
    takeText(from, to, line);
    return oneSet;
  }
  line.isetAt = from;
  line.isetEnd = end;
  const at = skipBlanks(bytes, end, to);
  // Writers that print the address beside the number or no number, and distinguish T16 from T32, print neither mode nor colon.
  const bare = (line.pairEnd > 0 || !bracketed) && end - line.isetAt === 3 && bytes[line.isetAt] === UPPER_T;
  if (bare && at < to && bytes[at] !== COLON) {
    takeText(at, to, line);
  } else readModeAndText(bytes, at, to, line);
  return true;
}

/** Reads ES lines bytes[from, lineTo), starting after the word and up to another record. */
export function readExecuted(bytes: Uint8Array, from: number, lineTo: number, line: Line): boolean {
  let to = lineTo;
  let at = skipBlanks(bytes, from, to);
  if (at >= to || bytes[at] !== OPEN) return false;
  const address = at + 1;
  at = scanHex(bytes, address, to, false);
  if (at < 0 || scan.digits > MOST_ADDRESS_DIGITS || at >= to || bytes[at] !== COLON) return false;
  line.addressLow = scan.low;
  line.addressHigh = scan.high;
  line.addressAt = address;
  line.addressEnd = at;
  line.hasAddress = true;
  at = readOpcode(bytes, at + 1, to, line);
  if (scan.digits % 2 === 1) line.faults |= FAULT.oddOpcode;
  if (at < 0 || at >= to || bytes[at] !== CLOSE) return false;
  at = skipBlanks(bytes, at + 1, to);
  to = splitRest(bytes, at, to, line);
  const end = isetEnd(bytes, at, to);
  if (end < 0) return false;
  line.isetAt = at;
  line.isetEnd = end;
  readModeAndText(bytes, skipBlanks(bytes, end, to), to, line);
  takeConditionFailed(bytes, line);
  return true;
}

function takeConditionFailed(bytes: Uint8Array, line: Line): void {
  const end = line.textAt + 6;
  if (end > line.textEnd || bytes[line.textAt] !== UPPER_C || !isText(bytes, line.textAt, end, 'CCFAIL')) return;
  if (end < line.textEnd && !isBlank(bytes[end]!)) return;
  if (line.kind === KIND.instruction) line.kind = KIND.skipped;
  line.textAt = skipBlanks(bytes, end, line.textEnd);
}

/** Returns the end of an instruction set at `at`: one letter, T16, T32, or `Unsupported`; -1 if there is none. */
function isetEnd(bytes: Uint8Array, at: number, to: number): number {
  if (at >= to || !isLetter(bytes[at]!)) return -1;
  if (ends(bytes, at + 1, to)) return at + 1;
  if (ends(bytes, at + 3, to) && isDecimal(bytes[at + 1]!) && isDecimal(bytes[at + 2]!) && bytes[at] === UPPER_T)
    return at + 3;
  return bytes[at] === UPPER_U && ends(bytes, at + 11, to) && isText(bytes, at, at + 11, 'Unsupported') ? at + 11 : -1;
}

function ends(bytes: Uint8Array, at: number, to: number): boolean {
  return at === to || (at < to && (isBlank(bytes[at]!) || bytes[at] === COLON));
}

/** True if the number in parentheses can be an address because it is as wide as one or not decimal. */
function isAddressInParentheses(bytes: Uint8Array, line: Line): boolean {
  if (line.pairEnd > 0) return false;
  const digits = line.idEnd - line.idAt;
  return digits === 8 || digits === 16 || (digits < 16 && !isDecimalText(bytes, line.idAt, line.idEnd));
}

/** Corrects a line whose address is in parentheses: the number read as the address is the opcode. */
function takeAddressInParentheses(bytes: Uint8Array, digits: number, line: Line): void {
  line.codeAt = line.addressAt;
  line.codeEnd = line.addressEnd;
  line.size = Math.ceil(digits / 2);
  scanHex(bytes, line.idAt, line.idEnd, false);
  line.addressLow = scan.low;
  line.addressHigh = scan.high;
  line.hasAddress = true;
  line.addressAt = line.idAt;
  line.addressEnd = line.idEnd;
  line.idAt = line.idEnd = 0;
  scan.digits = digits;
}

function isDecimalText(bytes: Uint8Array, from: number, to: number): boolean {
  return decimalEnd(bytes, from, to) === to;
}

/** Reads an opcode, or the hyphens in its place if the fetch failed: nothing was executed then, so the line is an event. */
function readOpcode(bytes: Uint8Array, from: number, to: number, line: Line): number {
  if (from < to && bytes[from] === MINUS) return readFailedFetch(bytes, from, to, line);
  if (from >= to || HEX[bytes[from]!] === NO_DIGIT) return -1;
  const at = scanHex(bytes, from, to, false);
  if (at < 0 || scan.digits > MOST_OPCODE_DIGITS) return -1;
  line.codeAt = from;
  line.codeEnd = at;
  line.size = (scan.digits + 1) >>> 1;
  return at;
}

function readFailedFetch(bytes: Uint8Array, from: number, to: number, line: Line): number {
  let at = from;
  while (at < to && bytes[at] === MINUS) at++;
  line.codeAt = from;
  line.codeEnd = at;
  line.size = Math.ceil((at - from) / 2);
  line.marks |= MARK.fetchFailed;
  line.kind = KIND.event;
  scan.digits = 0;
  return at;
}

function readModeAndText(bytes: Uint8Array, from: number, to: number, line: Line): void {
  let at = from;
  line.modeAt = at;
  while (at < to && !isBlank(bytes[at]!) && bytes[at] !== COLON) at++;
  line.modeEnd = at;
  at = skipBlanks(bytes, at, to);
  line.textAt = at;
  line.textEnd = to;
  if (at >= to) return;
  if (bytes[at] === COLON) at = skipBlanks(bytes, at + 1, to);
  else line.faults |= FAULT.missingColon;
  takeText(at, to, line);
}

function takeText(from: number, to: number, line: Line): void {
  line.textAt = from;
  line.textEnd = to;
}
