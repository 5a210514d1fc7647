/** The work of a comparison of values in order: what becomes of each aligned part, in groups that the decode pool compares at the same time. */
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import type { EffectCuts } from '../../../flow/path/effect-cuts.ts';
import type { PartQueue } from '../paths/part-queue.ts';
import type { PathPart } from '../paths/path-parts.ts';
import type { AlignedRun, AlignedStretch } from './compare-runs.ts';
import { createRunPlan, type PlannedTrace } from './run-plan.ts';
import { createStretchFinder, type AlignedPart } from './unequal-stretches.ts';

export type Step =
  /** A part that is not compared. */
  | { readonly is: 'part'; readonly part: PathPart }
  | { readonly is: 'begin'; readonly part: AlignedPart }
  /** `isInRun`: true if it is the next one in the runs of the group. */
  | { readonly is: 'stretch'; readonly stretch: AlignedStretch; readonly isInRun: boolean }
  | { readonly is: 'end' };

export interface StepGroup {
  readonly steps: readonly Step[];
  readonly runs: readonly AlignedRun[];
}

/** Stretches of a group: comparing them takes some tens of milliseconds. */
const MOST_STRETCHES = 128;

/**
 * Yields the steps of all parts; undefined while the next part is not fixed.
 * @param cuts undefined if fingerprints are not trusted: then parts are compared as a whole
 * @param isPooled false if a comparison can end before its last step, so that none is begun ahead
 */
export function* groupsOf(
  traces: readonly [PlannedTrace, PlannedTrace],
  queue: PartQueue,
  cuts: readonly [EffectCuts, EffectCuts] | undefined,
  isPooled: boolean,
): Generator<StepGroup | undefined, undefined> {
  const finder = cuts && createStretchFinder(...cuts);
  const plan = createRunPlan(...traces);
  let steps: Step[] = [];
  let stretches = 0;
  const taken = (): StepGroup => {
    const group = { steps, runs: plan.take() };
    [steps, stretches] = [[], 0];
    return group;
  };
  let [beforeA, beforeB] = [0, 0];
  for (let at = 0; ; at++) {
    while (at >= queue.fixed && !queue.isEnded) yield undefined;
    const part = queue.parts[at];
    if (part === undefined) break;
    const before = [beforeA, beforeB] as const;
    beforeA += part.instructionsA;
    beforeB += part.instructionsB;
    if (part.kind !== 'same') {
      steps.push({ is: 'part', part });
      continue;
    }
    const aligned = { a: part.a, b: part.b, instructions: part.instructionsA };
    steps.push({ is: 'begin', part: aligned });
    if (finder === undefined) {
      const stretch = { from: 0, to: aligned.instructions, a: part.a, b: part.b };
      steps.push({ is: 'stretch', stretch, isInRun: false });
      yield taken();
    } else
      for (const stretch of finder.next(aligned, before)) {
        const isInRun = isPooled && plan.add(stretch);
        steps.push({ is: 'stretch', stretch, isInRun });
        if (!isPooled || ++stretches >= MOST_STRETCHES) yield taken();
      }
    steps.push({ is: 'end' });
  }
  yield taken();
  return undefined;
}

/** Returns a record of the first trace that a group reaches; undefined if it compares nothing. */
export function reachOf({ steps }: StepGroup): RecordNumber | undefined {
  const last = steps.findLast((step) => step.is === 'stretch');
  return last?.stretch.a.record;
}
