/** An executed instruction while it is classified: a writable FlowPoint, and the bits of its `mark`. */
import { BRANCH, NO_BRANCH, type FlowPoint } from './events.ts';

/** Bits of a point's `mark`. Bits from MODE_SHIFT up: position in MODES plus 1, 0 if the mode is not known. */
export const POINT = {
  /** The branch goes to a fixed address, which the target columns hold. */
  direct: 1,
  /** Its condition failed. */
  skipped: 2,
  /** It puts the address after the next instruction into the link register: `MOV lr, pc`. */
  link: 4,
  /** The branch has a delay slot. */
  delay: 8,
  /** First half of a Thumb BL: the target columns hold the value that it puts into the link register. */
  firstHalf: 16,
  /** Second half: the target columns hold the offset that it adds to that. */
  secondHalf: 32,
  /** The second half changes to ARM state. */
  toArm: 64,
  /** The processor has the exception vectors of ARM. */
  vectors: 128,
  /** It accesses memory. */
  memory: 256,
  /** A record after the instruction, or before the first one, reported an exception; an interrupt. */
  exception: 512,
  interrupt: 1024,
  /** The instruction before it is not in the trace. */
  afterGap: 2048,
  /** It pops registers: the target columns hold their bits. */
  pops: 4096,
  /** The target comes from a register: the target columns hold its bit. */
  byRegister: 8192,
  /** The branch is unconditional. */
  always: 16384,
  /**
   * A branch of a processor that may have interrupt handlers anywhere. Unless it is direct, the target columns hold 1 if it ends an
   * exception or interrupt, otherwise 0.
   */
  anywhere: 32768,
  /** It calls the supervisor of an ARM processor: SVC, formerly SWI. */
  supervisor: 65536,
  /** The mode is reliable: some traces have the same mode on every line. */
  moded: 131072,
  /** CBZ, CBNZ and loop instructions of Thumb and conditional branches of AArch64: executed does not mean taken. */
  conditional: 262144,
  /** A record after the instruction, or before the first one, reported the end of an exception or interrupt. */
  ended: 524288,
  /** Instruction numbers are missing before the second instruction of a run. */
  skips: 1048576,
  /** It writes the link register and is no call. `knownLink`: the target columns hold the value. Loads from the stack do not count. */
  setsLink: 2097152,
  knownLink: 4194304,
  /** It computes an address from the link register, as code that jumps through a table does. */
  usesLink: 8388608,
} as const;

/** A record reported an exception or interrupt, or the end of one. */
export const NOTED = POINT.exception | POINT.interrupt | POINT.ended;
/** A record reported an exception or interrupt. */
export const INTERRUPTED = POINT.exception | POINT.interrupt;

export const MODE_SHIFT = 24;
/** Modes of ARM processors, by the first three letters that traces print. The code is the position plus 1. */
export const MODES = ['usr', 'fiq', 'irq', 'svc', 'mon', 'abt', 'und', 'hyp', 'sys'] as const;
export const FIQ_MODE = 2;
export const IRQ_MODE = 3;
export const SUPERVISOR_MODE = 4;
export const MONITOR_MODE = 5;
export const ABORT_MODE = 6;
export const UNDEFINED_MODE = 7;
export const HYPERVISOR_MODE = 8;

/** Lowest value whose move to the PC ends an exception on M-profile cores (Armv8-M Architecture Reference Manual, EXC_RETURN). */
export const EXCEPTION_RETURN = 0xffffff00;

/** A FlowPoint whose columns can be written. */
export type Point = { -readonly [K in keyof FlowPoint]: FlowPoint[K] };

export function createPoint(): Point {
  return {
    record: -1,
    addressLow: 0,
    addressHigh: 0,
    size: 0,
    branch: NO_BRANCH,
    mark: 0,
    targetLow: 0,
    targetHigh: 0,
    notices: undefined,
    link: undefined,
  };
}

/** Returns true if `next` directly follows `point` in a straight run, and `point` is no call, which sets the link register. */
export function keepsLink(point: FlowPoint, next: FlowPoint): boolean {
  return point.branch !== BRANCH.call && follows(point, next);
}

/** Returns true if `next` is at the fall-through address of `point`. */
export function follows(point: FlowPoint, next: FlowPoint): boolean {
  const low = (point.addressLow + point.size) >>> 0;
  const high = low < point.addressLow ? (point.addressHigh + 1) >>> 0 : point.addressHigh;
  return low === next.addressLow && high === next.addressHigh;
}
