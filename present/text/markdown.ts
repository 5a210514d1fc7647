/**
 * Converts Markdown written by people (CommonMark and the tables of GitHub Flavored Markdown) to harmless HTML for the page and reports.
 *
 * The output of micromark is not trusted: tags are rebuilt from the short list below, and everything else becomes text.
 * Nothing in it is ever fetched: images appear as their descriptions, HTML as typed, and links lead only to the web and to mail.
 */
import { micromark } from 'micromark';
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table';

export interface MarkdownLook {
  /** Level of the highest heading, so that headings fit below those of the surrounding page; 1 by default. */
  readonly heading?: number;
}

/** @returns HTML blocks, each with `dir="auto"`. Text that is too long or too deeply nested for Markdown written by hand appears as typed. */
export function markdown(text: string, look: MarkdownLook = {}): string {
  if (isExcessive(text)) return `<pre dir="auto">${escape(text)}</pre>`;
  const html = micromark(text, { extensions: [NO_HTML, gfmTable()], htmlExtensions: [gfmTableHtml()] });
  return rewrite(html, look.heading ?? 1);
}

/** Returns the words of Markdown as one line, for lists: as `markdown` shows them, so code such as `[r3, #0x108]` stays as it is. */
export function plainText(text: string): string {
  return markdown(text)
    .replaceAll(TAG, (_, _slash, name: string) => (INLINE.has(name) ? '' : ' '))
    .replaceAll(REFERENCE, (_, name: string) => REFERENCES[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const INLINE: ReadonlySet<string> = new Set(['a', 'code', 'em', 'strong']);
/** References that the HTML contains. */
const REFERENCE = /&(lt|gt|amp|quot);/g;
const REFERENCES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

/** HTML is ordinary text. */
const NO_HTML = { disable: { null: ['htmlFlow', 'htmlText'] } };

const PLAIN: ReadonlySet<string> = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong table thead tbody tr th td'.split(' '),
);
const VOID: ReadonlySet<string> = new Set(['br', 'hr']);
/** Elements with text, which can be in any script. */
const DIRECTED: ReadonlySet<string> = new Set('p h1 h2 h3 h4 h5 h6 li pre th td'.split(' '));
/** Placeholder for a heading or a column header without words, which would be empty in a list of headings. */
const EMPTY_HEADING = /<(h[1-6])(?: [^<>]*)?><\/\1>\n?/g;
const EMPTY_HEADER = /<th((?: [^<>]*)?)><\/th>/g;

const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [^<>]*)?)>/g;
const HEADING = /^h(\d)$/;
const HREF = / href="([^"]*)"/;
const ALLOWED = /^(?:https?:\/\/[^/]|mailto:.)/i;

/** Upper bound on nesting; browsers fail at some hundreds of levels. */
const DEEPEST = 40;
/** Upper bounds above any hand-written text. For some inputs the parser takes time quadratic in these. */
const LONGEST = 100_000;
const MOST_MARKS = 4000;
const MOST_LINES = 3000;
const MARK = /[[*_`]/g;
const LINE_END = /\r\n|[\r\n]/g;
const TOO_DEEP = /^(?:[ \t]*(?:[-+*>]|\d{1,9}[.)])){40}/m;

function isExcessive(text: string): boolean {
  return (
    text.length > LONGEST ||
    TOO_DEEP.test(text) ||
    (text.match(MARK)?.length ?? 0) > MOST_MARKS ||
    (text.match(LINE_END)?.length ?? 0) > MOST_LINES
  );
}

/** Rebuilds each tag from names, addresses, numbers and alignments in the output of micromark. */
function rewrite(html: string, base: number): string {
  /** End tags of the open elements; empty for elements that are not shown. */
  const ends: string[] = [];
  let level = base - 1;
  let out = '';
  let at = 0;
  for (const tag of html.matchAll(TAG)) {
    out += textOf(html.slice(at, tag.index));
    at = tag.index + tag[0].length;
    const [, slash, name = '', attributes = ''] = tag;
    if (slash === '/') out += ends.pop() ?? '';
    else if (name === 'img') out += descriptionOf(attributes);
    else if (VOID.has(name)) out += `<${name}>`;
    else {
      const rank = HEADING.exec(name)?.[1];
      if (rank !== undefined) level = Math.min(6, level + 1, base - 1 + Number(rank));
      const own = rank === undefined ? name : `h${level}`;
      const [start, end] = ends.length < DEEPEST ? written(own, attributes, html.startsWith('</a>', at)) : ['', ''];
      ends.push(end);
      out += start;
    }
  }
  out += textOf(html.slice(at)) + ends.reverse().join('');
  return out.replace(EMPTY_HEADING, '').replace(EMPTY_HEADER, '<td$1></td>');
}

/** Returns the start and end tags of an element; empty for elements that are not on the list. A link without words shows its target. */
function written(name: string, attributes: string, isEmpty: boolean): readonly [string, string] {
  if (name === 'a') {
    const href = HREF.exec(attributes)?.[1] ?? '';
    const words = isEmpty ? href : '';
    return ALLOWED.test(href)
      ? [`<a href="${href}" target="_blank" rel="noopener noreferrer">${words}`, '</a>']
      : [words, ''];
  }
  if (!PLAIN.has(name)) return ['', ''];
  const start = name === 'ol' ? / start="(\d{1,9})"/.exec(attributes) : null;
  const align = name === 'th' || name === 'td' ? / align="(left|center|right)"/.exec(attributes) : null;
  const direction = DIRECTED.has(name) ? ' dir="auto"' : '';
  const more = start ? ` start="${start[1]}"` : align ? ` class="align-${align[1]}"` : '';
  return [`<${name}${direction}${more}>`, `</${name}>`];
}

/** Returns the description of an image; its address if it has none. */
function descriptionOf(attributes: string): string {
  const alt = / alt="([^"]*)"/.exec(attributes)?.[1] ?? '';
  return alt.trim() === '' ? (/ src="([^"]*)"/.exec(attributes)?.[1] ?? '') : alt;
}

/** Text must already be encoded; otherwise it would be read as a tag. */
function textOf(html: string): string {
  return html.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escape(text: string): string {
  return textOf(text.replaceAll('\0', '\uFFFD').replaceAll('&', '&amp;')).replaceAll('"', '&quot;');
}
