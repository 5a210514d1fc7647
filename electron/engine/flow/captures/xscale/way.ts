/**
 * The way of a core through a stretch of a trace buffer: what is asked, and what has been found so far. Both are written anew again
 * and again: whoever wants to keep something copies it.
 */
import type { Code } from './code.ts';
import type { Entry } from './entries.ts';
import { STEP, type KnownSteps } from './known-steps.ts';

export interface Stretch {
  entries: readonly Entry[];
  /** By entry: whether it is what it seems; undefined where all are. */
  sound: readonly boolean[] | undefined;
  /** Undefined without an image. */
  code: Code | undefined;
  steps: KnownSteps;
  /** The entries first..last are followed; after the last one the place is known anew, or the buffer ends. */
  first: number;
  last: number;
  pc: number;
  /** What ran last before exceptions so far: where one comes back, what lies before goes on. */
  readonly interrupted: Set<number>;
}

/** What was found on the way. */
export interface Way {
  readonly thumb: boolean;
  /** For which question it was found, and whether what ran before the stretch mattered. */
  asked: number;
  recalled: boolean;
  /** False where the image and the buffer disagree: then nothing of the rest is true for sure. */
  fits: boolean;
  /** It does not, for where a checkpoint register says that the last branch led. */
  contradicts: boolean;
  /** The address of the newest instruction; -1 before any. */
  last: number;
  /** Entries that were followed, and the first of them. */
  followed: number;
  first: number;
  /** All ways through a buffer in one instruction set share it. */
  readonly trail: Trail;
  /** Of the entry that is being followed. */
  readonly found: Found;
  /** So many different instructions made messages of branches; NOWHERE until somebody counts them. */
  places: number;
  /** What ran on it is noted where code was seen to run. */
  noted: boolean;
  /** Where the core is behind the last entry; NOWHERE where the way does not go that far. */
  next: number;
  /** Why the way was lost before the last entry; undefined where it was not. */
  lost: Loss | undefined;
  /** The instruction sets that the core can be in behind the last entry. */
  states: number;
}

/** The steps of entries that were followed, as KnownSteps has them; -1 for others. */
export interface Trail {
  steps: Int32Array;
}

/** What an entry tells that is being followed; addresses are -1 where they are not known. */
export interface Found {
  /** Position in BRANCH_KINDS; NO_KIND where nothing is known beyond what the entry says. */
  kind: number;
  source: number;
  target: number;
  /** Where it goes on when this is undone: behind a call or the instruction that was an exception, at what an interrupt kept from running. */
  resume: number;
  /** Instructions, the one that made the entry among them. */
  ran: number;
}

export const NO_KIND = 255;
export const NOWHERE = -1;

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

export function createTrail(): Trail {
  return { steps: new Int32Array(256).fill(-1) };
}

/** Makes room for so many entries; nothing is kept where there was less. */
export function reserveSteps(trail: Trail, entries: number): void {
  if (trail.steps.length < entries) trail.steps = new Int32Array(2 * entries).fill(-1);
}

export function createWay(thumb: boolean, trail: Trail): Way {
  return {
    thumb,
    asked: -1,
    recalled: false,
    fits: true,
    contradicts: false,
    last: NOWHERE,
    followed: 0,
    first: 0,
    trail,
    found: { kind: NO_KIND, source: NOWHERE, target: NOWHERE, resume: NOWHERE, ran: 0 },
    places: NOWHERE,
    noted: false,
    next: NOWHERE,
    lost: undefined,
    states: EITHER,
  };
}

/** Bit 0 of a target tells Thumb code, and no place. */
export function even(target: number): number {
  return (target & ~1) >>> 0;
}

/** The instruction at an address made the entry, and ran. */
export function ran(way: Way, address: number): void {
  way.last = address;
  way.found.ran++;
}

/** Those that ran, oldest first. */
export function addressesOf({ trail, first, followed, thumb }: Way, { rows }: KnownSteps): readonly number[] {
  const size = thumb ? 2 : 4;
  const addresses: number[] = [];
  for (let k = first; k < first + followed; k++) {
    const at = trail.steps[k]!;
    for (let i = 0; i < ranIn(rows, at); i++) addresses.push((rows[at + STEP.pc]! + i * size) >>> 0);
  }
  return addresses;
}

export function ranIn(rows: Float64Array, step: number): number {
  return rows[step + STEP.ran]! & 255;
}

export function putBranch({ found }: Way, kind: number, source: number, target: number, resume: number): void {
  found.kind = kind;
  found.source = source;
  found.target = target;
  found.resume = resume;
}

export function lose(way: Way, loss: Loss): typeof UNSEEN {
  way.lost = loss;
  return UNSEEN;
}
