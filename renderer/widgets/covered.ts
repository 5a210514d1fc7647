/** Words and measures for code that ran. */
import type { Share } from '../../shared/requests/answers/coverage.ts';
import { group } from '../../shared/base/numbers.ts';

/** Returns `12.3 %`, rounded down as the command line does. Only what is whole is `100 %`, and only nothing is `0 %`. */
export function shareText({ covered, total }: Share): string {
  if (total === 0) return '';
  if (covered === total) return '100 %';
  if (covered === 0) return '0 %';
  const tenths = Math.max(1, Math.floor((1000 * covered) / total));
  return `${tenths / 10} %`;
}

/** Returns `once`, `12 times` or `never`. */
export function timesText(count: number): string {
  return count === 0 ? 'never' : count === 1 ? 'once' : `${group(count)} times`;
}

/** Returns `3 of 12 lines`. */
export function ofWhole({ covered, total }: Share, what: string): string {
  return `${group(covered)} of ${group(total)} ${what}${total === 1 ? '' : 's'}`;
}

/** Returns how hot a count is, from 0 to 1: logarithmic, because counts span many orders of magnitude. */
export function heatOf(count: number, most: number): number {
  return count <= 0 || most <= 0 ? 0 : Math.log(1 + count) / Math.log(1 + Math.max(count, most));
}

/** Background of a cell with a count. */
export function heatStyle(count: number, most: number): string {
  const heat = heatOf(count, most);
  return heat === 0 ? '' : `background: color-mix(in srgb, var(--k-write) ${Math.round(8 + 34 * heat)}%, transparent)`;
}
