/**
 * The branches of XScale captures as events, with what the program's image tells of them: each capture is followed as a whole, and
 * begins anew, so that threads of the pool can each follow some, and what comes of the same bytes is the same.
 */
import { createBatch, type Batch } from '../../../../../shared/records/batch.ts';
import type { FlowStretch } from '../../../../../shared/flow/events.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import { BUFFER_BYTES } from '../../../../../shared/xscale/messages.ts';
import { roomFor } from '../../../index/builders/flow-row.ts';
import type { BlockStart } from '../../../index/blocks.ts';
import type { TraceReader, TraceRef } from '../../../index/trace-reader.ts';
import type { SharedCode } from '../../../image/shared-code.ts';
import { poolTask } from '../../../threads/pool-task.ts';
import { createCaptureEvents } from './capture-events.ts';
import { unitOf, type CaptureContent } from '../capture-content.ts';
import { visitCapturesIn, type KnownByBytes } from '../captures.ts';
import type { Code } from './code.ts';
import { createEventList } from './event-list.ts';
import { createFollower } from './follow.ts';
import { createKnownCaptures } from './known-captures.ts';
import { baseOf, questionOf } from '../trace-captures.ts';

export interface CaptureRun {
  /** Those in which the captures lie, see `blocksAround`. */
  readonly blocks: readonly BlockStart[];
  /** Captures are wanted whose first record is in [first, end). */
  readonly first: RecordNumber;
  readonly end: RecordNumber;
  /** Their events need no columns of their own (see Events): they lie in shared memory, in `room` where that is large enough. */
  readonly lean: boolean;
  readonly room?: SharedArrayBuffer | undefined;
}

/** Reads the branch events of captures, with the code of images. */
export const FOLLOW_CAPTURES = poolTask<
  CaptureRun & { readonly trace: TraceRef; readonly code: SharedCode },
  FlowStretch
>('follow captures', 'survey');

/** What one thread follows captures of a trace with: it remembers instructions and captures. */
export interface CaptureReader {
  read(run: CaptureRun): Result<FlowStretch>;
}

/** Of more different events none is remembered any longer. */
const MOST_EVENTS = 1 << 18;

export function createCaptureReader(reader: TraceReader, batch: Batch, code: Code): CaptureReader {
  const follower = createFollower();
  const unit = tellsByNumber(reader) ? 0 : unitOf(reader);
  const known = createKnownCaptures(unit);
  // Then each capture is decoded for itself.
  const rows = unit === 0 ? batch : createBatch(BUFFER_BYTES);
  let list = createEventList();
  let events = createCaptureEvents(list, baseOf({ reader }));
  /** For events that get columns of their own. */
  let own = roomFor(0, undefined);
  return {
    read({ blocks, first, end, lean, room }) {
      if (list.known() > MOST_EVENTS) forget();
      // The last one may end behind them.
      const most = end - first + BUFFER_BYTES;
      const memory = roomFor(most, lean ? room : own);
      if (!lean) own = memory;
      list.begin(most, memory);
      const byBytes: KnownByBytes = {
        pass(bytes, at, record) {
          const capture = record < end ? known.find(bytes, at) : -1;
          if (capture < 0) return 0;
          if (record >= first) list.add(record, known.events, known.start(capture), known.start(capture + 1));
          return known.records(capture);
        },
        isSought: false,
      };
      const visited = visitCapturesIn(
        reader,
        rows,
        blocks,
        (capture) => {
          if (capture.entries.length === 0) return true;
          if (capture.first >= end) return false;
          if (capture.first < first) return true;
          const count = eventsOf(capture);
          list.add(capture.first, events.some, 0, count);
          if (byBytes.isSought) known.note(capture.entries.length, events.some, count);
          return true;
        },
        unit === 0 ? undefined : byBytes,
      );
      const found = list.take(lean);
      return visited.ok ? ok({ events: found, runs: [] }) : visited;
    },
  };

  function eventsOf(capture: CaptureContent): number {
    return events.fill(capture.entries, follower.branches(questionOf({ reader }, capture, code)));
  }

  function forget(): void {
    known.clear();
    list = createEventList();
    events = createCaptureEvents(list, baseOf({ reader }));
  }
}

/** Whether options say something of captures by their number in the file. */
function tellsByNumber({ decoder: { settings } }: TraceReader): boolean {
  return (settings['capture'] ?? 'all') !== 'all' || (settings['checkpoints'] ?? '') !== '';
}
