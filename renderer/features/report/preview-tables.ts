/** Tables of a report's preview as data, for copying and saving them as CSV. The preview itself is a frame without scripts. */
import { counted } from '../../../shared/base/numbers.ts';
import type { Table } from '../../widgets/table.ts';

export interface PreviewTable extends Table {
  /** Differs from the captions of the other tables of the part. */
  readonly caption: string;
}

let latest: { readonly html: string; readonly document: Document } | undefined;

/** Returns the tables of part `part` of a report in HTML, numbered from 1. Nothing in the report is run or loaded. */
export function previewTables(html: string, part: number): readonly PreviewTable[] {
  if (latest?.html !== html)
    latest = { html, document: new DOMParser().parseFromString(html.replaceAll(NO_TEXT, ''), 'text/html') };
  const section = latest.document.getElementById(`part-${part}`);
  const tables = [...(section?.querySelectorAll('table') ?? [])];
  const captions = tables.map(
    (table) => textOf(table.querySelector('caption')) || counted(table.querySelectorAll('tbody tr').length, 'row'),
  );
  return tables.map((table, at) => {
    const caption = captions[at]!;
    const rows = [...table.querySelectorAll('tbody tr')];
    return {
      name: `part-${part}${tables.length === 1 ? '' : `-table-${at + 1}`}`,
      caption: captions.indexOf(caption) === captions.lastIndexOf(caption) ? caption : `${caption} (table ${at + 1})`,
      head: cellsOf(table.querySelector('thead tr')),
      count: rows.length,
      row: (index) => cellsOf(rows[index]).map(plainNumber),
    };
  });
}

/** Data that only `verify` reads, drawings, and styles, which the policy of the page refuses. All text of the report is escaped. */
const NO_TEXT = /<(template|style|svg)\b[\s\S]*?<\/\1>| style="[^"]*"/g;

function cellsOf(row: Element | null | undefined): readonly string[] {
  return [...(row?.querySelectorAll('th, td') ?? [])].map(textOf);
}

function textOf(element: Element | null): string {
  return element?.textContent.replaceAll(/\s+/g, ' ').trim() ?? '';
}

/** Returns a grouped number as a plain one, as in the other tables of the page. */
function plainNumber(text: string): string {
  return /^\d{1,3}(?:,\d{3})+$/.test(text) ? text.replaceAll(',', '') : text;
}
