/**
 * The branches of XScale captures as events, with what the program's image tells of them: each capture is followed as a whole, and
 * begins anew, so that threads of the pool can each follow some.
 */
import { NO_CPU, type Batch } from '../../../../shared/batch.ts';
import {
  BRANCH,
  createEvents,
  EVENT,
  packEvents,
  reserveEvents,
  type Events,
  type FlowStretch,
} from '../../../../shared/flow.ts';
import { ok, type Result } from '../../../../shared/result.ts';
import type { RecordNumber } from '../../../../shared/units.ts';
import { isBranch, isException, MESSAGE, vectorOf } from '../../../../shared/xscale/messages.ts';
import type { BlockStart } from '../../queries/heat-cells.ts';
import type { TraceReader } from '../../trace-ref.ts';
import { visitCapturesIn, type CaptureContent } from './captures.ts';
import type { Code } from './code.ts';
import { instructionsIn, type Entry } from './entries.ts';
import { createFollower, type Follower } from './follow.ts';
import { baseOf, questionOf } from './trace-captures.ts';
import { NO_KIND, NOWHERE, type Branches } from './way.ts';

export interface CaptureRun {
  /** Those in which the captures lie, see `blocksAround`. */
  readonly blocks: readonly BlockStart[];
  /** Captures are wanted whose first record is in [first, end). */
  readonly first: RecordNumber;
  readonly end: RecordNumber;
}

/** What one thread follows captures of a trace with: it remembers instructions. */
export interface CaptureReader {
  read(run: CaptureRun): Result<FlowStretch>;
}

export function createCaptureReader(reader: TraceReader, batch: Batch, code: Code): CaptureReader {
  const follower: Follower = createFollower();
  const base = baseOf({ reader });
  const events = createEvents();
  return {
    read({ blocks, first, end }) {
      events.count = 0;
      const visited = visitCapturesIn(reader, batch, blocks, (capture) => {
        if (capture.entries.length === 0) return true;
        if (capture.first >= end) return false;
        if (capture.first >= first)
          addEvents(events, capture, follower.branches(questionOf({ reader }, capture, code)), base);
        return true;
      });
      return visited.ok ? ok({ events: packEvents(events), runs: [] }) : visited;
    },
  };
}

/** Every branch and exception is an event, whatever is known of it. */
function addEvents(events: Events, { entries, first }: CaptureContent, branches: Branches, base: number): void {
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
    const at = events.count++;
    events.record[at] = first + k;
    events.cpu[at] = NO_CPU;
    events.instructions[at] = since + ran;
    putBranch(events, at, entry, branches, k, base, gap);
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
