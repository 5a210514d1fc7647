/** Lists the fields of one record with their positions and meanings, for the Bytes pane. */
import type { Batch } from '../../../records/batch.ts';
import { textSpans } from '../../../format/lines.ts';
import { type FieldSpan, fieldSpan, kindName } from '../../../records/record.ts';
import { joinAddress, toHex } from '../../../base/units.ts';
import { utf8 } from '../../../base/utf8.ts';
import { OTHER, REGISTER } from '../codes.ts';
import { isInstruction, type Line } from '../line/line.ts';
import { exactTime, type Reading, readRecord, registerName } from './describe.ts';
import { attributeName, splitMode, splitPhysical } from './marks.ts';
import { valueOf } from '../line/value.ts';
import { textOf } from '../../../base/scan.ts';

export function recordSpans(bytes: Uint8Array, batch: Batch, index: number, reading: Reading): readonly FieldSpan[] {
  const native = batch.native[index]!;
  if (native === OTHER) return textSpans(bytes);
  const line = readRecord(bytes, batch, index, reading.dialect);
  const wordEnd = line.attributeAt || line.wordEnd;
  const mode = splitMode(bytes, line);
  const time = line.timeEnd > line.timeAt ? String(exactTime(bytes, line)) : '';
  const spans = [
    fieldSpan('time', line.timeAt, line.timeEnd, time),
    fieldSpan('unit', line.unitAt, line.unitEnd, textOf(bytes, line.unitAt, line.unitEnd)),
    fieldSpan('cpu', line.cpuAt, line.cpuEnd, line.cpu < 0 ? 'source' : `cpu ${line.cpu}`),
    fieldSpan('kind', line.wordAt, wordEnd, kindName(batch.kind[index]!)),
    fieldSpan(
      'attribute',
      line.attributeAt,
      line.attributeAt === 0 ? 0 : line.wordEnd,
      attributeText(bytes, line, reading),
    ),
    fieldSpan('pair', line.pairAt, line.pairEnd, textOf(bytes, line.pairAt, line.pairEnd)),
    fieldSpan('id', line.idAt, line.idEnd, `number ${textOf(bytes, line.idAt, line.idEnd)}`),
    fieldSpan('address', line.addressAt, line.addressEnd, toHex(joinAddress(line.addressLow, line.addressHigh))),
    fieldSpan('physical', line.physicalAt, line.physicalEnd, physicalText(bytes, line.physicalAt, line.physicalEnd)),
    fieldSpan('physical', line.secondAt, line.secondEnd, physicalText(bytes, line.secondAt, line.secondEnd)),
    fieldSpan('target', line.targetAt, line.targetEnd, toHex(joinAddress(line.targetLow, line.targetHigh))),
    fieldSpan(native === REGISTER ? 'register' : 'name', line.nameAt, line.nameEnd, nameText(bytes, line)),
    fieldSpan('note', line.noteAt, line.noteEnd, textOf(bytes, line.noteAt, line.noteEnd)),
    fieldSpan(
      isInstruction(line.kind) ? 'opcode' : 'value',
      line.codeAt,
      line.codeEnd,
      valueText(bytes, line, reading),
    ),
    fieldSpan('letters', line.lettersAt, line.lettersEnd, textOf(bytes, line.lettersAt, line.lettersEnd)),
    fieldSpan('isa', line.isetAt, line.isetEnd, `instruction set ${textOf(bytes, line.isetAt, line.isetEnd)}`),
    fieldSpan('mode', line.modeAt, mode.modeEnd, `${mode.mode} mode`),
    fieldSpan('security', mode.securityAt, line.modeEnd, mode.security === 's' ? 'secure' : 'non-secure'),
    fieldSpan('text', line.textAt, line.textEnd, utf8(bytes.subarray(line.textAt, line.textEnd))),
  ];
  return spans.filter(({ start, end }) => start < end).sort((a, b) => a.start - b.start);
}

function valueText(bytes: Uint8Array, line: Line, { endian }: Reading): string {
  return valueOf(bytes, line, endian) ?? 'unknown';
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
  return Array.from(textOf(bytes, line.attributeAt, line.wordEnd), (letter) => attributeName(letter, dialect)).join(
    ', ',
  );
}
