/** What the whole trace tells of its events that they do not tell themselves, put into them. */
import type { Events } from '../../../../shared/flow/events.ts';
import { classify } from '../infer/apply-inferred-kinds.ts';
import type { Handlers } from './handlers.ts';
import type { InferredKinds } from '../infer/infer-calls.ts';
import type { Settled } from './deferred-targets.ts';
import { tellHandlers } from './mark-interrupt-handlers.ts';

export interface Hindsight {
  /** Kinds that were inferred from where branches go; undefined where the trace or an image tells them. */
  readonly inferred: InferredKinds | undefined;
  /** Where branches went that interrupts hid. */
  readonly settled: Settled;
  /** Of interrupts, where processors may have them anywhere. */
  readonly handlers: Handlers;
}

/** The same of events that are alike, which stay so: of what has a number once. False, and nothing happened, where that cannot be. */
export function applyToAlike({ alike }: Events, { inferred, settled, handlers }: Hindsight): boolean {
  if (alike === undefined || !settled.isEmpty() || handlers.size > 0) return false;
  if (inferred !== undefined) classify(alike.each, inferred);
  return true;
}

/** In place, unless a branch is told to be two. */
export function applyHindsight(events: Events, { inferred, settled, handlers }: Hindsight): Events {
  if (inferred !== undefined) classify(events, inferred);
  const told = tellHandlers(events, handlers, settled);
  settled.fill(told);
  return told;
}
