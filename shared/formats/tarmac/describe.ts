/**
 * All that one record of QEMU4V text says, as fields for scripts and panes and as named bytes for the Bytes pane.
 * Reads the line again with the careful reader; only the cpu comes from the columns, because not every line names it.
 */
import type { Batch } from '../../batch.ts';
import { FLAG, NO_CPU } from '../../batch.ts';
import type { FieldSpan, RecordFields } from '../../record.ts';
import { kindName } from '../../record.ts';
import type { Hex, WireTime } from '../../units.ts';
import { joinAddress, toHex, toWireTime } from '../../units.ts';
import { utf8 } from '../../utf8.ts';
import { CR, LF, UNDERSCORE } from '../../characters.ts';
import { nativeName, OTHER, REGISTER, SKIPPED, TAKEN } from './codes.ts';
import type { Line } from './line.ts';
import { createLine, FAULT, readLine, trimEnd } from './line.ts';

export function describeRecord(bytes: Uint8Array, batch: Batch, index: number): RecordFields {
  const native = batch.native[index]!;
  const kind = kindName(batch.kind[index]!);
  const mark = batch.flags[index]!;
  if (native === OTHER) {
    const cut = batch.end[index]! - batch.start[index]! > bytes.length;
    const flags = [...commonMarks(mark), ...(cut ? ['text-cut'] : [])];
    return { kind, native: nativeName(native), text: keptText(bytes), ...marks(flags) };
  }
  const line = read(bytes);
  const cpu = batch.cpu[index]!;
  const before = {
    time: exactTime(bytes, line),
    ...(cpu === NO_CPU ? {} : { cpu }),
    kind,
    native: nativeName(native),
  };
  const flags = [...recordMarks(bytes, line), ...commonMarks(mark), ...faultMarks(line)];
  if (native === REGISTER) {
    const register = utf8(bytes.subarray(line.nameAt, line.nameEnd));
    return { ...before, ...value(bytes, line), register, text: register, ...marks(flags) };
  }
  const address = toHex(joinAddress(line.addressLow, line.addressHigh));
  if (native !== TAKEN && native !== SKIPPED) {
    return { ...before, address, size: line.size, ...value(bytes, line), ...marks(flags) };
  }
  const text = utf8(bytes.subarray(line.textAt, line.textEnd));
  return {
    ...before,
    address,
    size: line.size,
    opcode: codeHex(bytes, line),
    isa: String.fromCharCode(bytes[line.isetAt]!),
    ...(text === '' ? {} : { text }),
    ...marks(flags),
  };
}

export function recordSpans(bytes: Uint8Array, batch: Batch, index: number): readonly FieldSpan[] {
  const native = batch.native[index]!;
  if (native === OTHER) return [span('text', 0, lineEnd(bytes), 'kept text')];
  const line = read(bytes);
  const word = bytes.subarray(line.wordAt, line.attributeAt || line.wordEnd);
  const spans = [
    span('time', line.timeAt, line.timeEnd, String(exactTime(bytes, line))),
    span('unit', line.unitAt, line.unitEnd, plain(bytes, line.unitAt, line.unitEnd)),
    span('cpu', line.cpuAt, line.cpuEnd, `cpu ${line.cpu}`),
    span('kind', line.wordAt, line.wordAt + word.length, kindName(batch.kind[index]!)),
    span('attribute', line.attributeAt, line.attributeAt === 0 ? 0 : line.wordEnd, attributeText(bytes, line)),
    span('id', line.idAt, line.idEnd, `instruction ${plain(bytes, line.idAt, line.idEnd)}`),
    span('address', line.addressAt, line.addressEnd, toHex(joinAddress(line.addressLow, line.addressHigh))),
    span('register', line.nameAt, line.nameEnd, utf8(bytes.subarray(line.nameAt, line.nameEnd))),
    span(codeName(native), line.codeAt, line.codeEnd, unknown(line) ? 'not known' : codeHex(bytes, line)),
  ];
  if (native === TAKEN || native === SKIPPED) {
    const mode = splitMode(bytes, line);
    spans.push(
      span('isa', line.isetAt, line.isetAt + 1, `instruction set ${String.fromCharCode(bytes[line.isetAt]!)}`),
      span('mode', line.modeAt, mode.modeEnd, `${mode.mode} mode`),
      span('security', mode.securityAt, line.modeEnd, mode.security === 's' ? 'secure' : 'non-secure'),
      span('text', line.textAt, line.textEnd, utf8(bytes.subarray(line.textAt, line.textEnd))),
    );
  }
  return spans.filter(({ start, end }) => start < end);
}

const ATTRIBUTE: Readonly<Record<string, string>> = { X: 'privileged', T: 'non-privileged', L: 'locked' };

const scratch = createLine();

function read(bytes: Uint8Array): Line {
  readLine(bytes, 0, trimEnd(bytes, 0, bytes.length), scratch);
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

/** The modes of the format's table, and hyp of the processors that came later, with the security flag stuck to them or not. */
const LISTED_MODE = /^(svc|irq|fiq|usr|mon|sys|abt|und|hyp)(?:_?(s|ns))?$/i;
const SECURITY = /^(.*)_(s|ns)$/i;

interface Mode {
  readonly mode: string;
  readonly modeEnd: number;
  readonly security?: 's' | 'ns';
  readonly securityAt: number;
}

function splitMode(bytes: Uint8Array, line: Line): Mode {
  const token = utf8(bytes.subarray(line.modeAt, line.modeEnd));
  const found = SECURITY.exec(token) ?? LISTED_MODE.exec(token);
  const flag = found?.[2]?.toLowerCase();
  if (found === null || flag === undefined) return { mode: token, modeEnd: line.modeEnd, securityAt: line.modeEnd };
  const securityAt = line.modeEnd - flag.length;
  const glued = bytes[securityAt - 1] !== UNDERSCORE;
  return {
    mode: found[1] ?? token,
    modeEnd: glued ? securityAt : securityAt - 1,
    security: flag === 's' ? 's' : 'ns',
    securityAt,
  };
}

function exactTime(bytes: Uint8Array, line: Line): WireTime {
  return toWireTime(BigInt(plain(bytes, line.timeAt, line.timeEnd)));
}

/** The digits of opcode, data or value without prefix, separators and leading zeros. */
function codeHex(bytes: Uint8Array, line: Line): Hex {
  const digits = plain(bytes, line.codeAt, line.codeEnd)
    .toLowerCase()
    .replace(/^0x/, '')
    .replaceAll('_', '')
    .replace(/^0+(?=.)/, '');
  return `0x${digits}`;
}

function value(bytes: Uint8Array, line: Line): { readonly value?: Hex } {
  return unknown(line) ? {} : { value: codeHex(bytes, line) };
}

function unknown(line: Line): boolean {
  return (line.faults & FAULT.unknownDigits) !== 0;
}

function codeName(native: number): string {
  return native === TAKEN || native === SKIPPED ? 'opcode' : 'value';
}

/** What is particular to the record: a unit other than clk, mode and security, the attribute letters and what they mean. */
function recordMarks(bytes: Uint8Array, line: Line): readonly string[] {
  const found: string[] = [];
  const unit = plain(bytes, line.unitAt, line.unitEnd);
  if (unit !== 'clk') found.push(`unit-${unit}`);
  if (line.modeEnd > line.modeAt) {
    const { mode, security } = splitMode(bytes, line);
    found.push(mode);
    if (security !== undefined) found.push(security);
  }
  if (line.attributeAt !== 0) {
    for (const letter of plain(bytes, line.attributeAt, line.wordEnd)) found.push(letter, ATTRIBUTE[letter] ?? letter);
  }
  return found;
}

/** The marks that mean the same in every format. */
function commonMarks(mark: number): readonly string[] {
  const found: string[] = [];
  if ((mark & FLAG.cpuAssumed) !== 0) found.push('cpu-assumed');
  if ((mark & FLAG.malformed) !== 0) found.push('malformed');
  return found;
}

function attributeText(bytes: Uint8Array, line: Line): string {
  return Array.from(plain(bytes, line.attributeAt, line.wordEnd), (letter) => ATTRIBUTE[letter] ?? letter).join(', ');
}

function faultMarks(line: Line): readonly string[] {
  const found: string[] = [];
  if ((line.faults & FAULT.dataSize) !== 0) found.push('size-from-data');
  if ((line.faults & FAULT.oddOpcode) !== 0) found.push('odd-opcode');
  if ((line.faults & FAULT.unknownDigits) !== 0) found.push('value-unknown');
  if ((line.faults & FAULT.missingColon) !== 0) found.push('no-colon');
  if ((line.faults & FAULT.cpuRange) !== 0) found.push(`cpu-${line.cpu}`);
  return found;
}

function keptText(bytes: Uint8Array): string {
  return utf8(bytes.subarray(0, lineEnd(bytes)));
}

function lineEnd(bytes: Uint8Array): number {
  const end = bytes.at(-1) === LF ? bytes.length - 1 : bytes.length;
  return end > 0 && bytes[end - 1] === CR ? end - 1 : end;
}

function marks(flags: readonly string[]): { readonly flags?: readonly string[] } {
  return flags.length === 0 ? {} : { flags };
}

function span(name: string, start: number, end: number, text: string): FieldSpan {
  return { name, start, end, text };
}

/** Bytes that the reader has found to be ASCII. */
function plain(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
