/** Leaves out the steps that only moved a value which others used: these are connected with what made the value. */
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import type { FoldedStep } from '../fold.ts';
import { isCopyOfOne } from './forward.ts';
import type { Step, Use } from '../slice.ts';

export interface FoldedForward {
  readonly steps: readonly FoldedStep[];
  /** Copies of the value of the question that are left out. */
  readonly copies: readonly RecordNumber[];
}

/** @param all true if no copy is to be left out */
export function foldForward(steps: readonly Step[], all: boolean): FoldedForward {
  if (all) return { steps: steps.map((step) => ({ ...step, copies: [] })), copies: [] };
  const used = new Set(steps.flatMap(({ uses }) => uses.map(({ definer }) => definer)));
  /** By a copy that is left out: what made its value; undefined for the value of the question. */
  const makers = new Map<RecordNumber, RecordNumber | undefined>();
  const copies = new Map<RecordNumber | undefined, RecordNumber[]>();
  // Steps follow those whose values they use.
  for (const step of steps) {
    const { n } = step.unit.record;
    if (!used.has(n) || !isCopyOfOne(step)) continue;
    const maker = makerOf(step.uses[0]!.definer);
    makers.set(n, maker);
    copies.set(maker, [...(copies.get(maker) ?? []), n]);
  }
  const connected = (use: Use): Use => ({ ...use, definer: makerOf(use.definer) });
  return {
    steps: steps
      .filter(({ unit }) => !makers.has(unit.record.n))
      .map((step) => ({
        ...step,
        uses: step.uses.map(connected),
        copies: copies.get(step.unit.record.n) ?? [],
      })),
    copies: copies.get(undefined) ?? [],
  };

  function makerOf(definer: RecordNumber | undefined): RecordNumber | undefined {
    return definer !== undefined && makers.has(definer) ? makers.get(definer) : definer;
  }
}
