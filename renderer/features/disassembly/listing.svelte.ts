/** Rows of the static code, fetched in parts as they come into view. The counts are those of the shown range. */
import type { CodePart, CodeRow } from '../../../shared/requests/source/answers.ts';
import type { Hex } from '../../../shared/base/units.ts';
import { attached } from '../../trace/attached.svelte.ts';
import { callsKey, type CallsKey } from '../../trace/flow/calls.svelte.ts';
import { createFlowQuestion } from '../../trace/questions/flow-question.svelte.ts';
import { shownRecords, withoutStep } from '../../trace/source/range.ts';
import type { TraceBase } from '../../trace/trace-base.ts';

const PART = 200;
const KEPT_PARTS = 60;

interface Wanted extends CallsKey {
  readonly address: Hex;
}

/** Rows by their numbers, with the range that they are of. */
interface Part {
  readonly of: string;
  readonly rows: readonly CodeRow[];
}

export const codeListing = attached((trace: TraceBase) => {
  const { client, id } = trace;
  let parts = $state.raw<ReadonlyMap<number, Part>>(new Map());
  const running = new Map<number, AbortController>();

  /** Finds the row of an address. The first such question counts what ran. */
  const whole = createFlowQuestion<Wanted, CodePart>(
    (key, options) => client.request('code', { trace: id, ...withoutStep(key), count: 1 }, options),
    ({ from = 0 }) => from,
  );

  function ofRange(): string {
    return JSON.stringify(callsKey(trace.cursor.range, trace.reach));
  }

  async function fetchPart(part: number, of: string): Promise<void> {
    const own = new AbortController();
    running.set(part, own);
    const args = { trace: id, ...shownRecords(trace), first: part * PART, count: PART };
    const answer = await client.request('code', args, { signal: own.signal });
    if (running.get(part) !== own) return;
    running.delete(part);
    if (!answer.ok) return;
    const kept = [...parts].filter(([other]) => other !== part).slice(-KEPT_PARTS);
    parts = new Map([...kept, [part, { of, rows: answer.value.rows }]]);
  }

  return {
    whole,
    ask(address: Hex): void {
      whole.ask({ ...callsKey(trace.cursor.range, trace.reach), address });
    },
    /** Returns a row if it was fetched; one of an earlier range stays until it is fetched again. */
    at(row: number): CodeRow | undefined {
      return parts.get(Math.floor(row / PART))?.rows[row % PART];
    },
    /** Fetches missing rows of [from, to). */
    want(from: number, to: number): void {
      const of = ofRange();
      const [first, last] = [Math.floor(from / PART), Math.floor(Math.max(from, to - 1) / PART)];
      for (const [part, controller] of running)
        if (part < first || part > last) {
          controller.abort();
          running.delete(part);
        }
      for (let part = first; part <= last; part++) {
        if (parts.get(part)?.of === of || running.has(part)) continue;
        void fetchPart(part, of);
      }
    },
  };
});
