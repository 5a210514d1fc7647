/** Finds the previous or next change of a watched value and moves the cursor to it. */
import { group } from '../../../shared/base/numbers.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { WatchSubject } from '../../../shared/requests/watches.ts';
import { rememberPlace } from '../questions/late-answer.ts';
import type { TraceBase } from '../trace-base.ts';

export interface ChangeSearch {
  /** Goal of the running search, and the record that it has reached; null = not known yet. */
  readonly running: { readonly label: string; readonly at: RecordNumber | null } | null;
  /** Searches from the cursor. A message says why the cursor stays, except after a cancellation. */
  readonly find: (target: ChangeTarget, way: 'last' | 'next') => Promise<void>;
  readonly cancel: () => void;
}

export interface ChangeTarget {
  readonly label: string;
  readonly subject: WatchSubject;
}

export function createChangeSearch(trace: () => TraceBase, say: (text: string) => void): ChangeSearch {
  let running = $state.raw<ChangeSearch['running']>(null);
  let controller: AbortController | undefined;

  function cancel(): void {
    controller?.abort();
    controller = undefined;
    running = null;
  }

  return {
    get running() {
      return running;
    },
    async find({ label, subject }, way) {
      cancel();
      const { client, cursor, id } = trace();
      const at = way === 'last' ? cursor.n - 1 : cursor.n;
      const place = rememberPlace(cursor);
      const none = `There is no ${way === 'last' ? 'earlier' : 'later'} change of ${label}`;
      if (at < 0) {
        say(`${none}.`);
        return;
      }
      say('');
      const own = new AbortController();
      controller = own;
      const what = `the ${way === 'last' ? 'previous' : 'next'} change of ${label}`;
      running = { label: what, at: null };
      const result = await client.request(
        'watchChange',
        { trace: id, subject, way, at },
        {
          signal: own.signal,
          onEvent(event) {
            if (controller === own) running = { label: what, at: event.at };
          },
        },
      );
      if (controller !== own) return;
      cancel();
      if (!result.ok) say(result.error.message);
      else if (!result.value.change)
        say(place.qualify(`${none}${way === 'next' && !result.value.reach.complete ? ' in the indexed part' : ''}.`));
      else if (place.isStillHere(false)) cursor.jump(result.value.change.n);
      else say(place.qualify(`${label} changes at record ${group(result.value.change.n)}.`));
    },
    cancel,
  };
}
