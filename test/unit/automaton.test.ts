/** The automaton finds the same lines as the regular expression, unless it refuses the expression. */
import { expect, test } from 'vitest';
import { parseLinePattern } from '../../electron/engine/queries/find/automaton-pattern.ts';
import { createAutomaton } from '../../electron/engine/queries/find/automaton.ts';
import { createRandom, type Random } from '../laws/random.ts';

/** Numbers of all matching lines, each search starting after the previous match. */
function linesOf(pattern: string, text: string): number[] | undefined {
  const { nodes } = parseLinePattern(pattern);
  if (nodes === undefined) return undefined;
  const automaton = createAutomaton(nodes);
  const bytes = new TextEncoder().encode(text);
  const found: number[] = [];
  for (let from = 0; from < bytes.length;) {
    const at = automaton.find(bytes, from, bytes.length);
    if (at === undefined) return undefined;
    if (at < 0) break;
    found.push(text.slice(0, at).split('\n').length - 1);
    const end = text.indexOf('\n', at);
    if (end < 0) break;
    from = end + 1;
  }
  return found;
}

function expected(pattern: string, text: string): number[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.flatMap((line, k) => (new RegExp(pattern, 'u').test(line.replace(/\r$/, '')) ? [k] : []));
}

const TEXT = '1 clk IT (1) 00008000 e59fd020 A svc : ldr sp, [pc]\r\n\nabc\n 12 \nab cab\nfoo_1 bar\r\nsp';

test.each([
  '[0-9a-f]{8} [xyz]|^ab*c',
  '.*sp$',
  '^\\d* ?$',
  '(?:foo|bar)+$',
  '\\bsp\\b',
  '\\Bc\\B|\\B1\\B',
  '^$',
  'a{2,}|c{0}b',
  '(?<word>\\w+) (?:\\w+)$',
  '[^\\s]{4,5}?_',
  '\\p{Lu}+',
  '(|a)*b',
  '(^)*c',
  '(?i:CLK it|SVC)+ :|x',
  '(?i:A(?-i:b)C)$',
  '(?s:A.s)',
  '(?m-i:^sp$)',
])('finds the same lines as RegExp for %s', (pattern) => {
  expect(linesOf(pattern, TEXT)).toEqual(expected(pattern, TEXT));
});

test.each(['(a)\\1', '(?=a)b+', '(?<!a)b*', '\\k<x>(?<x>a)', '(?:a{1000}){1000}', 'a[ab]{20}$'])(
  'refuses %s or gives up while matching',
  (pattern) => {
    const random = createRandom(4);
    const text = Array.from({ length: 20_000 }, () => 'ab'[random.below(2)]!).join('');
    expect(linesOf(pattern, `${text}\n`)).toBeUndefined();
  },
);

test.each([
  ['MW4 1[0-9a-f]{7} \\d+$', 'MW4 1'],
  ['^a(bc)+(?=d)e\\bfg', 'efg'],
  ['(?<n>ab)\\k<n>c', 'ab'],
  ['abc|abd', ''],
  ['(?i:abc)12', '12'],
  ['a(?:bcd)?ef', 'ef'],
  ['é12.', '12'],
  ['[aé]b', 'b'],
  ['\\[x\\.\\d', '[x.'],
  ['(?!abc)d', 'd'],
])('finds in %s that every match contains %j', (pattern, literal) => {
  expect(parseLinePattern(pattern).literal).toBe(literal);
});

test('finds the same lines as RegExp for random expressions', () => {
  const random = createRandom(3);
  let known = 0;
  for (let round = 0; round < 3000; round++) {
    const pattern = randomPattern(random, 3);
    const pieces = ['a', 'b', ' ', '_', '\n', '1', '\r\n'];
    const text = Array.from({ length: random.below(24) }, () => pieces[random.below(pieces.length)]!).join('');
    const found = linesOf(pattern, text);
    if (found === undefined) continue;
    known++;
    expect(found, `${pattern} in ${JSON.stringify(text)}`).toEqual(expected(pattern, text));
  }
  expect(known).toBeGreaterThan(2900);
});

const ATOMS = ['a', 'b', '.', '\\s', '\\w', '\\W', '\\d', '^', '$', '\\b', '\\B', '[ab]', '[^a]', '[^]', '1', '_', ' '];

function randomPattern(random: Random, depth: number): string {
  const part = (): string => randomPattern(random, depth - 1);
  if (depth === 0) return ATOMS[random.below(ATOMS.length)]!;
  switch (random.below(6)) {
    case 0:
      return `(?:${part()}|${part()})`;
    case 1:
      return `(${part()})${['*', '+', '?', '*?', '{2}', '{1,3}', '{2,}'][random.below(7)]!}`;
    default:
      return `${part()}${part()}`;
  }
}
