/** Source lines with their counts in the gutter: how often they ran as shades, and lines that never ran plain to see. */
import { group } from '../../../../../shared/base/numbers.ts';
import { steady } from '../../../../../shared/base/visible.ts';
import { escaped } from '../../markup.ts';
import { branchesShare, type ConditionCode, type LineCode } from '../files.ts';

/** Shades of the gutter: `heat-1` to `heat-6`, by the logarithm of the count. */
export const SHADES = 6;
const TAB = '        ';
/** Conditional instructions whose counts are printed in a line's cell; a tooltip has all. */
const MOST_SKIPS = 3;

/** @param number of the file, for links to its lines */
export function sourceHtml(lines: readonly LineCode[], number: number, source: readonly string[] | undefined): string {
  const most = lines.reduce((all, { count }) => Math.max(all, count), 1);
  const hasConditions = lines.some(({ conditions }) => conditions.length > 0);
  const row = (line: number, code: LineCode | undefined, text: string | undefined): string => {
    const state = code === undefined ? '' : stateOf(code, most);
    const count = code === undefined ? '' : group(code.count);
    const own = text === undefined ? '' : `<td class="text">${textHtml(text)}</td>`;
    return (
      `<tr${code === undefined ? '' : ` id="line-${number}-${line}" class="${state}"`}><td class="line">${line}</td>` +
      `<td class="count">${count}</td><td class="ways">${waysHtml(code)}</td>${hasConditions ? `<td class="skips">${skipsHtml(code)}</td>` : ''}${own}</tr>\n`
    );
  };
  if (source === undefined) {
    const missing =
      '<p class="note">The source file is not here: name its folder with --sources, or its place with --source-map.</p>';
    return `${missing}\n${table(
      lines.map((code) => row(code.line, code, undefined)),
      hasConditions,
    )}`;
  }
  const byNumber = new Map(lines.map((code) => [code.line, code]));
  const rows = source.map((text, at) => row(at + 1, byNumber.get(at + 1), text));
  // Lines beyond the end: the file is not the one that the program was built from.
  const beyond = lines.filter(({ line }) => line > source.length || line < 1);
  return table([...rows, ...beyond.map((code) => row(code.line, code, ''))], hasConditions);
}

/** Class of a row. */
function stateOf({ count, isSkipped }: LineCode, most: number): string {
  if (isSkipped) return 'skipped';
  return count === 0 ? 'never' : `heat-${shadeOf(count, most)}`;
}

function table(rows: readonly string[], hasConditions: boolean): string {
  const skips = hasConditions ? '<th>Skipped</th>' : '';
  return `<div class="scroll"><table class="lines"><thead><tr><th>Line</th><th>Count</th><th>Ways</th>${skips}<th></th></tr></thead><tbody>
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

/** How often the line's conditional instructions were skipped: `3 of 8` times that control reached one. */
function skipsHtml(code: LineCode | undefined): string {
  if (code === undefined || code.conditions.length === 0) return '';
  const reached = code.conditions.filter(({ count }) => count > 0);
  const text = ({ count, skipped }: ConditionCode): string => `${group(skipped)} of ${group(count)}`;
  const shown = [...reached.slice(0, MOST_SKIPS).map(text), ...(reached.length > MOST_SKIPS ? ['…'] : [])];
  const each = reached.map((one) => `executed ${group(one.count - one.skipped)}, skipped ${group(one.skipped)}`);
  const isBoth = reached.length === code.conditions.length && reached.every(hasBoth);
  return `<span class="${isBoth ? 'both' : 'partly'}" title="${escaped(each.join('; '))}">${shown.join(', ')}</span>`;
}

function hasBoth({ count, skipped }: ConditionCode): boolean {
  return skipped > 0 && skipped < count;
}

/** Counts of a line have a shade even if one line ran a million times more often. */
function shadeOf(count: number, most: number): number {
  if (most <= 1) return 1;
  return 1 + Math.min(SHADES - 1, Math.floor((SHADES * Math.log(count)) / (Math.log(most) + 1e-9)));
}

function textHtml(text: string): string {
  return escaped(steady(text.replaceAll('\t', TAB)));
}
