/** The words of a note about a row of proved branches: the branch that each run took there. */
import { group } from '../../../../shared/base/numbers.ts';
import type { ProvedBranch } from '../../../../shared/requests/compare.ts';
import { endText } from '../../../widgets/branch-words.ts';
import type { ComparedRow } from '../comparison.svelte.ts';

export interface NoteWords {
  readonly title: string;
  readonly text: string;
}

/** @param names of the first trace, and path and size of the second one */
export function branchNoteWords(
  { a, b, branches }: ComparedRow,
  names: readonly [a: string, b: string],
): NoteWords | undefined {
  const [own, its] = [branches?.a, branches?.b];
  const one = own ?? its;
  if (!one) return undefined;
  const title = own && its ? `Runs part here: A ${branchText(own)}, B ${branchText(its)}` : titleOf(one);
  return { title, text: [lineOf('A', names[0], a, own), lineOf('B', names[1], b, its)].join('\n') };

  function titleOf(branch: ProvedBranch): string {
    return `Only ${own ? 'A' : 'B'} branches here: ${branchText(branch)}`;
  }
}

/** Returns both ends of a branch in words. */
export function branchText({ source, sourceSymbol, target, targetSymbol }: ProvedBranch): string {
  return `from ${endText(source, sourceSymbol)} to ${endText(target, targetSymbol)}`;
}

function lineOf(name: string, file: string, record: number, branch: ProvedBranch | null | undefined): string {
  const own = branch ? `record ${group(record)}, ${branchText(branch)}` : 'no branch in this row';
  return `- ${name}, ${asCode(file)}: ${branch ? asCode(own) : own}`;
}

/** Marks text from a trace as code, so that Markdown does not read it. */
export function asCode(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}
