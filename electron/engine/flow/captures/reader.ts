/**
 * Branch events of captures on one decode thread. Each capture is followed on its own, so threads can share the captures of a trace, and
 * equal bytes give equal events.
 */
import { createBatch, type Batch } from '../../../../shared/records/batch.ts';
import { assert, ok } from '../../../../shared/base/result.ts';
import { BUFFER_BYTES } from '../../../../shared/xscale/messages.ts';
import { roomFor } from '../../index/builders/flow-row.ts';
import type { Images } from '../../image/images.ts';
import type { ImageFlowReader } from '../events/image-flow.ts';
import type { TraceReader } from '../../index/trace-reader.ts';
import { createCaptureEvents } from './xscale/capture-events.ts';
import { unitOf, type CaptureContent } from './content.ts';
import { visitCapturesIn, type KnownByBytes } from './visit.ts';
import { createEventList } from './xscale/event-list.ts';
import { createFollower } from './xscale/follow.ts';
import { createKnownCaptures } from './xscale/known-captures.ts';
import { baseOf, codeOf, questionOf } from './capture-input.ts';

/** With more distinct events than this, the reader forgets all of them. */
const MOST_EVENTS = 1 << 18;

export function createCaptureReader(reader: TraceReader, batch: Batch, images: Images): ImageFlowReader {
  const code = codeOf(images);
  assert(code !== undefined, 'captures are followed on decode threads only if images have code');
  const follower = createFollower();
  const unit = refersByNumber(reader) ? 0 : unitOf(reader);
  const known = createKnownCaptures(unit);
  // With a fixed length each capture is decoded into a batch of its own.
  const rows = unit === 0 ? batch : createBatch(BUFFER_BYTES);
  let list = createEventList();
  let events = createCaptureEvents(list, baseOf({ reader }));
  /** Memory of events with columns of their own. */
  let own = roomFor(0, undefined);
  return {
    read({ blocks, first, end, lean, room }) {
      if (list.known() > MOST_EVENTS) forget();
      // The last capture may continue after the range.
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

/** Returns true if options refer to captures by their number in the file. */
function refersByNumber({ decoder: { settings } }: TraceReader): boolean {
  return (settings['capture'] ?? 'all') !== 'all' || (settings['checkpoints'] ?? '') !== '';
}
