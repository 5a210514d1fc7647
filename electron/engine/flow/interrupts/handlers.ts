/** Where interrupts lead on processors that may have their handlers anywhere, and which branches therefore are not what they seem. */
import { BRANCH, EVENT, setApart, type Events } from '../../../../shared/flow/events.ts';
import { ABSENT, createAddressMap, type AddressTable } from '../../collections/address-map.ts';

export interface Handlers {
  /** NO_HANDLER; MAYBE_HANDLER where something led there otherwise than by a branch; HANDLER where what did was returned from. */
  at(low: number, high: number): number;
  readonly size: number;
  /** False where they would have to be known for these events, and are not. */
  serve(events: Events): boolean;
  /** All of them as a plain value. */
  table(): AddressTable;
}

export const NO_HANDLER = 0;
export const MAYBE_HANDLER = 1;
export const HANDLER = 2;

/** `serve`: where it is not known where they are. */
export function createHandlers(table?: AddressTable, serve: (events: Events) => boolean = () => true): Handlers {
  const map = createAddressMap(table);
  return {
    at(low, high) {
      const known = map.get(low, high);
      return known === ABSENT ? NO_HANDLER : known;
    },
    size: map.size,
    serve,
    table: () => map.table(),
  };
}

/** A branch that does not say where it goes, so that what it seems to have gone to may have interrupted it. */
export function isIndirect({ kind, flags }: Events, i: number): boolean {
  const bits = EVENT.indirect | EVENT.target;
  return (flags[i]! & bits) === bits && isKnownBranch(kind[i]!);
}

/** Calls, returns and jumps that lead to what may be a handler are unknown branches, in place. */
export function doubtHandlers(events: Events, handlers: Handlers): void {
  if (handlers.size === 0) return;
  setApart(events);
  const { targetLow, targetHigh } = events;
  for (let i = 0; i < events.count; i++)
    if (isIndirect(events, i) && handlers.at(targetLow[i]!, targetHigh[i]!) !== NO_HANDLER) doubt(events, i);
}

export function doubt({ kind, flags }: Events, i: number): void {
  kind[i] = BRANCH.unknown;
  flags[i] = (flags[i]! & ~(EVENT.indirect | EVENT.ends)) | EVENT.strayed | EVENT.inferred;
}

function isKnownBranch(kind: number): boolean {
  return kind === BRANCH.call || kind === BRANCH.return || kind === BRANCH.jump;
}
