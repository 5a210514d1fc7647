/** The way of a core through a stretch of a trace buffer: what is asked, and what has been found so far. */
import type { BranchKind } from '../../../../shared/flow.ts';
import type { Code } from './code.ts';
import type { Entry } from './entries.ts';

export interface Stretch {
  readonly entries: readonly Entry[];
  /** By entry: whether it is what it seems; undefined where all are. */
  readonly sound: readonly boolean[] | undefined;
  /** Undefined without an image. */
  readonly code: Code | undefined;
  /** The entries first..last are followed; after the last one the place is known anew, or the buffer ends. */
  readonly first: number;
  readonly last: number;
  readonly pc: number;
  readonly thumb: boolean;
  /** Whether somebody wants the addresses, and whether the other instruction set is possible too. */
  readonly listed: boolean;
  readonly doubted: boolean;
  /** What ran last before exceptions so far: where one comes back, what lies before goes on. */
  readonly interrupted: ReadonlySet<number>;
}

/** What was found on the way. */
export interface Way {
  readonly thumb: boolean;
  /** False where the image and the buffer disagree: then nothing of the rest is true for sure. */
  fits: boolean;
  /** Those of all instructions, where they are wanted. */
  readonly addresses: number[];
  /** That of the newest one; -1 before any. */
  last: number;
  /** By entry, from the first one on, as far as it was followed: how many addresses are known once it is done. */
  readonly ends: number[];
  readonly branches: Branch[];
  /** Why the way was lost before the last entry; undefined where it was not. */
  lost: Loss | undefined;
  /** The instruction sets that the core can be in behind the last entry. */
  states: number;
  /** Where calls come back to. */
  readonly returns: number[];
  /** Instructions that made messages which the image has and which can make such messages; undefined where nobody doubts. */
  readonly checked: Set<number> | undefined;
}

/** The instruction at an address ran. */
export function ran(way: Way, { listed }: Stretch, address: number): void {
  way.last = address;
  if (listed) way.addresses.push(address);
}

export interface Branch {
  readonly entry: number;
  readonly source?: number;
  readonly target?: number;
  readonly kind: BranchKind;
  /** Where it goes on when this is undone: behind a call or the instruction that was an exception, at what an interrupt kept from running. */
  readonly resume?: number;
}

export type Loss = 'no image' | 'outside' | 'call' | 'damage';

export const ARM = 1;
export const THUMB = 2;
export const EITHER = ARM | THUMB;

/** Instead of an address: the image and the buffer disagree. */
export const MISFIT = -3;
/** Nothing is known of the entry's instructions; `way.lost` says why. */
export const UNSEEN = -2;
/** Where it went on is not known from the way here; `way.lost` says why, unless it is known otherwise. */
export const ELSEWHERE = -1;

export function lose(way: Way, loss: Loss): typeof UNSEEN {
  way.lost = loss;
  return UNSEEN;
}
