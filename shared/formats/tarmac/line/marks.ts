/**
 * What is particular about a record beyond its fields, as short words for `flags`: unit, source, mode, security, physical
 * addresses, attributes, and for what is broken what was done about it.
 */
import { FLAG } from '../../../records/batch.ts';
import { UNDERSCORE } from '../../../base/characters.ts';
import { type Hex, joinAddress, toHex } from '../../../base/units.ts';
import { utf8 } from '../../../base/utf8.ts';
import { REGISTER } from '../codes.ts';
import type { Dialect } from './dialect.ts';
import type { Line } from './line.ts';
import { FAULT, MARK } from './line.ts';
import { plain } from './value.ts';

/** All of a line, in the order in which the line has them; `flags` are those of the columns. */
export function marksOf(
  bytes: Uint8Array,
  line: Line,
  flags: number,
  dialect: Dialect,
  unit: string,
): readonly string[] {
  return [...lineMarks(bytes, line, dialect, unit), ...columnMarks(flags), ...faultMarks(line)];
}

/** The marks that mean the same in every format. */
function columnMarks(flags: number): readonly string[] {
  const found: string[] = [];
  if ((flags & FLAG.timeAssumed) !== 0) found.push('time-assumed');
  if ((flags & FLAG.cpuAssumed) !== 0) found.push('cpu-assumed');
  if ((flags & FLAG.malformed) !== 0) found.push('malformed');
  return found;
}

function lineMarks(bytes: Uint8Array, line: Line, dialect: Dialect, unit: string): readonly string[] {
  const found: string[] = [];
  const own = plain(bytes, line.unitAt, line.unitEnd);
  if (own !== '' && own !== unit) found.push(`unit-${own}`);
  const source = plain(bytes, line.cpuAt, line.cpuEnd);
  if (!/^(?:cpu)?\d*$/.test(source)) found.push(`source-${source}`);
  if (line.modeEnd > line.modeAt) {
    const { mode, security } = splitMode(bytes, line);
    found.push(mode);
    if (security !== undefined) found.push(security);
  }
  if (line.attributeAt !== 0) {
    for (const letter of plain(bytes, line.attributeAt, line.wordEnd))
      found.push(letter, attributeName(letter, dialect));
  }
  found.push(...numberMarks(bytes, line), ...addressMarks(bytes, line), ...valueMarks(bytes, line));
  return found;
}

function addressMarks(bytes: Uint8Array, line: Line): readonly string[] {
  const found: string[] = [];
  for (const [at, end] of [
    [line.physicalAt, line.physicalEnd],
    [line.secondAt, line.secondEnd],
  ] as const) {
    const physical = splitPhysical(bytes, at, end);
    if (physical === undefined) continue;
    found.push(`pa-${toHex(BigInt(physical.address) + touchedOffset(bytes, line))}`);
    if (physical.security !== undefined) found.push(physical.security);
  }
  return found;
}

/** What stands in brackets before the address: the instruction's number where it is not the time, its address; and of a bus line. */
function numberMarks(bytes: Uint8Array, line: Line): readonly string[] {
  const id = plain(bytes, line.idAt, line.idEnd);
  const pair = plain(bytes, line.pairAt, line.pairEnd);
  if (line.noteEnd > line.noteAt && line.native !== REGISTER) {
    return [pair, plain(bytes, line.noteAt, line.noteEnd), `master-${id}`];
  }
  const found = pair === '' ? [] : [`of-${pair}`];
  return id === '' || id === plain(bytes, line.timeAt, line.timeEnd) ? found : [...found, `number-${id}`];
}

/** How far the first touched byte lies behind the address in the line: those that draw memory begin with untouched bytes. */
function touchedOffset(bytes: Uint8Array, line: Line): bigint {
  if ((line.marks & MARK.addressOrder) === 0) return 0n;
  return joinAddress(line.addressLow, line.addressHigh) - BigInt(toNumber(bytes, line.addressAt, line.addressEnd));
}

function toNumber(bytes: Uint8Array, at: number, end: number): Hex {
  return `0x${plain(bytes, at, end).toLowerCase().replace(/^0x/, '').replaceAll('_', '')}`;
}

function valueMarks(bytes: Uint8Array, line: Line): readonly string[] {
  const found: string[] = [];
  if ((line.marks & MARK.exclusive) !== 0) found.push('X', 'exclusive');
  if (line.lettersEnd > line.lettersAt) found.push(plain(bytes, line.lettersAt, line.lettersEnd));
  if ((line.marks & MARK.aborted) !== 0) found.push('aborted');
  if ((line.marks & MARK.fetchFailed) !== 0) found.push('fetch-failed');
  if ((line.marks & MARK.memoryOrder) !== 0) found.push('memory-order');
  if ((line.marks & MARK.busOrder) !== 0) found.push('bus-order');
  if ((line.marks & MARK.continued) !== 0) found.push('continued');
  if ((line.marks & (MARK.unknown | MARK.holes)) !== 0) {
    if ((line.marks & MARK.unknown) !== 0 && (line.faults & FAULT.unknownDigits) === 0) found.push('value-unknown');
    const digits = plain(bytes, line.codeAt, line.codeEnd).replaceAll(/[\s_]/g, '');
    if (/[\da-f]/i.test(digits)) found.push(`digits-${digits}`);
  }
  return found;
}

function faultMarks(line: Line): readonly string[] {
  const found: string[] = [];
  if ((line.faults & FAULT.dataSize) !== 0) found.push('size-from-data');
  if ((line.faults & FAULT.oddOpcode) !== 0) found.push('odd-opcode');
  if ((line.faults & FAULT.unknownDigits) !== 0) found.push('value-unknown');
  if ((line.faults & FAULT.missingColon) !== 0) found.push('no-colon');
  if ((line.faults & FAULT.cpuRange) !== 0 && line.cpu >= 0) found.push(`cpu-${line.cpu}`);
  return found;
}

/** X is privileged in QEMU4V and exclusive elsewhere; T is an access with the rights of unprivileged code in both. */
export function attributeName(letter: string, dialect: Dialect): string {
  if (letter === 'X') return dialect === 'qemu4v' ? 'privileged' : 'exclusive';
  if (letter === 'T') return dialect === 'qemu4v' ? 'non-privileged' : 'unprivileged';
  return letter === 'L' ? 'locked' : letter;
}

/** The modes of the format's table, and hyp of the processors that came later, with the security flag stuck to them or not. */
export const LISTED_MODE = /^(svc|irq|fiq|usr|mon|sys|abt|und|hyp)(?:_?(s|ns))?$/i;
const SECURITY = /^(.+)_(s|ns|n)$/i;

export interface Mode {
  readonly mode: string;
  readonly modeEnd: number;
  readonly security?: 's' | 'ns';
  readonly securityAt: number;
}

export function splitMode(bytes: Uint8Array, line: Line): Mode {
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

interface Physical {
  readonly address: string;
  readonly security?: string;
}

/** `010116fffcc0_NS`, `S:0004001b60`: a physical address and the security state it belongs to. */
export function splitPhysical(bytes: Uint8Array, at: number, end: number): Physical | undefined {
  if (end <= at) return undefined;
  const [, before, digits, after] = /^(?:(S|NS):)?(.+?)(?:_(S|NS))?$/.exec(plain(bytes, at, end)) ?? [];
  if (digits === undefined) return undefined;
  const security = (before ?? after)?.toLowerCase();
  const address = `0x${digits
    .toLowerCase()
    .replace(/^0x/, '')
    .replaceAll('_', '')
    .replace(/^0+(?=.)/, '')}`;
  return security === undefined ? { address } : { address, security };
}
