// Lists of symbols as nm prints them.
import { expect, test } from 'vitest';
import { readNm } from '../../electron/engine/image/nm.ts';

function symbols(...lines: readonly string[]): readonly string[] | undefined {
  const list = readNm(lines.join('\n'));
  return list?.symbols
    .toReversed()
    .map(
      ({ name, address, end, kind, binding }) =>
        `${name} ${address.toString(16)}-${end.toString(16)} ${binding} ${kind}`,
    );
}

test('reads nm output with and without sizes', () => {
  expect(
    symbols(
      '00008000 T _start',
      '00008010 00000034 t fib',
      '         U printf',
      '                 w __gmon_start__',
      '00009000 D data',
      '00009004 B zeros',
      '00009008 W weak one',
    ),
  ).toEqual([
    '_start 8000-8010 global function',
    'fib 8010-8044 local function',
    // The next symbol has another kind, so the ends of these are unknown.
    'data 9000-9001 global object',
    'zeros 9004-9005 global object',
    'weak one 9008-9009 weak function',
  ]);
});

test('reads nm -P output with several files, DOS line ends and source positions', () => {
  expect(
    symbols('a.o:\r', '\r', 'main T 9a10 1c\r', 'printf U         \r', 'operator new(unsigned) t 9a2c 4\r'),
  ).toEqual(['main 9a10-9a2c global function', 'operator new(unsigned) 9a2c-9a30 local function']);
  expect(symbols('0000000000001129 T main\t/src/a.c:3')).toEqual(['main 1129-112a global function']);
  expect(
    symbols('main T 9a10 1c\t/src/a.c:3\r', 'd T 9a2c 4\t/src/a.c:9\r', 'puts U         \t/src/a.c:4', '_end B a000 '),
  ).toEqual(['main 9a10-9a2c global function', 'd 9a2c-9a30 global function', '_end a000-a001 global object']);
  expect(readNm('main T 9a10 1c\t/src/a.c:3\nputs U         \t/src/a.c:4')?.otherLines).toBe(0);
});

// GNU nm ends such a line with a blank if a symbol has no size, and -a lists sections, which have no names.
test('reads nm -P and nm -a output of GNU nm', () => {
  const ends = ['_start T 8000 ', 'main T 8010 10', '_end B 9000 ', 'printf U         '];
  const expected = [
    '_start 8000-8010 global function',
    'main 8010-8020 global function',
    '_end 9000-9001 global object',
  ];
  expect(symbols(...ends)).toEqual(expected);
  expect(symbols(' a 0 ', ' t 8000 ', ...ends)).toEqual(expected);
  expect(
    symbols('00000000 a ', '00008000 t ', '00008000 T _start', '00008010 00000010 T main', '00009000 B _end'),
  ).toEqual(expected);
});

// llvm-nm -P prints 0 for undefined symbols. Kind `n` of GNU and llvm-nm is in sections that are not loaded.
test('does not place undefined symbols at address 0', () => {
  expect(symbols('__gmon_start__ w 0 0', '_ITM_table v 0 0', 'puts U 0 0', 'main T 9a10 1c')).toEqual([
    'main 9a10-9a2c global function',
  ]);
  expect(symbols('00000000 n .comment', '00000000 n .ARM.attributes', '00008000 T main')).toEqual([
    'main 8000-8001 global function',
  ]);
  // A weak function of a module in /proc/kallsyms, and one of a program that begins at 0.
  expect(symbols('00008000 w weak', '00008010 t next', '00000000 W start')).toEqual([
    'start 0-8000 weak function',
    'weak 8000-8010 weak function',
    'next 8010-8011 local function',
  ]);
});

test('removes the file name before a symbol', () => {
  expect(
    symbols(
      'a.out: main T 9a10 1c',
      'a.out: std::less<int>::f(int) W 9a2c 4',
      'lib.a[x.o]: d D a000 4',
      'a.out: puts U  ',
    ),
  ).toEqual([
    'main 9a10-9a2c global function',
    'std::less<int>::f(int) 9a2c-9a30 weak function',
    'd a000-a004 global object',
  ]);
});

test('accepts function names that are numbers', () => {
  expect(symbols('main T 8000 10', 'add T 8010 8', 'f t 8018 4', 'printf U         ')).toEqual([
    'main 8000-8010 global function',
    'add 8010-8018 global function',
    'f 8018-801c local function',
  ]);
  expect(symbols('00008000 T main', '00008010 T add', '00008018 00000004 t f', '0000801c t cafe')).toEqual([
    'main 8000-8010 global function',
    'add 8010-8018 global function',
    'f 8018-801c local function',
    'cafe 801c-801d local function',
  ]);
});

test('reads System.map: the highest addresses, aliases and absolute symbols', () => {
  expect(
    symbols(
      '0000000000000000 A VDSO32_PRELINK',
      'ffffffff81000000 T _text',
      'ffffffff81000000 T startup_64',
      'ffffffff81000110 t verify_cpu',
    ),
  ).toEqual([
    '_text ffffffff81000000-ffffffff81000110 global function',
    'startup_64 ffffffff81000000-ffffffff81000110 global function',
    'verify_cpu ffffffff81000110-ffffffff81000111 local function',
  ]);
  expect(symbols('fffffffffffffff0 00000020 T wraps')).toEqual([
    'wraps fffffffffffffff0-10000000000000000 global function',
  ]);
});

test('does not use mapping symbols as names', () => {
  expect(symbols('00008000 t $a', '00008000 T f', '00008008 t $d')).toEqual(['f 8000-8001 global function']);
  expect(symbols('00008000 t $xrv64i2p1_m2p0', '00008000 T f', '00008008 t $x')).toEqual([
    'f 8000-8001 global function',
  ]);
});

test('refuses other text', () => {
  expect(readNm('once upon a time\n00008000 T main\n')).toBeUndefined();
  expect(readNm('')).toBeUndefined();
  expect(readNm('\n\n')).toBeUndefined();
  expect(readNm('00008000 T main\nnoise\nmore noise\n')).toBeUndefined();
  expect(readNm('00008000 T main\nnoise\n')).toMatchObject({ otherLines: 1 });
  expect(readNm('8000 T m\n'.repeat(3) + '\0\xff'.repeat(10_000))?.symbols).toHaveLength(3);
});
