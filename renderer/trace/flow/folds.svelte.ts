/** Calls that a person has folded in the list of records: a folded call is one row. */
import type { Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { callAt } from './flow.svelte.ts';
import { foldOver, recordOf, rowOf, rowsOf, withFold, type Fold } from './folded.ts';
import type { TraceBase } from '../trace-base.ts';

export interface Folds {
  readonly list: readonly Fold[];
  /** Returns the fold whose row is this record. */
  readonly headedBy: (n: RecordNumber) => Fold | undefined;
  /** Folds the call that entered a function with record `entry` into the row of `head`. */
  readonly fold: (head: RecordNumber, entry: RecordNumber) => Promise<void>;
  /** Folds the call that contains a record. */
  readonly foldAround: (n: RecordNumber) => Promise<void>;
  readonly unfold: (head: RecordNumber) => void;
  readonly unfoldAll: () => void;
  /** Replaces the folds by kept ones, of which overlapping ones are dropped. */
  readonly restore: (folds: readonly Fold[]) => void;
  /** Unfolds the call that hides a record. */
  readonly show: (n: RecordNumber) => void;
  /** Returns the record a number of visible rows further down, or up if negative. */
  readonly walk: (n: RecordNumber, rows: number) => RecordNumber;
}

const NO_CALL = 'The call of this function is not in the trace, so it cannot be folded.';

/** @param isHidden returns true for a record without a row of its own */
export function createFolds(
  trace: () => TraceBase,
  say: (text: string) => void,
  isHidden: (n: RecordNumber) => boolean = () => false,
): Folds {
  let list = $state.raw<readonly Fold[]>([]);

  async function stepOf(at: RecordNumber, step: 'out' | 'back out'): Promise<Result<RecordNumber | null>> {
    const result = await trace().client.request('step', { trace: trace().id, at, step });
    return result.ok ? { ok: true, value: result.value.n } : result;
  }

  async function fold(head: RecordNumber, entry: RecordNumber): Promise<void> {
    const end = await stepOf(entry, 'out');
    if (!end.ok) {
      say(end.error.message);
      return;
    }
    const { cursor, reach } = trace();
    list = withFold(list, { head, from: Math.max(head + 1, entry), to: end.value ?? reach.records });
    if (foldOver(list, cursor.n)) cursor.step(head);
  }

  async function foldAround(n: RecordNumber): Promise<void> {
    const { client, id } = trace();
    const stack = await client.request('stack', { trace: id, at: n });
    if (!stack.ok) {
      say(stack.error.message);
      return;
    }
    if (stack.value.frames.length === 0) {
      say('The function that runs here is unknown, so there is no call to fold.');
      return;
    }
    const entry = stack.value.frames[0]?.since;
    if (entry === undefined) {
      say(NO_CALL);
      return;
    }
    const call = await callAt(client, id, entry);
    if (!call.ok) say(call.error.message);
    else if (call.value === null) say(NO_CALL);
    else await fold(call.value, entry);
  }

  return {
    get list() {
      return list;
    },
    headedBy: (n) => list.find(({ head }) => head === n),
    fold,
    foldAround,
    unfold: (head) => (list = list.filter((other) => other.head !== head)),
    unfoldAll: () => (list = []),
    restore: (folds) => (list = folds.reduce(withFold, [])),
    show(n) {
      const hiding = foldOver(list, n);
      if (hiding) list = list.filter((other) => other !== hiding);
    },
    walk(n, rows) {
      const last = rowsOf(list, trace().last + 1) - 1;
      let reached = rowOf(list, n);
      let left = Math.abs(rows);
      for (let row = reached + Math.sign(rows); left > 0 && row >= 0 && row <= last; row += Math.sign(rows)) {
        if (isHidden(recordOf(list, row))) continue;
        reached = row;
        left -= 1;
      }
      return recordOf(list, reached);
    },
  };
}
