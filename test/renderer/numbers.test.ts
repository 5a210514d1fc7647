import { expect, test } from 'vitest';
import { address, addressDigits, bytes, group, short, span, timeLeft } from '../../shared/base/numbers.ts';
import { addressTicks, countTicks, recordTicks } from '../../present/base/ticks.ts';

test('groups whole numbers exactly', () => {
  expect([0, 999, 1000, 9_007_199_254_740_991].map(group)).toEqual(['0', '999', '1,000', '9,007,199,254,740,991']);
});

test('shortens numbers to three digits without losing zeros, and groups whole ones', () => {
  expect([0, 9999, 10_000, 97_100, 680_000, 999_499, 999_500, 1_000_000, 2_415_848, 19_000_000_000].map(short)).toEqual(
    ['0', '9,999', '10 k', '97.1 k', '680 k', '999 k', '1 M', '1 M', '2.42 M', '19 G'],
  );
});

test('shows file sizes in decimal units and address ranges in binary units', () => {
  expect([512, 1500, 9_667_016, 4_000_000_000].map(bytes)).toEqual(['512 bytes', '1.50 kB', '9.67 MB', '4.00 GB']);
  expect([1n, 4096n, 1536n, 0x8000_0000n, 1n << 63n].map(span)).toEqual(['1 B', '4 KiB', '1.50 KiB', '2 GiB', '8 EiB']);
});

test('shows ranges of nearly a thousand units or more without a power of ten', () => {
  expect([999n * 1024n + 600n, 1000n * 1024n + 64n, (1n << 20n) - 64n].map(span)).toEqual([
    '999.6 KiB',
    '1000 KiB',
    '1024 KiB',
  ]);
});

test('shows durations in the two largest units', () => {
  expect([0.2, 59, 61, 3725].map(timeLeft)).toEqual(['1 s', '59 s', '1 min 1 s', '1 h 2 min']);
});

test('pads addresses to an even number of digits', () => {
  expect(addressDigits(0xfffn)).toBe(4);
  expect(addressDigits(0x1_0000n)).toBe(8);
  expect(addressDigits(0xffff_ffff_ffff_ffffn)).toBe(16);
  expect(address(0x8000n, 8)).toBe('0x00008000');
});

test('groups times beyond 2^53, which are digit strings', () => {
  expect(group(1234567)).toBe('1,234,567');
  expect(group('12345678901234567890')).toBe('12,345,678,901,234,567,890');
  expect(group('-1234')).toBe('-1,234');
  expect(group('10.356000')).toBe('10.356000');
  expect(group('-1234567.1234')).toBe('-1,234,567.1234');
});

test('record ticks are whole numbers, with a unit only if that is shorter', () => {
  expect(recordTicks(0, 2_415_848, 6).map((tick) => tick.text)).toEqual(['0', '0.5 M', '1 M', '1.5 M', '2 M']);
  expect(recordTicks(0, 217_646, 3).map((tick) => tick.text)).toEqual(['0', '100 k', '200 k']);
  expect(recordTicks(4_026_531, 4_028_974, 5).map((tick) => tick.text)).toEqual([
    '4,027,000',
    '4,027,500',
    '4,028,000',
    '4,028,500',
  ]);
  expect(recordTicks(7, 12, 20).map((tick) => tick.value)).toEqual([7, 8, 9, 10, 11]);
  expect(recordTicks(5, 5, 10)).toEqual([]);
});

test('address ticks are round in hexadecimal and keep their distance', () => {
  const piece = { low: 0x8123n, high: 0xa000n, start: 0, end: 1 };
  expect(addressTicks(piece, 300, 38).map((value) => value.toString(16))).toEqual([
    '8400',
    '8800',
    '8c00',
    '9000',
    '9400',
    '9800',
    '9c00',
  ]);
  expect(addressTicks({ low: 0n, high: 1n << 64n, start: 0, end: 1 }, 100, 24)).toEqual([
    0n,
    1n << 62n,
    1n << 63n,
    3n << 62n,
  ]);
});

test('the legend ends with the hottest count and leaves room before it', () => {
  expect(countTicks(1)).toEqual([1]);
  expect(countTicks(45)).toEqual([1, 10, 45]);
  expect(countTicks(4040)).toEqual([1, 10, 100, 4040]);
  expect(countTicks(1000)).toEqual([1, 10, 100, 1000]);
  expect(countTicks(0)).toEqual([]);
});
