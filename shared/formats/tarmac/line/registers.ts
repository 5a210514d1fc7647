/**
 * Reads register lines, and system operations that are written like them.
 *
 *     R r8 00000000                      R X0 01234567 89abcdef         digit groups
 *     R FPCR 01230123:23452345           R Q0 -------- -------- 3ff6a09e 667f3bcd   unknown parts
 *     R R1 (USR) 00000800                R r13 20001fff (MSP)           bank of the register in parentheses
 *     R V0<127:64> ffeeddccbbaa9988      R cpsr 20000000 __C_           part of a register; flags that are set
 *     R DC CISW 00000000:00000000        R TLBI ALLE3                   operations, which set no register
 */
import { CLOSE, COLON, isBlank, MINUS, OPEN, UNDERSCORE } from '../../../base/characters.ts';
import { KIND } from '../../../records/record.ts';
import { WORD } from '../codes.ts';
import { type Line, MARK } from './line.ts';
import { isText, skipBlanks, tokenEnd } from '../../../base/scan.ts';
import { scan, scanHex } from './fields.ts';

/** Reads an R line, starting after the word. */
export function readRegister(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  line.nameAt = skipBlanks(bytes, from, to);
  line.nameEnd = tokenEnd(bytes, line.nameAt, to);
  if (line.nameEnd >= to) return false;
  const at = skipBlanks(bytes, line.nameEnd, to);
  return readValue(bytes, at, to, line) || readOperation(bytes, at, to, line);
}

function readValue(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  let at = from;
  if (bytes[at] === OPEN) {
    at = readNote(bytes, at, to, line);
    if (at < 0 || at >= to) return false;
    at = skipBlanks(bytes, at, to);
  }
  line.codeAt = at;
  at = readGroup(bytes, at, to, line);
  if (at < 0) return false;
  const group = scan.digits;
  line.codeEnd = at;
  if (at < to && bytes[at] === COLON) {
    at = readGroup(bytes, at + 1, to, line);
    if (at < 0) return false;
    line.codeEnd = at;
  }
  while (at < to) {
    if (!isBlank(bytes[at]!)) return false;
    const next = skipBlanks(bytes, at, to);
    if (bytes[next] === OPEN) return line.noteEnd === 0 && readNote(bytes, next, to, line) === to;
    at = group < 8 ? -1 : readGroup(bytes, next, to, line);
    if (at < 0 || scan.digits !== group || (at < to && !isBlank(bytes[at]!))) return readLetters(bytes, next, to, line);
    line.codeEnd = at;
  }
  return true;
}

/** Reads digits, some of which may be x, or hyphens for an unknown part: `--------_00000001`. */
function readGroup(bytes: Uint8Array, from: number, to: number, line: Line): number {
  let digits = 0;
  let at = readPart(bytes, from, to, line);
  while (at > from && at + 1 < to && bytes[at] === UNDERSCORE && (bytes[at - 1] === MINUS || bytes[at + 1] === MINUS)) {
    digits += scan.digits;
    at = readPart(bytes, at + 1, to, line);
  }
  scan.digits += digits;
  return at;
}

function readPart(bytes: Uint8Array, from: number, to: number, line: Line): number {
  if (from >= to) return -1;
  if (bytes[from] !== MINUS) {
    const at = scanHex(bytes, from, to, true);
    if (scan.unknown) line.marks |= MARK.unknown;
    return at;
  }
  let at = from;
  while (at < to && bytes[at] === MINUS) at++;
  scan.digits = at - from;
  line.marks |= MARK.unknown;
  return scan.digits < 2 ? -1 : at;
}

/** Reads a note such as `(USR)`. Returns its end; -1 if it is not one. */
function readNote(bytes: Uint8Array, from: number, to: number, line: Line): number {
  let at = from + 1;
  while (at < to && bytes[at] !== CLOSE && !isBlank(bytes[at]!)) at++;
  if (at >= to || bytes[at] !== CLOSE || at === from + 1) return -1;
  line.noteAt = from + 1;
  line.noteEnd = at;
  return at + 1;
}

/** Reads the letters of condition flags that are set, `__C_`, at the end of the line. */
function readLetters(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  for (let at = from; at < to; at++) if (!'NZCVQnzcvq_-'.includes(String.fromCharCode(bytes[at]!))) return false;
  line.lettersAt = from;
  line.lettersEnd = to;
  return true;
}

const OPERATIONS = [
  ['DC', WORD['R DC']],
  ['IC', WORD['R IC']],
  ['TLBI', WORD['R TLBI']],
  ['AT', WORD['R AT']],
] as const;

/** Reads an operation: `CISW 00000000:00000000` after a name that is not a register. */
function readOperation(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  const found = OPERATIONS.find(([name]) => isText(bytes, line.nameAt, line.nameEnd, name));
  if (found === undefined) return false;
  line.codeAt = line.codeEnd = line.noteAt = line.noteEnd = line.marks = 0;
  const end = tokenEnd(bytes, from, to);
  if (end < to && !readValue(bytes, skipBlanks(bytes, end, to), to, line)) return false;
  line.textAt = line.nameAt;
  line.textEnd = end;
  line.nameAt = line.nameEnd = 0;
  line.native = found[1];
  line.kind = KIND.event;
  return true;
}
