/** How numbers of calls are written. */
import { group } from '../../shared/base/numbers.ts';

export const IN_TRACE = 'in the trace';

/** Completes `called ...`: `once`, `12 times`, `by nothing in the range`. A call outside `where` may still have led to the function. */
export function times(count: number, where = IN_TRACE): string {
  return count === 0 ? `by nothing ${where}` : count === 1 ? 'once' : `${group(count)} times`;
}
