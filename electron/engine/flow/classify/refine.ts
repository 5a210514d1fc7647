/**
 * Finds the kinds of branches from the program's image (by-image.ts), for traces that do not contain them. Events that need later
 * events are held back until these arrive. The order of events stays the same.
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
import { createHandlerCode } from './handler-code.ts';
import { createImageCode } from './image-code.ts';
import { MOST_AHEAD } from './interrupt-return.ts';
import { createStraightRuns } from './straight-runs.ts';

export interface Refiner {
  /** Takes the next events, and returns those that are complete. */
  add(events: Events): Events;
  /** Returns true if an event of these records is held back. */
  waits(range: { readonly from: RecordNumber; readonly to: RecordNumber }): boolean;
  /** Returns the rest, as no events follow. */
  end(): Events;
}

/** Upper bound on held-back events, which wait for the next event of their CPU or for a handler to return. */
const MOST_WAITING = MOST_AHEAD;

/** Returns undefined if no image has code, or if the trace contains the kinds. */
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
      if (waiting.count === 0) return complete(events, false);
      const all = createEvents(waiting.count + events.count);
      appendEvents(all, waiting, 0, waiting.count);
      appendEvents(all, events, 0, events.count);
      return complete(all, false);
    },
    waits: ({ from, to }) => waiting.record.subarray(0, waiting.count).some((n) => n >= from && n < to),
    end: () => complete(waiting, true),
  };

  function complete(events: Events, last: boolean): Events {
    setApart(events);
    const { count } = events;
    const next = nextOfCpu(events);
    let ready = count;
    for (let at = 0; at < count; at++) {
      if (!isIncomplete(events, at)) continue;
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

function isIncomplete({ kind, flags }: Events, at: number): boolean {
  return kind[at] === BRANCH.unknown && (flags[at]! & (EVENT.source | EVENT.granular)) === EVENT.source;
}

const NOT_YET = -1;
const NONE = -2;

/** Returns by event the next one of the same CPU; NOT_YET, or NONE if a gap lies between. */
function nextOfCpu({ cpu, flags, count }: Events): Int32Array {
  const next = new Int32Array(count).fill(NOT_YET);
  const latest = new Map<number, number>();
  for (let at = count - 1; at >= 0; at--) {
    const own = cpu[at]!;
    next[at] = latest.get(own) ?? NOT_YET;
    latest.set(own, (flags[at]! & EVENT.gap) === 0 ? at : NONE);
  }
  return next;
}
