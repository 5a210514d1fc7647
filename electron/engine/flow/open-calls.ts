/**
 * The open calls of one cpu as they come and go, and what is counted of them on the way: time in each function, the tree of
 * contexts, spans. Why one comes or goes its user decides (shadow-stack.ts).
 */
import { EDGE } from './call-edges.ts';
import { addTo, noted, type CallTally } from './call-tally.ts';
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
  reuseFrames,
  resumes,
  type Frames,
} from './frames.ts';
import { ENTERED } from './functions.ts';

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

export interface SpanSink {
  /**
   * A stay while the stack was in use. `depth` counts from the outermost frame that was known then; `from` is -1 where it was entered
   * before the trace.
   */
  add(fn: number, depth: number, from: number, to: number): void;
}

const MOST_ASIDE = 8;
/** So many of the innermost frames of a stack left aside can be returned to. */
const NEAR_TOP = 16;

const START = ENTERED.indexOf('start');
const RETURNED_TO = ENTERED.indexOf('returned to');

/** `state`: the stacks that it goes on with. */
export function createOpenCalls(
  { tally, spans, below }: OpenCallsSettings,
  state?: Pick<OpenCalls, 'frames' | 'aside'>,
): OpenCalls {
  const { contexts, edges } = tally;
  let frames = state?.frames ?? createFrames();
  const aside: Frames[] = [...(state?.aside ?? [])];
  /** Stacks that are over: memory for others. */
  const over: Frames[] = [];
  /** Units that ran so far; those of them that are not counted yet, all in the innermost frame; the functions that are open since when. */
  let clock = 0;
  let uncounted = 0;
  let since = new Float64Array(64);
  /** By function, two each: the stack in which its time was counted last, by where that began, and how much was counted there. */
  let settled = new Float64Array(128).fill(NaN);
  /** Since when the stack is in use; -1: since the trace, or the range that is asked for, begins. */
  let inUse = -1;
  for (const stack of [...aside, frames]) takeOver(stack);
  for (let frame = 0; frame < frames.count; frame++) setSince(frames.columns.fn[frame]!, 0);

  const own = {
    frames,
    aside,
    top: topFunction,
    begin,
    reserve,
    open,
    closeFrom,
    move,
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
    if (!wasOpen) {
      setSince(fn, clock - frames.ran);
      // What it took within that, called by itself, is no more than that.
      if (settled[2 * fn] === frames.begun) addTo(tally.total, fn, -settled[2 * fn + 1]!);
    }
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
    setAside(record);
    use(emptyStack(record), record);
    begin(fn, record);
  }

  /** What happened before is not in the trace: no call is known to be open any more. */
  function lose(fn: number, record: number): void {
    noted(tally, 'lost', record);
    endAll(record);
    for (const stack of [...aside.splice(0), frames]) forget(stack);
    use(emptyStack(record), record);
    begin(fn, record);
  }

  function emptyStack(begun: number): Frames {
    const stack = over.pop();
    if (stack === undefined) return createFrames(begun, contexts.beside());
    reuseFrames(stack, begun);
    return stack;
  }

  function setAside(record: number): void {
    endAll(record);
    aside.push(frames);
    if (aside.length > MOST_ASIDE) forget(aside.shift()!);
  }

  /** A stack that was left aside goes on where one of its frames does. */
  function takeUp(low: number, high: number, record: number): boolean {
    for (let i = aside.length - 1; i >= 0; i--) {
      const stack = aside[i]!;
      const lowest = Math.max(1, stack.count - NEAR_TOP);
      for (let frame = stack.count - 1; frame >= lowest; frame--) {
        if (!resumes(stack, frame, low, high)) continue;
        aside.splice(i, 1);
        setAside(record);
        use(stack, record);
        noted(tally, 'resumed', record);
        for (let each = 0; each < frames.count; each++) setSince(frames.columns.fn[each]!, clock);
        closeFrom(frame, record);
        return true;
      }
    }
    return false;
  }

  /** The innermost frame is in another function now. */
  function move(fn: number, record: number): void {
    count();
    const frame = frames.count - 1;
    const { columns } = frames;
    ended(frame, record);
    stopClock(columns.fn[frame]!);
    frames.open[columns.fn[frame]!]!--;
    startClock(fn);
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

  function open(frame: number, parent: number, record: number): void {
    const { columns } = frames;
    columns.context[frame] = frames.contexts.child(parent, columns.fn[frame]!, record);
    columns.stored[frame] = -1;
    startClock(columns.fn[frame]!);
    opened(frames, frame);
  }

  function closeFrom(first: number, record: number): void {
    count();
    for (let frame = frames.count - 1; frame >= first; frame--) shutFrame(frame, record);
    frames.count = Math.min(frames.count, first);
  }

  function shutFrame(frame: number, record: number): void {
    ended(frame, record);
    stopClock(frames.columns.fn[frame]!);
    closed(frames, frame);
  }

  function ended(frame: number, record: number): void {
    const from = Math.max(frames.columns.since[frame]!, inUse);
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
    clock += uncounted;
    frames.ran += uncounted;
    addTo(tally.self, topFunction(), uncounted);
    frames.contexts.columns.self[frames.columns.context[frames.count - 1]!]! += uncounted;
    uncounted = 0;
  }

  /** Before the function is counted as open. */
  function startClock(fn: number): void {
    if (!isOpen(frames, fn)) setSince(fn, clock);
  }

  /** While the function is still counted as open. */
  function stopClock(fn: number): void {
    if (frames.open[fn] === 1) settle(fn);
  }

  function settle(fn: number): void {
    const units = clock - since[fn]!;
    addTo(tally.total, fn, units);
    since[fn] = clock;
    const at = 2 * fn;
    if (settled[at] === frames.begun) settled[at + 1]! += units;
    else {
      settled[at] = frames.begun;
      settled[at + 1] = units;
    }
  }

  function endAll(record: number): void {
    count();
    for (let frame = frames.count - 1; frame >= 0; frame--) {
      ended(frame, record);
      settle(frames.columns.fn[frame]!);
    }
  }

  function setSince(fn: number, units: number): void {
    if (fn >= since.length) {
      const larger = new Float64Array(Math.max(since.length * 2, fn + 1));
      const wider = new Float64Array(2 * larger.length).fill(NaN);
      larger.set(since);
      wider.set(settled);
      [since, settled] = [larger, wider];
    }
    since[fn] = units;
  }

  function forget(stack: Frames): void {
    tally.deepest = Math.max(tally.deepest, stack.highest - stack.lowest);
    tally.deepestCalls = Math.max(tally.deepestCalls, stack.highestCalls - stack.lowest);
    contexts.join(stack.contexts);
    over.push(stack);
  }

  function finish(record: number): void {
    endAll(record);
    for (const stack of [...aside, frames]) forget(stack);
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
