/**
 * Marks of a record for its `flags` field: unit, source, mode, security, physical addresses, attributes, and how faults were handled.
 */
import { FLAG } from '../../../records/batch.ts';
import { UNDERSCORE } from '../../../base/characters.ts';
import { digitsToHex, joinAddress, toHex } from '../../../base/units.ts';
import { utf8 } from '../../../base/utf8.ts';
import { REGISTER } from '../codes.ts';
import { type Dialect, FAULT, type Line, MARK } from '../line/line.ts';
import { textOf } from '../../../base/scan.ts';

/** Returns the marks of a line in the order of its fields. `flags` is the record's entry in the flags column. */
export function marksOf(
  bytes: Uint8Array,
  line: Line,
  flags: number,
  dialect: Dialect,
  unit: string,
): readonly string[] {
  return [...lineMarks(bytes, line, dialect, unit), ...columnMarks(flags), ...faultMarks(line)];
}

/** Returns the marks that mean the same in every format. */
function columnMarks(flags: number): readonly string[] {
  const found: string[] = [];
  if ((flags & FLAG.timeAssumed) !== 0) found.push('time-assumed');
  if ((flags & FLAG.cpuAssumed) !== 0) found.push('cpu-assumed');
  if ((flags & FLAG.malformed) !== 0) found.push('malformed');
  return found;
}

function lineMarks(bytes: Uint8Array, line: Line, dialect: Dialect, unit: string): readonly string[] {
  const found: string[] = [];
  const own = textOf(bytes, line.unitAt, line.unitEnd);
  if (own !== '' && own !== unit) found.push(`unit-${own}`);
  const source = textOf(bytes, line.cpuAt, line.cpuEnd);
  if (!/^(?:cpu)?\d*$/.test(source)) found.push(`source-${source}`);
  if (line.modeEnd > line.modeAt) {
    const { mode, security } = splitMode(bytes, line);
    found.push(mode);
    if (security !== undefined) found.push(security);
  }
  if (line.attributeAt !== 0) {
    for (const letter of textOf(bytes, line.attributeAt, line.wordEnd))
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
    found.push(`pa-${toHex(BigInt(physical.address) + accessOffset(bytes, line))}`);
    if (physical.security !== undefined) found.push(physical.security);
  }
  return found;
}

/** Returns marks for the numbers in parentheses: the instruction's number if it differs from the time, its address, or a bus master. */
function numberMarks(bytes: Uint8Array, line: Line): readonly string[] {
  const id = textOf(bytes, line.idAt, line.idEnd);
  const pair = textOf(bytes, line.pairAt, line.pairEnd);
  if (line.noteEnd > line.noteAt && line.native !== REGISTER) {
    return [pair, textOf(bytes, line.noteAt, line.noteEnd), `master-${id}`];
  }
  const found = pair === '' ? [] : [`of-${pair}`];
  return id === '' || id === textOf(bytes, line.timeAt, line.timeEnd) ? found : [...found, `number-${id}`];
}

/** Returns the offset of the first accessed byte from the address in the line; LD and ST lines may start with other bytes. */
function accessOffset(bytes: Uint8Array, line: Line): bigint {
  if ((line.marks & MARK.addressOrder) === 0) return 0n;
  const shown = digitsToHex(textOf(bytes, line.addressAt, line.addressEnd));
  return joinAddress(line.addressLow, line.addressHigh) - BigInt(shown);
}

function valueMarks(bytes: Uint8Array, line: Line): readonly string[] {
  const found: string[] = [];
  if ((line.marks & MARK.exclusive) !== 0) found.push('X', 'exclusive');
  if (line.lettersEnd > line.lettersAt) found.push(textOf(bytes, line.lettersAt, line.lettersEnd));
  if ((line.marks & MARK.aborted) !== 0) found.push('aborted');
  if ((line.marks & MARK.fetchFailed) !== 0) found.push('fetch-failed');
  if ((line.marks & MARK.memoryOrder) !== 0) found.push('memory-order');
  if ((line.marks & MARK.busOrder) !== 0) found.push('bus-order');
  if ((line.marks & MARK.continued) !== 0) found.push('continued');
  if ((line.marks & (MARK.unknown | MARK.holes)) !== 0) {
    if ((line.marks & MARK.unknown) !== 0 && (line.faults & FAULT.unknownDigits) === 0) found.push('value-unknown');
    const digits = textOf(bytes, line.codeAt, line.codeEnd).replaceAll(/[\s_]/g, '');
    if (/[\da-f]/i.test(digits)) found.push(`digits-${digits}`);
  }
  return found;
}

function faultMarks(line: Line): readonly string[] {
  const found: string[] = [];
  if ((line.faults & FAULT.dataSize) !== 0) found.push('data-size');
  if ((line.faults & FAULT.lostValue) !== 0) found.push('value-lost');
  if ((line.faults & FAULT.lostRegister) !== 0) found.push('register-lost');
  if ((line.faults & FAULT.lostWord) !== 0) found.push('word-lost');
  if ((line.faults & FAULT.extraWords) !== 0) found.push('extra-words');
  if ((line.faults & FAULT.oddOpcode) !== 0) found.push('odd-opcode');
  if ((line.faults & FAULT.unknownDigits) !== 0) found.push('value-unknown');
  if ((line.faults & FAULT.missingColon) !== 0) found.push('no-colon');
  if ((line.faults & FAULT.cpuRange) !== 0 && line.cpu >= 0) found.push(`cpu-${line.cpu}`);
  return found;
}

/** Returns the meaning of an attribute letter. X is privileged in QEMU4V and exclusive elsewhere; T is unprivileged in both. */
export function attributeName(letter: string, dialect: Dialect): string {
  if (letter === 'X') return dialect === 'qemu4v' ? 'privileged' : 'exclusive';
  if (letter === 'T') return dialect === 'qemu4v' ? 'non-privileged' : 'unprivileged';
  return letter === 'L' ? 'locked' : letter;
}

/** Modes in the format's table, and hyp of later processors, with an optional security flag. */
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

/** Splits a physical address and its security state: `010116fffcc0_NS`, `S:0004001b60`. */
export function splitPhysical(bytes: Uint8Array, at: number, end: number): Physical | undefined {
  if (end <= at) return undefined;
  const [, before, digits, after] = /^(?:(S|NS):)?(.+?)(?:_(S|NS))?$/.exec(textOf(bytes, at, end)) ?? [];
  if (digits === undefined) return undefined;
  const security = (before ?? after)?.toLowerCase();
  const address = digitsToHex(digits);
  return security === undefined ? { address } : { address, security };
}
