/**
 * Describes one record of Tracer text as fields for scripts and panes, and as named bytes for the Bytes pane. Reads the line again; only
 * a time that was taken from the previous line comes from the columns.
 */
import { type Batch, FLAG } from '../../records/batch.ts';
import { describeText, textSpans } from '../../format/lines.ts';
import { ANY_REGISTER, isRegisterName } from '../../records/registers.ts';
import { type FieldSpan, fieldSpan, kindName, type RecordFields } from '../../records/record.ts';
import { digitsToHex, type Hex, joinAddress, toHex } from '../../base/units.ts';
import { utf8 } from '../../base/utf8.ts';
import { accessOf, CODE, FIRST_ACCESS, movesNothing, nativeName, OWN_FLAG, sizeOf } from './codes.ts';
import { eventOf, isException } from './events.ts';
import { createLine, FAULT, FAULTS, type Line, SUFFIX } from './line.ts';
import { readLine } from './read.ts';
import { readList } from './register-list.ts';
import { textOf } from '../../base/scan.ts';
import { trimEnd } from './tokens.ts';

/** Settings that affect the description of a record. */
export interface Reading {
  /** The first of two words is the lower half of their value. */
  readonly lowFirst: boolean;
  /** Register lines show the state before the instruction above them took effect. */
  readonly registersOfNext: boolean;
}

export function describeRecord(bytes: Uint8Array, batch: Batch, index: number, reading: Reading): RecordFields {
  const native = batch.native[index]!;
  if (native === CODE.OTHER) return describeText(bytes, batch, index, nativeName(native));
  const line = read(bytes, batch.flags[index]!);
  const time = batch.time[index]!;
  const marks = [...ownMarks(bytes, line, reading), ...commonMarks(line, batch.flags[index]!)];
  return {
    ...(Number.isNaN(time) ? {} : { time }),
    kind: kindName(batch.kind[index]!),
    native: nativeName(native),
    ...(line.hasAddress ? { address: toHex(line.address) } : {}),
    ...(line.size === 0 ? {} : { size: line.size }),
    ...content(bytes, line, reading),
    ...(marks.length === 0 ? {} : { flags: marks }),
  };
}

export function recordSpans(bytes: Uint8Array, batch: Batch, index: number): readonly FieldSpan[] {
  const native = batch.native[index]!;
  if (native === CODE.OTHER) return textSpans(bytes);
  const line = read(bytes, batch.flags[index]!);
  const kind = kindName(batch.kind[index]!);
  const word = native < FIRST_ACCESS ? [fieldSpan('kind', line.wordAt, line.wordEnd, kind)] : letterSpans(line, kind);
  const spans = [fieldSpan('time', line.timeAt, line.timeEnd, `time ${String(line.time)}`), ...word];
  const shape = shapeOf(line);
  if (shape === 'registers') spans.push(...registerSpans(bytes, line));
  else if (shape === 'event') spans.push(...eventSpans(bytes, line));
  else
    spans.push(
      fieldSpan('address', line.addressAt, line.addressEnd, toHex(line.address)),
      fieldSpan(
        shape === 'instruction' ? 'opcode' : 'data',
        line.dataAt,
        line.dataEnd,
        hexAt(bytes, line.dataAt, line.dataEnd),
      ),
      fieldSpan(
        'data2',
        line.secondAt,
        line.secondEnd,
        `${hexAt(bytes, line.secondAt, line.secondEnd)}, from address + 4`,
      ),
      fieldSpan('outcome', line.suffixAt, line.suffixEnd, suffixMarks(line).join(', ')),
      fieldSpan('text', line.textAt, line.textEnd, lineText(bytes, line)),
    );
  return spans.filter(({ start, end }) => start < end);
}

const scratch = createLine();

function read(bytes: Uint8Array, flags: number): Line {
  readLine(bytes, 0, trimEnd(bytes, 0, bytes.length), scratch, (flags & OWN_FLAG.joined) !== 0);
  return scratch;
}

type Shape = 'instruction' | 'access' | 'event' | 'registers';

function shapeOf({ native }: Line): Shape {
  if (native === CODE.E) return 'event';
  if (native === CODE.R || native === CODE.RCP) return 'registers';
  return native < FIRST_ACCESS && nativeName(native).startsWith('I') ? 'instruction' : 'access';
}

type Content = Pick<RecordFields, 'value' | 'register' | 'registers' | 'opcode' | 'isa' | 'text' | 'source'>;

function content(bytes: Uint8Array, line: Line, reading: Reading): Content {
  const shape = shapeOf(line);
  switch (shape) {
    case 'instruction':
      return {
        opcode: hexAt(bytes, line.dataAt, line.dataEnd),
        ...isaOf(line),
        ...textField(lineText(bytes, line)),
      };
    case 'access':
      return accessContent(bytes, line, reading);
    case 'event':
      return eventContent(bytes, line);
    case 'registers': {
      const registers = registersOf(bytes, line);
      const [register, value] = registers[0]!;
      return { register, ...(value === undefined ? {} : { value }), registers, text: lineText(bytes, line) };
    }
    default:
      return shape satisfies never;
  }
}

/** Four digits are Thumb. Eight digits are ARM, or Java, which looks the same. Architectural lines contain a letter for it. */
function isaOf(line: Line): { readonly isa?: string } {
  const word = nativeName(line.native);
  if (word.length === 3) return { isa: word[1]! };
  return line.size === 2 ? { isa: 'T' } : line.size === 4 ? { isa: 'A' } : {};
}

function accessContent(bytes: Uint8Array, line: Line, { lowFirst }: Reading): Content {
  const first = utf8(bytes.subarray(line.dataAt, line.dataEnd));
  const second = utf8(bytes.subarray(line.secondAt, line.secondEnd));
  const wide = sizeOf(line.native) === 8;
  const noValue = movesNothing(line.native);
  const words = wide || noValue || second !== '' ? [first, second] : [];
  const text = [...words, lineText(bytes, line)].filter((part) => part !== '').join(' ');
  const value = wide
    ? doubleWord(first, second, lowFirst)
    : first === '' || second !== '' || noValue
      ? undefined
      : digitsToHex(first);
  return { ...(value === undefined ? {} : { value }), ...textField(text) };
}

/** Returns undefined if one of the words is missing. */
function doubleWord(first: string, second: string, lowFirst: boolean): Hex | undefined {
  if (first === '' || second === '') return undefined;
  const words = lowFirst ? [first, second] : [second, first];
  return toHex(joinAddress(Number.parseInt(words[0]!, 16), Number.parseInt(words[1]!, 16)));
}

/** Returns the event's name and the meaning of its words. A name in the line takes precedence over that of the list. */
function eventContent(bytes: Uint8Array, line: Line): Content {
  const { name, first, second, number } = eventOfLine(bytes, line);
  const words = `${first}=${textOf(bytes, line.addressAt, line.addressEnd)} ${second}=${textOf(bytes, line.dataAt, line.dataEnd)}`;
  return {
    ...(number !== undefined && isException(number) ? { source: toHex(line.address) } : {}),
    text: `${name} ${words}`,
  };
}

interface EventText {
  readonly name: string;
  readonly first: string;
  readonly second: string;
  readonly number: number | undefined;
}

function eventOfLine(bytes: Uint8Array, line: Line): EventText {
  const digits = textOf(bytes, line.secondAt, line.secondEnd);
  const number = digits === '' ? undefined : Number.parseInt(digits, 16);
  const known = number === undefined ? undefined : eventOf(number);
  const own = lineText(bytes, line);
  return {
    name: own === '' ? (known?.name ?? (digits === '' ? 'event' : `event ${digits}`)) : own,
    first: known?.word1 ?? 'word1',
    second: known?.word2 ?? 'word2',
    number,
  };
}

function registersOf(bytes: Uint8Array, line: Line): (readonly [string, Hex?])[] {
  const isLost = (line.faults & FAULT.lostWord) !== 0;
  const found: (readonly [string, Hex?])[] = (line.faults & FAULT.lostRegister) === 0 ? [] : [[ANY_REGISTER]];
  readList(bytes, line.textAt, line.textEnd, line.joined, (nameAt, valueAt, valueEnd) => {
    const name = utf8(bytes.subarray(nameAt, valueAt - 1));
    if (isRegisterName(name))
      found.push(valueEnd > valueAt && !isLost ? [name, hexAt(bytes, valueAt, valueEnd)] : [name]);
  });
  return found;
}

/** Returns the marks for letters and suffixes, beyond kind, address and size. */
function ownMarks(bytes: Uint8Array, line: Line, { registersOfNext }: Reading): string[] {
  const marks: string[] = [];
  const letters = textOf(bytes, line.wordAt, line.wordEnd);
  if (letters !== nativeName(line.native)) marks.push('lower-case');
  const shape = shapeOf(line);
  if (shape === 'registers' && registersOfNext) marks.push('before-instruction');
  if (shape === 'event' && line.secondEnd > line.secondAt)
    marks.push(`event-${textOf(bytes, line.secondAt, line.secondEnd).toLowerCase()}`);
  if (shape === 'instruction') marks.push(...pairMark(bytes, line));
  if (line.native >= FIRST_ACCESS) marks.push(...letterMarks(line));
  return [...marks, ...suffixMarks(line)];
}

/** A Thumb BL consists of two instructions, which the upper five bits of their opcodes identify. */
function pairMark(bytes: Uint8Array, line: Line): string[] {
  if (line.size !== 2) return [];
  const upper = Number.parseInt(textOf(bytes, line.dataAt, line.dataEnd), 16) >>> 11;
  return upper === FIRST_OF_PAIR ? ['bl-first'] : upper === SECOND_OF_PAIR ? ['bl-second'] : [];
}

const FIRST_OF_PAIR = 0x1e;
const SECOND_OF_PAIR = 0x1f;

const TYPE_MARK = {
  N: 'nonsequential',
  S: 'sequential',
  A: 'address-only',
  r: 'reserved-type',
  I: 'internal',
  C: 'coprocessor',
} as const;
const BURST_MARK: Readonly<Record<string, string>> = { '4': 'burst-4', '8': 'burst-8', r: 'burst-reserved' };

function letterMarks(line: Line): string[] {
  const access = accessOf(line.native);
  const marks: string[] = [TYPE_MARK[access.type]];
  if (access.size === undefined && access.sized) marks.push('reserved-size');
  if (access.opcode) marks.push('opcode');
  // Page table walks and data line fills also have the letter O.
  if (access.opcode && access.bus && !access.write) marks.push('fetch-unproven');
  if (access.locked) marks.push('locked');
  if (access.speculative) marks.push('speculative');
  if (access.killed) marks.push('killed');
  if (access.eighth === 'D') marks.push('more');
  const burst = BURST_MARK[access.ninth] ?? BURST_MARK[access.eighth];
  if (burst !== undefined) marks.push(burst);
  return marks;
}

function suffixMarks({ suffixes, dataAt, dataEnd }: Line): string[] {
  const marks: string[] = [];
  if ((suffixes & SUFFIX.abort) !== 0) marks.push('aborted', ...(dataEnd > dataAt ? ['value-invalid'] : []));
  if ((suffixes & SUFFIX.wait) !== 0) marks.push('wait');
  if ((suffixes & SUFFIX.peek) !== 0) marks.push('peek');
  if ((suffixes & SUFFIX.poke) !== 0) marks.push('poke');
  if ((suffixes & SUFFIX.pipe) !== 0) marks.push('pipe');
  return marks;
}

function commonMarks(line: Line, flags: number): string[] {
  return [
    ...((flags & OWN_FLAG.wentBack) === 0 ? [] : ['time-went-back']),
    ...FAULTS.filter(([bit]) => (line.faults & bit) !== 0).map(([, mark]) => mark),
    ...((flags & FLAG.malformed) === 0 ? [] : ['malformed']),
  ];
}

/** Returns a span for each letter of an access word. */
function letterSpans(line: Line, kind: string): FieldSpan[] {
  const access = accessOf(line.native);
  const at = line.wordAt;
  const meanings: readonly (readonly [name: string, text: string])[] = [
    ['bus', access.bus ? 'off-chip bus' : 'core'],
    ['type', TYPE_MARK[access.type]],
    ['direction', access.write ? 'write' : 'read'],
    ...(access.sized ? [['size', access.size === undefined ? 'reserved size' : `${access.size} bytes`] as const] : []),
    ['opcode-fetch', access.opcode ? 'opcode fetch' : 'no opcode fetch'],
    ['lock', access.locked ? 'locked' : 'not locked'],
    ['speculation', access.killed ? 'killed' : access.speculative ? 'speculative' : 'not speculative'],
    ['more', BURST_MARK[access.eighth] ?? (access.eighth === 'D' ? 'more data follows' : 'nothing more')],
    ['burst', BURST_MARK[access.ninth] ?? 'no burst'],
  ];
  return meanings
    .slice(0, line.wordEnd - at)
    .map(([name, text], place) => fieldSpan(name, at + place, at + place + 1, place === 0 ? `${text}: ${kind}` : text));
}

function registerSpans(bytes: Uint8Array, line: Line): FieldSpan[] {
  const spans: FieldSpan[] = [];
  readList(bytes, line.textAt, line.textEnd, line.joined, (nameAt, valueAt, valueEnd) => {
    const name = utf8(bytes.subarray(nameAt, valueAt - 1));
    spans.push(
      fieldSpan('register', nameAt, valueAt - 1, name),
      fieldSpan(
        'value',
        valueAt,
        valueEnd,
        `${name} = ${valueEnd > valueAt ? hexAt(bytes, valueAt, valueEnd) : 'unknown'}`,
      ),
    );
  });
  return spans;
}

function eventSpans(bytes: Uint8Array, line: Line): FieldSpan[] {
  const { name, first, second } = eventOfLine(bytes, line);
  return [
    fieldSpan('word1', line.addressAt, line.addressEnd, `${first} ${hexAt(bytes, line.addressAt, line.addressEnd)}`),
    fieldSpan('word2', line.dataAt, line.dataEnd, `${second} ${hexAt(bytes, line.dataAt, line.dataEnd)}`),
    fieldSpan('event', line.secondAt, line.secondEnd, name),
    fieldSpan('name', line.textAt, line.textEnd, lineText(bytes, line)),
  ];
}

function lineText(bytes: Uint8Array, line: Line): string {
  return utf8(bytes.subarray(line.textAt, line.textEnd));
}

function textField(text: string): { readonly text?: string } {
  return text === '' ? {} : { text };
}

function hexAt(bytes: Uint8Array, at: number, end: number): Hex {
  return digitsToHex(textOf(bytes, at, end));
}
