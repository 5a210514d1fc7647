/**
 * Compares the fast pass with the grammar for every kind of line. The oracle is the grammar of docs/formats/armtracer.md as regular
 * expressions over one line. Lines are the samples' own and thousands of seeded mutations of them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { FLAG } from '../../shared/records/batch.ts';
import { latin1 } from '../../shared/base/bytes.ts';
import { armtracer } from '../../shared/formats/armtracer/armtracer.ts';
import { decodeAll } from '../laws/drive.ts';
import { createRandom, type Random } from '../laws/random.ts';

const SAMPLES = fileURLToPath(new URL('../samples/armtracer/', import.meta.url));
/** Access letters of each dialect. */
const WIDTHS: Readonly<Record<string, readonly number[]>> = { ads: [8], amba: [9], sdt: [7, 8], eis: [3] };
const DIALECTS = Object.keys(WIDTHS);
const WENT_BACK = 'time-went-back';

describe('sample lines read as the grammar says', () => {
  test.each(readdirSync(SAMPLES))('%s', (name) => {
    for (const dialect of DIALECTS) expectAsOracle(readSample(name), dialect);
  });
});

describe('mutated lines read as the grammar says', () => {
  const lines = readdirSync(SAMPLES).flatMap((name) => readSample(name).split('\n'));
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('seed %i', (seed) => {
    const random = createRandom(seed);
    const mutated = Array.from({ length: 4000 }, () => mutate(lines[random.below(lines.length)]!, random));
    expectAsOracle(`${mutated.join('\n')}\n`, DIALECTS[seed % DIALECTS.length]!);
  });
});

function readSample(name: string): string {
  return latin1(new Uint8Array(readFileSync(`${SAMPLES}${name}/trace.txt`)));
}

/** Another record in the text behind a record, perhaps without a blank before it. */
const JOINED =
  /[^ \t\xa0].*(?:[MB][\w-]{6,8}|[MX][RW][1248]|I[ATJXS][PF]?|RCP|R)[ \t\xa0]+(?:[0-9a-f]{8}(?![^ \t\xa0\r])|\S+=)/i;

/**
 * Lines outside of the grammar may be effects that are read as far as they go (laws/stale.test.ts), and records joined in one line are
 * split, so both are left out.
 */
function expectAsOracle(all: string, dialect: string): void {
  const text = all
    .split('\n')
    .filter((line) => !JOINED.test(line))
    .filter((line) => line === '' || oracle(`${line}\n`, dialect).codes.get('unknown-line') === undefined)
    .join('\n');
  const opened = armtracer.open({ dialect });
  if (!opened.ok) throw new Error(opened.error.message);
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const driven = decodeAll(opened.value, bytes, { describe: (n) => n % 3 === 0 });
  const expected = oracle(text, dialect);
  const seen = driven.records.map(({ time, kind, native, address, size, value, flags }) =>
    [
      Number.isNaN(time) ? '-' : time,
      kind,
      native,
      address,
      size,
      value,
      (flags & FLAG.malformed) === 0 ? '' : 'malformed',
      (flags & FLAG.noEffect) === 0 ? '' : 'no effect',
      flags >= 256 ? WENT_BACK : '',
    ].join(' '),
  );
  for (let n = 0; n < Math.max(seen.length, expected.rows.length); n++) {
    const record = driven.records[n];
    if (seen[n] !== expected.rows[n])
      expect(seen[n], JSON.stringify(text.slice(record?.start, record?.end))).toBe(expected.rows[n]);
  }
  expect(driven.gaps.map(({ name }) => name)).toEqual(expected.gaps);
  const counts = new Map<string, number>();
  for (const { code, count } of driven.diagnostics) counts.set(code, (counts.get(code) ?? 0) + count);
  expect(counts).toEqual(new Map([...expected.codes].sort()));
}

interface Expected {
  readonly rows: string[];
  readonly gaps: string[];
  readonly codes: Map<string, number>;
}

/** Fields of one line, without its time. */
interface Read {
  readonly kind: string;
  readonly native: string;
  readonly address?: string | undefined;
  readonly size?: number;
  /** The bytes in memory, lowest address first, of a little-endian trace. */
  readonly value?: string | undefined;
  readonly noEffect?: boolean;
  /** Letters of the access, if they name the dialect. */
  readonly width?: number;
  readonly faults?: readonly string[];
  /** True if the writer prints no time before the line. */
  readonly timeless?: boolean;
}

function oracle(text: string, dialect: string): Expected {
  const found: Expected = { rows: [], gaps: [], codes: new Map() };
  const count = (code: string): void => void found.codes.set(code, (found.codes.get(code) ?? 0) + 1);
  let last: number | undefined;
  const parts = text.split('\n');
  const unended = parts.pop()!;
  const lines = parts.map((line) => ({ line, ended: true }));
  if (unended !== '') lines.push({ line: unended, ended: false });
  for (const { line, ended } of lines) {
    const clean = line.replaceAll(/\xc2\xa0|\xa0|\t/g, ' ').replace(/[ \r]+$/, '');
    const bare = clean.replace(/^\xef\xbb\xbf/, '');
    if (clean === '') {
      found.gaps.push('blank');
      continue;
    }
    const header = /^ *(Date|Source|Options|Range|Sample):( |$)/.exec(bare);
    if (header !== null) {
      found.gaps.push('header');
      if (header[1] === 'Date') last = undefined;
      continue;
    }
    const stamp = /^ *(?:T +[0-9a-fA-F]{8,13} +)*T +([0-9a-fA-F]{8,13}) +(?=[^ ])/.exec(bare);
    const rest = stamp === null ? bare.replace(/^ +/, '') : bare.slice(stamp[0].length);
    const record = stamp === null && /^T /.test(rest) ? undefined : readRecord(rest);
    if (record === undefined) {
      found.rows.push(`- other OTHER  0  ${ended ? '' : 'malformed'}  `);
      count(ended ? 'unknown-line' : 'cut-line');
      continue;
    }
    const own = stamp === null ? undefined : Number.parseInt(stamp[1]!, 16);
    const inherited = bare.startsWith(' ') && record.timeless !== true ? last : undefined;
    const faults = record.faults ?? [];
    faults.forEach(count);
    if (record.width !== undefined && !WIDTHS[dialect]!.includes(record.width)) count('other-width');
    found.rows.push(
      [
        own ?? inherited ?? '-',
        record.kind,
        record.native,
        record.address ?? '',
        record.size ?? 0,
        record.value ?? '',
        faults.length > 0 ? 'malformed' : '',
        record.noEffect === true ? 'no effect' : '',
        own !== undefined && own < (last ?? 0) ? WENT_BACK : '',
      ].join(' '),
    );
    last = own ?? last;
  }
  return found;
}

const DIGITS = '[0-9a-fA-F]';
const SMALL = /^(it|is|e|r|rcp|[mb][ic]o?|i[atjx][pf]|[mx][rw][1248]|p[imsrf])$/;
const LETTERS =
  /^([MBmb])([NSAICnsaic]|r)([RWrw])([1248_-]|r|R)([_Oo])([_Ll])([_SKsk])(?:([_Dd48Rr])|([_Dd])([_48Rr]))?$/;

function readRecord(text: string): Read | undefined {
  const [, spelt = '', rest = ''] = /^([^ ]*) *(.*)$/s.exec(text)!;
  // A cycle without a transfer can lack its size, shown here as a dash.
  const unsized = /^.[ICic].{4}$/.test(spelt) || /^.([Aa]|r).[^1248].{3}$/.test(spelt);
  const spread = unsized ? `${spelt.slice(0, 3)}-${spelt.slice(3)}` : spelt;
  const letters = spelt.includes('-') ? null : LETTERS.exec(spread);
  if (letters !== null) return readAccess(letters, rest);
  const native = SMALL.test(spelt) ? spelt.toUpperCase() : spelt;
  if (!SMALL.test(native.toLowerCase()) || native !== native.toUpperCase()) return undefined;
  if (/^P/.test(native)) return rest === '' ? undefined : { kind: 'other', native };
  if (native === 'E') return readEvent(rest);
  if (native === 'R' || native === 'RCP') return readRegisters(native, rest);
  if (/^I/.test(native)) return readInstruction(native, rest);
  if (/^.[IC]O?$/.test(native)) return readCycle(native, rest);
  return readPlainAccess(native, rest);
}

/** The letters as written, in their original case: a small `r` is no direction. */
function spell(letters: RegExpExecArray): string {
  return letters
    .slice(1)
    .filter((letter: string | undefined) => letter !== undefined)
    .map((letter, place) => (place === 2 ? letter.toUpperCase() : upper(letter)))
    .join('');
}

function upper(letter: string): string {
  return letter === 'r' || letter === 'R' ? 'r' : letter.toUpperCase();
}

function readAccess(letters: RegExpExecArray, rest: string): Read | undefined {
  const spread = spell(letters);
  // A capital `R` is no type, size or burst.
  if ([letters[2], letters[4], letters[8], letters[10]].includes('R')) return undefined;
  const killed = spread[6] === 'K';
  const kind = kindOf(spread, killed);
  const words = new RegExp(`^(?:${DIGITS}{1,8}(?: +|$))*`)
    .exec(rest)![0]
    .split(/ +/)
    .filter((word) => word !== '');
  const bare = killed && words.length <= (spread[3] === '8' ? 2 : 1);
  if (!bare && words[0]?.length !== 8) return undefined;
  const address = bare ? undefined : words[0];
  const [data, second] = bare ? words : words.slice(1, 3);
  const read = words.slice(0, bare ? 2 : 3);
  const tail = readTail(read.reduce((left, word) => left.slice(word.length).replace(/^ +/, ''), rest));
  const faults: string[] = [];
  const stated = Number(spread[3]);
  let size = killed && address === undefined ? 0 : Number.isNaN(stated) ? 0 : stated;
  if (Number.isNaN(stated) && address !== undefined)
    size = Math.ceil(((data?.length ?? 0) + (second?.length ?? 0)) / 2);
  const isRequest = /[NS]/.test(spread[1]!) && spread[6] === '_';
  if (data === undefined && isRequest && !tail.noEffect) faults.push('missing-data');
  if (data !== undefined && !killed && !Number.isNaN(stated)) {
    const wanted = stated === 8 ? [8, 8] : [2 * stated, 0];
    if (data.length !== wanted[0] || (second?.length ?? 0) !== wanted[1]) faults.push('data-size');
  }
  const isShort = stated === 8 && faults.includes('data-size') && second === undefined;
  if (kind.endsWith('write') && (faults.includes('missing-data') || isShort)) faults.push('lost-address');
  if (tail.unknown) faults.push('trailing-text');
  const isUnsure = data !== undefined && tail.unsure;
  if (isUnsure) faults.push('lost-value');
  if (isUnsure && kind.endsWith('write') && !faults.includes('lost-address')) faults.push('lost-address');
  const noEffect = tail.noEffect && !faults.includes('data-size');
  const whole = data !== undefined && !isUnsure && address !== undefined && !faults.includes('data-size') && !noEffect;
  const moves = /read|write|fetch/.test(kind);
  const value = whole && moves ? mirror(data) + mirror(second ?? '') : undefined;
  const reported = value?.length === 2 * stated ? value : undefined;
  return {
    kind,
    native: spread.replace('-', ''),
    address: hex(address),
    size,
    value: reported,
    noEffect,
    width: spread.length,
    faults,
  };
}

function kindOf(native: string, killed: boolean): string {
  if (/[Cr]/.test(native[1]!)) return 'special';
  if (killed || /[AI]/.test(native[1]!)) return 'idle';
  const what = native[2] === 'W' ? 'write' : native[4] === 'O' ? 'fetch' : 'read';
  return native.startsWith('B') ? `bus-${what}` : what;
}

interface Tail {
  readonly noEffect: boolean;
  readonly unknown: boolean;
  /** A number or the word of a record follows the data without an outcome. */
  readonly unsure: boolean;
}

function readTail(tail: string): Tail {
  const [, marks = '', rest = ''] = /^((?:\((?:abort|wait|peek|poke)\) *)*)(.*)$/s.exec(tail)!;
  const [first = ''] = rest.split(' ');
  const unsure = marks === '' && (new RegExp(`^${DIGITS}{1,8}$`).test(first) || isRecordWord(first));
  return { noEffect: /abort|wait/.test(marks), unknown: rest !== '' && !/^pipe( |$)/.test(rest), unsure };
}

function isRecordWord(word: string): boolean {
  const isSmall = word === word.toUpperCase() || word === word.toLowerCase();
  return (
    (isSmall && (SMALL.test(word.toLowerCase()) || /^[mx][rw]0$/i.test(word))) ||
    readRecord(`${word} 00000000`) !== undefined
  );
}

function readCycle(native: string, rest: string): Read | undefined {
  const coprocessor = native[1] === 'C';
  const data = coprocessor ? new RegExp(`^${DIGITS}{1,8}(?: +|$)`).exec(rest) : null;
  const tail = readTail(rest.slice(data?.[0].length ?? 0));
  if (tail.unknown) return undefined;
  return { kind: coprocessor ? 'special' : 'idle', native, noEffect: tail.noEffect };
}

function readPlainAccess(native: string, rest: string): Read | undefined {
  const fields = new RegExp(`^(${DIGITS}{8}) +(${DIGITS}{1,8})(?: +(.*))?$`, 's').exec(rest);
  if (fields === null) return undefined;
  const data = fields[2]!;
  const follows = fields[3] ?? '';
  const faults = [8, 2 * Number(native[2])].includes(data.length) ? [] : ['data-size'];
  const unsure = new RegExp(`^${DIGITS}{1,8}( |$)`).test(follows) || isRecordWord(follows.split(' ')[0]!);
  const split = follows.length > 2 && unsure;
  if (split) faults.push('lost-value', ...(native[1] === 'W' ? ['lost-address'] : []));
  else if (follows !== '' && !new RegExp(`^${DIGITS}{1,2}$`).test(follows)) faults.push('trailing-text');
  const kind = native[1] === 'W' ? 'write' : 'read';
  const noEffect = native.startsWith('X');
  const size = Number(native[2]);
  const narrow = data.length === 8 && /^0*$/.test(data.slice(0, -2 * size)) ? data.slice(-2 * size) : data;
  const value = split || noEffect || narrow.length !== 2 * size ? undefined : mirror(narrow);
  return { kind, native, address: hex(fields[1]), size, value, noEffect, width: 3, faults };
}

function readInstruction(native: string, rest: string): Read | undefined {
  const fields = new RegExp(`^(${DIGITS}{1,8}) +(${DIGITS}{1,16})( |$)`).exec(rest);
  if (fields === null) return undefined;
  const size = Math.ceil(fields[2]!.length / 2);
  return {
    kind: native === 'IT' || native.endsWith('P') ? 'instruction' : 'skipped',
    native,
    address: hex(fields[1]),
    size,
    faults: size === 2 || size === 4 ? [] : ['opcode-size'],
    ...(native.length === 3 ? { width: 3 } : {}),
  };
}

function readEvent(rest: string): Read | undefined {
  const fields = new RegExp(`^${DIGITS}{1,8} +${DIGITS}{1,8}(?: +(?:0x)?(${DIGITS}{1,8})(?= |$)| |$)`).exec(rest);
  if (fields === null) return undefined;
  return { kind: 'event', native: 'E', faults: fields[1] === undefined ? ['event-number'] : [] };
}

function readRegisters(native: string, rest: string): Read | undefined {
  const value = `(?:0x)?${DIGITS}+(?:_${DIGITS}+)*`;
  const list = new RegExp(`^[^ ,=]+=${value}(?:(?: +| *, *)[^ ,=]+=${value})*$`);
  if (!list.test(rest)) return undefined;
  const core = /^(?:r(?:[0-9]|1[0-5])|[cs]psr)$/;
  const known = native === 'R' ? core : /^p[0-9]{1,2}c[0-9]{1,2}$/;
  const entries = rest.split(/ *, *| +/).map((entry) => entry.split('=') as [string, string]);
  const order = [...Array.from({ length: 16 }, (_, n) => `r${n}`), 'cpsr', 'spsr'];
  const ranks = entries.map(([name]) => order.indexOf(name));
  const clean =
    entries.every(([name, own]) => known.test(name) && own.startsWith('0x') === entries[0]![1].startsWith('0x')) &&
    ranks.every((rank, index) => rank < 0 || index === 0 || rank > ranks[index - 1]!) &&
    !/[^, ] +[^, ]/.test(rest);
  const word = `${DIGITS}{8}`;
  const words = new RegExp(`^(?:0x)?${word}(?:_${word})*$`);
  const isWide = ([name, own]: [string, string]): boolean => core.test(name) && own.includes('_');
  const isShort = ([name, own]: [string, string]): boolean =>
    (core.test(name) || /^p[0-9]{1,2}c[0-9]{1,2}$/.test(name)) && !words.test(own);
  const faults = [
    ...(clean ? [] : ['register-list']),
    ...(entries.some((entry) => isShort(entry) || isWide(entry)) ? ['lost-value'] : []),
    ...(!clean || entries.some(isShort) ? ['lost-register'] : []),
  ];
  return { kind: 'register', native, faults, timeless: true };
}

/** Digits as bytes, the last two digits first. */
function mirror(digits: string): string {
  return (digits.match(/../g) ?? []).reverse().join('').toLowerCase();
}

function hex(digits: string | undefined): string | undefined {
  return digits === undefined ? undefined : `0x${Number.parseInt(digits, 16).toString(16)}`;
}

/** Makes one to three changes: replaces, removes or doubles a character, or swaps it for one that the grammar uses. */
function mutate(line: string, random: Random): string {
  let text = line;
  for (let left = random.below(4); left > 0 && text !== ''; left--) {
    const at = random.below(text.length);
    const before = text.slice(0, at);
    const after = text.slice(at + 1);
    switch (random.below(5)) {
      case 0:
        text = before + after;
        break;
      case 1:
        text = before + text[at]! + text[at]! + after;
        break;
      case 2:
        text = before + String.fromCharCode(random.below(256)).replace('\n', ' ') + after;
        break;
      case 3:
        text = before + MEANING[random.below(MEANING.length)]! + after;
        break;
      default:
        text = before + MEANING[random.below(MEANING.length)]! + text[at]! + after;
    }
  }
  return text;
}

const MEANING = [
  '_',
  'O',
  'R',
  'r',
  'W',
  'S',
  'K',
  'D',
  '4',
  '8',
  ' ',
  '  ',
  '\t',
  '\xa0',
  '\xc2\xa0',
  ',',
  '=',
  '0x',
  '(',
  'T ',
  '\r',
  'F',
];
