/**
 * Describes one record as fields for scripts and panes. Reads the line again with the slow, exact reader. The columns supply only what
 * the line leaves out: its cpu, its time, and the access that it continues.
 */
import { type Batch, FLAG, NO_CPU } from '../../../records/batch.ts';
import { describeText, trimLineEnd } from '../../../format/lines.ts';
import { KIND, kindName, type RecordFields } from '../../../records/record.ts';
import { ANY_REGISTER } from '../../../records/registers.ts';
import { type Hex, joinAddress, toHex, toWireTime, type WireTime } from '../../../base/units.ts';
import { utf8 } from '../../../base/utf8.ts';
import { nativeName, OTHER, REGISTER, WORD } from '../codes.ts';
import { createLine, type Dialect, FAULT, isInstruction, type Line, MARK } from '../line/line.ts';
import { LISTED_MODE, marksOf } from './marks.ts';
import { loseCutValue, readContinuation, readLine } from '../line/read.ts';
import { type Endian, valueOf } from '../line/value.ts';
import { textOf } from '../../../base/scan.ts';

/** Settings that affect the description of a record. */
export interface Reading {
  readonly dialect: Dialect;
  readonly endian: Endian;
  /** Time unit of the trace. Only lines with another unit are marked. */
  readonly unit: string;
}

export function describeRecord(bytes: Uint8Array, batch: Batch, index: number, reading: Reading): RecordFields {
  const native = batch.native[index]!;
  if (native === OTHER) return describeText(bytes, batch, index, nativeName(native));
  const line = readRecord(bytes, batch, index, reading.dialect);
  const flags = marksOf(bytes, line, batch.flags[index]!, reading.dialect, reading.unit);
  const cpu = batch.cpu[index]!;
  const time = timeOf(bytes, line, batch, index);
  return {
    ...(time === undefined ? {} : { time }),
    ...(cpu === NO_CPU ? {} : { cpu }),
    kind: kindName(line.kind),
    native: nativeName(native),
    ...(line.hasAddress ? { address: toHex(joinAddress(line.addressLow, line.addressHigh)) } : {}),
    ...(line.hasAddress && line.size > 0 ? { size: line.size } : {}),
    ...contents(bytes, line, reading.endian),
    ...(line.hasTarget ? { target: toHex(joinAddress(line.targetLow, line.targetHigh)) } : {}),
    ...(flags.length === 0 ? {} : { flags }),
  };
}

const scratch = createLine();

/** Reads the record's line again in the same way as when its block was decoded. */
export function readRecord(bytes: Uint8Array, batch: Batch, index: number, dialect: Dialect): Line {
  const to = trimLineEnd(bytes, 0, bytes.length);
  const native = batch.native[index]!;
  // A continuation line has the code of a load or store without its word. If a line can be read in both ways, the address shows which
  // one the decoder chose.
  const timeless = (batch.flags[index]! & FLAG.timeAssumed) !== 0;
  const continues =
    timeless &&
    (native === WORD.LD || native === WORD.ST) &&
    readContinuation(bytes, 0, to, native, scratch) &&
    scratch.addressLow === batch.addressLow[index] &&
    scratch.addressHigh === batch.addressHigh[index];
  const found = continues || readLine(bytes, 0, to, dialect, scratch);
  // A record that follows another one in the same line may leave out its time in any dialect.
  if (!found) readLine(bytes, 0, to, dialect, scratch, true);
  // The bytes of the record do not show that the next one follows in the same line. Its mark does.
  if ((batch.flags[index]! & FLAG.malformed) !== 0 && scratch.faults === 0) loseCutValue(scratch);
  takeLooseText(bytes, scratch);
  return scratch;
}

/** Corrects a line without a colon, in which only a listed mode is a mode: `A svc lui t0` has the mode svc, `A lui t0` has none. */
function takeLooseText(bytes: Uint8Array, line: Line): void {
  if ((line.faults & FAULT.missingColon) === 0) return;
  if (LISTED_MODE.test(textOf(bytes, line.modeAt, line.modeEnd))) return;
  line.textAt = line.modeAt;
  line.modeEnd = line.modeAt;
}

/**
 * Returns the name of the register that a record sets, with the bank in parentheses if the line has one; ANY_REGISTER if the name cannot
 * be read.
 */
export function registerName(bytes: Uint8Array, line: Line): string {
  if ((line.faults & FAULT.lostRegister) !== 0) return ANY_REGISTER;
  const name = utf8(bytes.subarray(line.nameAt, line.nameEnd));
  return line.noteEnd > line.noteAt ? `${name} (${textOf(bytes, line.noteAt, line.noteEnd)})` : name;
}

function contents(bytes: Uint8Array, line: Line, endian: Endian): Partial<RecordFields> {
  const value = valueOf(bytes, line, endian);
  if (line.native === REGISTER) {
    const register = registerName(bytes, line);
    return { ...valueField(value), register, text: register };
  }
  const instruction = isInstruction(line.kind) || (line.marks & MARK.fetchFailed) !== 0;
  const iset = textOf(bytes, line.isetAt, line.isetEnd);
  const text = lineText(bytes, line);
  return {
    ...(instruction ? (value === undefined ? {} : { opcode: value }) : valueField(value)),
    ...(iset === '' ? {} : { isa: iset }),
    ...(text === '' ? {} : { text }),
  };
}

function lineText(bytes: Uint8Array, line: Line): string {
  if (line.kind === KIND.other || line.textEnd > line.textAt) return utf8(bytes.subarray(line.textAt, line.textEnd));
  return utf8(bytes.subarray(line.nameAt, line.nameEnd));
}

function valueField(value: Hex | undefined): { readonly value?: Hex } {
  return value === undefined ? {} : { value };
}

/** Returns the line's own time with all of its digits, or the time of the columns if the line has none. */
function timeOf(bytes: Uint8Array, line: Line, batch: Batch, index: number): WireTime | undefined {
  if (line.timeEnd > line.timeAt) return exactTime(bytes, line);
  const time = batch.time[index]!;
  if (Number.isNaN(time)) return undefined;
  return Number.isInteger(time) ? time : decimals(time);
}

/** Returns a time as decimal digits; JavaScript prints very small numbers with an exponent. */
function decimals(time: number): string {
  const [, sign = '', whole = '', fraction = '', places = '0'] =
    /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(String(time)) ?? [];
  return whole === '' ? String(time) : `${sign}0.${'0'.repeat(Number(places) - 1)}${whole}${fraction}`;
}

/** A double holds every number of up to this many digits. */
const EXACT_DIGITS = 15;

export function exactTime(bytes: Uint8Array, line: Line): WireTime {
  const digits = textOf(bytes, line.timeAt, line.timeEnd);
  if (!digits.includes('.'))
    // The time -0 is 0.
    return digits.length <= EXACT_DIGITS ? Number(digits) || 0 : toWireTime(BigInt(digits));
  return line.exact && Number.isInteger(line.time) ? line.time : digits;
}
