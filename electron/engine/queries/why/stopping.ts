/** Answers that a person ends early: they have the steps that were found until then. */
import { createLru } from '../../../../shared/base/lru.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { StopWhyArguments, WhyArguments } from '../../../../shared/requests/why.ts';
import { cachePer } from '../../collections/cache-per.ts';
import type { Steps } from '../../threads/in-slices.ts';
import type { Trace } from '../../trace.ts';
import { overlap, type Location } from './locations.ts';
import type { GrowingSlice, Slice, Use } from './slice.ts';
import type { Content } from './values.ts';

/** Stopped runs that are remembered, because a request to stop may arrive before the one that it is about. */
const REMEMBERED = 100;

const stoppedOf = cachePer(() => createLru<string, true>(REMEMBERED));

export function stopWhy(trace: Trace, { run }: Omit<StopWhyArguments, 'trace'>): Result<object> {
  stoppedOf(trace).set(run, true);
  return ok({});
}

export function isStopped(trace: Trace, { run }: Pick<WhyArguments, 'run'>): boolean {
  return run !== undefined && stoppedOf(trace).get(run) === true;
}

/** Runs a query, and returns what `soFar` gives in place of its answer once it is stopped. */
export function* untilStopped<T>(query: Steps<T>, stopped: () => boolean, soFar: () => T): Steps<T> {
  while (!stopped()) {
    const step = query.next();
    if (step.done === true) return step.value;
    yield step.value;
  }
  return ok(soFar());
}

/** Why bytes have no step in an answer that was stopped. */
export const STOPPED = 'the search was stopped before it was found';

/** Returns the slice as far as it has grown. What its steps and the question use is open if it was not reached. */
export function sliceSoFar(
  { steps, origin }: GrowingSlice,
  subject: readonly Location[],
  contentOf: (location: Location) => Content,
): Slice {
  const reached = new Set(steps.map(({ unit }) => unit.record.n));
  const unsought = subject.filter(
    (bytes) => !origin.some(({ location }) => location !== undefined && overlap(location, bytes) !== undefined),
  );
  const used = [...origin, ...steps.flatMap(({ uses }) => uses)];
  const unreached = used.filter(({ definer }) => definer !== undefined && !reached.has(definer));
  return {
    steps,
    origin: [...origin, ...unsought.map((location) => unfoundUse(location, contentOf(location)))],
    open: [...unsought, ...unreached.flatMap(({ location }) => location ?? [])],
  };
}

function unfoundUse(location: Location, bytes: Content): Use {
  return { location, bytes, edge: 'data', definer: undefined, reason: STOPPED, inferred: false };
}
