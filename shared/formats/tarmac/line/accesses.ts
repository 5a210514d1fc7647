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
import { COLON, isBlank, OPEN, UPPER_A, UPPER_D, UPPER_I, UPPER_O, UPPER_X } from '../../../base/characters.ts';
import { KIND } from '../../../records/record.ts';
import { FAULT, type Line, MARK } from './line.ts';
import { isText, skipBlanks, tokenEnd } from '../../../base/scan.ts';
import { readAddress, readNumbers, scan, scanHex } from './fields.ts';
import { announces, isDamagedValue, recordIn, splitRest, takeWords } from './rest.ts';

/**
 * Reads `MR4` and `R04` lines, which have two digits of data per stated byte. If they have more or fewer, the bytes that moved are not
 * known.
 */
export function readAccessLine(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  let at = skipBlanks(bytes, from, to);
  if (at + 1 < to && bytes[at] === UPPER_X && isBlank(bytes[at + 1]!)) {
    line.marks |= MARK.exclusive;
    at = skipBlanks(bytes, at + 1, to);
  }
  at = readAddress(bytes, at, to, line);
  if (at < 0) return loseData(bytes, to, line);
  at = skipBlanks(bytes, at, to);
  if (bytes[at] === OPEN && readAborted(bytes, at, to, line)) return true;
  if (!readData(bytes, at, to, line)) return hasLostValue(line);
  checkSize(bytes, to, line);
  return true;
}

/** Compares the digits of the data with the stated size. If they differ, the larger of both sizes counts. */
function checkSize(bytes: Uint8Array, to: number, line: Line): void {
  if (scan.digits === 2 * line.size) return;
  line.faults |= FAULT.dataSize;
  doubtAddress(bytes, to, line);
  // One of several groups of digits may be a part of the address.
  const isGrouped = line.codeEnd - line.codeAt > scan.digits;
  if (isWrite(line) && isGrouped && scan.digits > 2 * line.size) line.faults |= FAULT.lostAddress;
  line.size = Math.max(line.size, (scan.digits + 1) >>> 1);
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
    const dataTo = splitRest(bytes, end, to, line);
    const { restAt } = line;
    readData(bytes, skipBlanks(bytes, end, dataTo), dataTo, line);
    line.restAt = restAt;
    return true;
  }
  at = readAddress(bytes, at, to, line);
  if (at < 0) return loseData(bytes, to, line);
  if (!readData(bytes, skipBlanks(bytes, at, to), to, line)) return hasLostValue(line);
  if (line.size === 0) line.size = (scan.digits + 1) >>> 1;
  if (scan.digits !== 2 * line.size) doubtAddress(bytes, to, line);
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
  // Lost bytes can join a field to the next line.
  if ([line.pairAt, line.noteAt, line.idAt].some((field) => recordIn(bytes, field, to) >= 0)) return false;
  at = readAddress(bytes, skipBlanks(bytes, line.idEnd, to), to, line);
  if (at < 0) return false;
  if (!readData(bytes, skipBlanks(bytes, at, to), to, line)) return hasLostValue(line);
  line.marks |= MARK.memoryOrder;
  checkSize(bytes, to, line);
  return true;
}

function readAborted(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  const end = tokenEnd(bytes, at, to);
  if (!isText(bytes, at, end, '(ABORTED)')) return false;
  line.textAt = at;
  line.textEnd = end;
  line.marks |= MARK.aborted;
  takeWords(bytes, end, to, line);
  return true;
}

/**
 * Reads digit groups of equal length, and what follows them. `scan.digits` is then the number of all digits. Returns false, and marks
 * the moved bytes as unknown, if the data cannot be read.
 */
function readData(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  let at = scanHex(bytes, from, to, true);
  const group = scan.digits;
  let digits = group;
  let unknown = scan.unknown;
  for (let next = at; next > 0; digits += group) {
    next = nextGroup(bytes, at, to, group);
    if (next < 0) break;
    at = next;
    unknown ||= scan.unknown;
  }
  if (at < 0 || (at < to && !isBlank(bytes[at]!)) || !takeWords(bytes, at, to, line)) {
    loseData(bytes, to, line);
    return false;
  }
  line.codeAt = from;
  line.codeEnd = at;
  if (unknown) line.marks |= MARK.unknown;
  scan.digits = digits;
  return true;
}

/** Number of digits of one byte. */
const SHORTEST_DATA = 2;

/**
 * Marks the bytes that an access moved as unknown. Returns false if its address is not known either: an address is whole if it ends
 * with its token or before a physical address.
 */
function loseData(bytes: Uint8Array, to: number, line: Line): boolean {
  const end = line.addressEnd;
  if (!line.hasAddress || (end < to && bytes[end] !== COLON && !isBlank(bytes[end]!))) return false;
  // A short number may be a part of an address.
  if (end - line.addressAt < 8) return false;
  line.marks |= MARK.unknown;
  line.faults |= FAULT.lostValue;
  doubtAddress(bytes, to, line);
  splitRest(bytes, end, to, line);
  return true;
}

/** Marks a write whose address has an unusual length, or no data behind it: the lost bytes may begin within the address. */
function doubtAddress(bytes: Uint8Array, to: number, line: Line): void {
  const end = line.addressEnd;
  const isWhole = bytes[end] === COLON || isDamagedValue(bytes, skipBlanks(bytes, end, to), to, SHORTEST_DATA);
  const isDoubtful = !isWhole || ![8, 16].includes(end - line.addressAt);
  if (isDoubtful && isWrite(line)) line.faults |= FAULT.lostAddress;
}

function isWrite({ kind }: Line): boolean {
  return kind === KIND.write || kind === KIND['bus-write'];
}

function hasLostValue({ faults }: Line): boolean {
  return (faults & FAULT.lostValue) !== 0;
}

/** Reads another group of the same width, of at least eight digits. Returns its end; -1 if there is none. */
function nextGroup(bytes: Uint8Array, from: number, to: number, group: number): number {
  const at = skipBlanks(bytes, from, to);
  if (group < 8 || at === from || at >= to || announces(bytes, at, to)) return -1;
  const end = scanHex(bytes, at, to, true);
  return end > 0 && scan.digits === group && (end === to || isBlank(bytes[end]!)) ? end : -1;
}
