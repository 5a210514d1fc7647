/** Decodes UTF-8 and keeps invalid bytes. The platform's decoder is the oracle for valid text. */
import { expect, test } from 'vitest';
import { utf8 } from '../../shared/base/utf8.ts';

test.each([
  '',
  'plain',
  'tab\tNUL\0',
  '\u00e9\u07ff',
  '\u20ac\uffff',
  '\u{10000}\u{1f600}\u{10ffff}',
  'mixed \u00e9 \u{1f600} end',
])('returns %j after encoding and decoding', (text) => {
  expect(utf8(new TextEncoder().encode(text))).toBe(text);
});

test.each([
  ['a stray continuation', [0x41, 0x80, 0x42], 'A\u0080B'],
  ['a cut sequence', [0xe2, 0x82], '\u00e2\u0082'],
  ['a broken sequence', [0xe2, 0x41, 0xac], '\u00e2A\u00ac'],
  ['an overlong slash', [0xc0, 0xaf], '\u00c0\u00af'],
  ['an overlong sequence of three bytes', [0xe0, 0x80, 0xaf], '\u00e0\u0080\u00af'],
  ['a surrogate', [0xed, 0xa0, 0x80], '\u00ed\u00a0\u0080'],
  ['code point beyond Unicode', [0xf4, 0x90, 0x80, 0x80], '\u00f4\u0090\u0080\u0080'],
  ['byte that cannot lead', [0xff, 0xfe], '\u00ff\u00fe'],
])('reads invalid %s as Latin-1', (_, bytes, text) => {
  expect(utf8(Uint8Array.from(bytes))).toBe(text);
});
