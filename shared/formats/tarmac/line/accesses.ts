/**
 * Reads memory and bus lines with one value.
 *
 *     MR8 0000c7c8:00000000c7c8 00000000_0000ca68        virtual and physical address; digit groups
 *     MR16 400171e0 400f731b40000000 3ff87cc460000000    two words, the one at the higher address first
 *     MR4 dfdfdfcf (ABORTED)                             the access was aborted
 *     W04 X ffffffbdc3c15c30 010c010b                    exclusive
 *     MNW4____ (00000050:000000a8) 05011000 00000003     RTL: instruction address and number before the address
 *     MCW4___R (01000250:000000bb) TRANSFER 00000000     RTL: a coprocessor transfer has no address
 *     BW4D__N I_____ O_____ 0 80001000 01000000          Fast Models bus: cache attributes, master; lowest byte first
 */
import { isBlank, OPEN, UPPER_A, UPPER_D, UPPER_I, UPPER_O, UPPER_X } from '../../../base/characters.ts';
import { KIND } from '../../../records/record.ts';
import { FAULT, type Line, MARK } from './line.ts';
import { isText, skipBlanks, tokenEnd } from '../../../base/scan.ts';
import { readAddress, readNumbers, scan, scanHex } from './fields.ts';

/** Reads `MR4` and `R04` lines, which have two digits of data per stated byte. */
export function readAccessLine(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  const stated = line.size;
  let at = skipBlanks(bytes, from, to);
  if (at + 1 < to && bytes[at] === UPPER_X && isBlank(bytes[at + 1]!)) {
    line.marks |= MARK.exclusive;
    at = skipBlanks(bytes, at + 1, to);
  }
  at = readAddress(bytes, at, to, line);
  if (at < 0 || at >= to) return false;
  at = skipBlanks(bytes, at, to);
  if (bytes[at] === OPEN) return readAborted(bytes, at, to, line);
  if (!readData(bytes, at, to, line)) return false;
  line.size = (scan.digits + 1) >>> 1;
  if (scan.digits !== 2 * stated) line.faults |= FAULT.dataSize;
  return true;
}

/**
 * Reads RTL lines. The digits may show a whole bus, so the stated size is kept. Port D shows the bytes in memory order. The order of
 * ports I and A varies, and Arm's tarmac-trace-utilities (lib/parser.cpp) take no bytes from them.
 */
export function readRtlAccess(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  let at = skipBlanks(bytes, from, to);
  if (bytes[at] === OPEN) {
    at = readNumbers(bytes, at, to, line);
    if (at < 0) return false;
    at = skipBlanks(bytes, at, to);
  }
  const end = tokenEnd(bytes, at, to);
  if (line.kind === KIND.event && isText(bytes, at, end, 'TRANSFER')) {
    line.nameAt = at;
    line.nameEnd = end;
    line.size = 0;
    return readData(bytes, skipBlanks(bytes, end, to), to, line);
  }
  at = readAddress(bytes, at, to, line);
  if (at < 0 || at >= to) return false;
  if (!readData(bytes, skipBlanks(bytes, at, to), to, line)) return false;
  if (line.size === 0) line.size = (scan.digits + 1) >>> 1;
  const port = line.wordEnd - line.wordAt === 8 ? bytes[line.wordEnd - 1] : 0;
  // If the number of digits is odd, it is not known which byte lost a digit.
  if (port === UPPER_D && scan.digits % 2 === 0) line.marks |= MARK.memoryOrder;
  if (port === UPPER_I || port === UPPER_A || scan.digits !== 2 * line.size) line.marks |= MARK.busOrder;
  return true;
}

export function readBusLine(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  let at = skipBlanks(bytes, from, to);
  let end = tokenEnd(bytes, at, to);
  line.pairAt = at;
  line.pairEnd = end;
  if (bytes[at] !== UPPER_I) return false;
  at = skipBlanks(bytes, end, to);
  end = tokenEnd(bytes, at, to);
  if (bytes[at] !== UPPER_O) return false;
  line.noteAt = at;
  line.noteEnd = end;
  line.idAt = skipBlanks(bytes, end, to);
  line.idEnd = tokenEnd(bytes, line.idAt, to);
  at = readAddress(bytes, skipBlanks(bytes, line.idEnd, to), to, line);
  if (at < 0 || at >= to) return false;
  const stated = line.size;
  if (!readData(bytes, skipBlanks(bytes, at, to), to, line)) return false;
  line.marks |= MARK.memoryOrder;
  line.size = (scan.digits + 1) >>> 1;
  if (scan.digits !== 2 * stated) line.faults |= FAULT.dataSize;
  return true;
}

function readAborted(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  if (!isText(bytes, at, to, '(ABORTED)')) return false;
  line.textAt = at;
  line.textEnd = to;
  line.marks |= MARK.aborted;
  return true;
}

/** Reads digit groups of equal length to the end of the line. `scan.digits` is then the number of all digits. */
function readData(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  if (from >= to) return false;
  line.codeAt = from;
  let at = scanHex(bytes, from, to, true);
  const group = scan.digits;
  let digits = group;
  let unknown = scan.unknown;
  while (at >= 0 && at < to && isBlank(bytes[at]!)) {
    at = scanHex(bytes, skipBlanks(bytes, at, to), to, true);
    if (scan.digits !== group || group < 8) return false;
    digits += group;
    unknown ||= scan.unknown;
  }
  if (at !== to) return false;
  line.codeEnd = at;
  if (unknown) line.marks |= MARK.unknown;
  scan.digits = digits;
  return true;
}
