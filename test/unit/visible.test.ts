// Shows invisible and control characters by name.
import { expect, test } from 'vitest';
import { jsonText, steady, visible } from '../../shared/base/visible.ts';

test('a name cannot reorder, hide or imitate text', () => {
  expect(visible('adm\u202enimda')).toBe('adm[U+202E]nimda');
  expect(visible('a\u2066b\u2069c\u200e')).toBe('a[U+2066]b[U+2069]c[U+200E]');
  expect(visible('ma\u200bin')).toBe('ma[U+200B]in');
  expect(visible('\ufeffmain\u00ad')).toBe('[U+FEFF]main[U+00AD]');
  expect(visible('a\u00a0b\u3000c')).toBe('a[U+00A0]b[U+3000]c');
  expect(visible('\u3164\u2800\ufe0f\u{e0041}')).toBe('[U+3164][U+2800][U+FE0F][U+E0041]');
});

test('a name cannot control a terminal or break a line', () => {
  expect(visible('\u001b[2Jx\u0007\u009b31m\u007f')).toBe('[U+001B][2Jx[U+0007][U+009B]31m[U+007F]');
  expect(visible('a\r\nb\u2028c\u2029')).toBe('a[U+000D][U+000A]b[U+2028]c[U+2029]');
});

test('keeps visible characters: scripts, blanks, tabs, emoji and non-texts', () => {
  for (const text of ['ldr\tr0, [pc, #4]', 'größe', 'عنوان', '关数', '→ µs', '\u{1f600}', '\ufffd', '[U+202E]'])
    expect(visible(text)).toBe(text);
  expect(visible('a\ud800b')).toBe('a\ufffdb');
});

test('keeps the characters that scripts and emoji of user texts need', () => {
  expect(steady('❤\ufe0f 👩\u200d💻 می\u200cشود')).toBe('❤\ufe0f 👩\u200d💻 می\u200cشود');
  expect(steady('a\u202eb\u0007\tc\r\nd')).toBe('a[U+202E]b[U+0007] c d');
  expect(steady('a\tb\r\nc\u2028', true)).toBe('a\tb\nc[U+2028]');
});

test('JSON for a terminal has escapes for controls and changes of direction, and the same values', () => {
  const value = {
    'a\u202e': ['\u009b31m', '\u007f', 'x\u2066y\u2069\u200f', '\u2028', '\ufeff', 'größe', '\u{1f600}'],
  };
  expect(jsonText(value)).toBe(
    String.raw`{"a\u202e":["\u009b31m","\u007f","x\u2066y\u2069\u200f","\u2028","\ufeff","größe","😀"]}`,
  );
  expect(JSON.parse(jsonText(value, 2))).toEqual(value);
});
