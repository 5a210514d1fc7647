/** Which fault ends where a return goes about there? A handler may go on with the instruction that caused it, or behind that. */
import { FRAME, innermostInterrupt, type Frames } from '../stack/frames.ts';
import { ENTERED } from '../functions/functions.ts';

const FAULT_REACH = 16;

const EXCEPTION = ENTERED.indexOf('exception');
const INTERRUPT = ENTERED.indexOf('interrupt');

/** The innermost frame of an exception, of a stack that has some or interrupts; -1 where none goes on there. `any`: it may have been taken for an interrupt. */
export function faultNear(frames: Frames, low: number, high: number, any: boolean): number {
  const { columns } = frames;
  const frame = innermostInterrupt(frames);
  const isFault = columns.entered[frame] === EXCEPTION || (any && columns.entered[frame] === INTERRUPT);
  if (!isFault || (columns.known[frame]! & FRAME.resume) === 0) return -1;
  const distance = (low - columns.resumeLow[frame]!) | 0;
  return columns.resumeHigh[frame] === high && distance >= -FAULT_REACH && distance <= FAULT_REACH ? frame : -1;
}
