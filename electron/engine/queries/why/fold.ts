/** Leaves out the steps that only moved bytes: what used their copy is connected with what defined the bytes. */
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { isPureCopy, type Slice, type Step, type Use } from './slice.ts';

export interface FoldedStep extends Step {
  /** The copies that are left out between this step and those that use it, youngest first. */
  readonly copies: readonly RecordNumber[];
}

export interface Folded extends Omit<Slice, 'steps'> {
  readonly steps: readonly FoldedStep[];
}

/** @param all true if no copy is to be left out */
export function foldCopies({ steps, origin, open }: Slice, all: boolean): Folded {
  if (all) return { steps: steps.map((step) => ({ ...step, copies: [] })), origin, open };
  const expanded = new Set(steps.map(({ unit }) => unit.record.n));
  /** By a copy that is left out: what defined its bytes. */
  const sources = new Map<RecordNumber, RecordNumber>();
  for (const step of steps) {
    const definer = isPureCopy(step) ? step.uses[0]!.definer : undefined;
    // The source of the last copy may not have been reached: the copy then ends the chain.
    if (definer !== undefined && expanded.has(definer)) sources.set(step.unit.record.n, definer);
  }
  const originOf = (n: RecordNumber): RecordNumber => {
    let at = n;
    for (let source = sources.get(at); source !== undefined; source = sources.get(at)) at = source;
    return at;
  };
  const copies = new Map<RecordNumber, RecordNumber[]>();
  for (const n of sources.keys()) {
    const first = originOf(n);
    const known = copies.get(first);
    if (known === undefined) copies.set(first, [n]);
    else known.push(n);
  }
  const connected = (use: Use): Use => (use.definer === undefined ? use : { ...use, definer: originOf(use.definer) });
  return {
    steps: steps
      .filter(({ unit }) => !sources.has(unit.record.n))
      .map((step) => ({ ...step, uses: step.uses.map(connected), copies: copies.get(step.unit.record.n) ?? [] })),
    origin: origin.map(connected),
    open,
  };
}
