/** Gives branches that nobody classified the kinds that were inferred for their sources, in place. */
import { BRANCH, EVENT, setApart, type Events } from '../../../../shared/flow/events.ts';
import { ABSENT } from '../../collections/address-map.ts';
import { JUMPS, RETURNS, type InferredKinds } from './infer-calls.ts';

export function classify(events: Events, { bySource, handlers }: InferredKinds): void {
  setApart(events);
  const { kind, flags, sourceLow, sourceHigh } = events;
  for (let i = 0; i < events.count; i++) {
    if (kind[i] !== BRANCH.unknown || (flags[i]! & EVENT.source) === 0) continue;
    if (handlers.size > 0 && (flags[i]! & EVENT.target) !== 0) {
      if (handlers.get(events.targetLow[i]!, events.targetHigh[i]!) !== ABSENT) {
        kind[i] = BRANCH.interrupt;
        flags[i]! |= EVENT.inferred;
        putResume(events, i, 0);
        continue;
      }
    }
    const found = bySource.get(sourceLow[i]!, sourceHigh[i]!);
    if (found === ABSENT) continue;
    if (found < 0) {
      putResume(events, i, -found);
      continue;
    }
    flags[i] = (flags[i]! & ~(EVENT.broken | EVENT.strayed)) | EVENT.inferred;
    if (found === RETURNS || found === JUMPS) {
      kind[i] = found === RETURNS ? BRANCH.return : BRANCH.jump;
      continue;
    }
    kind[i] = BRANCH.call;
    putResume(events, i, found);
  }
}

/** Where it goes on once what it branched to is done. */
function putResume({ flags, sourceLow, sourceHigh, resumeLow, resumeHigh }: Events, i: number, bytes: number): void {
  const low = sourceLow[i]! + bytes;
  flags[i]! |= EVENT.resume;
  resumeLow[i] = low;
  resumeHigh[i] = sourceHigh[i]! + Number(low > 0xffff_ffff);
}
