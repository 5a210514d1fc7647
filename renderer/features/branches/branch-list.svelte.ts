/** Single branches around a record: one page on each side at first, more pages as the list is scrolled. */
import type { BranchEvent, FlowProgress } from '../../../shared/requests/flow.ts';
import type { BranchKind } from '../../../shared/flow/events.ts';
import type { Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { createFlowQuestion, type FlowQuestion } from '../../trace/questions/flow-question.svelte.ts';
import type { Trace } from '../../trace/trace.svelte.ts';

export interface BranchList {
  /** Branches in the order of records. */
  readonly events: readonly BranchEvent[];
  readonly question: FlowQuestion<Requested, Page>;
  /** Loads the branches around a record, unless they are loaded. */
  readonly look: (n: RecordNumber, kinds: readonly BranchKind[] | null) => void;
  /** Fetches the previous or next page. Returns the number of branches inserted at the beginning. */
  readonly more: (side: 'before' | 'after') => Promise<number>;
  readonly stop: () => void;
}

interface Requested {
  readonly n: RecordNumber;
  readonly kinds: readonly BranchKind[] | null;
}

interface Page {
  readonly events: readonly BranchEvent[];
  /** The page contains all branches of records [from, to). */
  readonly from: RecordNumber;
  readonly to: RecordNumber;
}

const PAGE = 200;
interface Options {
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: FlowProgress) => void;
}

export function createBranchList(trace: Trace): BranchList {
  let page = $state.raw<Page | undefined>();
  let kinds = $state.raw<readonly BranchKind[] | null>(null);
  let paging: AbortController | undefined;

  async function before(to: RecordNumber, options: Options): Promise<Result<Page>> {
    const result = await trace.client.request(
      'branchEvents',
      { trace: trace.id, to, count: PAGE, backwards: true, ...(kinds ? { kinds } : {}) },
      options,
    );
    if (!result.ok) return result;
    return { ok: true, value: { events: [...result.value.events].reverse(), from: result.value.next ?? 0, to } };
  }

  async function after(from: RecordNumber, options: Options): Promise<Result<Page>> {
    const result = await trace.client.request(
      'branchEvents',
      { trace: trace.id, from, count: PAGE, ...(kinds ? { kinds } : {}) },
      options,
    );
    if (!result.ok) return result;
    const { events, next, reach } = result.value;
    return { ok: true, value: { events, from, to: next ?? reach.records } };
  }

  const question = createFlowQuestion<Requested, Page>(async ({ n }, options) => {
    const earlier = await before(n + 1, options);
    if (!earlier.ok) return earlier;
    const later = await after(n + 1, options);
    return later.ok ? { ok: true, value: joined(earlier.value, later.value) } : later;
  });

  const shown = $derived.by(() => {
    const { key, value } = question;
    return page ?? (key && areSame(key.kinds, kinds) ? value : undefined);
  });

  return {
    get events() {
      return shown?.events ?? [];
    },
    question,
    look(n, wanted) {
      if (areSame(wanted, kinds) && shown && n >= shown.from && n < shown.to) {
        // A running request is about an earlier place.
        question.stop();
        return;
      }
      paging?.abort();
      paging = undefined;
      kinds = wanted;
      page = undefined;
      question.ask({ n, kinds });
    },
    async more(side) {
      const now = shown;
      if (!now || paging || question.busy) return 0;
      if (side === 'before' ? now.from <= 0 : now.to >= trace.reach.records) return 0;
      const own = new AbortController();
      paging = own;
      const options = { signal: own.signal };
      const result = side === 'before' ? await before(now.from, options) : await after(now.to, options);
      if (paging !== own) return 0;
      paging = undefined;
      if (!result.ok) return 0;
      page = side === 'before' ? joined(result.value, now) : joined(now, result.value);
      return side === 'before' ? result.value.events.length : 0;
    },
    stop() {
      paging?.abort();
      paging = undefined;
      question.stop();
    },
  };
}

function areSame(a: readonly BranchKind[] | null, b: readonly BranchKind[] | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function joined(earlier: Page, later: Page): Page {
  return { events: [...earlier.events, ...later.events], from: earlier.from, to: later.to };
}
