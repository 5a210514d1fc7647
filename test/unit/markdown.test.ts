// Markdown of notes: common notes become the expected HTML, and no text runs or fetches anything.
import { expect, test } from 'vitest';
import { markdown } from '../../present/text/markdown.ts';

const LINK = 'target="_blank" rel="noopener noreferrer"';

test.each<[string, string]>([
  ['plain', '<p dir="auto">plain</p>'],
  ['a *b* **c** `d`', '<p dir="auto">a <em>b</em> <strong>c</strong> <code>d</code></p>'],
  ['one  \ntwo', '<p dir="auto">one<br>\ntwo</p>'],
  ['> said', '<blockquote>\n<p dir="auto">said</p>\n</blockquote>'],
  ['---', '<hr>'],
  ['3. c\n4. d', '<ol start="3">\n<li dir="auto">c</li>\n<li dir="auto">d</li>\n</ol>'],
  ['```js\na < b\n```', '<pre dir="auto"><code>a &lt; b\n</code></pre>'],
  [
    '[x](https://a.example/?q=1&r=2 "title")',
    `<p dir="auto"><a href="https://a.example/?q=1&amp;r=2" ${LINK}>x</a></p>`,
  ],
  ['<me@a.example>', `<p dir="auto"><a href="mailto:me@a.example" ${LINK}>me@a.example</a></p>`],
  ['[](http://a.example)', `<p dir="auto"><a href="http://a.example" ${LINK}>http://a.example</a></p>`],
  ['', ''],
])('renders %j', (text, html) => {
  expect(markdown(text)).toBe(html);
});

test('keeps table alignment and omits an empty header', () => {
  const html = markdown('| a | |\n|--:|---|\n| 1 | 2 |').replaceAll('\n', '');
  expect(html).toBe(
    '<table><thead><tr><th dir="auto" class="align-right">a</th><td dir="auto"></td></tr></thead>' +
      '<tbody><tr><td dir="auto" class="align-right">1</td><td dir="auto">2</td></tr></tbody></table>',
  );
});

test('shifts headings to the requested level without skipping levels', () => {
  const levels = (text: string, heading: number): string =>
    [...markdown(text, { heading }).matchAll(/<h(\d)/g)].map((found) => found[1]).join(' ');
  expect(levels('# a\n\n## b\n\n# c', 1)).toBe('1 2 1');
  expect(levels('### a\n\n###### b\n\n# c\n\n### d', 4)).toBe('4 5 4 5');
  expect(levels('# a\n\n## b\n\n### c\n\n#### d', 4)).toBe('4 5 6 6');
  expect(levels('a\n===\n\nb\n---', 3)).toBe('3 4');
  expect(markdown('#\n\ntext')).toBe('<p dir="auto">text</p>');
});

test('shows an image as its description or address, never as a picture', () => {
  expect(markdown('![a *map*](https://a.example/x.png "t")')).toBe('<p dir="auto">a map</p>');
  expect(markdown('![](https://a.example/x.png)')).toBe('<p dir="auto">https://a.example/x.png</p>');
  expect(markdown('[![map](https://a.example/x.png)](https://b.example)')).toBe(
    `<p dir="auto"><a href="https://b.example" ${LINK}>map</a></p>`,
  );
  expect(markdown('![a][i]\n\n[i]: data:image/svg+xml,x')).toBe('<p dir="auto">a</p>\n');
});

test.each([
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](data:text/html,y)',
  '[x](vbscript:y)',
  '[x](file:///etc/passwd)',
  '[x](/relative)',
  '[x](//host/path)',
  '[x](#here)',
  '[x](http:)',
  '[x](https:///)',
  '[x](xmpp:a@b)',
  '[x][r]\n\n[r]: <javascript:alert(1)>',
])('does not make a link of %j', (text) => {
  expect(markdown(text)).not.toMatch(/<a|href/);
});

const HOSTILE = [
  '<script>alert(1)</script>',
  'a <script src=//x></script> b',
  '<img src=x onerror=alert(1)>',
  '<!-- --!><img src=x>',
  '<![CDATA[<script>]]>',
  '<?php ?>',
  '<svg/onload=alert(1)>',
  '<a href="javascript:x">y</a>',
  '<style>@import "//x"</style>',
  '<base href=//x>',
  '<iframe srcdoc="&lt;script&gt;">',
  '![x](https://a.example/" onerror="alert(1))',
  '![x" onerror="alert(1)](https://a.example)',
  '![<b onclick=x>](https://a.example)',
  '[<img src=x>](https://a.example)',
  '[x](https://a.example/"onmouseover="y "a\\" onfocus=\\"z")',
  '[x](<https://a.example/ onmouseover=y>)',
  "[x](https://a.example/'onmouseover='y)",
  '<https://a.example/"onmouseover="y>',
  '```"><script>\nx\n```',
  '```x onload=y\nz',
  '| <script> | a |\n|---|---|\n| <img src=x> | `<b>` |',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#60;script&#62;',
  '`<script>`',
  '    <script>',
  '# <script>',
  '[a](https://b.example "<script>")',
  '\0<script>\0',
  '\u202E<script>\u2066',
  '*<b>*_<i>_',
  '</p></div></body><script>',
  ']]>--></textarea></title><script>',
  '[x]: https://a.example/<script>\n\n[x]',
];

test.each(HOSTILE)('renders %j without scripts or embedded content', (text) => {
  const html = markdown(text);
  expect(unexpected(html)).toEqual([]);
});

test('renders any pair of hostile texts without scripts or embedded content', () => {
  for (const first of HOSTILE)
    for (const second of HOSTILE)
      for (const between of ['', '\n', '](', '\n\n> - '])
        expect(unexpected(markdown(first + between + second)), first + between + second).toEqual([]);
});

test.each<[string, string]>([
  ['long', 'a '.repeat(60_000)],
  ['deeply nested in one line', `${'> '.repeat(300)}a`],
  ['of many lines', '- a\n'.repeat(5000)],
  ['of many marks', '*a_ '.repeat(5000)],
])('shows Markdown that is %s as plain text', (_, text) => {
  expect(markdown(`${text}<b>`)).toBe(`<pre dir="auto">${text.replaceAll('>', '&gt;')}&lt;b&gt;</pre>`);
});

test('limits the nesting of lists and quotes', () => {
  const deep = Array.from({ length: 60 }, (_, level) => `${'  '.repeat(level)}- a`).join('\n');
  const html = markdown(deep);
  expect(html.match(/<ul>/g)?.length).toBeLessThan(40);
  expect(html.match(/\ba\b/g)).toHaveLength(60);
  expect(unexpected(html)).toEqual([]);
});

/** Returns the text outside the allowed tags, which must be closed in order and surround escaped text; read character by character. */
function unexpected(html: string): readonly string[] {
  const found: string[] = [];
  const open: string[] = [];
  const allowed =
    /^(?:\/?(?:p|h[1-6]|ul|ol|li|blockquote|pre|code|em|strong|table|thead|tbody|tr|th|td|a)|br|hr)$|^(?:p|h[1-6]|li|pre|th|td) dir="auto"(?: class="align-(?:left|right|center)")?$|^ol start="\d+"$|^a href="(?:https?:\/\/|mailto:)[^"<>\s]*" target="_blank" rel="noopener noreferrer"$/;
  for (let at = 0; at < html.length; at += 1) {
    if (html[at] === '>') found.push(`> at ${at}`);
    if (html[at] !== '<') continue;
    const end = html.indexOf('>', at);
    const tag = end < 0 ? html.slice(at) : html.slice(at + 1, end);
    if (end < 0 || !allowed.test(tag)) found.push(tag);
    const name = tag.split(' ')[0] ?? '';
    if (tag.startsWith('/')) {
      if (open.pop() !== name.slice(1)) found.push(`${tag} closes nothing`);
    } else if (name !== 'br' && name !== 'hr') open.push(name);
    at = end < 0 ? html.length : end;
  }
  return [...found, ...open];
}
