/**
 * Searching many lines at once finds exactly the lines that match alone, even if the expression refers to line ends, other lines,
 * look-arounds or classes with line ends.
 */
import { describe, expect, test } from 'vitest';
import { createTextScan } from '../../electron/engine/queries/find/text-scan.ts';
import type { Window } from '../../shared/format/format.ts';
import { createRandom, type Random } from '../laws/random.ts';

/** The contract line by line: a line without its end, UTF-8, truncated after 64 KiB. */
function slowly(pattern: string, bytes: Uint8Array): number[] {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length;) {
    let end = at;
    while (end < bytes.length && bytes[end] !== 10) end++;
    const text = new TextDecoder().decode(bytes.slice(at, Math.min(end + 1, at + 65_536))).replace(/[\r\n]+$/, '');
    if (new RegExp(pattern, 'u').test(text)) starts.push(at);
    at = end + 1;
  }
  return starts;
}

function windowOf(bytes: Uint8Array): Window {
  const end = bytes.length;
  return { bytes, length: end, base: 0, position: 0, end, lastLineEnd: end, fileEnd: end };
}

function quickly(pattern: string, bytes: Uint8Array): number[] {
  return [...createTextScan(pattern).lines(windowOf(bytes), 0)];
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('expressions that could see beyond a line', () => {
  const text = bytesOf('foo\nbar\r\nfoobar\r\n\r\n\nba\rr\nfoo bar\n x\nfü\n\r\r\nfoo');
  test.each([
    ['^', [0, 4, 9, 17, 19, 20, 25, 33, 36, 40, 43]],
    ['^$', [17, 19, 40]],
    ['^foo$', [0, 43]],
    ['foo$', [0, 43]],
    ['^bar', [4]],
    ['foo\\s', [25]],
    ['foo[^]*bar', [9, 25]],
    ['foo(?!\\s)', [0, 9, 43]],
    ['foo(?![^x])', [0, 43]],
    ['(?<![^])bar', [4]],
    ['(?<=[^])r$', [4, 9, 20, 25]],
    ['o\\n', []],
    ['o[\\n-b]', [9, 25]],
    ['\\W', [20, 25, 33, 36]],
    ['\\D\\s\\D', [20, 25]],
    ['\\r', [20]],
    ['[^a-z]', [20, 25, 33, 36]],
    ['(o)\\1', [0, 9, 25, 43]],
    ['\\bbar\\b', [4, 25]],
    ['\\p{Cc}', [20]],
    ['ü$', [36]],
    ['f[uü]$', [36]],
    ['^[oü]|f[zü]', [36]],
    ['^.$', []],
    ['^..$', [33, 36]],
    ['(?s:a.r)', [20]],
    ['(?i:FOO)', [0, 9, 25, 43]],
  ])('finds single-line matches only for %s', (pattern, expected) => {
    expect(quickly(pattern, text)).toEqual(expected);
    expect(slowly(pattern, text)).toEqual(expected);
  });
});

test('matches no line end with classes of hyphens and ranges', () => {
  const text = bytesOf('a-\nb\n-\n\n]\n^\n');
  for (const pattern of [
    '[^-a]',
    '[^a-]',
    '[^\\]]',
    '[^^]',
    '[\\s\\S]',
    '[\\]-a\\n]',
    '[^\\s-]',
    '[\\W-]',
    '[^\\S]',
    'a[^]?$',
  ])
    expect(quickly(pattern, text), pattern).toEqual(slowly(pattern, text));
});

test('agrees with a line-by-line search for random expressions', () => {
  const random = createRandom(11);
  let matching = 0;
  for (let round = 0; round < 4000; round++) {
    const pattern = randomPattern(random, 3);
    const bytes = bytesOf(randomText(random));
    const slow = slowly(pattern, bytes);
    if (slow.length > 0) matching++;
    expect(
      quickly(pattern, bytes),
      `${JSON.stringify(pattern)} in ${JSON.stringify(new TextDecoder().decode(bytes))}`,
    ).toEqual(slow);
  }
  expect(matching).toBeGreaterThan(1000);
});

test('agrees for long texts, long lines, and lines that end at a stretch end', () => {
  const random = createRandom(12);
  for (const longest of [40, 3000, 200_000]) {
    let text = '';
    while (text.length < 150_000) {
      const line = 'abcdef '.repeat(1 + random.below(longest / 7));
      text += random.below(5) === 0 ? `${line}xyz\n` : random.below(40) === 0 ? `é${line}\r\n` : `${line}\n`;
    }
    const bytes = bytesOf(text);
    for (const pattern of ['xyz$', '^é', '[^a-f ]', '^(?=.{65534})'])
      expect(quickly(pattern, bytes), pattern).toEqual(slowly(pattern, bytes));
  }
  for (const before of [65_533, 65_534, 65_535, 65_536, 65_537]) {
    const bytes = bytesOf(`${'a'.repeat(before)}x\nb x\n${'c'.repeat(before)}\nx`);
    for (const pattern of ['x', 'x$', 'ax', '^x', 'c$', '^c{65536}$'])
      expect(quickly(pattern, bytes), `${pattern} after ${String(before)}`).toEqual(slowly(pattern, bytes));
  }
});

function randomPattern(random: Random, depth: number): string {
  const part = (): string => randomPattern(random, depth - 1);
  if (depth === 0) return ATOMS[random.below(ATOMS.length)]!;
  switch (random.below(10)) {
    case 0:
      return `${part()}|${part()}`;
    case 1:
      return `(?:${part()})${['*', '+', '?', '*?', '{2}'][random.below(5)]!}`;
    case 2:
      return `(?${['=', '!', '<=', '<!'][random.below(4)]!}${part()})${part()}`;
    case 3:
      return `(${part()})\\1`.replace('\\1', random.below(2) === 0 ? '' : '(?:)');
    case 4:
      return `(?${['i', '-i', 's', 'm-i', 'ims'][random.below(5)]!}:${part()})`;
    default:
      return `${part()}${part()}`;
  }
}

const ATOMS =
  'a|b|c|.|\\s|\\S|\\w|\\W|\\d|\\D|^|$|\\b|\\B|[ab]|[^a]|[^\\s]|[\\s\\S]|[^]|\\n|\\r|\\r?\\n|[\\n-c]|é|\\x0a|\\u{d}| |[^-b]|\\p{L}|\\P{L}|a|b|ab|[cé]'
    .split('|')
    .flatMap((atom) => (atom === '' ? [] : [atom]));

function randomText(random: Random): string {
  const pieces = ['a', 'b', 'C', 'ab', ' ', '\n', '\n', '\r\n', '\r', 'é', '1', '\t', 'c', 'A'];
  const plain = random.below(2) === 0 ? 6 : pieces.length;
  return Array.from({ length: random.below(30) }, () => pieces[random.below(plain)]!).join('');
}
