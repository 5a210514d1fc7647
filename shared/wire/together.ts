/**
 * Several calls in one HTTP request: `POST api/together`. A page asks for what a dozen panes show at the same time, and each HTTP request
 * costs a browser and a server several milliseconds. Their frames share one body, each with the name of its call.
 */
import { fail, ok, type Result } from '../base/result.ts';
import { anything, list, object, pathText, problemOf, text, type Checked } from '../requests/schema.ts';

/** In place of the name of a request. */
export const TOGETHER = 'together';
/** Upper limits of one HTTP request: calls, cancelled calls, and bytes as JSON. */
export const MOST_TOGETHER = 32;
export const MOST_CANCELLED = 500;
export const TOGETHER_BYTES = 131_072;

const callId = text(60);

const together = object({
  calls: list(object({ id: callId, name: text(60), args: anything }), MOST_TOGETHER, 0),
  /** Earlier calls that are no longer wanted. */
  cancelled: list(callId, MOST_CANCELLED, 0),
});
export type Together = Checked<typeof together>;

export function checkTogether(value: unknown): Result<Together> {
  const problem = problemOf(together, value);
  if (problem === undefined) return ok(value as Together);
  return fail('usage', `${TOGETHER}: ${`${pathText(problem.path)} ${problem.must}`.trim()}.`);
}
