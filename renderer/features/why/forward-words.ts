/** Words of answers about where a value went. */
import { counted, group } from '../../../shared/base/numbers.ts';
import type { Why } from '../../../shared/requests/why.ts';

/** Returns the question in a few words: `Where r0 = 0x5 went after record 12`. `value`: the value as text. */
export function forwardQuestionText({ at }: Pick<Why, 'at'>, value: string): string {
  return `Where ${value} went after record ${group(at)}`;
}

/** Returns where the search for uses ended, in a sentence. */
export function forwardEndedText({ ended, steps }: Pick<Why, 'ended' | 'steps'>): string {
  if (ended.reason === 'steps')
    return `The first ${counted(steps.length, 'step')}: ${counted(ended.open.length, 'value')} not followed further.`;
  return ended.reason === 'unknown'
    ? 'Complete, but some values are not followed to their end.'
    : 'Complete: every value is followed until it was overwritten or the trace ended.';
}
