/** Walks over the changes of a watched thing, forwards from a record or backwards to the last one. The index rules out most blocks. */
import { ok } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { WatchChange, WatchSubject } from '../../../../shared/requests/watches.ts';
import { blocksNotSkipped, blocksNotSkippedBackwards, nodesReady } from '../../index/pyramid.ts';
import type { Steps } from '../../threads/in-slices.ts';
import type { Trace } from '../../trace.ts';
import { visitBatches } from '../records/block-reader.ts';
import { follow, type Followed, type TakeEvent } from './contents.ts';

/**
 * Visits the changes and rewrites in [from, to) in order until `take` returns false. `begin` receives the contents before `from`. Yields the
 * record that it has reached, once for each block.
 */
export function* walkForwards(
  trace: Trace,
  followed: Followed,
  { from, to }: { readonly from: RecordNumber; readonly to: RecordNumber },
  take: TakeEvent,
  begin: () => void = () => undefined,
): Steps<undefined> {
  const { blocks } = trace;
  const end = Math.min(to, blocks.records);
  const started = yield* followed.start(Math.min(from, blocks.records) - 1);
  if (!started.ok) return started;
  begin();
  if (from >= end) return ok(undefined);
  const ready = readyNow(trace);
  const first = blocks.blockOfRecord(from);
  const last = blocks.blockOfRecord(end - 1);
  const skip = (level: number, node: number): boolean => !followed.mayConcern(level, node);
  for (const block of blocksNotSkipped(first, last + 1, ready, skip)) {
    const start = blocks.firstRecord(block);
    yield Math.max(from, start);
    let goesOn = true as boolean;
    const read = visitBatches(trace, block, Math.max(0, from - start), (decoded) => {
      goesOn = followed.visit(decoded, from, end, take);
      return goesOn && decoded.first + decoded.batch.count < end;
    });
    if (!read.ok || !goesOn) return read;
  }
  return ok(undefined);
}

/** Returns the newest change at or before a record. Each block that the index cannot rule out is followed from its start. */
export function* lastChange(trace: Trace, subject: WatchSubject, at: RecordNumber): Steps<WatchChange | undefined> {
  const { blocks } = trace;
  if (blocks.records === 0) return ok(undefined);
  const end = Math.min(at + 1, blocks.records);
  const followed = follow(trace, subject);
  const skip = (level: number, node: number): boolean => !followed.mayConcern(level, node);
  const last = blocks.blockOfRecord(end - 1);
  const candidates = blocksNotSkippedBackwards(0, last + 1, readyNow(trace), skip);
  for (const block of candidates) {
    const first = blocks.firstRecord(block);
    yield first;
    const own = follow(trace, subject);
    const started = yield* own.start(first - 1);
    if (!started.ok) return started;
    let found: WatchChange | undefined;
    const read = visitBatches(trace, block, 0, (decoded) => {
      own.visit(decoded, first, end, (event) => {
        if (event.changed) found = changeOf(event);
        return true;
      });
      return decoded.first + decoded.batch.count < end;
    });
    if (!read.ok) return read;
    if (found !== undefined) return ok(found);
  }
  return ok(undefined);
}

/** Returns the oldest change after a record. */
export function* nextChange(trace: Trace, subject: WatchSubject, at: RecordNumber): Steps<WatchChange | undefined> {
  let found: WatchChange | undefined;
  const range = { from: at + 1, to: Number.MAX_SAFE_INTEGER };
  const walked = yield* walkForwards(trace, follow(trace, subject), range, (event) => {
    if (event.changed) found = changeOf(event);
    return found === undefined;
  });
  return walked.ok ? ok(found) : walked;
}

export function changeOf({ n, before, after, how }: WatchChange): WatchChange {
  return { n, before, after, how };
}

/** Returns the number of ready nodes per level as of now: the index may grow while a walk is interrupted. */
function readyNow({ blocks, ingest }: Trace): (level: number) => number {
  const { length } = blocks;
  const { complete } = ingest;
  return (level) => nodesReady(level, length, complete);
}
