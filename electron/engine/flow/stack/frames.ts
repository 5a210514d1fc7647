/** One stack of open calls as columns, the outermost function first, with what of it is looked for often. */
import { createContexts, type Contexts } from '../tally/contexts.ts';
import { ENTERED, UNKNOWN } from '../functions/functions.ts';

export interface Frames {
  count: number;
  columns: FrameColumns;
  /** How many open frames go on at one of some addresses once they are returned to: what is counted together is told by a mix of its bits. */
  resuming: Int32Array;
  /** By function: how many frames it has. */
  open: Int32Array;
  /** The record with which the stack began: no other stack of the cpu began with it. */
  begun: number;
  /** Frames that were entered by interrupts or exceptions. */
  interrupts: number;
  /** Frames of which it is not certain that they are open, or what is below them (see isDoubtful). */
  doubts: number;
  /** Callers below the first frame of the stack that became known later, as a negative number; then those dropped from it. */
  base: number;
  /** The lowest and the highest depth that the stack had, and the latter without interrupts and exceptions. */
  lowest: number;
  highest: number;
  highestCalls: number;
  /** Instructions or branches that ran while the stack was in use. */
  ran: number;
  /** The tree of contexts that is counted in, and the node above that of the first frame, which has no function. */
  contexts: Contexts;
  top: number;
}

/** Bits of the `known` column. */
export const FRAME = {
  /** The resume columns hold where the caller goes on. */
  resume: 1,
  /** The site columns hold the address of the instruction that called. */
  site: 2,
  /** That there is such a frame, or its function, was concluded. */
  inferred: 4,
  /**
   * Of interrupts and exceptions: they came right behind a return whose target was not seen, or behind another branch of which
   * that is so. Where it went they return to; until then the frames below may be over. With `left` the resume columns hold
   * where the caller goes on.
   */
  left: 8,
  strayed: 16,
  /** Of interrupts and exceptions: what EVENT.link and EVENT.pops say. */
  link: 32,
  pops: 64,
  /** What entered it may have been a jump: the frame below may be over. */
  jumped: 128,
} as const;

/** The frames below it may be over. */
export const HIDES = FRAME.left | FRAME.strayed;

/** By frame. */
export interface FrameColumns {
  fn: Int32Array;
  known: Uint8Array;
  /** Position in ENTERED. */
  entered: Uint8Array;
  /** The record at which the function was entered; -1 where that lies before the trace. */
  since: Float64Array;
  /**
   * The record at which the frame came to be: earlier than `since` where a tail call put another function there. Of the outermost one
   * from when on its function is known, where a trace or a part of one begins without that; else -1.
   */
  called: Float64Array;
  resumeLow: Uint32Array;
  resumeHigh: Uint32Array;
  /** Of an interrupt that hides a branch: where that is, which `known` does not tell. */
  siteLow: Uint32Array;
  siteHigh: Uint32Array;
  /** Its node in the tree of contexts. */
  context: Int32Array;
  /** Where it is stored; -1 where it is not (see frame-store.ts). */
  stored: Int32Array;
}

/** Frames that there is room for at first. */
const START = 16;
/** Where a stack becomes deeper, its outer half is forgotten. */
export const MOST_FRAMES = 65_536;

export function createFrames(begun = -1, contexts: Contexts = createContexts()): Frames {
  return {
    count: 0,
    columns: createColumns(START),
    resuming: new Int32Array(4 * START),
    open: new Int32Array(64),
    begun,
    interrupts: 0,
    doubts: 0,
    base: 0,
    lowest: 0,
    highest: 0,
    highestCalls: 0,
    ran: 0,
    contexts,
    top: -1,
  };
}

/** Makes an empty stack of one that is over, in its memory. Its contexts are cleared by whoever took them over. */
export function reuseFrames(frames: Frames, begun: number): void {
  for (let frame = frames.count - 1; frame >= 0; frame--) closed(frames, frame);
  frames.count = 0;
  frames.begun = begun;
  frames.base = 0;
  frames.lowest = 0;
  frames.highest = 0;
  frames.highestCalls = 0;
  frames.ran = 0;
  frames.top = -1;
}

/** Room for one more frame, whose number it returns; the caller writes every column of it and then calls `opened`. */
export function reserveFrame(frames: Frames): number {
  if (frames.count === frames.columns.fn.length) growColumns(frames);
  return frames.count++;
}

/** Counts what the frame has in its columns. */
export function opened(frames: Frames, frame: number): void {
  const { columns } = frames;
  openFunction(frames, columns.fn[frame]!);
  if ((columns.known[frame]! & FRAME.resume) !== 0) {
    frames.resuming[mixed(frames, columns.resumeLow[frame]!, columns.resumeHigh[frame]!)]!++;
  }
  if (isInterrupt(columns.entered[frame]!)) frames.interrupts++;
  if (isDoubtful(columns.known[frame]!)) frames.doubts++;
  const depth = frames.base + frame;
  if (depth > frames.highest) frames.highest = depth;
  const calls = depth - frames.interrupts;
  if (calls > frames.highestCalls) frames.highestCalls = calls;
}

/** Takes it out of what is counted. */
export function closed(frames: Frames, frame: number): void {
  const { columns } = frames;
  frames.open[columns.fn[frame]!]!--;
  if ((columns.known[frame]! & FRAME.resume) !== 0) {
    frames.resuming[mixed(frames, columns.resumeLow[frame]!, columns.resumeHigh[frame]!)]!--;
  }
  if (isInterrupt(columns.entered[frame]!)) frames.interrupts--;
  if (isDoubtful(columns.known[frame]!)) frames.doubts--;
}

/** Bits of FRAME of a frame that is open. */
export function markFrame(frames: Frames, frame: number, bits: number): void {
  const { columns } = frames;
  const known = columns.known[frame]!;
  columns.known[frame] = known | bits;
  columns.stored[frame] = -1;
  if (!isDoubtful(known) && isDoubtful(known | bits)) frames.doubts++;
}

/** That there is such a frame, or its function, was concluded. */
export function markInferred(frames: Frames, frame: number): void {
  markFrame(frames, frame, FRAME.inferred);
}

/** What marks a frame below which all may be over. Of an interrupt that would say that a branch before it is not known. */
export function mayBeOver({ columns }: Frames, frame: number): number {
  return isInterrupt(columns.entered[frame]!) ? FRAME.jumped : FRAME.strayed;
}

export function isDoubtful(known: number): boolean {
  return (known & (FRAME.inferred | HIDES | FRAME.jumped)) !== 0;
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

/** The innermost frame that goes on at the address; -1 where none does. */
export function resumingAt(frames: Frames, low: number, high: number): number {
  let frame = frames.count - 1;
  // Mostly the innermost does.
  if (frame >= 0 && resumes(frames, frame, low, high)) return frame;
  if (frames.resuming[mixed(frames, low, high)] === 0) return -1;
  while (frame >= 0 && !resumes(frames, frame, low, high)) frame--;
  return frame;
}

/**
 * The innermost frame whose call lies right before the address, of those of which nothing tells where their caller goes on, as a
 * message that names a call does not tell how long it is; -1 where there is none.
 */
export function calledBefore({ columns, count }: Frames, low: number, high: number): number {
  const outermost = Math.max(0, count - MOST_LOOKED);
  for (let frame = count - 1; frame >= outermost; frame--) {
    if (columns.entered[frame] !== CALL || (columns.known[frame]! & (FRAME.resume | FRAME.site)) !== FRAME.site)
      continue;
    const length = low - columns.siteLow[frame]!;
    if (columns.siteHigh[frame] === high && length >= SHORTEST_CALL && length <= LONGEST_CALL) return frame;
  }
  return -1;
}

const CALL = ENTERED.indexOf('call');
const MOST_LOOKED = 64;
/** Bytes of a call: two to eight of x86 (REX, opcode, ModRM, SIB and four bytes of displacement), four of other processors. */
const SHORTEST_CALL = 2;
const LONGEST_CALL = 8;

function mixed({ resuming }: Frames, low: number, high: number): number {
  const mix = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  return (mix ^ (mix >>> 15)) & (resuming.length - 1);
}

export function resumes({ columns }: Frames, frame: number, low: number, high: number): boolean {
  return (
    columns.resumeLow[frame] === low &&
    columns.resumeHigh[frame] === high &&
    (columns.known[frame]! & FRAME.resume) !== 0
  );
}

/** Forgets the outer half. */
export function dropOuter(frames: Frames): void {
  const half = frames.count >> 1;
  for (let frame = 0; frame < half; frame++) closed(frames, frame);
  const { columns } = frames;
  for (const column of Object.values(columns)) (column as Int32Array).copyWithin(0, half, frames.count);
  frames.count -= half;
  frames.base += half;
  columns.stored.fill(-1, 0, frames.count);
}

/** Something came over the function below, such as an interrupt of a processor without vectors: where that goes on was not known. */
export function cameBetween({ columns }: Frames, top: number): boolean {
  const isOpen = (columns.known[top]! & (FRAME.jumped | FRAME.resume)) === FRAME.jumped;
  return isOpen && top > 0 && columns.fn[top - 1] !== UNKNOWN;
}

const FIRST_INTERRUPT = 2;
const LAST_INTERRUPT = 3;

/** The innermost frame that was entered by one, of a stack that has some; 0 where that is dropped. */
export function innermostInterrupt({ columns, count }: Frames): number {
  let frame = count - 1;
  while (frame > 0 && !isInterrupt(columns.entered[frame]!)) frame--;
  return frame;
}

/** By code of ENTERED. */
export function isInterrupt(entered: number): boolean {
  return entered >= FIRST_INTERRUPT && entered <= LAST_INTERRUPT;
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
  // Whatever can be more is counted apart again.
  frames.resuming = new Int32Array(4 * larger.fn.length);
  for (let frame = 0; frame < frames.count; frame++) {
    if ((larger.known[frame]! & FRAME.resume) !== 0)
      frames.resuming[mixed(frames, larger.resumeLow[frame]!, larger.resumeHigh[frame]!)]!++;
  }
}
