/** Texts about loops. */
import type { Loop } from '../../../shared/requests/profile.ts';
import { percent } from '../../../present/base/percent.ts';

/** Returns the share of a loop: `12 %`, or `10–15 %` if it is not known exactly; empty if the trace counts no instructions. */
export function loopShare({ least, most }: Loop, cost: number): string {
  if (least === undefined || most === undefined || cost === 0) return '';
  const [low, high] = [percent(least / cost), percent(most / cost)];
  return low === high ? low : `${low.replace(' %', '')}–${high}`;
}
