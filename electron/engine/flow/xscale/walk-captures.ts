/**
 * The branches of XScale captures as events, with what the program's image tells of them: each capture is followed as a whole, in
 * the order of the file, and begins anew.
 */
import { BRANCH, createEvents, EVENT, reserveEvents, sliceEvents, type Events } from '../../../../shared/flow.ts';
import { NO_CPU } from '../../../../shared/batch.ts';
import { ok, type Result } from '../../../../shared/result.ts';
import type { RecordNumber } from '../../../../shared/units.ts';
import { isBranch, isException, MESSAGE, vectorOf } from '../../../../shared/xscale/messages.ts';
import type { Task } from '../../task.ts';
import type { Trace } from '../../trace.ts';
import type { FlowVisitor, WalkedRange } from '../walk.ts';
import { visitCaptures, type CaptureContent } from './captures.ts';
import type { Code } from './code.ts';
import { instructionsIn, type Entry } from './entries.ts';
import { createFollower } from './follow.ts';
import { baseOf, codeOf, firstBlockFor, pauses, questionOf } from './trace-captures.ts';
import { NO_KIND, NOWHERE, type Branches } from './way.ts';

/** Events that are handed on at once. */
const PART = 16_384;

/** What images tell of the captures of a trace; undefined where it has none, or no image. */
export function codeOfCaptures(trace: Trace): Code | undefined {
  return trace.format.id === 'xscale' ? codeOf(trace) : undefined;
}

/** Gives the visitor the events of the records [from, to) as `walkFlow` does. */
export async function walkCaptures<E>(
  trace: Trace,
  code: Code,
  { from, to }: WalkedRange,
  task: Task<E>,
  visitor: FlowVisitor,
): Promise<Result<undefined>> {
  if (from >= to) return ok(undefined);
  const base = baseOf(trace);
  const events = createEvents(PART);
  const follower = createFollower();
  let goesOn = true;
  let at: RecordNumber = from;
  const handOn = (): void => {
    if (events.count > 0 && goesOn) goesOn = visitor.take(sliceEvents(events, 0, events.count));
    events.count = 0;
    visitor.progress?.(Math.min(at, to));
  };
  const block = await firstBlockFor(trace, from, task);
  if (!block.ok) return block;
  const visited = await visitCaptures(
    trace,
    block.value,
    (capture) => {
      if (capture.entries.length === 0) return true;
      if (capture.first >= to) return false;
      at = capture.first + capture.entries.length;
      if (at <= from) return true;
      addEvents(events, capture, follower.branches(questionOf(trace, capture, code)), base, from, to);
      if (events.count >= PART) handOn();
      return goesOn;
    },
    pauses(task, handOn),
  );
  if (!visited.ok) return visited;
  if (task.cancelled()) return task.cancel();
  at = to;
  handOn();
  return ok(undefined);
}

/** Every branch and exception is an event, whatever is known of it. */
function addEvents(
  events: Events,
  { entries, first }: CaptureContent,
  branches: Branches,
  base: number,
  from: RecordNumber,
  to: RecordNumber,
): void {
  let since = 0;
  let gap: number = EVENT.gap;
  reserveEvents(events, entries.length);
  for (let k = 0; k < entries.length; k++) {
    const entry = entries[k]!;
    const { message } = entry;
    const ran = instructionsIn(entry) ?? entry.count;
    if (!isBranch(message) && !isException(message)) {
      // Nothing is known of what lies behind a damaged entry.
      if (message === MESSAGE.reserved) gap = EVENT.gap;
      since = message === MESSAGE.reserved ? 0 : since + ran;
      continue;
    }
    const record = first + k;
    if (record >= from && record < to) {
      const at = events.count++;
      events.record[at] = record;
      events.cpu[at] = NO_CPU;
      events.instructions[at] = since + ran;
      putBranch(events, at, entry, branches, k, base, gap);
    }
    since = gap = 0;
  }
}

function putBranch(
  events: Events,
  at: number,
  { message, target = NOWHERE }: Entry,
  branches: Branches,
  k: number,
  base: number,
  gap: number,
): void {
  const isFollowed = branches.kind[k] !== NO_KIND;
  const source = isFollowed ? branches.source[k]! : NOWHERE;
  const resume = isFollowed ? branches.resume[k]! : NOWHERE;
  // Where it leads by itself, without an image, is certain.
  let to = isException(message) ? base + vectorOf(message) : target;
  if (to < 0 && isFollowed) to = branches.target[k]!;
  // Bit 0 tells Thumb code, and no place.
  if (to >= 0) to -= to % 2;
  events.kind[at] = isFollowed ? branches.kind[k]! : bareKind(message);
  events.flags[at] =
    gap | (source < 0 ? 0 : EVENT.source) | (to < 0 ? 0 : EVENT.target) | (resume < 0 ? 0 : EVENT.resume);
  events.sourceLow[at] = source < 0 ? 0 : source;
  events.sourceHigh[at] = 0;
  events.targetLow[at] = to < 0 ? 0 : to;
  events.targetHigh[at] = 0;
  events.resumeLow[at] = resume < 0 ? 0 : resume;
  events.resumeHigh[at] = 0;
  events.operandSize[at] = 0;
}

function bareKind(message: number): number {
  if (!isException(message)) return BRANCH.unknown;
  return message === MESSAGE.irq || message === MESSAGE.fiq ? BRANCH.interrupt : BRANCH.exception;
}
