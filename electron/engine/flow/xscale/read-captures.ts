/**
 * The branches of XScale captures as events, with what the program's image tells of them: each capture is followed as a whole, and
 * begins anew, so that threads of the pool can each follow some.
 */
import type { Batch } from '../../../../shared/batch.ts';
import { BRANCH, EVENT, type FlowStretch } from '../../../../shared/flow.ts';
import { ok, type Result } from '../../../../shared/result.ts';
import type { RecordNumber } from '../../../../shared/units.ts';
import { isBranch, isException, isIndirect, MESSAGE, vectorOf } from '../../../../shared/xscale/messages.ts';
import type { BlockStart } from '../../queries/heat-cells.ts';
import type { TraceReader } from '../../trace-ref.ts';
import { visitCapturesIn, type CaptureContent } from './captures.ts';
import type { Code } from './code.ts';
import { instructionsIn, isOfRegister, type Entry } from './entries.ts';
import { createEventList, type EventList } from './event-list.ts';
import { createFollower, type Branches, type Follower } from './follow.ts';
import { STEP } from './known-steps.ts';
import { baseOf, questionOf } from './trace-captures.ts';
import { even, NO_KIND, NOWHERE } from './way.ts';

export interface CaptureRun {
  /** Those in which the captures lie, see `blocksAround`. */
  readonly blocks: readonly BlockStart[];
  /** Captures are wanted whose first record is in [first, end). */
  readonly first: RecordNumber;
  readonly end: RecordNumber;
  /** Their events need no columns of their own (see Events). */
  readonly lean: boolean;
}

/** What one thread follows captures of a trace with: it remembers instructions. */
export interface CaptureReader {
  read(run: CaptureRun): Result<FlowStretch>;
}

export function createCaptureReader(reader: TraceReader, batch: Batch, code: Code): CaptureReader {
  const follower: Follower = createFollower();
  const base = baseOf({ reader });
  const events = createEventList();
  return {
    read({ blocks, first, end, lean }) {
      const visited = visitCapturesIn(reader, batch, blocks, (capture) => {
        if (capture.entries.length === 0) return true;
        if (capture.first >= end) return false;
        if (capture.first >= first)
          addEvents(events, capture, follower.branches(questionOf({ reader }, capture, code)), base);
        return true;
      });
      const found = events.take(lean);
      return visited.ok ? ok({ events: found, runs: [] }) : visited;
    },
  };
}

/** Every branch and exception is an event, whatever is known of it. */
function addEvents(events: EventList, { entries, first }: CaptureContent, branches: Branches, base: number): void {
  let since = 0;
  let gap: number = EVENT.gap;
  events.reserve(entries.length);
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
    addBranch(events, first + k, entry, branches, k, base, gap, since + ran);
    since = gap = 0;
  }
}

function addBranch(
  events: EventList,
  record: RecordNumber,
  entry: Entry,
  branches: Branches,
  k: number,
  base: number,
  gap: number,
  instructions: number,
): void {
  const { rows, registersHold } = branches;
  const { message } = entry;
  const target = registersHold || !isOfRegister(entry) ? (entry.target ?? NOWHERE) : NOWHERE;
  const step = branches.steps[k]!;
  const isFollowed = step >= 0 && rows[step + STEP.kind] !== NO_KIND;
  const kind = isFollowed ? rows[step + STEP.kind]! : bareKind(message);
  const source = isFollowed ? rows[step + STEP.source]! : NOWHERE;
  const resume = isFollowed ? rows[step + STEP.resume]! : NOWHERE;
  // Where it leads by itself, without an image, is certain.
  let to = isException(message) ? base + vectorOf(message) : target;
  if (to < 0 && isFollowed && !isIndirect(message)) to = rows[step + STEP.target]!;
  if (to >= 0) to = even(to);
  const computed = kind === BRANCH.jump && isIndirect(message) ? EVENT.computed : 0;
  const concluded = isFollowed && branches.doubtful ? EVENT.inferred : 0;
  const known = (source < 0 ? 0 : EVENT.source) | (to < 0 ? 0 : EVENT.target) | (resume < 0 ? 0 : EVENT.resume);
  const flags = gap | computed | concluded | known;
  events.add(record, kind, flags, Math.max(0, source), Math.max(0, to), Math.max(0, resume), instructions);
}

function bareKind(message: number): number {
  if (!isException(message)) return BRANCH.unknown;
  return message === MESSAGE.irq || message === MESSAGE.fiq ? BRANCH.interrupt : BRANCH.exception;
}
