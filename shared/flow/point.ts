/** What the readers of instruction traces know of one executed instruction: a FlowPoint being filled in, and its marks. */
import { NO_BRANCH, type FlowPoint } from './events.ts';

/** Bits of a point's `mark`. From MODE_SHIFT on: the processor's mode after MODES, 0 where it is not told. */
export const POINT = {
  /** The branch goes to a fixed address, which the target columns hold. */
  direct: 1,
  /** Its condition failed. */
  skipped: 2,
  /** It leaves the address behind the next instruction in the link register: `MOV lr, pc`. */
  link: 4,
  /** The instruction behind the branch runs before it takes effect. */
  delay: 8,
  /** First half of a Thumb BL: the target columns hold what it leaves in the link register. */
  firstHalf: 16,
  /** Second half: the target columns hold what it adds to that. */
  secondHalf: 32,
  /** The second half changes to ARM state. */
  toArm: 64,
  /** The processor has the exception vectors of ARM. */
  vectors: 128,
  /** It accesses memory. */
  memory: 256,
  /** Records behind the instruction, or before the first one, told of an exception; of an interrupt. */
  exception: 512,
  interrupt: 1024,
  /** What ran right before it is not in the trace. */
  anew: 2048,
  /** It takes registers from the stack: those whose bits the target columns hold. */
  pops: 4096,
  /** The branch goes where a register says: the one whose bit the target columns hold. */
  byRegister: 8192,
  /** It branches whatever the flags are. */
  always: 16384,
  /**
   * A branch of a processor that may have its handlers of interrupts anywhere. Where it is not direct the target columns hold 1 if it
   * ends an exception or interrupt, else 0.
   */
  anywhere: 32768,
  /** It calls the supervisor of an ARM processor: SVC, once SWI. */
  supervisor: 65536,
  /** Its mode is the one that the processor was in: some traces have the same word on every line. */
  moded: 131072,
  /** CBZ and CBNZ of Thumb code, and branches of AArch64 with a condition: one may not be taken though its line says that it was executed. */
  conditional: 262144,
} as const;

/** A record tells of an exception or interrupt. */
export const NOTED = POINT.exception | POINT.interrupt;

export const MODE_SHIFT = 19;
/** Modes of ARM processors that tell of exceptions, by the first three letters that traces print; a position + 1 is the code. */
export const MODES = ['usr', 'fiq', 'irq', 'svc', 'mon', 'abt', 'und', 'hyp', 'sys'] as const;
export const FIQ_MODE = 2;
export const IRQ_MODE = 3;
export const SUPERVISOR_MODE = 4;
export const MONITOR_MODE = 5;
export const ABORT_MODE = 6;
export const UNDEFINED_MODE = 7;
export const HYPERVISOR_MODE = 8;

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
  };
}

/** Whether `next` lies right behind `point`. */
export function follows(point: FlowPoint, next: FlowPoint): boolean {
  const low = (point.addressLow + point.size) >>> 0;
  const high = low < point.addressLow ? (point.addressHigh + 1) >>> 0 : point.addressHigh;
  return low === next.addressLow && high === next.addressHigh;
}
