/**
 * One stack of open frames, outermost first: a row of typed columns for each frame, and counts that answer frequent questions
 * without a search. Functions here look at one stack and know nothing of branches or time; shadow-stack.ts decides what they do.
 */
import { ENTRY, UNKNOWN } from '../functions/functions.ts';
import { createContexts, type Contexts } from '../tally/contexts.ts';

export interface Frames {
  count: number;
  columns: FrameColumns;
  /** Number of frames by hash of their resume address: 0 if no frame resumes at an address of this hash. */
  resuming: Int32Array;
  /** Number of frames by function. */
  open: Int32Array;
  /** The record with which the stack began. It identifies the stack among those of its CPU. */
  begun: number;
  /** Number of frames that were entered by interrupts or exceptions. */
  interrupts: number;
  /** Number of frames for which isUncertain holds. */
  uncertain: number;
  /** Depth of frame 0. The function in which the stack began has depth 0; its callers, once returns show them, -1, -2 and so on. */
  base: number;
  /** Lowest and highest depth that the stack has reached; the highest depth if interrupts and exceptions do not count. */
  lowest: number;
  highest: number;
  highestCalls: number;
  /** Number of instructions or branches that ran while the stack was in use. */
  ran: number;
  /** The stack's calling-context tree, and the node above that of frame 0: it has no function. */
  contexts: Contexts;
  top: number;
}

/** Bits of the `known` column. */
export const FRAME = {
  /** The resume columns are valid: they hold the address at which the frame below resumes. */
  resume: 1,
  /** The site columns are valid: they hold the address of the call instruction. */
  site: 2,
  /** The frame, or its function, was inferred. */
  inferred: 4,
  /**
   * An interrupt or exception that directly followed a return whose target the trace does not show. The handler returns to that
   * target; until then the frames below may be closed already. The resume columns hold the resume address of the frame that
   * the hidden return presumably closed.
   */
  afterReturn: 8,
  /**
   * The frames below may be closed already. An interrupt or exception has this bit if it directly followed a branch other than a
   * return whose target the trace does not show; the handler returns to that target.
   */
  belowUncertain: 16,
  /** Of interrupts and exceptions: the meaning of EVENT.link and EVENT.pops. */
  link: 32,
  pops: 64,
  /** The frame may have been entered by a jump: the frame directly below may be closed already. */
  maybeJumped: 128,
} as const;

/** All frames below one with any of these bits may be closed already. */
export const BELOW_UNCERTAIN = FRAME.afterReturn | FRAME.belowUncertain;

/** One row for each frame. */
export interface FrameColumns {
  fn: Int32Array;
  known: Uint8Array;
  /** A code of ENTRY. */
  entered: Uint8Array;
  /** The record at which the function was entered; -1 if that was before the trace. */
  since: Float64Array;
  /**
   * The record at which the frame was opened: before `since` if a tail call replaced the function. For an outermost frame: the record
   * since which its function is known, if the trace or a part of it began without that; else -1.
   */
  called: Float64Array;
  resumeLow: Uint32Array;
  resumeHigh: Uint32Array;
  /** For an interrupt that hides a branch target: the address of that branch, without FRAME.site. */
  siteLow: Uint32Array;
  siteHigh: Uint32Array;
  /** Node of the frame in the calling-context tree. */
  context: Int32Array;
  /** Row of the frame in the frame store; -1 if the frame is not stored, or has changed since. */
  stored: Int32Array;
}

/** Initial capacity in frames. */
const START = 16;
/** A stack that would become deeper loses its outer half. */
export const MOST_FRAMES = 65_536;

export function createFrames(begun = -1, contexts: Contexts = createContexts()): Frames {
  return {
    count: 0,
    columns: createColumns(START),
    resuming: new Int32Array(4 * START),
    open: new Int32Array(64),
    begun,
    interrupts: 0,
    uncertain: 0,
    base: 0,
    lowest: 0,
    highest: 0,
    highestCalls: 0,
    ran: 0,
    contexts,
    top: -1,
  };
}

/** Turns an ended stack into an empty one and reuses its memory. The caller has joined and cleared its contexts. */
export function reuseFrames(frames: Frames, begun: number): void {
  for (let frame = frames.count - 1; frame >= 0; frame--) uncountFrame(frames, frame);
  frames.count = 0;
  frames.begun = begun;
  frames.base = 0;
  frames.lowest = 0;
  frames.highest = 0;
  frames.highestCalls = 0;
  frames.ran = 0;
  frames.top = -1;
}

/** Appends a frame and returns its number. The caller writes every column of it and then calls countFrame. */
export function reserveFrame(frames: Frames): number {
  if (frames.count === frames.columns.fn.length) growColumns(frames);
  return frames.count++;
}

/** Adds a frame to the counts of its stack, once its columns are written. */
export function countFrame(frames: Frames, frame: number): void {
  const { columns } = frames;
  openFunction(frames, columns.fn[frame]!);
  if ((columns.known[frame]! & FRAME.resume) !== 0) {
    frames.resuming[hashOf(frames, columns.resumeLow[frame]!, columns.resumeHigh[frame]!)]!++;
  }
  if (isInterrupt(columns.entered[frame]!)) frames.interrupts++;
  if (isUncertain(columns.known[frame]!)) frames.uncertain++;
  const depth = frames.base + frame;
  if (depth > frames.highest) frames.highest = depth;
  const calls = depth - frames.interrupts;
  if (calls > frames.highestCalls) frames.highestCalls = calls;
}

/** Removes a frame from the counts of its stack. */
export function uncountFrame(frames: Frames, frame: number): void {
  const { columns } = frames;
  frames.open[columns.fn[frame]!]!--;
  if ((columns.known[frame]! & FRAME.resume) !== 0) {
    frames.resuming[hashOf(frames, columns.resumeLow[frame]!, columns.resumeHigh[frame]!)]!--;
  }
  if (isInterrupt(columns.entered[frame]!)) frames.interrupts--;
  if (isUncertain(columns.known[frame]!)) frames.uncertain--;
}

/** Sets bits of FRAME for an open frame. */
export function markFrame(frames: Frames, frame: number, bits: number): void {
  const { columns } = frames;
  const known = columns.known[frame]!;
  columns.known[frame] = known | bits;
  columns.stored[frame] = -1;
  if (!isUncertain(known) && isUncertain(known | bits)) frames.uncertain++;
}

export function markInferred(frames: Frames, frame: number): void {
  markFrame(frames, frame, FRAME.inferred);
}

/**
 * Returns the bit that marks the frames below as possibly closed. An interrupt cannot have FRAME.belowUncertain for that: there it
 * would mean that the interrupt hides a branch target.
 */
export function belowUncertainBit({ columns }: Frames, frame: number): number {
  return isInterrupt(columns.entered[frame]!) ? FRAME.maybeJumped : FRAME.belowUncertain;
}

/** Returns true if it is not certain that the frame is open, what its function is, or what is below it. `known`: its bits of FRAME. */
export function isUncertain(known: number): boolean {
  return (known & (FRAME.inferred | BELOW_UNCERTAIN | FRAME.maybeJumped)) !== 0;
}

export function openFunction(frames: Frames, fn: number): void {
  if (fn >= frames.open.length) {
    const larger = new Int32Array(Math.max(frames.open.length * 2, fn + 1));
    larger.set(frames.open);
    frames.open = larger;
  }
  frames.open[fn]!++;
}

export function isOpen(frames: Frames, fn: number): boolean {
  return fn < frames.open.length && frames.open[fn]! > 0;
}

/**
 * Returns the innermost frame that is closed by a return to the address; -1 if there is none.
 */
export function findResuming(frames: Frames, low: number, high: number): number {
  let frame = frames.count - 1;
  // Usually it is the innermost frame.
  if (frame >= 0 && resumesAt(frames, frame, low, high)) return frame;
  if (frames.resuming[hashOf(frames, low, high)] === 0) return -1;
  while (frame >= 0 && !resumesAt(frames, frame, low, high)) frame--;
  return frame;
}

/**
 * Returns the innermost frame without a resume address whose call instruction ends directly before the address; -1 if there is
 * none. A branch message contains the address of a call instruction, but not its length.
 */
export function findCallBefore({ columns, count }: Frames, low: number, high: number): number {
  const outermost = Math.max(0, count - SEARCHED_FRAMES);
  for (let frame = count - 1; frame >= outermost; frame--) {
    if (columns.entered[frame] !== ENTRY.call || (columns.known[frame]! & (FRAME.resume | FRAME.site)) !== FRAME.site)
      continue;
    const length = low - columns.siteLow[frame]!;
    if (columns.siteHigh[frame] === high && length >= SHORTEST_CALL && length <= LONGEST_CALL) return frame;
  }
  return -1;
}

const SEARCHED_FRAMES = 64;
/** Bytes of a call instruction: 2 to 8 on x86 (REX, opcode, ModRM, SIB and four bytes of displacement), 4 on other processors. */
const SHORTEST_CALL = 2;
const LONGEST_CALL = 8;

function hashOf({ resuming }: Frames, low: number, high: number): number {
  const mix = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  return (mix ^ (mix >>> 15)) & (resuming.length - 1);
}

/** Returns true if a return to the address closes the frame. */
export function resumesAt({ columns }: Frames, frame: number, low: number, high: number): boolean {
  return (
    columns.resumeLow[frame] === low &&
    columns.resumeHigh[frame] === high &&
    (columns.known[frame]! & FRAME.resume) !== 0
  );
}

/** Removes the outer half of the frames. */
export function dropOuter(frames: Frames): void {
  const half = frames.count >> 1;
  for (let frame = 0; frame < half; frame++) uncountFrame(frames, frame);
  const { columns } = frames;
  for (const column of Object.values(columns)) (column as Int32Array).copyWithin(0, half, frames.count);
  frames.count -= half;
  frames.base += half;
  columns.stored.fill(-1, 0, frames.count);
}

/**
 * Returns true if the innermost frame interrupted a known function at an address that the trace does not show, as interrupts of
 * processors without fixed vectors do: it was entered by what may have been a jump, and has no resume address.
 */
export function interruptsUnseen({ columns }: Frames, top: number): boolean {
  const isCandidate = (columns.known[top]! & (FRAME.maybeJumped | FRAME.resume)) === FRAME.maybeJumped;
  return isCandidate && top > 0 && columns.fn[top - 1] !== UNKNOWN;
}

/** Returns the innermost frame that was entered by an interrupt or exception. The stack has one; 0 if it was dropped. */
export function innermostInterrupt({ columns, count }: Frames): number {
  let frame = count - 1;
  while (frame > 0 && !isInterrupt(columns.entered[frame]!)) frame--;
  return frame;
}

/** `entered`: a code of ENTRY. Exceptions count as interrupts here. */
export function isInterrupt(entered: number): boolean {
  return entered >= ENTRY.exception && entered <= ENTRY.interrupt;
}

/** A fault handler may resume at the faulting instruction or at one close by. */
const FAULT_REACH = 16;

/**
 * Returns the innermost interrupt or exception if it is a fault that a return to the address ends: one that resumes close by;
 * else -1. `any`: the fault may have been classified as an interrupt. The stack has an interrupt or exception.
 */
export function findFaultNear(frames: Frames, low: number, high: number, any: boolean): number {
  const { columns } = frames;
  const frame = innermostInterrupt(frames);
  const isFault = columns.entered[frame] === ENTRY.exception || (any && columns.entered[frame] === ENTRY.interrupt);
  if (!isFault || (columns.known[frame]! & FRAME.resume) === 0) return -1;
  const distance = (low - columns.resumeLow[frame]!) | 0;
  return columns.resumeHigh[frame] === high && distance >= -FAULT_REACH && distance <= FAULT_REACH ? frame : -1;
}

function createColumns(capacity: number): FrameColumns {
  return {
    fn: new Int32Array(capacity),
    known: new Uint8Array(capacity),
    entered: new Uint8Array(capacity),
    since: new Float64Array(capacity),
    called: new Float64Array(capacity),
    resumeLow: new Uint32Array(capacity),
    resumeHigh: new Uint32Array(capacity),
    siteLow: new Uint32Array(capacity),
    siteHigh: new Uint32Array(capacity),
    context: new Int32Array(capacity),
    stored: new Int32Array(capacity),
  };
}

function growColumns(frames: Frames): void {
  const old = frames.columns;
  const larger = createColumns(old.fn.length * 2);
  for (const name of Object.keys(old) as (keyof FrameColumns)[]) larger[name].set(old[name]);
  frames.columns = larger;
  // A larger table keeps the counts of different addresses apart.
  frames.resuming = new Int32Array(4 * larger.fn.length);
  for (let frame = 0; frame < frames.count; frame++) {
    if ((larger.known[frame]! & FRAME.resume) !== 0)
      frames.resuming[hashOf(frames, larger.resumeLow[frame]!, larger.resumeHigh[frame]!)]!++;
  }
}
