/** Data of following one stretch of a trace buffer: the input (`Stretch`) and the path found so far (`Path`). Both objects are reused. */
import type { Code } from './code.ts';
import type { Entry } from './entries.ts';
import { STEP, type KnownSteps } from './known-steps.ts';

export interface Stretch {
  entries: readonly Entry[];
  /** By entry: whether it can be trusted; undefined if all can. */
  sound: readonly boolean[] | undefined;
  /** Both halves of a Thumb BL or BLX count as one instruction. */
  wholeCalls: boolean;
  /** Undefined without an image. */
  code: Code | undefined;
  steps: KnownSteps;
  /** The entries first..last are followed. The last one is the next anchor or the end of the buffer. */
  first: number;
  last: number;
  pc: number;
  /** Addresses that ran last before exceptions: after a return from a handler, execution continues after one of them. */
  readonly interrupted: Set<number>;
}

/** Path of a core through a stretch in one instruction set. */
export interface Path {
  readonly thumb: boolean;
  /** Pass in which it was followed, and whether instructions before the stretch mattered. */
  pass: number;
  recalled: boolean;
  /** False if the image contradicts the buffer: then nothing on the path is certain. */
  fits: boolean;
  /** Only the target from a checkpoint register contradicts the image. */
  contradicts: boolean;
  /** Address of the latest instruction; NOWHERE before the first. */
  last: number;
  /** Number of entries that were followed, and the first of them. */
  followed: number;
  first: number;
  /** Address at which the first entry that was not followed begins. */
  stopped: number;
  /** Shared by all paths through a buffer in one instruction set. */
  readonly trail: Trail;
  /** Result for the entry that is being followed. */
  readonly found: Found;
  /** Number of distinct branch instructions; NOWHERE until it is counted. */
  places: number;
  /** Its instructions are in the table of seen code. */
  noted: boolean;
  /** Address after the last entry; NOWHERE if the path does not reach it. */
  next: number;
  /** Reason why the path was lost before the last entry; undefined if it was not. */
  lost: Loss | undefined;
  /** Instruction sets that the core can be in after the last entry. */
  states: number;
}

/** By entry: its step number in KnownSteps, -1 if it was not followed. */
export interface Trail {
  steps: Int32Array;
}

/** Branch of one entry. Addresses are NOWHERE if not known. */
export interface Found {
  /** Position in BRANCH_KINDS; NO_KIND if nothing is known beyond the entry. */
  kind: number;
  source: number;
  target: number;
  /** Address at which execution resumes: after a call or a faulting instruction, at the instruction that an interrupt preceded. */
  resume: number;
  /** Number of instructions, including the one that made the entry. */
  ran: number;
}

export const NO_KIND = 255;
/** Sentinel of an unknown address. */
export const NOWHERE = -1;

export type Loss = 'no image' | 'outside' | 'call' | 'damage';

export const ARM = 1;
export const THUMB = 2;
export const EITHER = ARM | THUMB;

/** Sentinel instead of a next address: the image contradicts the buffer. */
export const MISFIT = -3;
/** Sentinel: the entry's instructions are not known; `path.lost` is the reason. */
export const UNSEEN = -2;
/** Sentinel: the path does not determine the next address; `path.lost` is the reason, unless the next entry is an anchor. */
export const ELSEWHERE = -1;

export function createTrail(): Trail {
  return { steps: new Int32Array(256).fill(-1) };
}

/** Makes room for this number of entries. Growing discards the content. */
export function reserveSteps(trail: Trail, entries: number): void {
  if (trail.steps.length < entries) trail.steps = new Int32Array(2 * entries).fill(-1);
}

export function createPath(thumb: boolean, trail: Trail): Path {
  return {
    thumb,
    pass: -1,
    recalled: false,
    fits: true,
    contradicts: false,
    last: NOWHERE,
    followed: 0,
    first: 0,
    stopped: NOWHERE,
    trail,
    found: { kind: NO_KIND, source: NOWHERE, target: NOWHERE, resume: NOWHERE, ran: 0 },
    places: NOWHERE,
    noted: false,
    next: NOWHERE,
    lost: undefined,
    states: EITHER,
  };
}

/** Returns the address of a target, whose bit 0 marks Thumb code. */
export function even(target: number): number {
  return (target & ~1) >>> 0;
}

/** Records that the instruction at `address` made the entry and ran. */
export function ran(path: Path, address: number): void {
  path.last = address;
  path.found.ran++;
}

/** Returns the addresses of the executed instructions, oldest first. */
export function addressesOf({ trail, first, followed, thumb }: Path, { rows }: KnownSteps): readonly number[] {
  const size = thumb ? 2 : 4;
  const addresses: number[] = [];
  for (let k = first; k < first + followed; k++) {
    const at = trail.steps[k]!;
    for (let i = 0; i < ranIn(rows, at); i++) addresses.push((rows[at + STEP.pc]! + i * size) >>> 0);
  }
  return addresses;
}

/** Returns the number of instructions that ran in a step. */
export function ranIn(rows: Float64Array, step: number): number {
  return rows[step + STEP.ran]! & 255;
}

export function putBranch({ found }: Path, kind: number, source: number, target: number, resume: number): void {
  found.kind = kind;
  found.source = source;
  found.target = target;
  found.resume = resume;
}

export function lose(path: Path, loss: Loss): typeof UNSEEN {
  path.lost = loss;
  return UNSEEN;
}
