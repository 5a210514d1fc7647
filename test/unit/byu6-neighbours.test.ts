/** Marks that BYU 6-byte records get from their neighbours: worked by hand, on both sides of every limit. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Decoder } from '../../shared/format/format.ts';
import { byu6 } from '../../shared/formats/byu6/byu6.ts';
import { decodeAll } from '../laws/drive.ts';

const FETCH = '00100000 00 90';

describe('possible burst beats', () => {
  test.each([
    ['four quadwords of a line, one after the other', ['40 80', '48 80', '50 80', '58 80'], 'xxxx'],
    ['a burst that begins with the requested quadword', ['50 c0', '58 c0', '40 c0', '48 c0'], 'xxxx'],
    ['write-backs', ['40 e0', '48 e0', '50 e0', '58 e0'], 'xxxx'],
    ['the unassigned half of the control byte does not matter', ['40 c0', '48 c1', '50 c2', '58 cf'], 'xxxx'],
    ['three records are too few', ['40 c0', '48 c0', '50 c0'], '...'],
    ['the next line', ['48 c0', '50 c0', '58 c0', '60 c0'], '....'],
    ['another cycle', ['40 c0', '48 c0', '50 80', '58 c0'], '....'],
    ['not cacheable', ['40 d0', '48 d0', '50 d0', '58 d0'], '....'],
    ['five', ['40 c0', '48 c0', '50 c0', '58 c0', '40 c0'], 'xxxxx'],
    [
      'three, four, three',
      ['20', '28', '30', '40', '48', '50', '58', '60', '68', '70'].map((a) => `${a} c0`),
      '...xxxx...',
    ],
  ])('%s', (_, cycles, expected) => {
    const hex = cycles.map((cycle) => `001400${cycle.slice(0, 2)} 00 ${cycle.slice(3)}`);
    const marks = marksOf([FETCH, ...hex, FETCH]).slice(1, -1);
    expect(marks.map((of) => (of.includes('possible-burst-beat') ? 'x' : '.')).join('')).toBe(expected);
  });

  test('keeps the beats of a burst as four records', () => {
    const records = ['40', '48', '50', '58'].map((a) => `001400${a} 00 c0`);
    expect(decode(records).map(({ address, size }) => [address, size])).toEqual([
      ['0x140040', 8],
      ['0x140048', 8],
      ['0x140050', 8],
      ['0x140058', 8],
    ]);
  });
});

describe('interrupt acknowledge cycles', () => {
  const FIRST = '00000000 ef 10';
  const SECOND = '00000000 fe 10';
  const EITHER = '00000000 00 10';

  test.each([
    ['a pair', [FIRST, SECOND], ['first-of-pair', 'second-of-pair']],
    ['a first without its second', [FIRST, FETCH], ['first-of-pair,unpaired', '']],
    ['a second without its first', [FETCH, SECOND], ['', 'second-of-pair,unpaired']],
    ['in reverse order', [SECOND, FIRST], ['second-of-pair,unpaired', 'first-of-pair,unpaired']],
    ['two firsts', [FIRST, FIRST, SECOND], ['first-of-pair,unpaired', 'first-of-pair', 'second-of-pair']],
    ['another record in between', [FIRST, FETCH, SECOND], ['first-of-pair,unpaired', '', 'second-of-pair,unpaired']],
    [
      'ambiguous enables, resolved by their neighbours',
      [EITHER, EITHER, FETCH],
      ['first-of-pair,place-by-neighbours', 'second-of-pair,place-by-neighbours', ''],
    ],
    ['a single cycle with ambiguous enables', [FETCH, EITHER, FETCH], ['', 'unpaired', '']],
  ])('%s', (_, records, expected) => {
    expect(marksOf(records).map((marks) => marks.join(','))).toEqual(expected);
  });
});

describe('suspected seams', () => {
  const PAIR = ['00000000 ef 10', '00000000 fe 10'];
  const POLL = '00000378 fd 50';
  const fetches = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, n) => `${(from + 8 * n).toString(16).padStart(8, '0')} 00 90`);
  const turns = (count: number, ...records: string[]): string[] => Array.from({ length: count }, () => records).flat();
  const program = fetches(0x100000, 40);
  const handler = fetches(0x200000, 60);

  test.each([
    ['eight reads of the same port', turns(8, ...fetches(0x201000, 1), POLL), true],
    ['eight reads alone: the loop is in the cache', turns(8, POLL), true],
    ['eight reads, fifteen other cycles between', turns(8, POLL, ...fetches(0x201000, 15)), true],
    [
      'seven reads of a port in changing code',
      Array.from({ length: 7 }, (_, n) => [POLL, ...fetches(0x201000 + 64 * n, 1)]).flat(),
      false,
    ],
    [
      'eight reads of other ports',
      Array.from({ length: 8 }, (_, n) => [`000003${n}0 fd 50`, ...fetches(0x201000 + 64 * n, 1)]).flat(),
      false,
    ],
    ['eight turns of a small loop', turns(8, ...fetches(0x201000, 2), '00150000 f0 d0'), true],
    ['seven turns', turns(7, ...fetches(0x201000, 2), '00150000 f0 d0'), false],
    [
      'a loop with advancing data addresses',
      Array.from({ length: 20 }, (_, n) => [
        ...fetches(0x201000, 2),
        `001500${(n * 8).toString(16).padStart(2, '0')} 00 d0`,
      ]).flat(),
      false,
    ],
    ['no loop at all', fetches(0x201000, 40), false],
  ])('seam suspected for %s after an interrupt: %s', (_, wait, suspected) => {
    const marks = marksOf([...program, ...PAIR, ...handler, ...wait, ...program]);
    expect(marks.flatMap((of, n) => (of.includes('suspected-seam') ? [n] : []))).toEqual(suspected ? [40] : []);
  });

  test('suspects no seam if the interrupted program continues to wait', () => {
    const wait = turns(20, ...fetches(0x103000, 1), POLL);
    expect(marksOf([...wait, ...PAIR, ...handler, ...wait]).flat()).not.toContain('suspected-seam');
  });

  test('suspects no seam for waiting without an interrupt', () => {
    expect(marksOf([...program, ...turns(50, POLL)]).flat()).not.toContain('suspected-seam');
  });

  test('attributes waiting to the latest interrupt only', () => {
    const marks = marksOf([...program, ...PAIR, ...handler, ...PAIR, ...handler, ...turns(9, POLL)]);
    expect(marks.flatMap((of, n) => (of.includes('suspected-seam') ? [n] : []))).toEqual([102]);
  });

  test('reports no diagnostic for a suspected seam', () => {
    const bytes = bytesOf([...program, ...PAIR, ...turns(9, POLL)]);
    expect(decodeAll(open(), bytes).diagnostics).toEqual([]);
  });
});

describe('branch trace messages', () => {
  test('names no role wrongly in the real normal-mode sample, where targets and sources alternate', () => {
    const bytes = new Uint8Array(readFileSync(new URL('../samples/byu6/branch-trace/trace.byu', import.meta.url)));
    const roles = decodeAll(open(), bytes, { describe: () => true })
      .records.filter(({ kind }) => kind === 'branch')
      .map(({ fields }) => fields?.flags ?? [])
      .map((marks) => ['target', 'source'].filter((role) => marks.includes(`possible-${role}`)).join());
    // The first message of the capture is the target of the WRMSR that switched tracing on.
    expect(roles.length).toBe(76);
    expect(roles.map((role, n) => role === '' || role === ['target', 'source'][n % 2])).not.toContain(false);
    expect(roles.filter((role) => role !== '').length).toBe(76);
  });

  test('gives each named role a confidence below certainty', () => {
    const bytes = new Uint8Array(readFileSync(new URL('../samples/byu6/branch-trace/trace.byu', import.meta.url)));
    const all = decodeAll(open(), bytes, { describe: () => true }).records.map(({ fields }) => fields?.flags ?? []);
    const percents = all.flatMap((marks) => marks.filter((mark) => mark.startsWith('confidence-')));
    expect(percents.length).toBe(76);
    for (const mark of percents) expect(Number(mark.slice('confidence-'.length))).toBeLessThanOrEqual(99);
  });

  test.each([20, 40, 100, 150, 230])('after lost message %d, names few roles wrongly', (lost) => {
    // Forty runs that start 0x3a40 bytes apart, each left 0x30 to 0x120 bytes after its start, visited in a fixed order.
    const entry = (k: number): number => 0x400000 + 0x3a40 * ((k * k * 7 + k * 3) % 40);
    const messages = Array.from({ length: 140 }, (_, k) => [
      { role: 'target', address: entry(k + 1) },
      { role: 'source', address: entry(k) + 0x30 + 0x10 * (k % 16) },
    ]).flat();
    const rest = messages.toSpliced(lost, 1);
    const marks = marksOf(rest.map(({ address }) => `${address.toString(16).padStart(8, '0')} df 30`));
    const roles = marks.map((of) => ['target', 'source'].filter((role) => of.includes(`possible-${role}`)).join());
    const wrong = rest.filter(({ role }, n) => roles[n] !== '' && roles[n] !== role);
    expect(wrong.length).toBeLessThan(4);
    expect(roles.filter((role) => role !== '').length).toBeGreaterThan(100);
  });

  test('leaves the role of messages in a tight loop open', () => {
    const marks = marksOf(Array.from({ length: 40 }, () => '00401238 df 30'));
    expect(new Set(marks.map((of) => of.slice(-2).join()))).toEqual(new Set(['mode-unknown,role-unknown']));
  });
});

/** Marks far from a cut stay the same; marks of acknowledges and messages may change within the lookahead. */
test('marks of records before a cut do not change, apart from those that look ahead', () => {
  const bytes = new Uint8Array(readFileSync(new URL('../samples/byu6/seams/trace.byu', import.meta.url)));
  const text = (length: number): readonly string[] =>
    decodeAll(open(), bytes.slice(0, length)).records.map((of) => `${of.kind} ${of.address} ${String(of.flags)}`);
  const whole = text(bytes.length);
  for (let length = 400; length < bytes.length; length += 37) {
    const cut = text(length);
    const near = Math.floor(length / 6) - 66;
    for (let n = 0; n < near; n++) if (!cut[n]!.startsWith('interrupt')) expect(cut[n]).toBe(whole[n]);
  }
});

function marksOf(records: readonly string[]): readonly (readonly string[])[] {
  return decode(records).map(({ fields }) => (fields?.flags ?? []).filter((mark) => mark !== 'cacheable'));
}

function decode(records: readonly string[]): ReturnType<typeof decodeAll>['records'] {
  return decodeAll(open(), bytesOf(records), { describe: () => true }).records;
}

function bytesOf(records: readonly string[]): Uint8Array {
  return new Uint8Array(Buffer.from(records.join('').replaceAll(' ', ''), 'hex'));
}

function open(): Decoder {
  const opened = byu6.open({ endian: 'big' });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}
