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
import { REGISTER, WORD } from '../codes.ts';
import { FAULT, type Line, MARK } from './line.ts';
import { hexEnd, isText, skipBlanks, textOf, tokenEnd } from '../../../base/scan.ts';
import { isRegisterName } from '../../../records/registers.ts';
import { scan, scanHex } from './fields.ts';
import { announces, isDamagedValue, recordIn, splitRest, takeWords } from './rest.ts';

/** Reads an R line bytes[from, to), whose word is read. A register whose value cannot be read becomes unknown. */
export function readRegister(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  line.nameAt = skipBlanks(bytes, line.wordEnd, to);
  line.nameEnd = tokenEnd(bytes, line.nameAt, to);
  // The name can be lost, or joined to the word of another record.
  if (recordIn(bytes, line.nameAt, to) >= 0) {
    loseRegister(bytes, to, line);
    return true;
  }
  const at = skipBlanks(bytes, line.nameEnd, to);
  if (at < to && (readValue(bytes, at, to, line) || readOperation(bytes, at, to, line))) {
    if (line.native === REGISTER && !isName(bytes, line)) loseRegister(bytes, to, line);
    return true;
  }
  return loseValue(bytes, from, to, line);
}

/** Marks all registers as unknown, because the name of the register that the line sets cannot be read. */
export function loseRegister(bytes: Uint8Array, to: number, line: Line): void {
  line.native = REGISTER;
  line.kind = KIND.register;
  line.nameAt = line.nameEnd = line.noteAt = line.noteEnd = 0;
  loseCode(line);
  line.faults = (line.faults & FAULT.cpuRange) | FAULT.lostRegister;
  splitRest(bytes, line.wordEnd, to, line);
}

/** True if a short word precedes the value: it may be the rest of the name. */
function isSplit(bytes: Uint8Array, nameEnd: number, to: number): boolean {
  const at = skipBlanks(bytes, nameEnd, to);
  const end = tokenEnd(bytes, at, to);
  const next = skipBlanks(bytes, end, to);
  const value = bytes[next] === OPEN ? skipBlanks(bytes, tokenEnd(bytes, next, to), to) : next;
  const mayBeName = end - at <= LONGEST_NUMBER || (end - at < VALUE_DIGITS && hexEnd(bytes, at, end) < end);
  return mayBeName && hexEnd(bytes, value, to) - value >= VALUE_DIGITS;
}

/**
 * True if a part of the value or a note follows the name. If neither does, the lost bytes may begin within the name, and those of the next
 * line may end it: `R r1`, `R r12 clk R r4`, `R r14clk R r4`. Reads a whole note before or behind the value.
 */
function endsName(bytes: Uint8Array, to: number, line: Line): boolean {
  line.noteAt = line.noteEnd = 0;
  const at = skipBlanks(bytes, line.nameEnd, to);
  // The addresses of an instruction are no note.
  if (bytes[at] === OPEN && at < to)
    return readNote(bytes, at, to, line) > 0 && isRegisterName(textOf(bytes, line.noteAt, line.noteEnd));
  if (!isDamagedValue(bytes, at, to, SHORTEST_VALUE)) return false;
  const note = skipBlanks(bytes, tokenEnd(bytes, at, to), to);
  return note >= to || bytes[note] !== OPEN || (isBank(bytes, note, to) && readNote(bytes, note, to, line) > 0);
}

/** Least number of characters of a damaged value. */
const SHORTEST_VALUE = 3;

const LONGEST_NUMBER = 2;
/** Least number of digits of most values. */
const VALUE_DIGITS = 8;

function loseCode(line: Line): void {
  line.codeAt = line.codeEnd = line.lettersAt = line.lettersEnd = 0;
  line.marks = MARK.unknown;
}

/** Digits at the end of a name that swallowed the value, or in its place. */
const JOINED = /[\da-f]{8}$|^[\da-f]{4,}$/i;
/** The word of an access that lost bytes joined to a name. */
const ACCESS = /.M[RW]\d{1,2}$/;

function isName(bytes: Uint8Array, { nameAt, nameEnd, codeEnd }: Line): boolean {
  const name = textOf(bytes, nameAt, nameEnd);
  return isRegisterName(name) && !ACCESS.test(name) && (codeEnd > 0 || !JOINED.test(name));
}

/** Marks the named register as unknown. Returns false if the line is probably not about a register. */
function loseValue(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  const indented = line.wordAt > from && isBlank(bytes[line.wordAt - 1]!);
  // A record that follows another one in its line begins with the word, and may end with the name if the next record follows.
  if (!indented && line.nameEnd < to && !announces(bytes, line.wordAt, to)) return false;
  loseCode(line);
  if (!isName(bytes, line) || isSplit(bytes, line.nameEnd, to) || !endsName(bytes, to, line)) {
    loseRegister(bytes, to, line);
    return true;
  }
  line.faults = FAULT.lostValue;
  splitRest(bytes, line.nameEnd, to, line);
  return true;
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
  let digits = group;
  line.codeEnd = at;
  if (at < to && bytes[at] === COLON) {
    at = readGroup(bytes, at + 1, to, line);
    if (at < 0) return false;
    digits += scan.digits;
    line.codeEnd = at;
  }
  for (;;) {
    at = nextGroup(bytes, at, to, group, line);
    if (at < 0) break;
    digits += group;
    line.codeEnd = at;
  }
  if ((line.marks & MARK.unknown) === 0 && !isWhole(bytes, line, digits)) return false;
  return readTail(bytes, line.codeEnd, to, line);
}

/** Reads another group of the same width, of at least eight digits. Returns its end; -1 if there is none. */
function nextGroup(bytes: Uint8Array, from: number, to: number, group: number, line: Line): number {
  const at = skipBlanks(bytes, from, to);
  if (group < 8 || at === from || tokenEnd(bytes, at, to) - at < group || announces(bytes, at, to)) return -1;
  const { marks } = line;
  const end = readGroup(bytes, at, to, line);
  if (end > 0 && scan.digits === group && (end === to || isBlank(bytes[end]!))) return end;
  line.marks = marks;
  return -1;
}

/**
 * True if a value can have this number of digits: r0 to r15 have 32 bits, X0 to X30 have 64, predicates (P0) have whole bytes, and all
 * others have 32 bits or at least 64. QEMU prints a bit more of its cpsr.
 */
function isWhole(bytes: Uint8Array, line: Line, digits: number): boolean {
  const name = textOf(bytes, line.nameAt, Math.min(line.nameEnd, line.nameAt + LONGEST_KNOWN)).toLowerCase();
  // System operations set no register.
  if (OPERATIONS.some(([operation]) => operation.toLowerCase() === name)) return true;
  if (/^r\d+(?:_|$)/.test(name)) return digits === 8;
  if (/^x\d+$/.test(name)) return digits === 16;
  if (/^p\d+$/.test(name)) return digits % 2 === 0;
  return digits === 8 || digits >= 16 || (digits === 9 && /psr/.test(name));
}

/**
 * True if the value of a register has the width that writers print: Q0 to Q31 have 128 bits, the name of a part shows its bits, and wide
 * registers have a multiple of 64. Other widths are read too, unless lost bytes can explain them.
 */
export function hasUsualWidth(bytes: Uint8Array, { nameAt, nameEnd, codeAt, codeEnd }: Line): boolean {
  const name = textOf(bytes, nameAt, nameEnd);
  const digits = textOf(bytes, codeAt, codeEnd).replaceAll(/[^\da-z]/gi, '').length;
  if (/^q\d+$/i.test(name)) return digits === 32;
  const [, high, low] = /<(\d{1,5}):(\d{1,5})>$/.exec(name) ?? [];
  if (low !== undefined) return digits === Math.ceil((Number(high) - Number(low) + 1) / 4);
  return digits <= 16 || digits % 16 === 0;
}

/** Number of letters that show the width of a register. */
const LONGEST_KNOWN = 12;

/** Reads what follows a value: a note, letters of flags, words, another record. Returns false if the value may be longer than read. */
function readTail(bytes: Uint8Array, from: number, to: number, line: Line): boolean {
  let at = skipBlanks(bytes, from, to);
  if (at === to) return true;
  if (at === from) return false;
  if (isBank(bytes, at, to) && line.noteEnd === 0) {
    at = readNote(bytes, at, to, line);
    // Only a part of the bank may be left.
  } else if (bytes[at] === OPEN && bytes[tokenEnd(bytes, at, to) - 1] !== CLOSE) return false;
  else if (readLetters(bytes, at, to, line)) return true;
  return takeWords(bytes, at, to, line);
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

/** Modes and stack pointers of which Arm processors have registers of their own (ARM DDI 0406C, B1.3.2; DDI 0403E, B1.4.1). */
const BANK = /^\((?:USR|SYS|SVC|ABT|UND|IRQ|FIQ|MON|HYP|MSP|PSP)(?:_?N?S)?\)$/i;

function isBank(bytes: Uint8Array, at: number, to: number): boolean {
  return bytes[at] === OPEN && BANK.test(textOf(bytes, at, tokenEnd(bytes, at, to)));
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
