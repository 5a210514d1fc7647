// Markdown of notes inside Markdown reports: unchanged for readers, and harmless in every renderer.
import { micromark } from 'micromark';
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table';
import { describe, expect, test } from 'vitest';
import { codeSpan, inline, ownLine } from '../../electron/engine/report/markdown/escape.ts';
import { markdownFromHtml } from '../../electron/engine/report/markdown/from-html.ts';
import { markdown } from '../../present/text/markdown.ts';
import { createRandom } from '../laws/random.ts';

describe('rewrites Markdown for the same rendering', () => {
  const cases: readonly (readonly [what: string, given: string, written: string])[] = [
    ['emphasis and code', 'A **b** *c* `d`', 'A **b** *c* `d`'],
    ['headings', '# A\n\nB\n=\n', '# A\n\n# B'],
    ['lists in lists', '1. a\n   - b\n2. c', '1. a\n\n   - b\n2. c'],
    ['a quote', '> a\n> b', '> a\n> b'],
    ['a fence with marks in it', '````\n```\n````', '````\n```\n````'],
    ['a link', '[a](https://e.org/x_y?a=1&b=2)', '[a](<https://e.org/x_y?a=1&b=2>)'],
    ['a table', '| a | b |\n| - | -: |\n| `x\\|y` | 2 |', '| a | b |\n| --- | --: |\n| `x\\|y` | 2 |'],
    ['tags', '<b onclick="x()">a</b>', '&lt;b onclick="x()"&gt;a&lt;/b&gt;'],
    ['an image', '![a *b*](http://e.org/x.png)', 'a b'],
    ['what would make an image of a link', '!<http://e.org/x.png>', '\\![http://e.org/x.png](<http://e.org/x.png>)'],
    [
      'what looks like a list, a heading or a rule',
      '\\# a\n\n\\- b\n\n1\\. c\n\n\\---',
      '\\# a\n\n\\- b\n\n1\\. c\n\n\\---',
    ],
  ];
  test.each(cases)('rewrites %s', (_, given, written) => {
    expect(markdownFromHtml(markdown(given))).toBe(written);
  });
});

const PIECES = [
  ...[
    'a',
    'b c',
    '**',
    '*',
    '_',
    '`',
    '``',
    '\n',
    '\n\n',
    '- ',
    '1. ',
    '> ',
    '# ',
    '## ',
    '    ',
    '  ',
    '|',
    '+',
    '=',
    '$',
    '~',
  ],
  ...[
    '| a | b |\n|:-|-:|\n| 1 | 2 |\n',
    '[x](http://e.org/a_b)',
    '![i](x)',
    '<b>',
    '&amp;',
    '&',
    '<',
    '>',
    '\\',
    '\\\n',
    '  \n',
  ],
  ...[
    '---',
    '```\n',
    '~~~',
    '5)',
    'http://x.y',
    '!',
    '[',
    ']',
    '(x)',
    '<http://a.b>',
    '\t',
    '"',
    "'",
    '===',
    '***',
    '<!--',
    '-->',
  ],
];

test('renders any text the same after rewriting, without tags or images', () => {
  const random = createRandom(11);
  for (let i = 0; i < 3000; i++) {
    const given = Array.from({ length: 1 + random.below(10) }, () => PIECES[random.below(PIECES.length)]!).join('');
    const html = markdown(given);
    const written = markdownFromHtml(html);
    expect(significantHtml(markdown(written)), given).toBe(significantHtml(html));
    const raw = micromark(written, {
      allowDangerousHtml: true,
      allowDangerousProtocol: true,
      extensions: [gfmTable()],
      htmlExtensions: [gfmTableHtml()],
    });
    expect(raw.match(/<(img |b>|!--)/g), given).toBeNull();
  }
});

/** HTML without insignificant parts: spaces, breaks, single-text paragraphs, code of blanks. */
function significantHtml(html: string): string {
  return html
    .replaceAll('<br>', ' ')
    .replaceAll(/<code> *<\/code>/g, '')
    .replaceAll(/<\/?p( dir="auto")?>/g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/> | </g, (edge) => edge.trim())
    .trim();
}

test('escapes texts of the program and of traces', () => {
  expect(inline('a_b*c <i> | `x` [y] &amp;')).toBe('a\\_b\\*c &lt;i&gt; \\| \\`x\\` \\[y\\] &amp;amp;');
  expect(ownLine('# 1')).toBe('\\# 1');
  expect(ownLine('12. x')).toBe('12\\. x');
  expect(codeSpan('main+0x4')).toBe('`main+0x4`');
  expect(codeSpan('operator<')).toBe('operator&lt;');
  expect(codeSpan('a`b')).toBe('a\\`b');
});
