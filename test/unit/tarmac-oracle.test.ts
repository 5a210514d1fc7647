/**
 * Compares QEMU4V text with the grammar of its own lines, and the fast pass with the slow-path parser, for every kind of line. The
 * oracle is that grammar as regular expressions over one line (docs/formats/tarmac.md). Lines are the samples' own and thousands of
 * seeded mutations of them; some lines outside of the grammar are other dialects'.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { FLAG, NO_CPU } from '../../shared/records/batch.ts';
import type { Decoder } from '../../shared/format/format.ts';
import { tarmac } from '../../shared/formats/tarmac/tarmac.ts';
import { nativeName } from '../../shared/formats/tarmac/codes.ts';
import { type Dialect, DIALECTS } from '../../shared/formats/tarmac/line/line.ts';
import { createLine } from '../../shared/formats/tarmac/line/line.ts';
import { readLine as readCarefully } from '../../shared/formats/tarmac/line/read.ts';
import { latin1 } from '../../shared/base/bytes.ts';
import { trimLineEnd } from '../../shared/format/lines.ts';
import { kindName } from '../../shared/records/record.ts';
import { joinAddress, toHex } from '../../shared/base/units.ts';
import { decodeAll, type DrivenRecord } from '../laws/drive.ts';
import { createRandom } from '../laws/random.ts';
import type { Random } from '../laws/random.ts';

const SAMPLES = fileURLToPath(new URL('../samples/tarmac/', import.meta.url));
/** The samples of this dialect; the long one of RISC-V would outnumber the others. */
const NAMES = readdirSync(SAMPLES).filter((name) => !/^(?:a64|fastmodels|fault|es|gem5|riscv|rtl)-/.test(name));
const decoder = open();

describe('sample lines read as the grammar says', () => {
  test.each(NAMES)('%s', (name) => {
    expectAsOracle(linesOf(name).join('\n'));
  });
});

describe('mutated lines read as the grammar says', () => {
  const lines = NAMES.flatMap((name) => linesOf(name));
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('seed %i', (seed) => {
    const random = createRandom(seed);
    const mutated = Array.from({ length: 4000 }, () => mutate(lines[random.below(lines.length)]!, random));
    expectAsOracle(`${mutated.join('\n')}\n`);
  });
});

describe.each(DIALECTS)('mutated lines of all dialects, read as %s,', (dialect) => {
  const opened = open(dialect);
  const lines = readdirSync(SAMPLES).flatMap((name) => linesOf(name));
  test.each([11, 12, 13, 14])('seed %i', (seed) => {
    const random = createRandom(seed);
    const mutated = Array.from({ length: 5000 }, () => {
      const line = lines[random.below(lines.length)]!;
      return random.below(3) === 0 ? line : mutate(line, random);
    });
    const bytes = bytesOf(`${mutated.join('\n')}\n`);
    // Describing uses the slow-path parser for every line, and the driver compares its fields with the columns.
    expectSameAsSlowPath(bytes, decodeAll(opened, bytes, { describe: () => true }).records, dialect);
  });
});

function expectAsOracle(text: string): void {
  const bytes = bytesOf(text);
  const driven = decodeAll(decoder, bytes);
  const records = new Map(driven.records.map((record) => [record.start, record]));
  expectSameAsSlowPath(bytes, driven.records, 'qemu4v');
  let cpu = NO_CPU;
  let known = 0;
  for (const match of text.matchAll(/[^\n]*\n|[^\n]+$/g)) {
    const start = match.index;
    const record = records.get(start);
    const line = match[0].replace(/[ \t\r\n]+$/, '');
    if (line === '') expect(record, 'blank lines are gaps').toBeUndefined();
    else {
      const read = readLine(line.replace(/^\xef\xbb\xbf/, ''));
      if (read !== undefined) {
        known++;
        if (read.instruction && read.given !== undefined) cpu = read.given;
        const shown = read.given ?? cpu;
        const expected = row({ ...read, start, end: start + match[0].length, cpu: shown > 32767 ? NO_CPU : shown });
        const seen = record === undefined ? '' : row(record);
        if (seen !== expected) expect(seen, JSON.stringify(match[0])).toBe(expected);
      } else if (record?.kind === 'instruction' || record?.kind === 'skipped') {
        // A source column that only other dialects write.
        readCarefully(bytes, start, trimLineEnd(bytes, start, record.end), 'qemu4v', careful);
        if (careful.cpuEnd > careful.cpuAt) cpu = careful.cpu;
      }
    }
  }
  expect(known).toBeGreaterThan(0);
}

/** The slow-path parser alone, line by line; fast passes must agree with it. */
function expectSameAsSlowPath(bytes: Uint8Array, records: readonly DrivenRecord[], dialect: Dialect): void {
  const line = createLine();
  let last = Number.NaN;
  for (const record of records) {
    const to = trimLineEnd(bytes, record.start, record.end);
    const follows = record.start > 0 && bytes[record.start - 1] !== 10;
    const read =
      readCarefully(bytes, record.start, to, dialect, line) ||
      (follows && readCarefully(bytes, record.start, to, dialect, line, true));
    // Lines that continue with another one are no record alone.
    if (!read && (record.native === 'LD' || record.native === 'ST')) continue;
    const { kind, native, address, size, time, target } = record;
    const seen = { kind, native, address, size, time, target };
    if (read && line.timeEnd > line.timeAt) last = line.exact ? line.time : Number.NaN;
    const timeless = !read || native === 'Tarmac Text';
    const expected = read
      ? {
          kind: kindName(line.kind),
          native: nativeName(line.native),
          address: line.hasAddress ? toHex(joinAddress(line.addressLow, line.addressHigh)) : '',
          size: line.hasAddress ? line.size : 0,
          time: line.timeEnd > line.timeAt ? line.time : timeless || dialect === 'qemu4v' ? Number.NaN : last,
          target: line.hasTarget ? toHex(joinAddress(line.targetLow, line.targetHigh)) : '',
        }
      : { kind: 'other', native: 'OTHER', address: '', size: 0, time: Number.NaN, target: '' };
    if (JSON.stringify(seen) !== JSON.stringify(expected)) {
      expect(seen, latin1(bytes.subarray(record.start, record.end))).toEqual(expected);
    }
  }
}

const careful = createLine();

interface Row {
  readonly start: number;
  readonly end: number;
  readonly time: number;
  readonly kind: string;
  readonly native: string;
  readonly address: string;
  readonly size: number;
  readonly cpu: number;
  readonly flags: number;
  /** Bytes in memory of a little-endian trace, lowest address first; '' if unknown. */
  readonly value: string;
}

function row({ start, end, time, kind, native, address, size, cpu, flags, value }: Row): string {
  return `${start}..${end} ${time} ${kind} ${native} ${address} ${size} ${cpu} ${flags} ${value}`;
}

interface Read extends Omit<Row, 'start' | 'end' | 'cpu'> {
  readonly given: number | undefined;
  readonly instruction: boolean;
  readonly codes: readonly string[];
}

const PREFIX =
  /^[ \t]*(?<time>-?\d{1,20})[ \t]+[A-Za-z]{1,8}[ \t]+(?:(?:cpu)?(?<cpu>\d{1,9})[ \t]+)?(?<rest>[IMR].*)$/s;
const HEX = '(?:0[xX](?=[0-9a-fA-F]))?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*';
const DATA = '(?:0[xX](?=[0-9a-fA-F]))?[0-9a-fA-FxX]+(?:_[0-9a-fA-FxX]+)*';
const REGISTER = new RegExp(`^R[ \\t]+[^ \\t]+[ \\t]+(?<data>${DATA})$`, 's');
const MEMORY = new RegExp(`^M(?<way>[RW])(?<size>\\d+)[XTL]*[ \\t]+(?<address>${HEX})[ \\t]+(?<data>${DATA})$`, 's');
const INSTRUCTION = new RegExp(
  `^I(?<way>[TS])[ \\t]+(?:\\(\\d+\\)[ \\t]*)?(?<address>${HEX})[ \\t]+(?<data>${HEX})[ \\t]+[A-Za-z](?=[ \\t:]|$)` +
    '[ \\t]*[^ \\t:]*[ \\t]*(?<text>.*)$',
  's',
);

function readLine(line: string): Read | undefined {
  const prefix = PREFIX.exec(line)?.groups;
  if (prefix === undefined) return undefined;
  const rest = prefix['rest']!;
  const found = (REGISTER.exec(rest) ?? MEMORY.exec(rest) ?? INSTRUCTION.exec(rest))?.groups;
  if (found === undefined) return undefined;
  const instruction = rest.startsWith('I');
  // Another record may begin in the text.
  if (instruction && /\s(?:I[TSF]|ES|R|M[RW]\S*|LD|ST|BR)\s/.test(found['text']!)) return undefined;
  const digits = digitsOf(found['data']!);
  const address = found['address'] === undefined ? undefined : digitsOf(found['address']);
  const given = prefix['cpu'] === undefined ? undefined : Number(prefix['cpu']);
  if (address !== undefined && address.length > 16) return undefined;
  if (instruction && digits.length > 32) return undefined;
  if (rest.startsWith('M') && Number(found['size']) > 16383) return undefined;
  const isLost = rest.startsWith('R') && !isName(/^R[ \t]+([^ \t]+)/.exec(rest)?.[1] ?? '');
  const codes = [
    ...(isLost ? ['lost-register'] : []),
    ...(isCut(rest, digits) ? ['lost-value'] : []),
    ...(rest.startsWith('M') && digits.length !== 2 * Number(found['size']) ? ['data-size'] : []),
    ...(instruction && digits.length % 2 === 1 ? ['odd-opcode'] : []),
    ...(/x/i.test(digits) ? ['unknown-digits'] : []),
    ...(instruction && found['text'] !== '' && !found['text']!.startsWith(':') ? ['missing-colon'] : []),
    ...(given !== undefined && given > 32767 ? ['cpu-range'] : []),
  ];
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  const known = address !== undefined && !instruction && !/x/i.test(digits) && !codes.includes('data-size');
  const value = known ? even.match(/../g)!.reverse().join('').toLowerCase() : '';
  const time = BigInt(prefix['time']!);
  const wide = time > 9007199254740991n || time < -9007199254740991n;
  return {
    time: Number(time),
    kind: instruction ? (found['way'] === 'T' ? 'instruction' : 'skipped') : memoryKind(found['way']),
    native: instruction
      ? `I${found['way']!}`
      : address === undefined
        ? 'R'
        : `M${found['way']!}${Number(found['size'])}`,
    address: address === undefined ? '' : `0x${BigInt(`0x${address}`).toString(16)}`,
    size: address === undefined ? 0 : Math.max(instruction ? 0 : Number(found['size']), Math.ceil(digits.length / 2)),
    flags:
      (address === undefined ? 0 : FLAG.address) +
      (wide ? FLAG.wideTime : 0) +
      (value === '' ? 0 : FLAG.value) +
      (given === undefined ? FLAG.cpuAssumed : 0) +
      (codes.length > 0 ? FLAG.malformed : 0),
    value,
    given,
    instruction,
    codes,
  };
}

/** Number of digits of a whole value by the register's name; the first rule that matches counts. */
const WIDTHS: readonly (readonly [RegExp, (digits: number) => boolean])[] = [
  [/^r\d+(?:_|$)/i, (digits) => digits === 8],
  [/^x\d+$/i, (digits) => digits === 16],
  [/^p\d+$/i, (digits) => digits % 2 === 0],
  [/psr/i, (digits) => digits === 8 || digits === 9 || digits >= 16],
  [/^/, (digits) => digits === 8 || digits >= 16],
];

function isCut(rest: string, digits: string): boolean {
  const name = /^R[ \t]+([^ \t]{1,12})/.exec(rest)?.[1];
  if (name === undefined || /x/i.test(digits)) return false;
  return !WIDTHS.find(([names]) => names.test(name))![1](digits.length);
}

/** A name has letters, digits and underscores, and a general register has a number up to 31. */
function isName(name: string): boolean {
  if (/^[dpqvz]$/i.test(name)) return false;
  const [, letter = '', number = ''] = /^([rxw])(\d*)$/i.exec(name) ?? [];
  if (letter !== '' && (number === '' || number.length > 2 || Number(number) > 31)) return false;
  return /^\$?[a-z]\w*(?:<\d+:\d+>)?$/i.test(name) || /^\$?[a-z]\w+\.\w\w+$/i.test(name);
}

function memoryKind(way: string | undefined): string {
  return way === undefined ? 'register' : way === 'R' ? 'read' : 'write';
}

function digitsOf(token: string): string {
  return token.replace(/^0[xX](?=[0-9a-fA-F])/, '').replaceAll('_', '');
}

/** Characters with a meaning somewhere in a line, so that mistakes hit the grammar as well as the text. */
const MEANINGFUL = ' \t\r:()_-0123456789abcdefABCDEFxXITSMRWXLcpuklsn\0\u00ff';

function mutate(line: string, random: Random): string {
  let text = line;
  for (let left = 1 + random.below(3); left > 0; left--)
    text = MUTATIONS[random.below(MUTATIONS.length)]!(text, random);
  return text.replaceAll('\n', '');
}

const MUTATIONS: readonly ((text: string, random: Random) => string)[] = [
  (text, random) => splice(text, random.below(text.length + 1), 1, ''),
  (text, random) => splice(text, random.below(text.length + 1), 0, MEANINGFUL[random.below(MEANINGFUL.length)]!),
  (text, random) => splice(text, random.below(text.length + 1), 1, MEANINGFUL[random.below(MEANINGFUL.length)]!),
  (text, random) => text.slice(0, random.below(text.length + 1)),
  (text, random) => tokens(text, random, () => []),
  (text, random) => tokens(text, random, (token) => [token, token]),
  (text, random) => tokens(text, random, (token) => [token.toUpperCase()]),
  (text, random) => tokens(text, random, (token) => [`0x${token}`]),
  (text, random) => tokens(text, random, (token) => [token.repeat(1 + random.below(4))]),
  (text, random) => tokens(text, random, (token) => [`${token.slice(0, 8)}_${token.slice(8)}`]),
  (text, random) => tokens(text, random, (token) => [`-${token}`]),
  (text) => text.replaceAll(' ', '\t'),
  (text) => text.replaceAll(' ', '  '),
  (text) => `${text}\r`,
  (text) => `${text} \t`,
  (text) => ` ${text}`,
  (text) => text,
];

function splice(text: string, at: number, remove: number, insert: string): string {
  return text.slice(0, at) + insert + text.slice(at + remove);
}

/** Replaces one token between blanks. */
function tokens(text: string, random: Random, change: (token: string) => readonly string[]): string {
  const all = text.split(' ');
  const at = random.below(all.length);
  return all.flatMap((token, index) => (index === at ? change(token) : [token])).join(' ');
}

function open(dialect: Dialect = 'qemu4v'): Decoder {
  const opened = tarmac.open({ dialect });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Lines of a sample, as Latin-1. */
function linesOf(name: string): readonly string[] {
  const folder = `${SAMPLES}${name}/`;
  const file = readdirSync(folder).find((one) => one.startsWith('trace.'));
  return latin1(new Uint8Array(readFileSync(`${folder}${file ?? ''}`))).split('\n');
}
