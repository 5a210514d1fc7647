/**
 * Decodes BYU 6-byte records in the form that the format's sample program prints: `%08x %02x NAME`.
 *
 *     001007c8 fc NC_D_READ
 *
 * is a read of 2 bytes at 0x1007c8. The program prints the address in the byte order of its own machine: on an x86 the same record is
 * `c8071000 fc NC_D_READ`, which the setting `little` reverses. The name stands for the upper half of the control byte; the lower half
 * is not printed, and INVALID stands for six values. Marks that depend on neighbours exist only for binary files.
 */
import { type Batch, FLAG } from '../../records/batch.ts';
import { afterMark, HEX, isBlank, LF, SPACE } from '../../base/characters.ts';
import type { Window } from '../../format/format.ts';
import {
  decodeLines,
  describeText,
  type ReadLine,
  type ReadPlainLines,
  textSpans,
  trimLineEnd,
} from '../../format/lines.ts';
import type { FieldSpan, RecordFields } from '../../records/record.ts';
import { CONTIGUOUS, LOWEST, SPAN } from '../../pentium/bus-cycles.ts';
import { CYCLES, FETCH, INVALID, KIND_OF, PLAIN_FLAGS, UNIT } from './cycles.ts';
import { decodeOdd } from './decode.ts';
import { describeRecord, nativeName, recordSpans } from './describe.ts';
import { swapBytes } from '../../base/bytes.ts';
import { skipBlanks } from '../../base/scan.ts';

/** Native code of lines that are not records. */
const TEXT = 255;
const ADDRESS_DIGITS = 8;
const NO_CYCLE = -1;

export function textNativeName(code: number): string {
  return code === TEXT ? 'TEXT' : nativeName(code);
}

export function decodeText(window: Window, batch: Batch, little: boolean): void {
  const record = new Uint8Array(UNIT);
  const read: ReadLine = (bytes, at, to, filled, row) => {
    if (!readLine(bytes, at, to, record)) return false;
    filled.addressHigh[row] = 0;
    decodeOdd(record, 0, filled, row, little, asPrinted);
    return true;
  };
  const plain: ReadPlainLines = (bytes, at, stop, safe, base, filled) =>
    readPlainLines(bytes, at, stop, safe, base, filled, little);
  decodeLines(window, batch, TEXT, read, plain);
}

/** Printed shapes by the shape of a binary record. */
const lineShapes = new Map<string, string>();

/** Converts the shape of a binary record to the printed form: `.. .. .. .. ff d.` becomes `........ ff NC_D_READ`. */
function asPrinted(shape: string): string {
  let line = lineShapes.get(shape);
  if (line === undefined) {
    const [a, b, c, d, enables, control] = shape.split(' ');
    const cycle = control === '..' ? control : nativeName(Number.parseInt(control!, 16));
    line = `${a}${b}${c}${d} ${enables} ${cycle}`;
    lineShapes.set(shape, line);
  }
  return line;
}

/** Position of the cycle's name in a printed line, and length of the shortest such line. */
const NAME_AT = 12;
const SHORTEST = NAME_AT + 'D_READ\n'.length;

/** Reads plain memory accesses in exactly the form that the program prints. */
function readPlainLines(
  bytes: Uint8Array,
  from: number,
  stop: number,
  safe: number,
  base: number,
  batch: Batch,
  little: boolean,
): number {
  const { start, end, kind, native, addressLow, addressHigh, size, flags } = batch;
  const room = batch.kind.length;
  let n = batch.count;
  let at = from;
  while (at < stop && n < room && at + SHORTEST <= safe) {
    const first = pair(bytes, at) | (pair(bytes, at + 2) << 16);
    const second = pair(bytes, at + 4) | (pair(bytes, at + 6) << 16);
    const enables = pair(bytes, at + 9);
    if (((first | second | enables) & NO_PAIR) !== 0 || bytes[at + 8] !== SPACE || bytes[at + 11] !== SPACE) break;
    const place = PLAIN_PLACES[((bytes[at + NAME_AT]! & 31) << 5) | (bytes[at + NAME_AT + 3]! & 31)]!;
    if (place === 0) break;
    const [name, cycle] = NAMES[place - 1]!;
    const to = at + NAME_AT + name.length;
    if (to >= safe || bytes[to] !== LF || !isNamed(bytes, at + NAME_AT, name)) break;
    const printed = ((first & 255) << 24) | (first & 0xff0000) | ((second & 255) << 8) | (second >>> 16);
    const field = little ? swapBytes(printed) : printed;
    if ((field & 7) !== 0 || CONTIGUOUS[enables] === 0) break;
    start[n] = base + at;
    end[n] = base + to + 1;
    kind[n] = KIND_OF[cycle << 4]!;
    native[n] = cycle;
    addressLow[n] = field + LOWEST[enables]!;
    addressHigh[n] = 0;
    size[n] = SPAN[enables]!;
    flags[n] = PLAIN_FLAGS[cycle << 4]!;
    n++;
    at = to + 1;
  }
  batch.count = n;
  return at;
}

/** Bits that are set in results of `pair`, alone or shifted by 16, if a byte is not a digit. */
const NO_PAIR = 0x0f000f00;

/** Converts the trimmed line bytes[at, to) to the six bytes of its record; false if it is not a record. */
export function readLine(bytes: Uint8Array, at: number, to: number, record: Uint8Array): boolean {
  let i = skipBlanks(bytes, afterMark(bytes, at, to), to);
  if (to - i < ADDRESS_DIGITS + 2) return false;
  const a = pair(bytes, i);
  const b = pair(bytes, i + 2);
  const c = pair(bytes, i + 4);
  const d = pair(bytes, i + 6);
  i += ADDRESS_DIGITS;
  if ((a | b | c | d) > 255 || !isBlank(bytes[i]!)) return false;
  i = skipBlanks(bytes, i, to);
  if (to - i < 4 || !isBlank(bytes[i + 2]!)) return false;
  const enables = pair(bytes, i);
  i = skipBlanks(bytes, i + 2, to);
  const cycle = cycleNamed(bytes, i, to);
  if (enables > 255 || cycle === NO_CYCLE) return false;
  record[0] = a;
  record[1] = b;
  record[2] = c;
  record[3] = d;
  record[4] = enables;
  record[5] = cycle << 4;
  return true;
}

/** Returns the byte that two hexadecimal digits spell; a number above 255 if one is not a digit. */
function pair(bytes: Uint8Array, at: number): number {
  return (HEX[bytes[at]!]! << 4) | HEX[bytes[at + 1]!]! | ((HEX[bytes[at + 1]!]! & 0x80) << 4);
}

const NAMES: readonly (readonly [name: Uint8Array, cycle: number])[] = [
  ...Object.entries(CYCLES).map(([cycle, [, name]]) => [letters(name), Number(cycle)] as const),
  [letters('INVALID'), INVALID],
];
/** Position in NAMES plus one, by the length and the third letter of a name, which are unique. */
const PLACES = new Uint8Array(16 * 256);
NAMES.forEach(([name], position) => (PLACES[(name.length << 8) | name[2]!] = position + 1));

/** The same for memory cycles, by the low five bits of the first and the fourth letter. */
const PLAIN_PLACES = new Uint8Array(1024);
NAMES.forEach(([name, cycle], position) => {
  if (cycle >= FETCH) PLAIN_PLACES[((name[0]! & 31) << 5) | (name[3]! & 31)] = position + 1;
});

function cycleNamed(bytes: Uint8Array, at: number, to: number): number {
  const length = to - at;
  if (length < 3 || length > 15) return NO_CYCLE;
  const place = PLACES[(length << 8) | bytes[at + 2]!]!;
  if (place === 0) return NO_CYCLE;
  const [name, cycle] = NAMES[place - 1]!;
  return isNamed(bytes, at, name) ? cycle : NO_CYCLE;
}

function isNamed(bytes: Uint8Array, at: number, name: Uint8Array): boolean {
  for (let i = 0; i < name.length; i++) if (name[i] !== bytes[at + i]) return false;
  return true;
}

function letters(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

export function describeLine(bytes: Uint8Array, batch: Batch, index: number, little: boolean): RecordFields {
  const native = batch.native[index]!;
  if (native === TEXT) return describeText(bytes, batch, index, textNativeName(native));
  return describeRecord(recordOf(bytes), batch, index, little);
}

export function lineSpans(bytes: Uint8Array, batch: Batch, index: number, little: boolean): readonly FieldSpan[] {
  if (batch.native[index]! === TEXT) return textSpans(bytes);
  const to = trimLineEnd(bytes, 0, bytes.length);
  const address = skipBlanks(bytes, afterMark(bytes, 0, to), to);
  const enables = skipBlanks(bytes, address + ADDRESS_DIGITS, to);
  const name = skipBlanks(bytes, enables + 2, to);
  const [addressText, enablesText] = recordSpans(recordOf(bytes), batch, index, little).map(({ text }) => text);
  const order = little ? 'printed in reverse byte order' : 'printed in its byte order';
  return [
    { name: 'address A31-A3', start: address, end: address + ADDRESS_DIGITS, text: `${addressText!}, ${order}` },
    { name: 'byte enables BE7#-BE0#', start: enables, end: enables + 2, text: enablesText! },
    { name: 'cycle', start: name, end: to, text: cycleText(batch, index) },
  ];
}

function recordOf(line: Uint8Array): Uint8Array {
  const record = new Uint8Array(UNIT);
  readLine(line, 0, trimLineEnd(line, 0, line.length), record);
  return record;
}

function cycleText(batch: Batch, index: number): string {
  const native = batch.native[index]!;
  const broken = (batch.flags[index]! & FLAG.malformed) !== 0 && native === INVALID;
  return broken ? 'INVALID: control 0, 2, 4, 6, 10 or 11' : `${nativeName(native)}: control ${String(native)}`;
}
