/**
 * Handlers of interrupts of processors that may have them at any address, and the branches that are not what they seem because
 * of them.
 *
 * Example: `ret` at 0x1040, followed by the handler at 0x9000. This may be a return to 0x9000, or a return to an unknown target and
 * an interrupt right after it. If 0x9000 is a known handler (handler-evidence.ts), the event becomes two: the return without a
 * target and the interrupt without a source. If 0x9000 only may be a handler, the kind of the branch becomes unknown.
 */
import { appendEvents, BRANCH, createEvents, EVENT, setApart, type Events } from '../../../../shared/flow/events.ts';
import { ABSENT, createAddressMap, type AddressTable } from '../../collections/address-map.ts';
import type { DeferredTargets } from './deferred-targets.ts';

export interface Handlers {
  /**
   * Returns NO_HANDLER; MAYBE_HANDLER if something other than a branch led to the address; HANDLER if a return from an exception
   * ended what began so.
   */
  at(low: number, high: number): number;
  readonly size: number;
  /** Returns false if these events cannot be read without the handlers of the trace, which are not known. */
  suffice(events: Events): boolean;
  /** Returns all of them as a plain value. */
  table(): AddressTable;
}

export const NO_HANDLER = 0;
export const MAYBE_HANDLER = 1;
export const HANDLER = 2;

/** `suffice`: for handlers that are not known yet. */
export function createHandlers(table?: AddressTable, suffice: (events: Events) => boolean = () => true): Handlers {
  const map = createAddressMap(table);
  return {
    at(low, high) {
      const known = map.get(low, high);
      return known === ABSENT ? NO_HANDLER : known;
    },
    size: map.size,
    suffice,
    table: () => map.table(),
  };
}

/** Returns true for a branch whose instruction does not contain its target, so that an interrupt may hide where it went. */
export function isIndirect({ kind, flags }: Events, i: number): boolean {
  const bits = EVENT.indirect | EVENT.target;
  return (flags[i]! & bits) === bits && isKnownBranch(kind[i]!);
}

function isKnownBranch(kind: number): boolean {
  return kind === BRANCH.call || kind === BRANCH.return || kind === BRANCH.jump;
}

/** Makes the kind of each call, return or jump to a possible handler unknown, in place. */
export function doubtBranchesToHandlers(events: Events, handlers: Handlers): void {
  if (handlers.size === 0) return;
  setApart(events);
  const { targetLow, targetHigh } = events;
  for (let i = 0; i < events.count; i++)
    if (isIndirect(events, i) && handlers.at(targetLow[i]!, targetHigh[i]!) !== NO_HANDLER) doubt(events, i);
}

function doubt({ kind, flags }: Events, i: number): void {
  kind[i] = BRANCH.unknown;
  flags[i] = (flags[i]! & ~(EVENT.indirect | EVENT.ends)) | EVENT.strayed | EVENT.inferred;
}

/** How an event changes: not at all, to an unknown kind, to an interrupt between two instructions, or to a branch and an interrupt. */
const [UNCHANGED, DOUBTFUL, BETWEEN, HIDING] = [0, 1, 2, 3] as const;

/** Separates branches from the interrupts that hide their targets. Changes events in place as long as none becomes two. */
export function markInterruptHandlers(events: Events, handlers: Handlers, deferred: DeferredTargets): Events {
  if (handlers.size === 0) return events;
  setApart(events);
  let marked: Events | undefined;
  let from = 0;
  for (let i = 0; i < events.count; i++) {
    switch (changeOf(events, i, handlers, deferred)) {
      case DOUBTFUL:
        doubt(events, i);
        break;
      case BETWEEN:
        becomeInterrupt(events, i);
        break;
      case HIDING:
        marked ??= createEvents(events.count + 16);
        appendEvents(marked, events, from, i);
        appendBoth(marked, events, i);
        from = i + 1;
        break;
      default:
        break;
    }
  }
  if (marked === undefined) return events;
  appendEvents(marked, events, from, events.count);
  return marked;
}

function changeOf(events: Events, i: number, handlers: Handlers, deferred: DeferredTargets): number {
  const { kind, flags, targetLow, targetHigh } = events;
  const isUnknown = kind[i] === BRANCH.unknown && (flags[i]! & (EVENT.broken | EVENT.strayed)) !== 0;
  if (!isUnknown && !isIndirect(events, i)) return UNCHANGED;
  const there = handlers.at(targetLow[i]!, targetHigh[i]!);
  if (there === NO_HANDLER) return UNCHANGED;
  if (isUnknown) return there !== HANDLER ? UNCHANGED : (flags[i]! & EVENT.broken) !== 0 ? BETWEEN : HIDING;
  if (deferred.isBranch(events.cpu[i]!, events.record[i]!)) return UNCHANGED;
  return there === HANDLER ? HIDING : DOUBTFUL;
}

/** The event is an interrupt between two instructions. */
function becomeInterrupt(events: Events, i: number): void {
  events.kind[i] = BRANCH.interrupt;
  events.flags[i] = (events.flags[i]! & ~(EVENT.broken | EVENT.strayed)) | EVENT.inferred;
  events.sourceLow[i] = events.resumeLow[i]!;
  events.sourceHigh[i] = events.resumeHigh[i]!;
}

/** Appends a branch without its target and an interrupt without its source. */
function appendBoth(marked: Events, events: Events, i: number): void {
  appendEvents(marked, events, i, i + 1);
  appendEvents(marked, events, i, i + 1);
  const [branch, interrupt] = [marked.count - 2, marked.count - 1];
  const flags = marked.flags[branch]!;
  if (marked.kind[branch] === BRANCH.unknown)
    marked.kind[branch] = (flags & EVENT.resume) === 0 ? BRANCH.jump : BRANCH.call;
  marked.flags[branch] = flags & ~(EVENT.target | EVENT.indirect | EVENT.ends);
  marked.kind[interrupt] = BRANCH.interrupt;
  marked.flags[interrupt] = EVENT.target | EVENT.inferred;
  marked.instructions[interrupt] = 0;
}
