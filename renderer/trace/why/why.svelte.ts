/**
 * The slice of a value that the page shows: the question, the answer so far, and the records of its steps, which charts mark and lists filter
 * by. Few steps are requested at first, and more if a person wants them; what is there stays shown meanwhile.
 */
import type { ReportPart } from '../../../shared/report/plan.ts';
import { WHY_STEPS_MOST, type Why, type WhyArguments } from '../../../shared/requests/why.ts';
import type { Failure } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { createQuestion } from '../questions/question.svelte.ts';
import type { TraceBase } from '../trace-base.ts';

export type WhyQuestion = Omit<WhyArguments, 'trace' | 'steps'>;

export interface Slice {
  /** Question of the answer, which a newer question may already have replaced. */
  readonly question: WhyQuestion | undefined;
  readonly answer: Why | undefined;
  readonly error: Failure | undefined;
  readonly busy: boolean;
  /** Record that the running request has reached; null for its first half second. */
  readonly reached: RecordNumber | null;
  /** A person stopped the request. Only `retry` repeats it. */
  readonly stopped: boolean;
  /** Number of steps that `more` requests; undefined if there are no more, or if that is not known. */
  readonly next: number | undefined;
  /** The question of the answer as a part of a report; undefined if there is no answer. */
  readonly part: ReportPart | undefined;
  /** Records of the steps in ascending order. */
  readonly numbers: Float64Array;
  /** Lists of records show only the steps. */
  only: boolean;
  /** Does nothing if the question is that of the answer or of the running request. `null` forgets the answer. */
  readonly ask: (question: WhyQuestion | null) => void;
  readonly more: () => void;
  readonly retry: () => void;
  /** Ends the running request: its answer has the steps found so far. The second time, it drops the request. */
  readonly cancel: () => void;
  /** Returns the step a number of steps later than a record; earlier if negative. */
  readonly walk: (n: RecordNumber, by: number) => RecordNumber;
}

/** Numbers of steps that are requested one after the other. */
const STEPS = [50, 200, 1000, 5000, WHY_STEPS_MOST] as const;
/** Delay in milliseconds until progress is shown. */
const GLANCE = 500;
const NONE = new Float64Array(0);

interface Requested {
  readonly question: WhyQuestion;
  readonly steps: number;
}

export function createSlice(trace: () => TraceBase): Slice {
  let requested = $state.raw<Requested | null>(null);
  let reached = $state<RecordNumber | null>(null);
  let stopped = $state(false);
  /** Name of the running request, and whether a person ended it. */
  let run = '';
  let isEnding = false;
  let only = $state(false);

  const query = createQuestion<Requested, Why>(
    async ({ question, steps }, signal) => {
      const { client, id } = trace();
      let at = question.at;
      reached = null;
      const shown = setTimeout(() => (reached = at), GLANCE);
      run = crypto.randomUUID();
      isEnding = false;
      const result = await client.request(
        'why',
        { trace: id, ...question, steps, run },
        {
          signal,
          onEvent(event) {
            ({ at } = event);
            if (reached !== null && !signal.aborted) reached = at;
          },
        },
      );
      clearTimeout(shown);
      if (result.ok && result.value.ended.reason === 'cancelled' && !signal.aborted) {
        stopped = true;
        // An answer of the same question that is shown may have more steps.
        if (isLonger(question, result.value)) query.stop();
      }
      return result;
    },
    { interrupt: () => true },
  );

  const answer = $derived(requested === null ? undefined : query.value);
  const numbers = $derived(answer ? Float64Array.from(answer.steps, ({ n }) => n).sort() : NONE);
  const next = $derived.by(() => {
    if (answer?.ended.reason !== 'steps') return undefined;
    const { steps } = query.key ?? { steps: WHY_STEPS_MOST };
    return STEPS.find((number) => number > steps);
  });

  /** Returns true if the shown answer has at least as many steps of the same question. */
  function isLonger(question: WhyQuestion, { steps }: Why): boolean {
    const { key, value } = query;
    return value !== undefined && isSame(key?.question, question) && value.steps.length >= steps.length;
  }

  const part = $derived.by<ReportPart | undefined>(() => {
    if (!answer || !query.key) return undefined;
    const { question } = query.key;
    // The steps of an answer that a person ended are found again by their number.
    const steps = answer.ended.reason === 'cancelled' ? Math.max(1, answer.steps.length) : query.key.steps;
    return { kind: 'why', question: { ...question, steps } };
  });

  function start(wanted: Requested): void {
    requested = wanted;
    stopped = false;
    query.ask(wanted);
  }

  return {
    get question() {
      return answer && query.key?.question;
    },
    get answer() {
      return answer;
    },
    get error() {
      return requested === null ? undefined : query.error;
    },
    get busy() {
      return query.busy;
    },
    get reached() {
      return query.busy ? reached : null;
    },
    get stopped() {
      return stopped;
    },
    get next() {
      return next;
    },
    get part() {
      return part;
    },
    get numbers() {
      return numbers;
    },
    get only() {
      return only && numbers.length > 0;
    },
    set only(wanted) {
      only = wanted;
    },
    ask(question) {
      if (question === null) {
        query.stop();
        requested = null;
        only = false;
      } else if (!isSame(question, requested?.question)) start({ question, steps: STEPS[0] });
    },
    more() {
      if (requested && next !== undefined) start({ question: requested.question, steps: next });
    },
    retry() {
      if (requested) start(requested);
    },
    cancel() {
      if (!query.busy) return;
      if (isEnding) {
        query.stop();
        stopped = true;
        return;
      }
      isEnding = true;
      const { client, id } = trace();
      void client.request('stopWhy', { trace: id, run });
    },
    walk(n, by) {
      const at = placeOf(numbers, n);
      // A record between two steps counts as after the earlier one.
      const from = numbers[at] === n || by < 0 ? at : at - 1;
      return numbers[Math.min(numbers.length - 1, Math.max(0, from + by))] ?? n;
    },
  };
}

function isSame(one: WhyQuestion | undefined, other: WhyQuestion | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns the index of the first number that is not less than `n`. */
export function placeOf(numbers: Float64Array, n: RecordNumber): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (numbers[middle]! < n) low = middle + 1;
    else high = middle;
  }
  return low;
}
