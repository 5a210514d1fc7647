/** What a shadow stack is between two branches: another one that is made of it goes on where it was. */
import type { Frames } from './frames.ts';

export interface StackState {
  /** The open calls. */
  readonly frames: Frames;
  /** Stacks that were left aside, the latest one last. */
  readonly aside: readonly Frames[];
  readonly last: LastTarget;
}

/** Where the event before went to, with its record: -1 where that is not known, or ENTERED_UNSEEN. */
export interface LastTarget {
  readonly low: number;
  readonly high: number;
  readonly record: number;
  /** It ended an interrupt, and this is what ran right before that: FRAME.link, FRAME.pops, or another bit; 0 where it did not. */
  readonly before: number;
}

/** Where it went is not known, but that it opened the innermost frame: that is where the next event comes from. */
export const ENTERED_UNSEEN = -2;

export const NO_TARGET: LastTarget = { low: 0, high: 0, record: -1, before: 0 };
