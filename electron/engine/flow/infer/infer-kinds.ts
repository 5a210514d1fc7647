/**
 * Infers which branches are calls, returns, jumps and interrupts if only their ends are known, as in branch trace messages without
 * an image. In: evidence. Out: the kind of each source, or nothing if the evidence does not suffice.
 *
 * The rules, one file per family: conditional jumps (passed-branches.ts), interrupts (interrupts.ts), calls and returns
 * (call-candidates.ts, calls.ts), function bodies (function-bodies.ts) and tail calls (tail-calls.ts). README.md in the parent
 * folder lists how much each of them gains.
 */
import { BRANCH, EVENT, setApart, type Events } from '../../../../shared/flow/events.ts';
import { ABSENT, createAddressMap, type AddressMap } from '../../collections/address-map.ts';
import { inferCalls } from './calls.ts';
import type { Observed } from './evidence.ts';
import { inferBodies, type Body } from './function-bodies.ts';
import { inferInterrupts } from './interrupts.ts';
import { loneEdges, markInner, markPassed, type Marked } from './passed-branches.ts';
import { inferTailCalls } from './tail-calls.ts';

export interface InferredKinds {
  /**
   * By source: bytes from it to where its call returns, RETURNS or JUMPS; ABSENT if its kind is unknown. Negative for what may be
   * a call or a software interrupt: minus the bytes.
   */
  readonly bySource: AddressMap;
  /** Targets of interrupts. */
  readonly handlers: AddressMap;
  /** Number of returns that were matched with a call. */
  readonly matched: number;
  /** Targets of calls, as pairs of low and high halves. */
  readonly entered: readonly (readonly [low: number, high: number])[];
  /** The known code of these functions; ascending. */
  readonly bodies: readonly Body[];
}

export const RETURNS = 0;
export const JUMPS = 1;

export function inferKinds(observed: Observed): InferredKinds {
  const { lows, highs, edges } = observed;
  const noInterrupts = new Uint8Array(edges.length);
  const interruptions = inferInterrupts(observed, markPassed(observed, loneEdges(observed, noInterrupts)));
  const { interrupts, ends } = interruptions;
  const lone = loneEdges(observed, interrupts);
  const passed = markPassed(observed, lone);
  const marked: Marked = { ...observed, ...interruptions, lone, passed, inner: markInner(observed, passed) };
  const calls = inferCalls(marked);
  const { lengths, unsure, returns, jumps, matched } = calls;
  const bodies = inferBodies(marked, calls);
  const tails = inferTailCalls(marked, calls, bodies);
  const bySource = createAddressMap();
  for (let id = 0; id < lows.length; id++) {
    const put = (value: number): void => {
      bySource.set(lows[id]!, highs[id]!, value);
    };
    if (returns[id] === 1 || ends[id] === 1) put(RETURNS);
    else if (lengths[id]! > 0) put(unsure[id] === 1 ? -lengths[id]! : lengths[id]!);
    else if (jumps[id] === 1 || tails[id] === 1) put(JUMPS);
  }
  const handlers = createAddressMap();
  edges.forEach(({ low, high }, edge) => {
    if (interrupts[edge] === 1) handlers.set(low, high, 1);
  });
  const entered = edges
    .filter(({ source }, edge) => lengths[source]! > 0 && interrupts[edge] === 0)
    .map(({ low, high }) => [low, high] as const);
  return { bySource, handlers, matched, entered, bodies };
}

/** Gives branches of unknown kind the kinds that were inferred for their sources, in place. */
export function applyInferredKinds(events: Events, { bySource, handlers }: InferredKinds): void {
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

/** Sets where the caller continues: `bytes` past the source. */
function putResume({ flags, sourceLow, sourceHigh, resumeLow, resumeHigh }: Events, i: number, bytes: number): void {
  const low = sourceLow[i]! + bytes;
  flags[i]! |= EVENT.resume;
  resumeLow[i] = low;
  resumeHigh[i] = sourceHigh[i]! + Number(low > 0xffff_ffff);
}
