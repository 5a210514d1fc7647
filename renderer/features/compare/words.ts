/** Words and signs of the comparison. */
import type { Diff, RegionKind } from '../../../shared/requests/diff.ts';
import { counted } from '../../../shared/base/numbers.ts';
import { percent } from '../../../present/base/percent.ts';

export type RowKind = RegionKind;

export interface RowWords {
  readonly sign: string;
  readonly word: string;
}

export const ROW_WORDS: Readonly<Record<RowKind, RowWords>> = {
  same: { sign: '=', word: 'Both runs executed this instruction; nothing that both traces record about it differs' },
  values: { sign: '≠', word: 'Both runs executed this instruction, with other values' },
  'a-only': { sign: 'A', word: 'Only run A executed this instruction here' },
  'b-only': { sign: 'B', word: 'Only run B executed this instruction here' },
  'not-aligned': { sign: '?', word: 'Too different to say which instructions correspond' },
  'not-compared': { sign: '', word: 'Only one of the traces shows this part of the run' },
};

export const OPEN_ROW_WORDS: RowWords = {
  sign: '…',
  word: 'The runs part before or at this row; it is still being aligned',
};

/** The same for rows of branches that traces prove. */
export const BRANCH_ROW_WORDS: Readonly<Record<RowKind, RowWords>> = {
  ...ROW_WORDS,
  same: { sign: '=', word: 'Both traces prove this branch' },
  'a-only': { sign: 'A', word: 'Only run A took this branch here' },
  'b-only': { sign: 'B', word: 'Only run B took this branch here' },
  'not-compared': { sign: '', word: 'Not compared: the traces do not both prove what ran here' },
};

/** Returns the kind of a row. A region of kind `values` has rows without other values, too. */
export function rowKind(kind: RegionKind, hasOtherValues: boolean): RowKind {
  if (kind !== 'same' && kind !== 'values') return kind;
  return hasOtherValues ? 'values' : 'same';
}

/** Returns what is known before the paths are aligned, the longest form first. */
export function openingWords({ same }: Diff): readonly string[] {
  return same
    ? ['The paths are the same; values are being compared', 'Values are being compared']
    : ['The paths part here first; what follows is being aligned', 'What follows is being aligned'];
}

/**
 * Returns what the whole comparison found, the longest form first.
 * @param isPartial the values are not compared yet
 */
export function summary(
  { of, byProvedBranches, matched, same }: Diff,
  differences: number,
  isPartial = false,
): readonly string[] {
  if (isPartial) {
    const places = differences === 0 ? 'The paths are the same' : `The paths part in ${counted(differences, 'place')}`;
    return [`${places}; values are being compared`, 'Values are being compared'];
  }
  const where = byProvedBranches ? ' that both traces show' : '';
  if (same && byProvedBranches) return [`No difference was found in the ${of}${where}`, 'No difference'];
  if (same) return ['No difference was found', 'No difference'];
  const count = counted(differences, 'difference');
  if (matched === undefined) return [count];
  // Rounded, almost all would look like all.
  const share = matched >= 0.9995 ? '> 99.9 %' : percent(matched);
  return [`${count}, ${share} of the ${of}${where} are aligned`, `${count}, ${share} aligned`, count];
}
