/** Gives branches that nobody classified the kinds that were inferred for their sources, in place. */
import { BRANCH, EVENT, type Events } from '../../../shared/flow.ts';
import { ABSENT } from './address-map.ts';
import { JUMPS, RETURNS, type InferredKinds } from './infer-calls.ts';

export function classify(events: Events, { bySource }: InferredKinds): void {
  const { kind, flags, sourceLow, sourceHigh, resumeLow, resumeHigh } = events;
  for (let i = 0; i < events.count; i++) {
    if (kind[i] !== BRANCH.unknown || (flags[i]! & EVENT.source) === 0) continue;
    const found = bySource.get(sourceLow[i]!, sourceHigh[i]!);
    if (found === ABSENT) continue;
    flags[i]! |= EVENT.inferred;
    if (found === RETURNS || found === JUMPS) {
      kind[i] = found === RETURNS ? BRANCH.return : BRANCH.jump;
      continue;
    }
    kind[i] = BRANCH.call;
    flags[i]! |= EVENT.resume;
    const low = sourceLow[i]! + found;
    resumeLow[i] = low;
    resumeHigh[i] = sourceHigh[i]! + Number(low > 0xffff_ffff);
  }
}
