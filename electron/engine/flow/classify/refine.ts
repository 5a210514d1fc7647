/**
 * Events of traces that do not tell what branches are, as the program's image explains them. What needs the next event waits for it, so that events come in the same
 * order but perhaps a stretch later.
 */
import {
  appendEvents,
  BRANCH,
  createEvents,
  EVENT,
  setApart,
  sliceEvents,
  type Events,
} from '../../../../shared/flow/events.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { loadDisassembler } from '../../image/disassembler.ts';
import type { Trace } from '../../trace.ts';
import { createKindsByImage, type KindsByImage } from './by-image.ts';
import { MOST_AHEAD } from '../interrupts/interrupt-return.ts';
import { createHandlerCode } from '../interrupts/handler-code.ts';
import { createImageCode } from './image-code.ts';
import { createStraightRuns } from './straight-runs.ts';

export interface Refiner {
  /** Takes the next events; answers those that are explained. */
  add(events: Events): Events;
  /** Whether an event that waits lies in the range. */
  waits(range: { readonly from: RecordNumber; readonly to: RecordNumber }): boolean;
  /** The rest, now that nothing follows. */
  end(): Events;
}

/** Events that wait at most: for the next one of their cpu, or until that came back. */
const MOST_WAITING = MOST_AHEAD;

/** Undefined where no image has code, or the trace needs none. */
export async function createRefiner({
  images,
  reader,
}: Pick<Trace, 'images' | 'reader'>): Promise<Refiner | undefined> {
  const { unclassified, pentium = false } = reader.decoder.format.branches ?? {};
  const machines = images.list.flatMap(({ machine, segments }) => (segments.length === 0 ? [] : [machine]));
  if (unclassified !== true || machines.length === 0) return undefined;
  const code = createImageCode(images, await loadDisassembler());
  const x86 = pentium || machines.some((machine) => machine?.isa?.startsWith('x86') === true);
  const runs = createStraightRuns(images, code);
  return refineWith(createKindsByImage(code, runs, createHandlerCode(images, code, runs), { x86, pentium }));
}

function refineWith(kinds: KindsByImage): Refiner {
  let waiting = createEvents(16);
  return {
    add(events) {
      if (waiting.count === 0) return explain(events, false);
      const all = createEvents(waiting.count + events.count);
      appendEvents(all, waiting, 0, waiting.count);
      appendEvents(all, events, 0, events.count);
      return explain(all, false);
    },
    waits: ({ from, to }) => waiting.record.subarray(0, waiting.count).some((n) => n >= from && n < to),
    end: () => explain(waiting, true),
  };

  function explain(events: Events, last: boolean): Events {
    setApart(events);
    const { count } = events;
    const next = nextOfCpu(events);
    let ready = count;
    for (let at = 0; at < count; at++) {
      if (!isUnexplained(events, at)) continue;
      const isFast = (events.flags[at]! & EVENT.target) === 0;
      const isOpen = !last && count - at <= MOST_WAITING;
      if (isOpen && (isFast ? next[at] === NOT_YET : kinds.waits(events, at))) {
        ready = at;
        break;
      }
      events.flags[at]! &= ~(EVENT.broken | EVENT.strayed);
      kinds.read(events, at, next[at]!);
    }
    waiting = createEvents(Math.max(16, count - ready));
    appendEvents(waiting, events, ready, count);
    return sliceEvents(events, 0, ready);
  }
}

function isUnexplained({ kind, flags }: Events, at: number): boolean {
  return kind[at] === BRANCH.unknown && (flags[at]! & (EVENT.source | EVENT.granular)) === EVENT.source;
}

const NOT_YET = -1;
const NONE = -2;

/** By event: the next one of the same cpu; NOT_YET, or NONE where nothing is known of what ran between. */
function nextOfCpu({ cpu, flags, count }: Events): Int32Array {
  const next = new Int32Array(count).fill(NOT_YET);
  const latest = new Map<number, number>();
  for (let at = count - 1; at >= 0; at--) {
    const its = cpu[at]!;
    next[at] = latest.get(its) ?? NOT_YET;
    latest.set(its, (flags[at]! & EVENT.gap) === 0 ? at : NONE);
  }
  return next;
}
