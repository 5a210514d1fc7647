/** Values of watched things at the cursor's record, and their changes before and after it. */
import type { Failure } from '../../../shared/base/result.ts';
import type { WatchChange, WatchImage, WatchSubject, WatchValue } from '../../../shared/requests/watches.ts';
import type { TraceBase } from '../../trace/trace-base.ts';
import { createQuestion, type Question } from '../../trace/questions/question.svelte.ts';
import { subjectKey } from './watch-rows.ts';

/** Milliseconds until progress is shown. */
const GLANCE = 500;

interface Key {
  readonly at: number;
  readonly subjects: readonly WatchSubject[];
}

export interface Values {
  readonly at: number;
  /** Returns undefined for a subject that was not requested. */
  readonly of: (subject: WatchSubject) => WatchValue | undefined;
}

export function createValues({ client, id }: TraceBase): Question<Key, Values> {
  return createQuestion<Key, Values>(async ({ at, subjects }, signal) => {
    const result = await client.request('watchValues', { trace: id, at, subjects }, { signal });
    if (!result.ok) return result;
    const found = new Map(subjects.map((subject, index) => [subjectKey(subject), result.value.values[index]]));
    return { ok: true, value: { at, of: (subject) => found.get(subjectKey(subject)) } };
  });
}

interface ImageKey {
  /** Absent: before the first record. */
  readonly at?: number;
  readonly subjects: readonly WatchSubject[];
}

export interface ImageContents {
  readonly question: Question<ImageKey, { readonly of: (subject: WatchSubject) => WatchImage | undefined }>;
  /** Record that is compared with the images if that takes more than half a second; null otherwise. */
  readonly reached: number | null;
  readonly stop: () => void;
}

/** Asks program images about watched memory that no record has shown. */
export function createImageContents({ client, id }: TraceBase): ImageContents {
  let reached = $state<number | null>(null);
  const question: ImageContents['question'] = createQuestion(async ({ at, subjects }, signal) => {
    const start = performance.now();
    const result = await client.request(
      'watchImage',
      { trace: id, subjects, ...(at !== undefined && { at }) },
      {
        signal,
        onEvent: (event) => {
          if (!signal.aborted && performance.now() - start > GLANCE) reached = event.at;
        },
      },
    );
    if (!signal.aborted) reached = null;
    if (!result.ok) return result;
    const found = new Map(subjects.map((subject, index) => [subjectKey(subject), result.value.values[index]]));
    return { ok: true, value: { of: (subject) => found.get(subjectKey(subject)) } };
  });
  return {
    question,
    get reached() {
      return reached;
    },
    stop() {
      question.stop();
      reached = null;
    },
  };
}

/** True for memory with unknown bytes. */
export function mayBeInImage(subject: WatchSubject | null | undefined, contents: string | undefined): boolean {
  return subject?.address !== undefined && contents?.includes('?') === true;
}

/** The changes around a record; `null` if there is none. */
export interface Around {
  readonly previous: WatchChange | null;
  readonly next: WatchChange | null;
  /** The next change may be in the part that is not indexed yet. */
  readonly isOpen: boolean;
}

export interface Changes {
  /** Returns the changes before and after a record, a failure, or undefined while they are searched. */
  readonly around: (subject: WatchSubject, at: number) => Around | Failure | undefined;
  /** Searches for the changes of these subjects one after the other, and cancels earlier searches. */
  readonly look: (subjects: readonly WatchSubject[], at: number) => void;
  /** Completed fraction of a search that runs for more than half a second, 0 to 1; null if there is none. */
  readonly done: number | null;
  readonly stop: () => void;
}

/** Records [from, to) that have the same previous and next change. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly previous: WatchChange | null;
  readonly next: WatchChange | null;
  /** Number of indexed records if the end of the index ended the stretch; null if it is complete. */
  readonly openAt: number | null;
}

export function createChanges(trace: TraceBase): Changes {
  let found = $state.raw<ReadonlyMap<string, Stretch | Failure>>(new Map());
  let done = $state<number | null>(null);
  let controller: AbortController | undefined;

  function stretchAt(subject: WatchSubject, at: number): Stretch | Failure | undefined {
    const stretch = found.get(subjectKey(subject));
    if (!stretch || 'code' in stretch) return stretch;
    const isCurrent = stretch.openAt === null || (stretch.openAt === trace.reach.records && !trace.reach.complete);
    return at >= stretch.from && at < stretch.to && isCurrent ? stretch : undefined;
  }

  function stop(): void {
    controller?.abort();
    controller = undefined;
    done = null;
  }

  /** Returns the fraction of the records that a search has looked at. */
  function fraction(way: 'last' | 'next', at: number, now: number): number {
    const all = way === 'last' ? at : trace.reach.records - at;
    return Math.min(1, Math.abs(now - at) / Math.max(1, all));
  }

  async function search(subject: WatchSubject, way: 'last' | 'next', at: number, signal: AbortSignal) {
    const start = performance.now();
    const result = await trace.client.request(
      'watchChange',
      { trace: trace.id, subject, way, at },
      {
        signal,
        onEvent: (event) => {
          if (!signal.aborted && performance.now() - start > GLANCE) done = fraction(way, at, event.at);
        },
      },
    );
    if (!signal.aborted) done = null;
    return result;
  }

  async function stretchOf(subject: WatchSubject, at: number, signal: AbortSignal): Promise<Stretch | Failure> {
    const last = await search(subject, 'last', at, signal);
    if (!last.ok) return last.error;
    const { change } = last.value;
    const isHere = change?.n === at;
    const earlier = isHere && at > 0 ? await search(subject, 'last', at - 1, signal) : undefined;
    if (earlier?.ok === false) return earlier.error;
    const next = await search(subject, 'next', at, signal);
    if (!next.ok) return next.error;
    const { reach } = next.value;
    return {
      from: isHere ? at : (change?.n ?? -1) + 1,
      to: isHere ? at + 1 : (next.value.change?.n ?? Number.POSITIVE_INFINITY),
      previous: isHere ? (earlier?.value.change ?? null) : change,
      next: next.value.change,
      openAt: next.value.change || reach.complete ? null : reach.records,
    };
  }

  async function look(subjects: readonly WatchSubject[], at: number): Promise<void> {
    stop();
    const own = new AbortController();
    controller = own;
    for (const subject of subjects) {
      const known = stretchAt(subject, at);
      if (known && !('code' in known)) continue;
      const stretch = await stretchOf(subject, at, own.signal);
      if (own.signal.aborted) return;
      found = new Map(found).set(subjectKey(subject), stretch);
    }
  }

  return {
    around(subject, at) {
      const stretch = stretchAt(subject, at);
      if (!stretch || 'code' in stretch) return stretch;
      return { previous: stretch.previous, next: stretch.next, isOpen: stretch.openAt !== null };
    },
    look: (subjects, at) => void look(subjects, at),
    get done() {
      return done;
    },
    stop,
  };
}
