/** Finds the last and the next access to a span of memory, using the touch and mask rows of the index. */
import { FLAG } from '../../../../shared/records/batch.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { TOUCH } from '../../index/builders/memory/page-touches.ts';
import { SPAN_HIGH, SPAN_LOW } from '../../collections/byte-sets.ts';
import type { Steps } from '../../threads/in-slices.ts';
import { blocksNotSkipped, blocksNotSkippedBackwards, nodesReady } from '../../index/pyramid.ts';
import { NODE } from '../../index/store/index-file.ts';
import type { RowStream } from '../../index/store/node-rows.ts';
import type { Trace } from '../../trace.ts';
import { isWrite, nextAccess, READ_KINDS, WRITE_KINDS } from './accesses.ts';
import { batchRecords, visitColumns } from '../records/block-reader.ts';
import { bytesInLine, mayTouch, someMasks, someTouches, type Span } from '../records/span.ts';

/**
 * Returns the newest record n <= at with one of the kinds (a bit for each kind) that accesses the span. With `what` = 'effects',
 * only writes and reads with a value qualify, and `kinds` must contain all read and write kinds.
 */
export function* lastAccess(
  trace: Trace,
  kinds: number,
  span: Span,
  at: RecordNumber,
  what: 'accesses' | 'effects' = 'accesses',
): Steps<RecordNumber | undefined> {
  const { blocks } = trace;
  const last = blocks.blockOfRecord(Math.min(at, blocks.records - 1));
  const newestInLast = last < blocks.length ? newestInBlock(trace, last, kinds, span, what) : UNKNOWN;
  if (newestInLast >= 0 && newestInLast <= at) return ok(newestInLast);
  if (newestInLast !== NONE) {
    const inLast = lastInBlock(trace, last, kinds, span, at, what);
    if (!inLast.ok || inLast.value !== undefined) return inLast;
  }
  const ready = readyNow(trace);
  let found: RecordNumber | undefined;
  const skip = (level: number, node: number): boolean => {
    if (found !== undefined) return true;
    if (level > 0) return !mayHave(trace, level, node, kinds, span);
    const record = newestInBlock(trace, node, kinds, span, what);
    if (record >= 0) found = record;
    return record !== UNKNOWN;
  };
  for (const block of blocksNotSkippedBackwards(0, last, ready, skip)) {
    const inBlock = lastInBlock(trace, block, kinds, span, Number.MAX_SAFE_INTEGER, what);
    if (!inBlock.ok || inBlock.value !== undefined) return inBlock;
    yield blocks.firstRecord(block);
  }
  return ok(found);
}

/** No record of a block, and the record that only decoding finds. */
const NONE = -1;
const UNKNOWN = -2;

/** Returns the newest record of an indexed block with one of the kinds that accesses the span, NONE or UNKNOWN. `what` is that of `lastAccess`. */
function newestInBlock(
  { blocks, index }: Trace,
  block: BlockNumber,
  kinds: number,
  span: Span,
  what: 'accesses' | 'effects',
): RecordNumber | typeof NONE | typeof UNKNOWN {
  const rows = index.rows(NODE.touches, 0, block, span.firstPage, span.lastPage);
  if (rows === undefined) return mayTouch(index, 0, block, span, kinds) ? UNKNOWN : NONE;
  if ((kinds & WRITE_KINDS) === 0)
    return anyTouch(rows, span) && mayTouch(index, 0, block, span, kinds) ? UNKNOWN : NONE;
  // The rows contain the last touch and the last write of each byte. They contain a read only if no write follows it in the block.
  const writes = (kinds & READ_KINDS) === 0 ? TOUCH.write : 0;
  const record = newestTouch(rows, span, what === 'effects' ? TOUCH.write | TOUCH.value : writes);
  return record < 0 ? NONE : blocks.firstRecord(block) + record;
}

/** Returns the oldest record n > at with one of the kinds that accesses the span. */
export function* nextAccessTo(
  trace: Trace,
  kinds: number,
  span: Span,
  at: RecordNumber,
): Steps<RecordNumber | undefined> {
  const { blocks } = trace;
  const first = blocks.blockOfRecord(at + 1);
  const newest = first < blocks.length ? newestInBlock(trace, first, kinds, span, 'accesses') : UNKNOWN;
  if (newest === UNKNOWN || newest > at) {
    const inFirst = firstInBlock(trace, first, kinds, span, at + 1);
    if (!inFirst.ok || inFirst.value !== undefined) return inFirst;
  }
  const ready = readyNow(trace);
  const skip = (level: number, node: number): boolean => !mayAccess(trace, level, node, kinds, span);
  for (const block of blocksNotSkipped(first + 1, blocks.length, ready, skip)) {
    const inBlock = firstInBlock(trace, block, kinds, span, 0);
    if (!inBlock.ok || inBlock.value !== undefined) return inBlock;
    yield blocks.firstRecord(block);
  }
  return ok(undefined);
}

/** Returns the number of ready nodes per level as of the start of the request. The index may grow while other requests are served. */
function readyNow({ blocks, ingest }: Trace): (level: number) => number {
  const { length } = blocks;
  const { complete } = ingest;
  return (level) => nodesReady(level, length, complete);
}

/** Returns false if no record of the node with one of these memory kinds can have an effect on a byte of the span. */
export function mayAccess(trace: Trace, level: number, node: number, kinds: number, span: Span): boolean {
  if (level > 0) return mayHave(trace, level, node, kinds, span);
  const { index } = trace;
  // The find rows rule out most nodes and are shorter.
  if (!mayTouch(index, 0, node, span, kinds)) return false;
  const rows = index.rows(NODE.touches, 0, node, span.firstPage, span.lastPage);
  if (rows === undefined) return true;
  return (kinds & READ_KINDS) === 0 ? newestTouch(rows, span, TOUCH.write) >= 0 : anyTouch(rows, span);
}

/** Same as mayAccess, for nodes above level 0. */
function mayHave({ index }: Trace, level: number, node: number, kinds: number, span: Span): boolean {
  const onlyWrites = (kinds & READ_KINDS) === 0;
  const rows = index.rows(NODE.masks, level, node, span.firstPage, span.lastPage);
  if (rows !== undefined) {
    const any = someMasks(rows, span, (page, masks) => {
      const { low, high } = bytesInLine(span, page, masks.line);
      return onlyWrites
        ? ((masks.writtenLow & low) | (masks.writtenHigh & high)) !== 0
        : ((masks.touchedLow & low) | (masks.touchedHigh & high)) !== 0;
    });
    // Masks do not distinguish reads from writes. The find pyramid does, but only per cache line.
    if (!any || (kinds & WRITE_KINDS) !== 0) return any;
  }
  return mayTouch(index, level, node, span, kinds);
}

function anyTouch(rows: RowStream, span: Span): boolean {
  return someTouches(rows, span, (page, touch) => {
    const { low, high } = bytesInLine(span, page, touch.line);
    const at = touch.start * 65 + touch.size;
    return ((SPAN_LOW[at]! & low) | (SPAN_HIGH[at]! & high)) !== 0;
  });
}

/** Returns the newest record of a block that touched a byte of the span with any of these TOUCH flags (0: no flag required), or -1. */
function newestTouch(rows: RowStream, span: Span, flags: number): number {
  let newest = -1;
  someTouches(rows, span, (page, touch) => {
    if (touch.record <= newest || (flags !== 0 && (touch.flags & flags) === 0)) return false;
    const { low, high } = bytesInLine(span, page, touch.line);
    const at = touch.start * 65 + touch.size;
    if (((SPAN_LOW[at]! & low) | (SPAN_HIGH[at]! & high)) !== 0) newest = touch.record;
    return false;
  });
  return newest;
}

function lastInBlock(
  trace: Trace,
  block: BlockNumber,
  kinds: number,
  span: Span,
  at: RecordNumber,
  what: 'accesses' | 'effects',
): Result<RecordNumber | undefined> {
  const { blocks } = trace;
  const size = batchRecords(trace);
  const records = block < blocks.length ? blocks.row(block).records : Number.POSITIVE_INFINITY;
  const latest = Math.min(at - (block < blocks.length ? blocks.firstRecord(block) : 0), records - 1);
  let found: RecordNumber | undefined;
  // Batches backwards: most are not decoded if decoding can begin at each.
  for (let place = Math.floor(latest / size); place >= 0 && found === undefined; place--) {
    const read = visitColumns(trace, block, place * size, ({ batch, first }) => {
      const end = Math.min(batch.count, at - first + 1);
      for (let i = nextAccess(batch, kinds, span, 0, end); i < end; i = nextAccess(batch, kinds, span, i + 1, end)) {
        if (what === 'accesses' || isWrite(batch, i) || (batch.flags[i]! & FLAG.value) !== 0) found = first + i;
      }
      return false;
    });
    if (!read.ok) return read;
  }
  return ok(found);
}

function firstInBlock(
  trace: Trace,
  block: BlockNumber,
  kinds: number,
  span: Span,
  from: RecordNumber,
): Result<RecordNumber | undefined> {
  let found: RecordNumber | undefined;
  const start = Math.max(0, from - trace.blocks.firstRecord(block));
  const read = visitColumns(trace, block, start, ({ batch, first }) => {
    const i = nextAccess(batch, kinds, span, Math.max(0, from - first), batch.count);
    if (i < batch.count) found = first + i;
    return found === undefined;
  });
  return read.ok ? ok(found) : read;
}
