/** Names of report parts, and the words of Markdown in lists. */
import { expect, test } from 'vitest';
import { plainText } from '../../present/text/markdown.ts';
import { figureName, noteName, textName } from '../../present/text/part-names.ts';

test.each([
  ['`ldr r0, [r3, #0x108]` reads **it**', 'ldr r0, [r3, #0x108] reads it'],
  ['ldr r0, [r3, #0x108] | r_1 <= *p & 0x0f', 'ldr r0, [r3, #0x108] | r_1 <= *p & 0x0f'],
  ['# The `#` of __A__\n\n- one\n- two\n\n> *said* [here](https://example.org)', 'The # of A one two said here'],
  ['```\nmov r0, #1\n```\n| a | b |\n|---|---|\n| 1 | 2 |', 'mov r0, #1 a b 1 2'],
  ['![the heap](x.png)\\\nnext &amp; last', 'the heap next & last'],
  ['  \n', ''],
])('the words of %j are %j', (text, words) => {
  expect(plainText(text)).toBe(words);
});

test('a text is named after the heading that it begins with', () => {
  expect(['## Reads of `my_var` ##\n\ntext', '  \n# One\n# Two', 'text', '#hash', '# 5. Steps'].map(textName)).toEqual([
    'Reads of my_var',
    'One',
    '',
    '',
    '5. Steps',
  ]);
});

test('a note without a title is named after its record', () => {
  expect([noteName({ title: ' ', place: { n: 1234 } }), noteName({ title: 'Here', place: { n: 1 } })]).toEqual([
    'Record 1,234',
    'Here',
  ]);
});

test('a flame graph is named after its order', () => {
  const orders = [undefined, 'left-heavy', 'time', 'bottom-up'] as const;
  expect(orders.map((order) => figureName({ figure: 'flame', order }))).toEqual([
    'Flame graph',
    'Flame graph',
    'Calls over time',
    'Bottom-up flame graph',
  ]);
});
