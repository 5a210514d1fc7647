/** What the whole trace tells of its events that they do not tell themselves, put into them in place. */
import type { Events } from '../../../shared/flow.ts';
import { classify } from './classify.ts';
import type { InferredKinds } from './infer-calls.ts';
import type { Settled } from './settled.ts';

export interface Hindsight {
  /** Kinds that were inferred from where branches go; undefined where the trace or an image tells them. */
  readonly inferred: InferredKinds | undefined;
  /** Where branches went that interrupts hid. */
  readonly settled: Settled;
}

export function applyHindsight(events: Events, { inferred, settled }: Hindsight): void {
  if (inferred !== undefined) classify(events, inferred);
  settled.fill(events);
}
