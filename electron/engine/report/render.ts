/** Renders a report as the text of one form, with its separate files. */
import { jsonText } from '../../../shared/base/visible.ts';
import { embeddedData, type TextForm } from '../../../shared/report/embedded-data.ts';
import { textDigest } from './digest.ts';
import type { Item, ReportDocument } from './document.ts';
import { htmlPieces } from './html/page.ts';
import { markdownPieces } from './markdown/page.ts';
import type { Pieces } from './pieces.ts';

export function piecesOf(document: ReportDocument, form: 'html' | 'md'): Pieces {
  return form === 'html' ? htmlPieces(document) : markdownPieces(document);
}

export function fileText(document: ReportDocument, form: TextForm): string {
  if (form === 'json') return `${jsonText(document, 1)}\n`;
  const json = JSON.stringify(withoutDrawings(document));
  const { before, after } = around(piecesOf(document, form), form, (part, item) => marked(part, item, keyOf(json)));
  return `${before}${embeddedData(json, form)}${after}`;
}

/** Returns the text before and after the data. */
export function around(
  { head, items, tail }: Pick<Pieces, 'head' | 'items' | 'tail'>,
  form: 'html' | 'md',
  mark: (part: number, item: string) => string,
): { readonly before: string; readonly after: string } {
  const body = items.map((item, i) => mark(i + 1, item)).join('');
  return form === 'html'
    ? { before: `${head}${body}${tail}`, after: '\n</body>\n</html>\n' }
    : { before: `${head}${body}${tail}\n`, after: '\n' };
}

/** Encloses an item in comments that mark its start and end. */
function marked(part: number, item: string, key: string): string {
  const [start, end] = marksOf(part, key);
  return `${start}${item}${end}`;
}

export function marksOf(part: number, key: string): readonly [start: string, end: string] {
  return [`<!-- part ${String(part)} ${key} -->\n`, `<!-- end of part ${String(part)} ${key} -->\n`];
}

/** Derived from the data, so that no text in the data can imitate a mark. */
function keyOf(json: string): string {
  return textDigest(json).slice(0, 16);
}

/** The report shows the drawings, and the embedded data only contains their digests. */
function withoutDrawings(document: ReportDocument): ReportDocument {
  return { ...document, items: document.items.map(withoutDrawing) };
}

export function withoutDrawing(item: Item): Item {
  if (item.kind !== 'figure') return item;
  const { kind, title, sources, data } = item;
  return { kind, title, sources, data };
}
