/** A forward answer turned around, so that its steps lead to those that used their values, and its ends in words. */
import { group } from '../../base/numbers.ts';
import type { Why, WhyEnd, WhyStep, WhyUse } from '../why.ts';

type Turned = Pick<Why, 'steps' | 'origin'>;

/** A use, or an end with the record that overwrote the bytes. */
export type UseOrEnd = WhyUse & Pick<WhyEnd, 'n'>;

/**
 * Returns the steps with the uses of their values in place of what they used. A use has the index of the step that used the bytes. An end has
 * no step, and says why in its reason.
 */
export function turned({ steps, ends = [] }: Pick<Why, 'steps' | 'ends'>): Turned {
  const users = new Map<number | null, WhyUse[]>();
  for (const [step, { uses }] of steps.entries())
    for (const use of uses) users.set(use.step, [...(users.get(use.step) ?? []), { ...use, step }]);
  const usesOf = (step: number | null, all: readonly WhyEnd[]): readonly WhyUse[] => {
    const own = users.get(step) ?? [];
    return [...own, ...shownEnds(all, own.length > 0).map(asUse)];
  };
  return {
    origin: usesOf(null, ends),
    steps: steps.map((step, index): WhyStep => ({ ...step, uses: usesOf(index, step.ends ?? []) })),
  };
}

/** Returns the ends that say where a value went: that a value which steps used was overwritten later does not. */
function shownEnds(ends: readonly WhyEnd[], isUsed: boolean): readonly WhyEnd[] {
  return isUsed ? ends.filter(({ how, reason }) => how !== 'overwritten' || reason !== undefined) : ends;
}

function asUse(end: WhyEnd): UseOrEnd {
  const { n } = end;
  const facts = { edge: 'data', step: null, reason: endText(end), ...(n !== undefined && { n }) } as const;
  return 'register' in end
    ? { register: end.register, cpu: end.cpu, value: end.value, ...facts }
    : { address: end.address, length: end.length, value: end.value, ...facts };
}

/** Returns the ends of values in groups that ended in the same way, such as the flags that one instruction set. */
export function endsTogether<Use extends WhyUse>(ends: readonly Use[]): readonly (readonly [Use, ...Use[]])[] {
  const groups = Map.groupBy(ends, ({ reason }) => reason);
  return [...groups.values()].map((alike) => alike as [Use, ...Use[]]);
}

/** Returns `overwritten at record 203 by mov r2, #0`, `still there at the end`, or the reason why the end is not known. */
export function endText({ how, n = 0, text, reason }: WhyEnd): string {
  const by = text === undefined ? '' : ` by ${text}`;
  const said = {
    overwritten: [`overwritten at record ${group(n)}${by}`],
    kept: ['still there at the end'],
    unknown: [],
  }[how];
  return [...said, ...(reason === undefined ? [] : [reason])].join('; ');
}
