/**
 * Second pass over branch events: fills in the facts that only the whole trace can establish, namely inferred kinds, targets that
 * interrupts hid, and handlers.
 */
import type { Events } from '../../../../shared/flow/events.ts';
import { applyInferredKinds, type InferredKinds } from '../infer/infer-kinds.ts';
import type { DeferredTargets } from './deferred-targets.ts';
import { markInterruptHandlers, type Handlers } from './handlers.ts';

/** Facts about branch events that only the whole trace can establish. */
export interface WholeTraceFacts {
  /** Inferred kinds; undefined if the trace or an image shows the kinds. */
  readonly inferred: InferredKinds | undefined;
  readonly deferred: DeferredTargets;
  readonly handlers: Handlers;
}

/**
 * Fills in the facts in events that share their columns, which stay shared: once for each distinct event. Returns false, and
 * changes nothing, if that is not possible.
 */
export function resolveAlike({ alike }: Events, { inferred, deferred, handlers }: WholeTraceFacts): boolean {
  if (alike === undefined || !deferred.isEmpty() || handlers.size > 0) return false;
  if (inferred !== undefined) applyInferredKinds(alike.each, inferred);
  return true;
}

/** Fills in the facts: in place, unless a branch and an interrupt that hides its target have to be separated. */
export function resolveDeferredTargets(events: Events, { inferred, deferred, handlers }: WholeTraceFacts): Events {
  if (inferred !== undefined) applyInferredKinds(events, inferred);
  const marked = markInterruptHandlers(events, handlers, deferred);
  deferred.fill(marked);
  return marked;
}
