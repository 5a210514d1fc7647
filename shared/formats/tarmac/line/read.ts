/**
 * Reads one line of any form and dialect into a `Line`. It depends on nothing but the bytes of that line and the dialect.
 * Sources of the line forms: docs/formats/tarmac.md.
 */
import { KIND, MOVES } from '../../../records/record.ts';
import { isBlank, UPPER_A, UPPER_B, UPPER_D, UPPER_I, UPPER_M, UPPER_R, UPPER_W } from '../../../base/characters.ts';
import { readAccessLine, readBusLine, readRtlAccess } from './accesses.ts';
import { isRtlCode, OTHER, REGISTER, SKIPPED, TAKEN, WORD } from '../codes.ts';
import { clearLine, type Dialect, FAULT, type Line, MARK } from './line.ts';
import { readDamaged } from './damaged.ts';
import { exceptionAt, readBranch, readBranchRecord, readEvent, readException } from './branches.ts';
import { readExecuted, readInstruction } from './instructions.ts';
import { readPrefix } from './prefix.ts';
import { hasUsualWidth, readRegister } from './registers.ts';
import { skipBlanks, tokenEnd } from '../../../base/scan.ts';
import { readLoadStore } from './load-store.ts';
import { beginsWithTime, endBefore, nextEffect, splitRest } from './rest.ts';

/**
 * Reads bytes[from, to), which exclude the line end and trailing blanks, into `line`. Returns false if it is not a record. If another
 * record begins in the same bytes, `line.restAt` is its start, and the bytes before it read the same alone. `untimed` is true if the line
 * may leave out its time.
 */
export function readLine(
  bytes: Uint8Array,
  from: number,
  to: number,
  dialect: Dialect,
  line: Line,
  untimed = dialect !== 'qemu4v',
): boolean {
  let found = readRecord(bytes, from, to, dialect, line, untimed);
  // A whole record depends on its own bytes only. A damaged one may depend on those of the next record.
  while (line.restAt > 0 && line.faults !== 0) {
    const { restAt } = line;
    found = readRecord(bytes, from, endBefore(bytes, from, restAt), dialect, line, untimed);
    if (line.restAt > 0) continue;
    line.restAt = restAt;
    break;
  }
  if (line.restAt > 0 && line.faults === 0 && isCut(bytes, to, line)) loseCutValue(line);
  return found;
}

/**
 * True if the next record of the same line shows that the end of the value is lost: writers leave a gap before it. Data of the stated size
 * is whole if nothing of the next record's line before its time can belong to it.
 *
 *     54 clk R r0 00000000 IT (55) ..      was `54 clk R r0 0000000` and `0 IT (55) ..`
 */
function isCut(bytes: Uint8Array, to: number, line: Line): boolean {
  if (line.codeEnd === 0 || (line.kind !== KIND.register && MOVES[line.kind] === 0)) return false;
  if (line.kind !== KIND.register && beginsWithTime(bytes, line.restAt, to)) return false;
  return line.codeEnd >= line.restAt - 1 || (line.kind === KIND.register && !hasUsualWidth(bytes, line));
}

/** Marks the value of a record that another one follows as unknown, although its own bytes are whole. */
export function loseCutValue(line: Line): void {
  line.codeAt = line.codeEnd = 0;
  line.marks |= MARK.unknown;
  line.faults |= FAULT.lostValue;
}

function readRecord(
  bytes: Uint8Array,
  from: number,
  to: number,
  dialect: Dialect,
  line: Line,
  untimed: boolean,
): boolean {
  if (!readFrom(bytes, from, to, dialect, line, untimed)) {
    const mayWrite = line.kind === KIND.write || line.kind === KIND['bus-write'];
    if (readDamaged(bytes, from, to, untimed, line)) return true;
    // The time and the words before an effect may be damaged or lost.
    let effect = nextEffect(bytes, from, to);
    if (effect < 0) return false;
    while (effect >= 0 && !readFrom(bytes, effect, to, dialect, line, true))
      effect = nextEffect(bytes, tokenEnd(bytes, effect, to), to);
    if (effect < 0) {
      // Callers see the first words of the line.
      clearLine(line);
      readPrefix(bytes, from, to, untimed, line);
      return false;
    }
    if (effect > skipBlanks(bytes, from, to)) line.faults |= FAULT.extraWords;
    if (mayWrite) line.faults |= FAULT.lostAddress;
  }
  const lost = (line.faults & (FAULT.lostValue | FAULT.lostRegister | FAULT.lostWord)) !== 0;
  if (dialect === 'qemu4v' && !lost && (line.marks & (MARK.unknown | MARK.addressOrder)) === MARK.unknown)
    line.faults |= FAULT.unknownDigits;
  return true;
}

function readFrom(
  bytes: Uint8Array,
  from: number,
  to: number,
  dialect: Dialect,
  line: Line,
  untimed: boolean,
): boolean {
  clearLine(line);
  const native = readPrefix(bytes, from, to, untimed, line);
  line.native = native;
  if (native === OTHER) return false;
  const port = bytes[line.wordEnd - 1]!;
  const mayBeTracer = dialect !== 'rtl' && isRtlCode(native) && line.timeEnd === line.timeAt && !namesPort(port);
  // A write changes memory whichever program wrote the line.
  if (mayBeTracer && line.kind !== KIND.write && line.kind !== KIND['bus-write']) return false;
  if (!readFields(bytes, from, to, dialect, line)) return false;
  // The letter D names a port of RTL, and more data to follow in Tracer text, which has another order of bytes.
  if (mayBeTracer && port === UPPER_D) line.marks = (line.marks & ~MARK.memoryOrder) | MARK.busOrder;
  return true;
}

/** Reads a line that continues the access of the previous line, whose native code is `native`. `line.restAt` is as for `readLine`. */
export function readContinuation(bytes: Uint8Array, from: number, to: number, native: number, line: Line): boolean {
  if (from >= to || !isBlank(bytes[from]!) || beginsWithTime(bytes, skipBlanks(bytes, from, to), to)) return false;
  let found = readContinued(bytes, from, to, native, line);
  const { restAt } = line;
  if (found && restAt > 0 && line.faults !== 0) {
    found = readContinued(bytes, from, endBefore(bytes, from, restAt), native, line);
    line.restAt = restAt;
  }
  if (restAt > 0 && line.faults === 0 && isCut(bytes, to, line)) loseCutValue(line);
  return found;
}

function readContinued(bytes: Uint8Array, from: number, to: number, native: number, line: Line): boolean {
  clearLine(line);
  line.native = native;
  line.kind = native === WORD.LD ? KIND.read : KIND.write;
  line.marks = MARK.continued;
  return readLoadStore(bytes, from, to, line);
}

/**
 * True for a port letter at the end of an RTL word that the ARM Tracer never has. In other dialects than RTL, words without one can belong
 * to the Tracer (`MNR4O___`) if the line has no time.
 */
function namesPort(letter: number): boolean {
  return letter === UPPER_I || letter === UPPER_A;
}

function readFields(bytes: Uint8Array, from: number, to: number, dialect: Dialect, line: Line): boolean {
  const at = line.wordEnd;
  switch (line.native) {
    case REGISTER:
      return readRegister(bytes, from, to, line);
    case TAKEN:
    case SKIPPED:
    case WORD.IF:
      return readInstruction(bytes, at, to, dialect === 'rtl' && line.timeEnd > line.timeAt, line);
    case WORD.ES: {
      const exception = exceptionAt(bytes, skipBlanks(bytes, at, to), to);
      return exception < 0 ? readExecuted(bytes, at, to, line) : readException(bytes, exception, to, line);
    }
    case WORD.EXC:
      return readException(bytes, at, to, line);
    case WORD.BR:
      return readBranch(bytes, at, to, line);
    case WORD.FD:
    case WORD.FI:
    case WORD.FR:
      return readBranchRecord(bytes, at, to, line);
    case WORD.E:
      return readEvent(bytes, at, to, line);
    case WORD.LD:
    case WORD.ST:
      return readLoadStore(bytes, at, to, line);
    default:
      return readByKind(bytes, at, to, line);
  }
}

function readByKind(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  if (line.kind === KIND.other) {
    if (line.textEnd === 0) line.textAt = skipBlanks(bytes, at, to);
    line.textEnd = splitRest(bytes, line.textAt, to, line);
    // A word alone announces nothing.
    return line.textEnd > line.textAt || line.restAt === 0;
  }
  const length = line.wordEnd - line.wordAt;
  const bus = bytes[line.wordAt] === UPPER_B;
  if (length === 8 && bytes[line.wordAt + 1] !== UPPER_R && bytes[line.wordAt + 1] !== UPPER_W)
    return readRtlAccess(bytes, at, to, line);
  if (bus) return readBusLine(bytes, at, to, line);
  return line.attributeAt === 0 && bytes[line.wordAt] === UPPER_M
    ? readRtlAccess(bytes, at, to, line)
    : readAccessLine(bytes, at, to, line);
}
