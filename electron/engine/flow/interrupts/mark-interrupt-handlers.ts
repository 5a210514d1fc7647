/**
 * Parts what seems to be a branch to a handler of interrupts into the branch, of which nothing tells where it went, and the
 * interrupt that came right behind it. Calls are told from both; where the interrupt returned to tells where the branch went.
 */
import { appendEvents, BRANCH, createEvents, EVENT, setApart, type Events } from '../../../../shared/flow/events.ts';
import { doubt, HANDLER, isIndirect, NO_HANDLER, type Handlers } from './handlers.ts';
import type { Settled } from './deferred-targets.ts';

/** What an event is besides what it seems. */
const [PLAIN, DOUBTFUL, BROKEN, HIDING] = [0, 1, 2, 3] as const;

/** The same events, changed in place where their number stays. */
export function tellHandlers(events: Events, handlers: Handlers, settled: Settled): Events {
  if (handlers.size === 0) return events;
  setApart(events);
  let told: Events | undefined;
  let from = 0;
  for (let i = 0; i < events.count; i++) {
    switch (sortOf(events, i, handlers, settled)) {
      case DOUBTFUL:
        doubt(events, i);
        break;
      case BROKEN:
        comesBetween(events, i);
        break;
      case HIDING:
        told ??= createEvents(events.count + 16);
        appendEvents(told, events, from, i);
        appendHidden(told, events, i);
        from = i + 1;
        break;
      default:
        break;
    }
  }
  if (told === undefined) return events;
  appendEvents(told, events, from, events.count);
  return told;
}

function sortOf(events: Events, i: number, handlers: Handlers, settled: Settled): number {
  const { kind, flags, targetLow, targetHigh } = events;
  const isUnknown = kind[i] === BRANCH.unknown && (flags[i]! & (EVENT.broken | EVENT.strayed)) !== 0;
  if (!isUnknown && !isIndirect(events, i)) return PLAIN;
  const there = handlers.at(targetLow[i]!, targetHigh[i]!);
  if (there === NO_HANDLER) return PLAIN;
  if (isUnknown) return there !== HANDLER ? PLAIN : (flags[i]! & EVENT.broken) !== 0 ? BROKEN : HIDING;
  if (settled.isBranch(events.cpu[i]!, events.record[i]!)) return PLAIN;
  return there === HANDLER ? HIDING : DOUBTFUL;
}

/** An interrupt between two instructions. */
function comesBetween(events: Events, i: number): void {
  events.kind[i] = BRANCH.interrupt;
  events.flags[i] = (events.flags[i]! & ~(EVENT.broken | EVENT.strayed)) | EVENT.inferred;
  events.sourceLow[i] = events.resumeLow[i]!;
  events.sourceHigh[i] = events.resumeHigh[i]!;
}

/** A branch without its target, and an interrupt of which nothing tells where it came. */
function appendHidden(told: Events, events: Events, i: number): void {
  appendEvents(told, events, i, i + 1);
  appendEvents(told, events, i, i + 1);
  const [branch, interrupt] = [told.count - 2, told.count - 1];
  const flags = told.flags[branch]!;
  if (told.kind[branch] === BRANCH.unknown)
    told.kind[branch] = (flags & EVENT.resume) === 0 ? BRANCH.jump : BRANCH.call;
  told.flags[branch] = flags & ~(EVENT.target | EVENT.indirect | EVENT.ends);
  told.kind[interrupt] = BRANCH.interrupt;
  told.flags[interrupt] = EVENT.target | EVENT.inferred;
  told.instructions[interrupt] = 0;
}
