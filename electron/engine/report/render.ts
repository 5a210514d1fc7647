/** A report as the text of one form, and the files beside it. */
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
  if (form === 'json') return `${JSON.stringify(document, undefined, 1)}\n`;
  const json = JSON.stringify(withoutDrawings(document));
  const { before, after } = around(piecesOf(document, form), form, (part, item) => marked(part, item, keyOf(json)));
  return `${before}${embeddedData(json, form)}${after}`;
}

/** What stands around the data. */
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

/** An item between comments that tell where it begins and ends. */
function marked(part: number, item: string, key: string): string {
  const [start, end] = marksOf(part, key);
  return `${start}${item}${end}`;
}

export function marksOf(part: number, key: string): readonly [start: string, end: string] {
  return [`<!-- part ${String(part)} ${key} -->\n`, `<!-- end of part ${String(part)} ${key} -->\n`];
}

/** Made of the data, so that nothing in the data can look like a mark. */
function keyOf(json: string): string {
  return textDigest(json).slice(0, 16);
}

/** The report shows them; what is embedded has their digests. */
function withoutDrawings(document: ReportDocument): ReportDocument {
  return { ...document, items: document.items.map(withoutDrawing) };
}

export function withoutDrawing(item: Item): Item {
  if (item.kind !== 'figure') return item;
  const { kind, title, sources, data } = item;
  return { kind, title, sources, data };
}
