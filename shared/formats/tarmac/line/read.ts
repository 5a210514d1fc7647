/**
 * Reads one line of any form and dialect into a `Line`. It depends on nothing but the bytes of that line and the dialect.
 * Sources of the line forms: docs/formats/tarmac.md.
 */
import { KIND } from '../../../records/record.ts';
import { isBlank, UPPER_A, UPPER_B, UPPER_D, UPPER_I, UPPER_M, UPPER_R, UPPER_W } from '../../../base/characters.ts';
import { readAccessLine, readBusLine, readRtlAccess } from './accesses.ts';
import { isRtlCode, OTHER, REGISTER, SKIPPED, TAKEN, WORD } from '../codes.ts';
import { clearLine, type Dialect, FAULT, type Line, MARK } from './line.ts';
import { readDamaged } from './damaged.ts';
import { exceptionAt, readBranch, readBranchRecord, readEvent, readException } from './branches.ts';
import { readExecuted, readInstruction } from './instructions.ts';
import { readPrefix } from './prefix.ts';
import { readRegister } from './registers.ts';
import { skipBlanks, tokenEnd } from '../../../base/scan.ts';
import { readLoadStore } from './load-store.ts';
import { beginsWithTime, endBefore, nextEffect } from './rest.ts';

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
  return found;
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
    // The words before an effect may be damaged.
    const effect = nextEffect(bytes, tokenEnd(bytes, skipBlanks(bytes, from, to), to), to);
    if (effect === 0) return false;
    if (!readFrom(bytes, effect, to, dialect, line, true)) {
      // Callers see the first words of the line.
      clearLine(line);
      readPrefix(bytes, from, to, untimed, line);
      return false;
    }
    line.faults |= mayWrite ? FAULT.extraWords | FAULT.lostAddress : FAULT.extraWords;
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

/** Reads a line that continues the access of the previous line, whose native code is `native`. */
export function readContinuation(bytes: Uint8Array, from: number, to: number, native: number, line: Line): boolean {
  if (from >= to || !isBlank(bytes[from]!) || beginsWithTime(bytes, skipBlanks(bytes, from, to), to)) return false;
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
    line.textEnd = to;
    return true;
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
