/**
 * Stores many stacks compactly: a frame that several stacks share is stored once, with a link to the frame below it, and a stack is
 * the number of its innermost frame. The columns are plain values that the index can store.
 */
import { countFrame, createFrames, reserveFrame, type FrameColumns, type Frames } from '../stack/frames.ts';

export interface FrameStore {
  /** Stores a stack and returns the number of its innermost frame; NO_FRAME for an empty stack. */
  save(frames: Frames): number;
  /** Returns the stack with the given innermost frame. */
  restore(innermost: number, base: number, begun: number): Frames;
  /** Returns all frames as a plain value. */
  table(): FrameTable;
}

export interface FrameTable {
  readonly count: number;
  readonly columns: Stored;
}

export const NO_FRAME = -1;

type Stored = Omit<FrameColumns, 'context' | 'stored'> & { outer: Int32Array };

export function createFrameStore(from?: FrameTable): FrameStore {
  let columns = from?.columns ?? createColumns(256);
  let count = from?.count ?? 0;
  return {
    save(frames) {
      let first = frames.count;
      while (first > 0 && frames.columns.stored[first - 1] === NO_FRAME) first--;
      let outer = first === 0 ? NO_FRAME : frames.columns.stored[first - 1]!;
      for (let frame = first; frame < frames.count; frame++) outer = put(frames, frame, outer);
      return outer;
    },
    restore(innermost, base, begun) {
      const chain: number[] = [];
      for (let at = innermost; at !== NO_FRAME; at = columns.outer[at]!) chain.push(at);
      const frames = createFrames(begun);
      frames.base = base;
      for (const at of chain.reverse()) take(frames, at);
      return frames;
    },
    table: () => ({ count, columns }),
  };

  function put(frames: Frames, frame: number, outer: number): number {
    if (count === columns.outer.length) grow();
    for (const name of NAMES) columns[name][count] = frames.columns[name][frame]!;
    columns.outer[count] = outer;
    frames.columns.stored[frame] = count;
    return count++;
  }

  function take(frames: Frames, at: number): void {
    const frame = reserveFrame(frames);
    for (const name of NAMES) frames.columns[name][frame] = columns[name][at]!;
    frames.columns.stored[frame] = at;
    frames.columns.context[frame] = -1;
    countFrame(frames, frame);
  }

  function grow(): void {
    const larger = createColumns(columns.outer.length * 2);
    for (const name of NAMES) larger[name].set(columns[name]);
    larger.outer.set(columns.outer);
    columns = larger;
  }
}

const NAMES = [
  'fn',
  'known',
  'entered',
  'since',
  'called',
  'resumeLow',
  'resumeHigh',
  'siteLow',
  'siteHigh',
] as const satisfies readonly (keyof FrameColumns)[];

function createColumns(capacity: number): Stored {
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
    outer: new Int32Array(capacity),
  };
}
