/** The bytes of one record by field, for the Bytes pane. */
import type { Batch } from '../../../records/batch.ts';
import { textSpans } from '../../../format/lines.ts';
import type { FieldSpan } from '../../../records/record.ts';
import { kindName } from '../../../records/record.ts';
import { joinAddress, toHex } from '../../../base/units.ts';
import { utf8 } from '../../../base/utf8.ts';
import { OTHER, REGISTER } from '../codes.ts';
import { isInstruction } from '../columns.ts';
import { exactTime, readRecord, registerName, type Reading } from '../describe.ts';
import type { Line } from './line.ts';
import { attributeName, splitMode, splitPhysical } from './marks.ts';
import { plain, valueOf } from './value.ts';

export function recordSpans(bytes: Uint8Array, batch: Batch, index: number, reading: Reading): readonly FieldSpan[] {
  const native = batch.native[index]!;
  if (native === OTHER) return textSpans(bytes);
  const line = readRecord(bytes, batch, index, reading.dialect);
  const wordEnd = line.attributeAt || line.wordEnd;
  const mode = splitMode(bytes, line);
  const time = line.timeEnd > line.timeAt ? String(exactTime(bytes, line)) : '';
  const spans = [
    span('time', line.timeAt, line.timeEnd, time),
    span('unit', line.unitAt, line.unitEnd, plain(bytes, line.unitAt, line.unitEnd)),
    span('cpu', line.cpuAt, line.cpuEnd, line.cpu < 0 ? 'source' : `cpu ${line.cpu}`),
    span('kind', line.wordAt, wordEnd, kindName(batch.kind[index]!)),
    span('attribute', line.attributeAt, line.attributeAt === 0 ? 0 : line.wordEnd, attributeText(bytes, line, reading)),
    span('pair', line.pairAt, line.pairEnd, plain(bytes, line.pairAt, line.pairEnd)),
    span('id', line.idAt, line.idEnd, `number ${plain(bytes, line.idAt, line.idEnd)}`),
    span('address', line.addressAt, line.addressEnd, toHex(joinAddress(line.addressLow, line.addressHigh))),
    span('physical', line.physicalAt, line.physicalEnd, physicalText(bytes, line.physicalAt, line.physicalEnd)),
    span('physical', line.secondAt, line.secondEnd, physicalText(bytes, line.secondAt, line.secondEnd)),
    span('target', line.targetAt, line.targetEnd, toHex(joinAddress(line.targetLow, line.targetHigh))),
    span(native === REGISTER ? 'register' : 'name', line.nameAt, line.nameEnd, nameText(bytes, line)),
    span('note', line.noteAt, line.noteEnd, plain(bytes, line.noteAt, line.noteEnd)),
    span(isInstruction(line.kind) ? 'opcode' : 'value', line.codeAt, line.codeEnd, valueText(bytes, line, reading)),
    span('letters', line.lettersAt, line.lettersEnd, plain(bytes, line.lettersAt, line.lettersEnd)),
    span('isa', line.isetAt, line.isetEnd, `instruction set ${plain(bytes, line.isetAt, line.isetEnd)}`),
    span('mode', line.modeAt, mode.modeEnd, `${mode.mode} mode`),
    span('security', mode.securityAt, line.modeEnd, mode.security === 's' ? 'secure' : 'non-secure'),
    span('text', line.textAt, line.textEnd, utf8(bytes.subarray(line.textAt, line.textEnd))),
  ];
  return spans.filter(({ start, end }) => start < end).sort((a, b) => a.start - b.start);
}

function valueText(bytes: Uint8Array, line: Line, { endian }: Reading): string {
  return valueOf(bytes, line, endian) ?? 'not known';
}

function nameText(bytes: Uint8Array, line: Line): string {
  return line.native === REGISTER ? registerName(bytes, line) : utf8(bytes.subarray(line.nameAt, line.nameEnd));
}

function physicalText(bytes: Uint8Array, at: number, end: number): string {
  const physical = splitPhysical(bytes, at, end);
  return physical === undefined ? '' : [physical.address, physical.security ?? ''].join(' ').trim();
}

function attributeText(bytes: Uint8Array, line: Line, { dialect }: Reading): string {
  if (line.attributeAt === 0) return '';
  return Array.from(plain(bytes, line.attributeAt, line.wordEnd), (letter) => attributeName(letter, dialect)).join(
    ', ',
  );
}

function span(name: string, start: number, end: number, text: string): FieldSpan {
  return { name, start, end, text };
}
