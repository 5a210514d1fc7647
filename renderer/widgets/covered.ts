/** Words and measures for code that ran. */
import type { Share } from '../../shared/requests/answers/coverage.ts';
import type { CodeInstruction, LineCount } from '../../shared/requests/source/answers.ts';
import { counted, group } from '../../shared/base/numbers.ts';

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

/** Returns `75 % taken` of a conditional branch, `25 % skipped` of another conditional instruction; empty if neither is known. */
export function outcomeText({ sort, count, taken = 0, notTaken = 0, skipped }: CodeInstruction): string {
  if (sort === 'conditional-branch') {
    const total = taken + notTaken;
    return total === 0 ? '' : `${shareText({ covered: taken, total })} taken`;
  }
  return skipped === undefined || count === 0 ? '' : `${shareText({ covered: skipped, total: count })} skipped`;
}

/** Returns both outcomes of a conditional instruction in words; empty for others, and if they are not known. */
export function outcomeTitle({ sort, count, taken = 0, notTaken = 0, skipped }: CodeInstruction): string {
  if (sort === 'conditional-branch') return `${doneText('taken', taken)}, ${doneText('fell through', notTaken)}`;
  return skipped === undefined || count === 0
    ? ''
    : `${doneText('executed', count - skipped)}, ${doneText('skipped', skipped)}`;
}

/** Returns `skipped 3 times` or `never skipped`. */
function doneText(done: string, count: number): string {
  return count === 0 ? `never ${done}` : `${done} ${timesText(count)}`;
}

/** Returns a sentence about how often an instruction was reached, and whether it was executed then. */
export function reachedText(code: CodeInstruction): string {
  const { count, sort, skipped } = code;
  if (count === 0) return 'It was never reached.';
  if (sort !== 'conditional') return `It ran ${timesText(count)}.`;
  const reached = `It was reached ${timesText(count)}`;
  return skipped === undefined
    ? `${reached}. The trace does not show whether it was executed or skipped.`
    : `${reached}: ${outcomeTitle(code)}.`;
}

/** Returns true if the instruction was reached, and skipped each time. */
export function isSkippedCode({ sort, count, skipped }: CodeInstruction): boolean {
  return sort !== 'conditional-branch' && count > 0 && skipped === count;
}

/** Returns true if control reached a line, but all instructions that it reached were skipped each time. */
export function isSkippedLine({ instructions: { covered }, skipped = 0 }: LineCount): boolean {
  return covered > 0 && skipped === covered;
}

/** Returns what is known of a line: `ran 4 times, 3 of 9 instructions of it`. */
export function lineText(line: LineCount): string {
  const { most, instructions, skipped = 0, functions } = line;
  const { covered, total } = instructions;
  const inFunctions = functions ? `; in ${functions.join(', ')}` : '';
  if (covered === 0) return `never ran${inFunctions}`;
  if (isSkippedLine(line))
    return `reached ${timesText(most)}, but ${covered === 1 ? 'its instruction was' : 'its instructions were'} skipped each time${inFunctions}`;
  const part = covered < total ? `, ${ofWhole(instructions, 'instruction')} of it` : '';
  const never = skipped === 0 ? '' : `; ${counted(skipped, 'instruction')} skipped each time`;
  return `ran ${timesText(most)}${part}${never}${inFunctions}`;
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
