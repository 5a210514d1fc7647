// Parsing of image arguments: path, load address and shift.
import { expect, test } from 'vitest';
import { imagePlaceText, parseImagePlace } from '../../shared/requests/places/image-place.ts';

test.each([
  ['program.elf', { path: 'program.elf' }, 'program.elf'],
  ['rom.bin@0x8000', { path: 'rom.bin', base: '0x8000' }, 'rom.bin@0x8000'],
  ['rom.bin@32768', { path: 'rom.bin', base: '0x8000' }, 'rom.bin@0x8000'],
  ['a@b/rom.bin@0XFFFF_0000', { path: 'a@b/rom.bin', base: '0xffff0000' }, 'a@b/rom.bin@0xffff0000'],
  ['lib.so@+0x10', { path: 'lib.so', shift: '0x10' }, 'lib.so@+0x10'],
  // A negative shift, modulo 2^64.
  ['lib.so@-0x10', { path: 'lib.so', shift: '0xfffffffffffffff0' }, 'lib.so@+0xfffffffffffffff0'],
  ['mail@example.org', { path: 'mail@example.org' }, 'mail@example.org'],
  ['@0x8000', { path: '@0x8000' }, '@0x8000'],
])('parses %s', (text, place, again) => {
  expect(parseImagePlace(text)).toEqual(place);
  expect(imagePlaceText(parseImagePlace(text)!)).toBe(again);
});

test('refuses empty text and addresses above the highest one', () => {
  expect(['', 'a@0x10000000000000000', 'a@99999999999999999999'].map(parseImagePlace)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
