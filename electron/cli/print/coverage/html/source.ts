/** Source lines with their counts in the gutter: how often they ran as shades, and lines that never ran plain to see. */
import { group } from '../../../../../shared/base/numbers.ts';
import { steady } from '../../../../../shared/base/visible.ts';
import { escaped } from '../../markup.ts';
import { branchesShare, type LineCode } from '../files.ts';

/** Shades of the gutter: `heat-1` to `heat-6`, by the logarithm of the count. */
export const SHADES = 6;
const TAB = '        ';

/** @param number of the file, for links to its lines */
export function sourceHtml(lines: readonly LineCode[], number: number, source: readonly string[] | undefined): string {
  const most = lines.reduce((all, { count }) => Math.max(all, count), 1);
  const row = (line: number, code: LineCode | undefined, text: string | undefined): string => {
    const state = code === undefined ? '' : code.count === 0 ? 'never' : `heat-${shadeOf(code.count, most)}`;
    const count = code === undefined ? '' : group(code.count);
    const own = text === undefined ? '' : `<td class="text">${textHtml(text)}</td>`;
    return (
      `<tr${code === undefined ? '' : ` id="line-${number}-${line}" class="${state}"`}><td class="line">${line}</td>` +
      `<td class="count">${count}</td><td class="ways">${waysHtml(code)}</td>${own}</tr>\n`
    );
  };
  if (source === undefined) {
    const missing =
      '<p class="note">The source file is not here: name its folder with --sources, or its place with --source-map.</p>';
    return `${missing}\n${table(lines.map((code) => row(code.line, code, undefined)))}`;
  }
  const byNumber = new Map(lines.map((code) => [code.line, code]));
  const rows = source.map((text, at) => row(at + 1, byNumber.get(at + 1), text));
  // Lines beyond the end: the file is not the one that the program was built from.
  const beyond = lines.filter(({ line }) => line > source.length || line < 1);
  return table([...rows, ...beyond.map((code) => row(code.line, code, ''))]);
}

function table(rows: readonly string[]): string {
  return `<div class="scroll"><table class="lines"><thead><tr><th>Line</th><th>Count</th><th>Ways</th><th></th></tr></thead><tbody>
${rows.join('')}</tbody></table></div>
`;
}

function waysHtml(code: LineCode | undefined): string {
  if (code === undefined || code.branches.length === 0) return '';
  const { covered, total } = branchesShare([code]);
  if (total === 0) return '';
  const each = code.branches
    .map(({ taken, notTaken }) =>
      [
        ...(taken === undefined ? [] : [`taken ${group(taken)}`]),
        ...(notTaken === undefined ? [] : [`not taken ${group(notTaken)}`]),
      ].join(', '),
    )
    .join('; ');
  return `<span class="${covered === total ? 'both' : 'partly'}" title="${escaped(each)}">${covered}/${total}</span>`;
}

/** Counts of a line have a shade even if one line ran a million times more often. */
function shadeOf(count: number, most: number): number {
  if (most <= 1) return 1;
  return 1 + Math.min(SHADES - 1, Math.floor((SHADES * Math.log(count)) / (Math.log(most) + 1e-9)));
}

function textHtml(text: string): string {
  return escaped(steady(text.replaceAll('\t', TAB)));
}
