/**
 * The open calls of one CPU: the stack in use and the suspended ones. Every operation keeps the tally up to date: time of each
 * function, calling contexts, spans. Which operation a branch needs is decided in shadow-stack.ts.
 */
import { ENTRY, UNKNOWN } from '../functions/functions.ts';
import { EDGE } from '../tally/call-edges.ts';
import { addTo, noted, type CallTally } from '../tally/call-tally.ts';
import { createOpenTimes } from '../tally/open-times.ts';
import type { SpanSink } from '../tally/span-columns.ts';
import type { TopSink } from '../tally/timeline.ts';
import {
  countFrame,
  createFrames,
  dropOuter,
  FRAME,
  isOpen,
  MOST_FRAMES,
  openFunction,
  reserveFrame,
  resumesAt,
  reuseFrames,
  uncountFrame,
  type Frames,
} from './frames.ts';

export interface OpenCalls {
  /** The stack in use. It has no frames before `begin`, and at least one afterwards. */
  readonly frames: Frames;
  /** Stacks that were left without returning and may be returned to, such as stacks of other threads; the latest one last. */
  readonly suspended: readonly Frames[];
  /** Returns the function of the innermost frame. */
  running(): number;
  /** Opens the first frame: the trace, or a stack, begins in the function. */
  begin(fn: number, record: number): void;
  /** Appends a frame for a call at `record`, and returns its number. The caller writes its columns and then calls `open`. */
  reserve(record: number): number;
  /** Opens a frame whose columns are written, except those that this module owns. `parent`: the context of the frame below. */
  open(frame: number, parent: number, record: number): void;
  /** Closes the frame `first` and all above it. */
  closeFrom(first: number, record: number): void;
  /** Replaces the function of the innermost frame. */
  moveTo(fn: number, record: number): void;
  /**
   * Replaces the function of the innermost frame by one into which execution ran without a branch. The run began at the record `from` in
   * the old function and ended before `record` in the new one; which function a record in between belongs to is not known.
   */
  runInto(fn: number, from: number, record: number): void;
  /** Names the unknown function in which the stack began. When it was entered stays unknown. */
  identify(fn: number, record: number): void;
  /** Closes all frames: the function in which the stack began has returned to `fn`, its caller. */
  returnBelow(fn: number, record: number): void;
  /** Suspends the stack in use and begins another one in `fn`. */
  suspend(fn: number, record: number, why: 'elsewhere' | 'unclear'): void;
  /** Takes up a suspended stack that a return to the address continues; false if there is none. */
  takeUp(low: number, high: number, record: number): boolean;
  /** Discards all stacks, because a part of the trace is missing, and begins another one in `fn`. */
  lose(fn: number, record: number): void;
  /** Counts instructions or branches that ran in the innermost frame. */
  ran(units: number): void;
  /** Ends all open calls at `record`. Nothing may be called afterwards. */
  finish(record: number): void;
}

export interface OpenCallsSettings {
  readonly tally: CallTally;
  /** Receives every stay of a frame in a function. */
  readonly spans?: SpanSink;
  /** Receives the records during which each function was innermost. */
  readonly tops?: TopSink;
  /** Receives each caller of a stack's outermost function when a return shows it. `begun` identifies the stack. */
  readonly onCallerFound?: (begun: number, fn: number, record: number) => void;
}

const MOST_SUSPENDED = 8;
/** Number of innermost frames of a suspended stack that a return may continue. */
const SEARCHED_FRAMES = 16;

/** `state`: the stacks to continue with. */
export function createOpenCalls(
  { tally, spans, tops, onCallerFound }: OpenCallsSettings,
  state?: Pick<OpenCalls, 'frames' | 'suspended'>,
): OpenCalls {
  const { contexts, edges } = tally;
  let frames = state?.frames ?? createFrames();
  const suspended = [...(state?.suspended ?? [])];
  /** Ended stacks, whose memory is reused. */
  const ended: Frames[] = [];
  const times = createOpenTimes(tally);
  /** Units that ran in the innermost frame and are not counted yet. */
  let uncounted = 0;
  /** The record since which the stack is in use; -1: since the beginning of the trace or of the requested range. */
  let inUse = -1;
  /** The record since which the innermost frame is innermost; -1 as above. */
  let topSince = -1;
  for (const stack of [...suspended, frames]) adopt(stack);
  for (let frame = 0; frame < frames.count; frame++) times.open(frames.columns.fn[frame]!);

  const own = {
    frames,
    suspended,
    running,
    begin,
    reserve,
    open,
    closeFrom,
    moveTo,
    runInto,
    identify,
    returnBelow,
    suspend,
    takeUp,
    lose,
    ran,
    finish,
  };
  return own;

  // One frame

  function begin(fn: number, record: number): void {
    countUnits();
    endTop(record);
    if (frames.begun < 0) frames.begun = record;
    frames.top = frames.contexts.top();
    const frame = reserveFrame(frames);
    writeOutermost(frame, fn, ENTRY.start);
    open(frame, frames.top, record);
  }

  function reserve(record: number): number {
    countUnits();
    endTop(record);
    if (frames.count >= MOST_FRAMES) {
      noted(tally, 'dropped', record);
      dropOuter(frames);
    }
    return reserveFrame(frames);
  }

  function open(frame: number, parent: number, record: number): void {
    const { columns } = frames;
    columns.context[frame] = frames.contexts.child(parent, columns.fn[frame]!, record);
    columns.stored[frame] = -1;
    startCounting(columns.fn[frame]!);
    countFrame(frames, frame);
  }

  function closeFrom(first: number, record: number): void {
    countUnits();
    endTop(record);
    for (let frame = frames.count - 1; frame >= first; frame--) close(frame, record);
    frames.count = Math.min(frames.count, first);
  }

  function close(frame: number, record: number): void {
    endSpan(frame, record, true);
    stopCounting(frames.columns.fn[frame]!);
    uncountFrame(frames, frame);
  }

  function moveTo(fn: number, record: number): void {
    countUnits();
    endTop(record);
    endSpan(frames.count - 1, record, true);
    rename(fn, record);
  }

  function runInto(fn: number, from: number, record: number): void {
    countUnits();
    const frame = frames.count - 1;
    const depth = frames.base + frame;
    const since = Math.min(Math.max(from, topSince) + 1, record);
    endTop(since);
    tops?.add(UNKNOWN, depth, frames.begun, since, record);
    topSince = record;
    endSpan(frame, since, true);
    spans?.add(UNKNOWN, depth, since, record, since, true);
    rename(fn, from);
  }

  function rename(fn: number, record: number): void {
    const frame = frames.count - 1;
    const { columns } = frames;
    stopCounting(columns.fn[frame]!);
    frames.open[columns.fn[frame]!]!--;
    startCounting(fn);
    openFunction(frames, fn);
    columns.fn[frame] = fn;
    columns.since[frame] = record;
    columns.stored[frame] = -1;
    columns.context[frame] = frames.contexts.child(
      frame === 0 ? frames.top : columns.context[frame - 1]!,
      fn,
      Math.max(0, record),
    );
  }

  function identify(fn: number, record: number): void {
    moveTo(fn, record);
    const { columns, count } = frames;
    columns.since[count - 1] = -1;
    columns.called[count - 1] = record;
  }

  function returnBelow(fn: number, record: number): void {
    noted(tally, 'below', record);
    onCallerFound?.(frames.begun, fn, record);
    const callee = frames.columns.fn[0]!;
    closeFrom(1, record);
    edges.add(fn, callee, EDGE.unseen, true, record);
    // The caller has been open for as long as this stack.
    const wasOpen = isOpen(frames, fn);
    openFunction(frames, fn);
    if (!wasOpen) times.wasOpen(fn, frames.begun, frames.ran);
    close(0, record);
    frames.open[fn]!--;
    frames.base--;
    if (frames.base < frames.lowest) frames.lowest = frames.base;
    const context = frames.top;
    frames.top = frames.contexts.name(context, fn, record);
    frames.count = 0;
    const frame = reserveFrame(frames);
    writeOutermost(frame, fn, ENTRY['returned to']);
    frames.columns.context[frame] = context;
    countFrame(frames, frame);
  }

  function writeOutermost(frame: number, fn: number, entered: number): void {
    const { columns } = frames;
    columns.fn[frame] = fn;
    columns.known[frame] = entered === ENTRY.start ? 0 : FRAME.inferred;
    columns.entered[frame] = entered;
    columns.since[frame] = -1;
    columns.called[frame] = -1;
    columns.resumeLow[frame] = 0;
    columns.resumeHigh[frame] = 0;
    columns.siteLow[frame] = 0;
    columns.siteHigh[frame] = 0;
    columns.stored[frame] = -1;
  }

  // Whole stacks

  function suspend(fn: number, record: number, why: 'elsewhere' | 'unclear'): void {
    noted(tally, why, record);
    leave(record);
    suspendCurrent();
    use(emptyStack(record), record);
    begin(fn, record);
  }

  function takeUp(low: number, high: number, record: number): boolean {
    const taken = takeResuming(low, high);
    if (taken === undefined) return false;
    leave(record);
    suspendCurrent();
    use(taken.stack, record);
    noted(tally, 'resumed', record);
    for (let frame = 0; frame < frames.count; frame++) times.open(frames.columns.fn[frame]!);
    closeFrom(taken.frame, record);
    return true;
  }

  function lose(fn: number, record: number): void {
    noted(tally, 'lost', record);
    endAll(record);
    use(emptyStack(record), record);
    begin(fn, record);
  }

  function finish(record: number): void {
    endAll(record);
  }

  function use(stack: Frames, record: number): void {
    frames = own.frames = stack;
    inUse = record;
  }

  /** Stops counting the stack in use. */
  function leave(record: number): void {
    countUnits();
    endTop(record);
    for (let frame = frames.count - 1; frame >= 0; frame--) {
      endSpan(frame, record, false);
      times.count(frames.columns.fn[frame]!, frames.begun);
    }
  }

  function suspendCurrent(): void {
    suspended.push(frames);
    if (suspended.length > MOST_SUSPENDED) end(suspended.shift()!);
  }

  /** Removes the latest suspended stack with a frame that a return to the address closes. */
  function takeResuming(low: number, high: number): { readonly stack: Frames; readonly frame: number } | undefined {
    for (let i = suspended.length - 1; i >= 0; i--) {
      const stack = suspended[i]!;
      const lowest = Math.max(1, stack.count - SEARCHED_FRAMES);
      for (let frame = stack.count - 1; frame >= lowest; frame--) {
        if (!resumesAt(stack, frame, low, high)) continue;
        suspended.splice(i, 1);
        return { stack, frame };
      }
    }
    return undefined;
  }

  function emptyStack(begun: number): Frames {
    const stack = ended.pop();
    if (stack === undefined) return createFrames(begun, contexts.beside());
    reuseFrames(stack, begun);
    return stack;
  }

  function endAll(record: number): void {
    leave(record);
    // Usually none is suspended: in traces of samples this runs every few branches.
    while (suspended.length > 0) end(suspended.shift()!);
    end(frames);
  }

  /** Adds what was counted of an ended stack to the tally. */
  function end(stack: Frames): void {
    tally.deepest = Math.max(tally.deepest, stack.highest - stack.lowest);
    tally.deepestCalls = Math.max(tally.deepestCalls, stack.highestCalls - stack.lowest);
    contexts.join(stack.contexts);
    tops?.ended(stack.begun, -stack.lowest);
    ended.push(stack);
  }

  /** Gives frames that were opened in another walk their nodes in this walk's context tree. */
  function adopt(stack: Frames): void {
    stack.contexts = contexts.beside();
    stack.top = stack.contexts.top();
    stack.ran = 0;
    stack.highest = stack.base + Math.max(0, stack.count - 1);
    stack.lowest = stack.base;
    stack.highestCalls = stack.highest - stack.interrupts;
    let parent = stack.top;
    for (let frame = 0; frame < stack.count; frame++) {
      const since = stack.columns.since[frame]!;
      parent = stack.contexts.child(parent, stack.columns.fn[frame]!, since < 0 ? Math.max(0, stack.begun) : since);
      stack.columns.context[frame] = parent;
    }
  }

  // Time

  function running(): number {
    return frames.columns.fn[frames.count - 1]!;
  }

  function ran(units: number): void {
    if (frames.count > 0) uncounted += units;
  }

  /** Counts what ran. Called before the innermost frame or its function changes. */
  function countUnits(): void {
    if (uncounted === 0) return;
    times.run(uncounted);
    frames.ran += uncounted;
    addTo(tally.self, running(), uncounted);
    frames.contexts.columns.self[frames.columns.context[frames.count - 1]!]! += uncounted;
    uncounted = 0;
  }

  /** Called before `frames.open` counts the function. */
  function startCounting(fn: number): void {
    if (!isOpen(frames, fn)) times.open(fn);
  }

  /** Called while `frames.open` still counts the function. */
  function stopCounting(fn: number): void {
    if (frames.open[fn] === 1) times.count(fn, frames.begun);
  }

  /** Ends the records of the innermost frame. Called before that changes. */
  function endTop(record: number): void {
    const top = frames.count - 1;
    if (top >= 0) tops?.add(frames.columns.fn[top]!, frames.base + top, frames.begun, topSince, record);
    topSince = record;
  }

  function endSpan(frame: number, record: number, ended: boolean): void {
    const { fn, since, called } = frames.columns;
    const entered = since[frame]! < 0 ? called[frame]! : since[frame]!;
    spans?.add(fn[frame]!, frames.base + frame, Math.max(entered, inUse), record, entered, ended);
  }
}
