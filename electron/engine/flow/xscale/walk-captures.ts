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
import { baseOf, codeOf, firstBlockFor, followCapture, pauses } from './trace-captures.ts';
import type { Branch } from './way.ts';

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
      addEvents(events, capture, followCapture(trace, capture, code, false).branches, base, from, to);
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
  branches: readonly Branch[],
  base: number,
  from: RecordNumber,
  to: RecordNumber,
): void {
  let next = 0;
  let since = 0;
  let gap: number = EVENT.gap;
  for (const [k, entry] of entries.entries()) {
    while (next < branches.length && branches[next]!.entry < k) next++;
    const ran = instructionsIn(entry) ?? entry.count;
    if (!isBranch(entry.message) && !isException(entry.message)) {
      // Nothing is known of what lies behind a damaged entry.
      if (entry.message === MESSAGE.reserved) gap = EVENT.gap;
      since = entry.message === MESSAGE.reserved ? 0 : since + ran;
      continue;
    }
    const record = first + k;
    if (record >= from && record < to) {
      const branch = branches[next];
      addEvent(events, record, branch?.entry === k ? branch : bareBranch(entry, k), {
        target: isException(entry.message) ? base + vectorOf(entry.message) : entry.target,
        instructions: since + ran,
        gap,
      });
    }
    since = gap = 0;
  }
}

function bareBranch({ message }: Entry, entry: number): Branch {
  if (!isException(message)) return { entry, kind: 'unknown' };
  return { entry, kind: message === MESSAGE.irq || message === MESSAGE.fiq ? 'interrupt' : 'exception' };
}

interface Beside {
  /** Where it leads by itself, without an image. */
  readonly target: number | undefined;
  readonly instructions: number;
  readonly gap: number;
}

function addEvent(
  events: Events,
  record: RecordNumber,
  { source, target: found, kind, resume }: Branch,
  { target = found, instructions, gap }: Beside,
): void {
  reserveEvents(events, 1);
  const at = events.count++;
  // Bit 0 tells Thumb code, and no place.
  const to = target === undefined ? undefined : target - (target % 2);
  events.record[at] = record;
  events.kind[at] = BRANCH[kind];
  events.flags[at] =
    gap |
    (source === undefined ? 0 : EVENT.source) |
    (to === undefined ? 0 : EVENT.target) |
    (resume === undefined ? 0 : EVENT.resume);
  events.cpu[at] = NO_CPU;
  events.sourceLow[at] = source ?? 0;
  events.sourceHigh[at] = 0;
  events.targetLow[at] = to ?? 0;
  events.targetHigh[at] = 0;
  events.resumeLow[at] = resume ?? 0;
  events.resumeHigh[at] = 0;
  events.operandSize[at] = 0;
  events.instructions[at] = instructions;
}
