// Parsing of options typed on the command line.
import { expect, test } from 'vitest';
import { address, addressEnd, addressSpan } from '../../electron/cli/options/addresses.ts';
import { bytes, group, timeTaken } from '../../shared/base/numbers.ts';
import { assignments, kinds, number, recordNumber, size } from '../../electron/cli/options/options.ts';
import { whole } from '../../shared/requests/schema.ts';
import type { Option } from '../../electron/cli/options/options.ts';

const read = <T>(option: Option<T>, text: string) => option.read(text, undefined);

test('accepts grouped digits in record numbers', () => {
  const option = recordNumber('');
  const typed = ['0', '1000', '1,000,000', '1_000', '12_34', '9007199254740991'];
  expect(typed.map((text) => read(option, text))).toEqual([0, 1000, 1_000_000, 1000, 1234, 9_007_199_254_740_991]);
  const wrong = ['', '-1', '1.5', '0x10', ',1', '1,', '1,,0', '1e3', ' 1', '9007199254740992'];
  expect(wrong.filter((text) => read(option, text) !== undefined)).toEqual([]);
});

test('refuses malformed numbers at once, however long', () => {
  const digits = '1'.repeat(1000);
  expect(['x', '_', '.5', ',,1'].filter((end) => read(recordNumber(''), digits + end) !== undefined)).toEqual([]);
  expect(['x', '_', ',k'].filter((end) => read(size('S', ''), digits + end) !== undefined)).toEqual([]);
});

test('checks the limits of counts', () => {
  const option = number('N', whole(1, 10), '');
  expect(['0', '1', '10', '11'].map((text) => read(option, text))).toEqual([undefined, 1, 10, undefined]);
  expect(option.must).toBe('a whole number from 1 to 10');
});

test('reads size units as powers of two', () => {
  const option = size('S', '');
  const typed = ['4096', '0x1000', '4k', '4K', '1M', '2G', '1T', '64KiB', '8MB'];
  expect(typed.map((text) => read(option, text))).toEqual([
    4096, 4096, 4096, 4096, 1_048_576, 2_147_483_648, 1_099_511_627_776, 65_536, 8_388_608,
  ]);
  expect(
    ['', 'k', '1.5M', '1X', '-4k', '99999999T', '0x', '0x4k'].filter((text) => read(option, text) !== undefined),
  ).toEqual([]);
});

test('reads address ranges with both ends included', () => {
  const option = addressSpan('A', '');
  expect(read(option, '0x10-0x1F')).toEqual({ readings: [{ low: '0x10', high: '0x1f' }] });
  expect(read(option, '0x0010')).toEqual({ readings: [{ low: '0x10' }] });
  expect(read(option, '255-0x100')).toEqual({ readings: [{ low: '0xff', high: '0x100' }] });
  expect(read(option, '0xffff_ffff_ffff_fff0-0xffffffffffffffff')).toEqual({
    readings: [{ low: '0xfffffffffffffff0', high: '0xffffffffffffffff' }],
  });
  expect(
    ['', '-', '0x10-', '0x20-0x10', '0x1-0x2-0x3', '1f', '0x10000000000000000'].filter(
      (text) => read(option, text) !== undefined,
    ),
  ).toEqual([]);
});

test('reads text that is no number as a symbol, also as an end of a range and with a hyphen', () => {
  const symbol = (text: string, offset = 0n) => ({ text, offset });
  expect(read(address('A', ''), ' main ')).toEqual(symbol('main'));
  expect(read(address('A', ''), 'main+0x10')).toEqual(symbol('main', 16n));
  expect(read(address('A', ''), 'dead + 16')).toEqual(symbol('dead', 16n));
  expect(read(address('A', ''), 'f(int)::operator+')).toEqual(symbol('f(int)::operator+'));
  expect(read(address('A', ''), '32768')).toBe('0x8000');
  expect(['8000h', '0x', '-5', '+', ' '].filter((text) => read(address('A', ''), text) !== undefined)).toEqual([]);
  expect(read(addressSpan('A', ''), 'main-0x9000')).toEqual({
    readings: [{ low: symbol('main-0x9000') }, { low: symbol('main'), high: '0x9000' }],
  });
  expect(read(addressSpan('A', ''), '0x8000-main+4')).toEqual({
    readings: [{ low: '0x8000', high: symbol('main', 4n) }],
  });
});

test('accepts a range end one past the highest address', () => {
  const option = addressEnd('B', '');
  expect(['0x10', '0x10000000000000000', '0x20000000000000000'].map((text) => read(option, text))).toEqual([
    '0x10',
    '0x10000000000000000',
    undefined,
  ]);
});

test('accepts the known record kinds only', () => {
  expect(read(kinds(''), 'read, bus-write,read')).toEqual(['read', 'bus-write']);
  expect(['', 'reads', 'read,', 'toString'].filter((text) => read(kinds(''), text) !== undefined)).toEqual([]);
});

test('merges repeated format options', () => {
  const option = assignments('');
  expect(option.read('b=2=3', option.read('a=1', undefined))).toEqual({ a: '1', b: '2=3' });
  expect(option.read('a', undefined)).toBeUndefined();
  expect(option.read('=1', undefined)).toBeUndefined();
});

test('formats numbers for people', () => {
  expect([0, 999, 1000, 1_234_567, '-12345678901234567890'].map(group)).toEqual([
    '0',
    '999',
    '1,000',
    '1,234,567',
    '-12,345,678,901,234,567,890',
  ]);
  expect(['10.356000', '0.0000001', '-1234567.1234', '271.5'].map(group)).toEqual([
    '10.356000',
    '0.0000001',
    '-1,234,567.1234',
    '271.5',
  ]);
  expect([0, 999, 1000, 999_499, 999_500, 4_000_000_000].map(bytes)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.00 kB',
    '999 kB',
    '1.00 MB',
    '4.00 GB',
  ]);
  expect([0.42, 9.9, 12.3, 125, 3780].map(timeTaken)).toEqual(['0.42 s', '9.90 s', '13 s', '2 min 5 s', '1 h 3 min']);
});
