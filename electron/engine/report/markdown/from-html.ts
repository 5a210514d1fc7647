/**
 * Converts the HTML that `present/text/markdown.ts` makes from a user's Markdown back to Markdown. The result only contains what that
 * module lets through. Only the tags of that module are supported.
 */
import { inline, ownLine } from './escape.ts';

interface Element {
  readonly name: string;
  readonly attributes: string;
  readonly children: (Element | string)[];
}

export function markdownFromHtml(html: string): string {
  return blocks(parse(html).children).trim();
}

const TAG = /<(\/?)([a-z][a-z0-9]*)((?: [^<>]*)?)>/g;
const VOID: ReadonlySet<string> = new Set(['br', 'hr']);

function parse(html: string): Element {
  const root: Element = { name: '', attributes: '', children: [] };
  const open = [root];
  let at = 0;
  const text = (end: number): void => {
    if (end > at) open.at(-1)?.children.push(decode(html.slice(at, end)));
  };
  for (const tag of html.matchAll(TAG)) {
    text(tag.index);
    at = tag.index + tag[0].length;
    const [, slash, name = '', attributes = ''] = tag;
    if (slash === '/') {
      if (open.length > 1) open.pop();
      continue;
    }
    const element: Element = { name, attributes, children: [] };
    open.at(-1)?.children.push(element);
    if (!VOID.has(name)) open.push(element);
  }
  text(html.length);
  return root;
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" };

function decode(text: string): string {
  return text.replaceAll(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => NAMED[name] ?? '');
}

function blocks(children: Element['children']): string {
  const own = children.filter((child) => typeof child !== 'string' || child.trim() !== '');
  let isOther = false;
  return own
    .map((child, i) => {
      // Two adjacent lists only stay separate if their markers differ.
      const before = own[i - 1];
      const follows = typeof child !== 'string' && typeof before === 'object' && before.name === child.name;
      isOther = follows && !isOther;
      return block(child, isOther);
    })
    .filter(Boolean)
    .join('\n\n');
}

function block(child: Element | string, isOther: boolean): string {
  if (typeof child === 'string') return child.trim() === '' ? '' : ownLine(child.trim());
  switch (child.name) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return `${'#'.repeat(Number(child.name[1]))} ${oneLine(child.children)}`;
    case 'ul':
      return items(child, () => (isOther ? '*' : '-'));
    case 'ol': {
      const start = Number(/ start="(\d+)"/.exec(child.attributes)?.[1] ?? 1);
      return items(child, (i) => `${String(start + i)}${isOther ? ')' : '.'}`);
    }
    case 'blockquote':
      return indented(blocks(child.children), '> ', '> ');
    case 'pre':
      return fence(textOf(child));
    case 'hr':
      return '* * *';
    case 'table':
      return table(child);
    default:
      return paragraph(child);
  }
}

function paragraph(element: Element): string {
  const lines = spans(element.name === 'p' ? element.children : [element])
    .trim()
    .split('\n');
  // The text is already escaped. Only characters that would start a block are escaped here.
  return lines
    .map((own) =>
      own
        .trimStart()
        .replace(/^([#+=:-])/, String.raw`\$1`)
        .replace(/^(\d{1,9})([.)])/, String.raw`$1\$2`),
    )
    .join('\n');
}

function items(list: Element, mark: (index: number) => string): string {
  return list.children
    .filter((child): child is Element => typeof child !== 'string' && child.name === 'li')
    .map((item, i) => {
      const lead = `${mark(i)} `;
      return indented(itemText(item), lead, ' '.repeat(lead.length)) || lead.trim();
    })
    .join('\n');
}

/** A loose item contains blocks. A tight item contains text, possibly followed by lists. */
function itemText({ children }: Element): string {
  const grouped: Element['children'] = [];
  let run: Element | undefined;
  for (const child of children) {
    const isInline = typeof child === 'string' ? child.trim() !== '' || run !== undefined : INLINE.has(child.name);
    if (!isInline) {
      run = undefined;
      grouped.push(child);
      continue;
    }
    if (run === undefined) {
      run = { name: 'p', attributes: '', children: [] };
      grouped.push(run);
    }
    run.children.push(child);
  }
  return blocks(grouped);
}

const INLINE: ReadonlySet<string> = new Set(['a', 'code', 'em', 'strong', 'br']);

function indented(text: string, first: string, others: string): string {
  return text
    .split('\n')
    .map((own, i) => `${i === 0 ? first : others}${own}`.trimEnd())
    .join('\n');
}

function spans(children: Element['children']): string {
  return children
    .map((child, i) => {
      const before = children[i - 1];
      const isBroken = typeof child === 'string' && typeof before === 'object' && before.name === 'br';
      return span(isBroken ? child.replace(/^\n/, '') : child);
    })
    .join('');
}

function span(child: Element | string): string {
  if (typeof child === 'string') return child.split('\n').map(inline).join('\n');
  switch (child.name) {
    case 'strong':
      return `**${spans(child.children).trim()}**`;
    case 'em':
      return `*${spans(child.children).trim()}*`;
    case 'code':
      return code(textOf(child));
    case 'br':
      return '\\\n';
    case 'a':
      return `[${spans(child.children)}](<${address(child.attributes)}>)`;
    default:
      return spans(child.children);
  }
}

/** Headings and table cells contain no line breaks. */
function oneLine(children: Element['children']): string {
  return spans(children.map((child) => (typeof child === 'object' && child.name === 'br' ? ' ' : child)))
    .replaceAll('\n', ' ')
    .trim();
}

/** Uses more backticks than any run of backticks in the text. */
function code(text: string): string {
  const plain = text.replaceAll('\n', ' ');
  const marks = '`'.repeat(longestRun(plain) + 1);
  const room = plain.startsWith('`') || plain.endsWith('`') ? ' ' : '';
  return plain.trim() === '' ? '' : `${marks}${room}${plain}${room}${marks}`;
}

function fence(text: string): string {
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return text === '' ? `${marks}\n${marks}` : `${marks}\n${text.replace(/\n$/, '')}\n${marks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
}

function address(attributes: string): string {
  const href = decode(/ href="([^"]*)"/.exec(attributes)?.[1] ?? '');
  return href.replaceAll(/[<>\\\s`|]/g, (character) => encodeURIComponent(character));
}

function table(element: Element): string {
  const rows = rowsOf(element);
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const cells = rows.map((row) => row.map((cell) => oneLine(cell.children)));
  const [head = [], ...body] = cells.map((row) => [...row, ...Array<string>(columns - row.length).fill('')]);
  const rule = Array.from({ length: columns }, (_, i) => ruleOf(rows[0]?.[i]?.attributes ?? ''));
  return [head, rule, ...body].map((row) => `| ${row.map(pipeless).join(' | ')} |`).join('\n');
}

/** An unescaped bar ends a cell even in a code span. */
function pipeless(cell: string): string {
  return cell.replaceAll(/(?<!\\)\|/g, String.raw`\|`);
}

function ruleOf(attributes: string): string {
  const align = / class="align-(left|center|right)"/.exec(attributes)?.[1];
  return align === 'center' ? ':-:' : align === 'right' ? '--:' : align === 'left' ? ':--' : '---';
}

function rowsOf(element: Element): readonly Element[][] {
  const inside = element.children.filter((child): child is Element => typeof child !== 'string');
  if (element.name === 'tr') return [inside];
  return inside.flatMap(rowsOf);
}

function textOf(element: Element): string {
  return element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}
