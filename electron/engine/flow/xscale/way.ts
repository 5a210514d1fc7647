/**
 * The way of a core through a stretch of a trace buffer: what is asked, and what has been found so far. Both are written anew again
 * and again: whoever wants to keep something copies it.
 */
import type { Code } from './code.ts';
import type { Entry } from './entries.ts';

export interface Stretch {
  entries: readonly Entry[];
  /** By entry: whether it is what it seems; undefined where all are. */
  sound: readonly boolean[] | undefined;
  /** Undefined without an image. */
  code: Code | undefined;
  /** The entries first..last are followed; after the last one the place is known anew, or the buffer ends. */
  first: number;
  last: number;
  pc: number;
  /** Whether somebody wants the addresses. */
  listed: boolean;
  /** What ran last before exceptions so far: where one comes back, what lies before goes on. */
  readonly interrupted: Set<number>;
}

/** What was found on the way. */
export interface Way {
  readonly thumb: boolean;
  /** For which question it was found, whether with the addresses, and whether what ran before the stretch mattered. */
  asked: number;
  listed: boolean;
  recalled: boolean;
  /** False where the image and the buffer disagree: then nothing of the rest is true for sure. */
  fits: boolean;
  /** Those of all instructions, where they are wanted. */
  readonly addresses: number[];
  /** That of the newest one; -1 before any. */
  last: number;
  /** Entries that were followed, from the first one on; by entry how many addresses are known once it is done. */
  followed: number;
  readonly ends: number[];
  /** All ways through a buffer in one instruction set share them. */
  readonly branches: Branches;
  /** Where the core is behind the last entry; NOWHERE where the way does not go that far. */
  next: number;
  /** Why the way was lost before the last entry; undefined where it was not. */
  lost: Loss | undefined;
  /** The instruction sets that the core can be in behind the last entry. */
  states: number;
  /** Where calls come back to. */
  readonly returns: number[];
}

/** By entry; addresses are -1 where they are not known. */
export interface Branches {
  /** Position in BRANCH_KINDS; NO_KIND where nothing is known beyond what the entry says. */
  kind: Uint8Array;
  source: Float64Array;
  target: Float64Array;
  /** Where it goes on when this is undone: behind a call or the instruction that was an exception, at what an interrupt kept from running. */
  resume: Float64Array;
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

export function createBranches(entries = 256): Branches {
  return {
    kind: new Uint8Array(entries).fill(NO_KIND),
    source: new Float64Array(entries),
    target: new Float64Array(entries),
    resume: new Float64Array(entries),
  };
}

/** Makes room for so many entries; nothing is kept where there was less. */
export function reserveBranches(branches: Branches, entries: number): void {
  if (branches.kind.length < entries) Object.assign(branches, createBranches(2 * entries));
}

export function createWay(thumb: boolean, branches: Branches): Way {
  return {
    thumb,
    asked: -1,
    listed: false,
    recalled: false,
    fits: true,
    addresses: [],
    last: NOWHERE,
    followed: 0,
    ends: [],
    branches,
    next: NOWHERE,
    lost: undefined,
    states: EITHER,
    returns: [],
  };
}

/** The instruction at an address ran. */
export function ran(way: Way, { listed }: Stretch, address: number): void {
  way.last = address;
  if (listed) way.addresses.push(address);
}

export function putBranch(
  { branches }: Way,
  entry: number,
  kind: number,
  source: number,
  target: number,
  resume: number,
): void {
  branches.kind[entry] = kind;
  branches.source[entry] = source;
  branches.target[entry] = target;
  branches.resume[entry] = resume;
}

export function lose(way: Way, loss: Loss): typeof UNSEEN {
  way.lost = loss;
  return UNSEEN;
}
