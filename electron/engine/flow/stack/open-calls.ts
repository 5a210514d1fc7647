/**
 * The open calls of one cpu as they come and go, and what is counted of them on the way: time in each function, the tree of
 * contexts, spans. Why one comes or goes its user decides (shadow-stack.ts).
 */
import { EDGE } from '../tally/call-edges.ts';
import { addTo, noted, type CallTally } from '../tally/call-tally.ts';
import {
  closed,
  createFrames,
  dropOuter,
  FRAME,
  isOpen,
  MOST_FRAMES,
  opened,
  openFunction,
  reserveFrame,
  type Frames,
} from './frames.ts';
import { ENTERED } from '../functions/functions.ts';
import { createOpenTimes } from '../tally/open-times.ts';
import type { SpanSink } from '../tally/span-list.ts';
import { createStacksAside } from './suspended-stacks.ts';

export interface OpenCalls {
  /** Those of the stack that is in use; none before it was begun. */
  readonly frames: Frames;
  /** Stacks that were left aside, the latest one last. */
  readonly aside: readonly Frames[];
  /** The function that runs. */
  top(): number;
  /** The first frame: the trace begins in the function. */
  begin(fn: number, record: number): void;
  /** Room for one more frame, for what happens at `record`: its number. */
  reserve(record: number): number;
  /** A frame that was reserved and filled in, but for where it counts, is open from now on. */
  open(frame: number, parent: number, record: number): void;
  /** Frames from this one up are over. */
  closeFrom(first: number, record: number): void;
  /** The innermost frame is in another function now. */
  move(fn: number, record: number): void;
  /** What the stack began in, of which nothing was known, is `fn` from `record` on; when that was entered is not in the trace. */
  settle(fn: number, record: number): void;
  /** What the stack began in has returned to `fn`. */
  goBelow(fn: number, record: number): void;
  /** Another stack begins, in `fn`. */
  leaveAside(fn: number, record: number, why: 'elsewhere' | 'unclear'): void;
  /** A stack that was left aside goes on where one of its frames does; false where none does. */
  takeUp(low: number, high: number, record: number): boolean;
  /** What happened before is not in the trace: no call is known to be open any more. */
  lose(fn: number, record: number): void;
  /** Instructions or branches that ran. */
  ran(units: number): void;
  /** All that is open counts as ended at `record`; nothing can be added any more. */
  finish(record: number): void;
}

export interface OpenCallsSettings {
  readonly tally: CallTally;
  /** Hears of every stay of a frame in a function. */
  readonly spans?: SpanSink;
  /** Hears of callers of the outermost function of the stack that began with the record `begun`, which became known at `record`. */
  readonly below?: (begun: number, fn: number, record: number) => void;
}

const START = ENTERED.indexOf('start');
const RETURNED_TO = ENTERED.indexOf('returned to');

/** `state`: the stacks that it goes on with. */
export function createOpenCalls(
  { tally, spans, below }: OpenCallsSettings,
  state?: Pick<OpenCalls, 'frames' | 'aside'>,
): OpenCalls {
  const { contexts, edges } = tally;
  let frames = state?.frames ?? createFrames();
  const aside = createStacksAside(tally, state?.aside);
  const times = createOpenTimes(tally);
  /** Units that ran and are not counted yet, all in the innermost frame. */
  let uncounted = 0;
  /** Since when the stack is in use; -1: since the trace, or the range that is asked for, begins. */
  let inUse = -1;
  for (const stack of [...aside.list, frames]) takeOver(stack);
  for (let frame = 0; frame < frames.count; frame++) times.open(frames.columns.fn[frame]!);

  const own = {
    frames,
    aside: aside.list,
    top: topFunction,
    begin,
    reserve,
    open,
    closeFrom,
    move,
    settle,
    goBelow,
    leaveAside,
    takeUp,
    lose,
    ran,
    finish,
  };
  return own;

  function use(stack: Frames, record: number): void {
    frames = own.frames = stack;
    inUse = record;
  }

  /** What the trace began in has returned to `fn`. */
  function goBelow(fn: number, record: number): void {
    noted(tally, 'below', record);
    below?.(frames.begun, fn, record);
    const callee = frames.columns.fn[0]!;
    closeFrom(1, record);
    edges.add(fn, callee, EDGE.unseen, true, record);
    // It was open all the time that this stack was.
    const wasOpen = isOpen(frames, fn);
    openFunction(frames, fn);
    if (!wasOpen) times.wasOpen(fn, frames.begun, frames.ran);
    shutFrame(0, record);
    frames.open[fn]!--;
    frames.base--;
    if (frames.base < frames.lowest) frames.lowest = frames.base;
    const context = frames.top;
    frames.top = frames.contexts.name(context, fn, record);
    frames.count = 0;
    const frame = reserveFrame(frames);
    outermost(frame, fn, RETURNED_TO);
    frames.columns.context[frame] = context;
    opened(frames, frame);
  }

  function reserve(record: number): number {
    count();
    if (frames.count >= MOST_FRAMES) {
      noted(tally, 'dropped', record);
      dropOuter(frames);
    }
    return reserveFrame(frames);
  }

  function begin(fn: number, record: number): void {
    count();
    if (frames.begun < 0) frames.begun = record;
    frames.top = frames.contexts.top();
    const frame = reserveFrame(frames);
    outermost(frame, fn, START);
    open(frame, frames.top, record);
  }

  function outermost(frame: number, fn: number, entered: number): void {
    const { columns } = frames;
    columns.fn[frame] = fn;
    columns.known[frame] = entered === START ? 0 : FRAME.inferred;
    columns.entered[frame] = entered;
    columns.since[frame] = -1;
    columns.called[frame] = -1;
    columns.resumeLow[frame] = 0;
    columns.resumeHigh[frame] = 0;
    columns.siteLow[frame] = 0;
    columns.siteHigh[frame] = 0;
    columns.stored[frame] = -1;
  }

  /** Another stack begins, in `fn`. */
  function leaveAside(fn: number, record: number, why: 'elsewhere' | 'unclear'): void {
    noted(tally, why, record);
    endAll(record);
    aside.put(frames);
    use(aside.empty(record), record);
    begin(fn, record);
  }

  function takeUp(low: number, high: number, record: number): boolean {
    const taken = aside.take(low, high);
    if (taken === undefined) return false;
    endAll(record);
    aside.put(frames);
    use(taken.stack, record);
    noted(tally, 'resumed', record);
    for (let frame = 0; frame < frames.count; frame++) times.open(frames.columns.fn[frame]!);
    closeFrom(taken.frame, record);
    return true;
  }

  function lose(fn: number, record: number): void {
    noted(tally, 'lost', record);
    endAll(record);
    aside.end(frames);
    use(aside.empty(record), record);
    begin(fn, record);
  }

  function finish(record: number): void {
    endAll(record);
    aside.end(frames);
  }

  /** The stack is not in use any more. */
  function endAll(record: number): void {
    count();
    for (let frame = frames.count - 1; frame >= 0; frame--) {
      ended(frame, record);
      times.count(frames.columns.fn[frame]!, frames.begun);
    }
  }

  /** The innermost frame is in another function now. */
  function move(fn: number, record: number): void {
    count();
    const frame = frames.count - 1;
    const { columns } = frames;
    ended(frame, record);
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

  function settle(fn: number, record: number): void {
    move(fn, record);
    const { columns, count } = frames;
    columns.since[count - 1] = -1;
    columns.called[count - 1] = record;
  }

  function open(frame: number, parent: number, record: number): void {
    const { columns } = frames;
    columns.context[frame] = frames.contexts.child(parent, columns.fn[frame]!, record);
    columns.stored[frame] = -1;
    startCounting(columns.fn[frame]!);
    opened(frames, frame);
  }

  function closeFrom(first: number, record: number): void {
    count();
    for (let frame = frames.count - 1; frame >= first; frame--) shutFrame(frame, record);
    frames.count = Math.min(frames.count, first);
  }

  function shutFrame(frame: number, record: number): void {
    ended(frame, record);
    stopCounting(frames.columns.fn[frame]!);
    closed(frames, frame);
  }

  function ended(frame: number, record: number): void {
    const { since, called } = frames.columns;
    const from = Math.max(since[frame]! < 0 ? called[frame]! : since[frame]!, inUse);
    spans?.add(frames.columns.fn[frame]!, frames.base + frame, from, record);
  }

  function topFunction(): number {
    return frames.columns.fn[frames.count - 1]!;
  }

  function ran(units: number): void {
    if (frames.count > 0) uncounted += units;
  }

  /** Before another frame is the innermost one, or that is in another function. */
  function count(): void {
    if (uncounted === 0) return;
    times.run(uncounted);
    frames.ran += uncounted;
    addTo(tally.self, topFunction(), uncounted);
    frames.contexts.columns.self[frames.columns.context[frames.count - 1]!]! += uncounted;
    uncounted = 0;
  }

  /** Before the function is counted as open. */
  function startCounting(fn: number): void {
    if (!isOpen(frames, fn)) times.open(fn);
  }

  /** While the function is still counted as open. */
  function stopCounting(fn: number): void {
    if (frames.open[fn] === 1) times.count(fn, frames.begun);
  }

  /** Frames that were opened before are given nodes in a tree that is counted now. */
  function takeOver(stack: Frames): void {
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
}
