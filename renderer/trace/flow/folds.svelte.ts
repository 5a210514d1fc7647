/** Calls that a person folded away in lists of records: each is one row then, that of the call. */
import type { Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { callAt } from './flow.svelte.ts';
import { foldOver, recordOf, rowOf, rowsOf, withFold, type Fold } from './folded.ts';
import type { Trace } from '../trace.svelte.ts';

export interface Folds {
  readonly list: readonly Fold[];
  /** The fold that a record stands for. */
  readonly headedBy: (n: RecordNumber) => Fold | undefined;
  /** Folds the call that entered a function with record `entry` into the row of `head`. */
  readonly fold: (head: RecordNumber, entry: RecordNumber) => Promise<void>;
  /** Folds the call that a record is in. */
  readonly foldAround: (n: RecordNumber) => Promise<void>;
  readonly unfold: (head: RecordNumber) => void;
  readonly unfoldAll: () => void;
  /** Unfolds what hides a record. */
  readonly show: (n: RecordNumber) => void;
  /** The record so many rows further. */
  readonly walk: (n: RecordNumber, rows: number) => RecordNumber;
}

export function createFolds(trace: () => Trace, say: (text: string) => void): Folds {
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
      say('Which function runs here is not known: there is no call to fold.');
      return;
    }
    const entry = stack.value.frames[0]?.since;
    if (entry === undefined) {
      say('The call of this function is not in the trace: it cannot be folded.');
      return;
    }
    const call = await callAt(client, id, entry);
    if (!call.ok) say(call.error.message);
    else if (call.value === null) say('The call of this function is not in the trace: it cannot be folded.');
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
    show(n) {
      const hiding = foldOver(list, n);
      if (hiding) list = list.filter((other) => other !== hiding);
    },
    walk(n, rows) {
      const last = rowsOf(list, trace().last + 1) - 1;
      return recordOf(list, Math.min(last, Math.max(0, rowOf(list, n) + rows)));
    },
  };
}
