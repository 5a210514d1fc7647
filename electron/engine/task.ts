/** A running call as its query sees it: whether somebody still waits for it, and where its progress goes. */
import { CANCELLED } from '../../shared/api.ts';
import { fail, type Result } from '../../shared/result.ts';

export interface Task<Event = never> {
  cancelled(): boolean;
  report(event: Event): void;
  /** The answer of a cancelled call. */
  cancel(): Result<never>;
}

export function createTask<Event>(cancelled: () => boolean, report: (event: Event) => void): Task<Event> {
  return { cancelled, report, cancel: () => fail(CANCELLED, 'the call was cancelled') };
}
