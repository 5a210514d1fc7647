/** The rule for CSV cells, for exports of records and for tables of the page: RFC 4180 except for LF as the line end. */
import { visible } from './visible.ts';

/** Content of a cell; undefined is an empty cell. */
export type CsvCell = string | number | bigint | undefined;

/** Returns cells as a line with its line end. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

/** Hidden characters stand by name, and text that a spreadsheet would compute begins with an apostrophe (OWASP, CSV Injection). */
function csvCell(content: CsvCell): string {
  if (content === undefined) return '';
  const text = String(content);
  if (PLAIN.test(text)) return text;
  const shown = visible(text);
  const safe = FORMULA.test(shown) && !NUMBER.test(shown) ? `'${shown}` : shown;
  return /[",;\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Nearly all cells: printable ASCII without the characters that mean something in CSV or at the start of a formula. */
const PLAIN = /^(?![=+\-@])[ !#-+\--:<-~]*$/;
/** Beginnings of a formula, also in the wide forms that spreadsheets accept; a tab may be dropped before one. */
const FORMULA = /^[=+\-@\t\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
