/** Words about the comparison of two runs that the command line and reports share. */
import type { Diff, PathElements } from '../requests/diff.ts';
import { counted } from '../base/numbers.ts';

const ONE: Readonly<Record<PathElements, string>> = {
  instructions: 'instruction',
  branches: 'branch',
  accesses: 'access',
};

/** `1 branch`, `20 branches`. */
export function countedElements(of: PathElements, count: number): string {
  return counted(count, ONE[of], of);
}

/** The sentence about two runs that do not differ, without its full stop. Traces of different formats may cover only parts of them. */
export function sameText({
  of,
  instructionsA,
  instructionsB,
  notCompared,
}: Pick<Diff, 'of' | 'instructionsA' | 'instructionsB' | 'notCompared'>): string {
  if (of === 'instructions') return `Both runs executed the same ${countedElements(of, instructionsA)}`;
  if (notCompared === 0) return `Both runs show the same ${countedElements(of, instructionsA)}`;
  const both = countedElements(of, (instructionsA + instructionsB - notCompared) / 2);
  return `Both traces show the same ${both} where both prove any`;
}
