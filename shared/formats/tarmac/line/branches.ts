/**
 * Reads lines of branches, events and exceptions.
 *
 *     FD (12) 00008010 00008034 A            direct branch: source, target, instruction set there; FI is indirect, FR a return
 *     BR (00000080) A                        branch to this target
 *     E 00008100 00000084 CoreEvent_CURRENT_SPx_SYNC
 *     E DebugEvent_HaltingDebugState 00000000
 *     ES EXC [0x00] Reset                    EXC [0x200] Synchronous Current EL with SP_ELx
 */
import { CLOSE, CLOSE_SQUARE, isBlank, isLetter, OPEN, OPEN_SQUARE } from '../../../base/characters.ts';
import { KIND } from '../../../records/record.ts';
import { WORD } from '../codes.ts';
import type { Line } from './line.ts';
import { clearAddress, readAddress, readNumbers, readTarget, scanHex } from './fields.ts';
import { isText, skipBlanks, startsWith, tokenEnd } from '../../../base/scan.ts';
import { splitRest } from './rest.ts';

/** Reads FD, FI and FR lines, starting after the word. */
export function readBranchRecord(bytes: Uint8Array, from: number, lineTo: number, line: Line): boolean {
  const to = splitRest(bytes, from, lineTo, line);
  let at = skipBlanks(bytes, from, to);
  if (at < to && bytes[at] === OPEN) {
    at = readNumbers(bytes, at, to, line);
    if (at < 0) return false;
    at = skipBlanks(bytes, at, to);
  }
  at = readAddress(bytes, at, to, line);
  if (at < 0 || at >= to) return false;
  at = readTarget(bytes, skipBlanks(bytes, at, to), to, line);
  return at > 0 && readIset(bytes, at, to, line);
}

/** Reads BR lines, starting after the word. */
export function readBranch(bytes: Uint8Array, from: number, lineTo: number, line: Line): boolean {
  const to = splitRest(bytes, from, lineTo, line);
  let at = skipBlanks(bytes, from, to);
  if (at >= to || bytes[at] !== OPEN) return false;
  at = readTarget(bytes, at + 1, to, line);
  return at > 0 && at < to && bytes[at] === CLOSE && readIset(bytes, at + 1, to, line);
}

/** Reads the instruction set: one letter at the end of the line, or nothing. */
function readIset(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  if (from === to) return true;
  const at = skipBlanks(bytes, from, to);
  line.isetAt = at;
  line.isetEnd = to;
  return at > from && to - at === 1 && isLetter(bytes[at]!);
}

/** Reads EXC lines, starting after the word, and ES lines that contain an exception instead of an instruction. */
export function readException(bytes: Uint8Array, from: number, lineTo: number, line: Line): boolean {
  const to = splitRest(bytes, from, lineTo, line);
  const at = skipBlanks(bytes, from, to);
  if (at >= to && line.restAt > 0) return false;
  line.textAt = at;
  line.textEnd = to;
  if (at < to && bytes[at] === OPEN_SQUARE) {
    const end = scanHex(bytes, at + 1, to, false);
    if (end > 0 && end < to && bytes[end] === CLOSE_SQUARE) {
      line.codeAt = at + 1;
      line.codeEnd = end;
      line.textAt = skipBlanks(bytes, end + 1, to);
    }
  }
  line.native = WORD.EXC;
  line.kind = KIND.exception;
  return true;
}

/** Returns the start of the exception's text if `EXC` or `Reset` is at `at`; otherwise -1. */
export function exceptionAt(bytes: Uint8Array, at: number, to: number): number {
  const end = tokenEnd(bytes, at, to);
  if (isText(bytes, at, end, 'EXC')) return end;
  return isText(bytes, at, end, 'Reset') ? at : -1;
}

/** Reads E lines, starting after the word: a value, its details and a name. A line with a time is an event even without these. */
export function readEvent(bytes: Uint8Array, from: number, lineTo: number, line: Line): boolean {
  const to = splitRest(bytes, from, lineTo, line);
  const at = skipBlanks(bytes, from, to);
  if (at >= to) return false;
  line.textAt = at;
  line.textEnd = to;
  let last = to;
  while (last > at && !isBlank(bytes[last - 1]!)) last--;
  const core = isNamed(bytes, last, to, 'CoreEvent_');
  if (core && last > at) {
    const end = readAddress(bytes, at, to, line);
    if (end < 0 || end >= to) clearAddress(line);
    else {
      line.textAt = skipBlanks(bytes, end, to);
      if (isText(bytes, last, to, 'CoreEvent_ModeChange')) {
        line.codeAt = line.addressAt;
        line.codeEnd = line.addressEnd;
        clearAddress(line);
      } else line.kind = KIND.exception;
    }
    return true;
  }
  return core || isNamed(bytes, at, to, 'DebugEvent_') || line.timeEnd > line.timeAt;
}

function isNamed(bytes: Uint8Array, from: number, to: number, start: string): boolean {
  return from + start.length < to && startsWith(bytes, from, to, start);
}
