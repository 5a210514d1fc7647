/**
 * All that one record says, as fields for scripts and panes. Reads the line again with the careful reader; only what the
 * line leaves out comes from the columns: the cpu, the time of lines without one, and whose line a line goes on with.
 */
import type { Batch } from '../../records/batch.ts';
import { FLAG, NO_CPU } from '../../records/batch.ts';
import { describeText, trimLineEnd } from '../../format/lines.ts';
import type { RecordFields } from '../../records/record.ts';
import { KIND, kindName } from '../../records/record.ts';
import type { Hex, WireTime } from '../../base/units.ts';
import { joinAddress, toHex, toWireTime } from '../../base/units.ts';
import { utf8 } from '../../base/utf8.ts';
import { nativeName, OTHER, REGISTER, WORD } from './codes.ts';
import { isInstruction } from './columns.ts';
import type { Dialect } from './line/dialect.ts';
import type { Line } from './line/line.ts';
import { createLine, FAULT, MARK } from './line/line.ts';
import { LISTED_MODE, marksOf } from './line/marks.ts';
import { readContinuation, readLine } from './read.ts';
import { type Endian, plain, valueOf } from './line/value.ts';

/** How a trace is described. */
export interface Reading {
  readonly dialect: Dialect;
  readonly endian: Endian;
  /** The unit that goes without saying. */
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

/** The record's line once more, as its block read it. */
export function readRecord(bytes: Uint8Array, batch: Batch, index: number, dialect: Dialect): Line {
  const to = trimLineEnd(bytes, 0, bytes.length);
  const native = batch.native[index]!;
  // Only a line that goes on with another one has the code of a load or store without its word.
  const timeless = (batch.flags[index]! & FLAG.timeAssumed) !== 0;
  const goesOn = timeless && (native === WORD.LD || native === WORD.ST);
  if (!goesOn || !readContinuation(bytes, 0, to, native, scratch)) readLine(bytes, 0, to, dialect, scratch);
  takeLooseText(bytes, scratch);
  return scratch;
}

/**
 * Without a colon only a mode that the format lists is a mode: in `A svc lui t0` svc is one, in `A lui t0` there is none.
 */
function takeLooseText(bytes: Uint8Array, line: Line): void {
  if ((line.faults & FAULT.missingColon) === 0) return;
  if (LISTED_MODE.test(plain(bytes, line.modeAt, line.modeEnd))) return;
  line.textAt = line.modeAt;
  line.modeEnd = line.modeAt;
}

/** The name that a register record sets: of several registers of a name, which one stands in brackets. */
export function registerName(bytes: Uint8Array, line: Line): string {
  const name = utf8(bytes.subarray(line.nameAt, line.nameEnd));
  return line.noteEnd > line.noteAt ? `${name} (${plain(bytes, line.noteAt, line.noteEnd)})` : name;
}

function contents(bytes: Uint8Array, line: Line, endian: Endian): Partial<RecordFields> {
  const value = valueOf(bytes, line, endian);
  if (line.native === REGISTER) {
    const register = registerName(bytes, line);
    return { ...valueField(value), register, text: register };
  }
  const instruction = isInstruction(line.kind) || (line.marks & MARK.fetchFailed) !== 0;
  const iset = plain(bytes, line.isetAt, line.isetEnd);
  const text = textOf(bytes, line);
  return {
    ...(instruction ? (value === undefined ? {} : { opcode: value }) : valueField(value)),
    ...(iset === '' ? {} : { isa: iset }),
    ...(text === '' ? {} : { text }),
  };
}

function textOf(bytes: Uint8Array, line: Line): string {
  if (line.kind === KIND.other || line.textEnd > line.textAt) return utf8(bytes.subarray(line.textAt, line.textEnd));
  return utf8(bytes.subarray(line.nameAt, line.nameEnd));
}

function valueField(value: Hex | undefined): { readonly value?: Hex } {
  return value === undefined ? {} : { value };
}

/** The line's own time digit by digit, else the one that the columns have. */
function timeOf(bytes: Uint8Array, line: Line, batch: Batch, index: number): WireTime | undefined {
  if (line.timeEnd > line.timeAt) return exactTime(bytes, line);
  const time = batch.time[index]!;
  if (Number.isNaN(time)) return undefined;
  return Number.isInteger(time) ? time : decimals(time);
}

/** Without a power of ten, which short times have in JavaScript. */
function decimals(time: number): string {
  const [, sign = '', whole = '', fraction = '', places = '0'] =
    /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(String(time)) ?? [];
  return whole === '' ? String(time) : `${sign}0.${'0'.repeat(Number(places) - 1)}${whole}${fraction}`;
}

export function exactTime(bytes: Uint8Array, line: Line): WireTime {
  const digits = plain(bytes, line.timeAt, line.timeEnd);
  if (!digits.includes('.')) return toWireTime(BigInt(digits));
  return line.exact && Number.isInteger(line.time) ? line.time : digits;
}
