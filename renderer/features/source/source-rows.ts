/** Rows of the Source pane: the lines of a file, and below an opened line its instructions. */
import type { CodeInstruction, LineInstructions } from '../../../shared/requests/source/answers.ts';

export type SourceRow =
  | { readonly kind: 'line'; readonly line: number }
  | { readonly kind: 'code'; readonly line: number; readonly code: CodeInstruction }
  | { readonly kind: 'left'; readonly line: number; readonly left: number };

/** @param opened instructions of the opened lines, as far as they have arrived */
export function sourceRows(lines: number, opened: ReadonlyMap<number, LineInstructions>): readonly SourceRow[] {
  const rows: SourceRow[] = [];
  for (let line = 1; line <= lines; line++) {
    rows.push({ kind: 'line', line });
    const its = opened.get(line);
    for (const code of its?.instructions ?? []) rows.push({ kind: 'code', line, code });
    if (its && (its.left > 0 || its.instructions.length === 0)) rows.push({ kind: 'left', line, left: its.left });
  }
  return rows;
}

const TAB = 8;

/** Returns a line with its tabs as spaces. */
export function withoutTabs(text: string): string {
  if (!text.includes('\t')) return text;
  let out = '';
  for (const part of text.split(/(\t)/)) out += part === '\t' ? ' '.repeat(TAB - (out.length % TAB)) : part;
  return out;
}
