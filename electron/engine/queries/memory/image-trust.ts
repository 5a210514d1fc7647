/**
 * Decides whether a segment of an image may stand for memory before the first access: the first access to each of its bytes that has an
 * effect, in the whole trace, is either a write or a read of the image's value. One other read means that the image is of another build, or
 * that something outside the trace changed the memory, so then no byte of the segment is used.
 *
 * The masks of the index contain which bytes a node read first, and their values then. Results are cached by segment, and a growing index
 * is searched only where it has grown.
 */
import { FLAG } from '../../../../shared/records/batch.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, PageNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { cachePer } from '../../collections/cache-per.ts';
import { lowest } from '../../collections/byte-sets.ts';
import type { InitialPart } from '../../image/initial-bytes.ts';
import type { Segment } from '../../image/image.ts';
import { scatterFirsts, type MaskReader } from '../../index/builders/memory/page-masks.ts';
import { blocksNotSkipped, nodesReady } from '../../index/pyramid.ts';
import { NODE } from '../../index/store/index-file.ts';
import type { Steps } from '../../threads/in-slices.ts';
import type { Trace } from '../../trace.ts';
import { isWrite, nextAccess, offsetInSpan, READ_KINDS, WRITE_KINDS } from '../access/accesses.ts';
import { visitBatches } from '../records/block-reader.ts';
import { bytesInLine, mayTouch, someMasks, spanOf, type Span } from '../records/span.ts';

/** A read of a value that the image does not have, before any write of the byte. */
export interface Contradiction {
  readonly record: RecordNumber;
  readonly address: bigint;
}

interface Seen {
  /** Number of blocks searched. */
  blocks: number;
  /** Bytes with an effect in these blocks, as sets by line, counted from the first page of the segment. */
  readonly effects: Map<number, ByteSet>;
  contradiction: Contradiction | undefined;
}

interface ByteSet {
  low: number;
  high: number;
}

const KINDS = READ_KINDS | WRITE_KINDS;
const seenOf = cachePer((): Map<Segment, Seen> => new Map());

/** Returns the first contradiction in the indexed part of the trace. Yields the first record of each block that it decoded. */
export function* contradictionOf(trace: Trace, { segment, base }: InitialPart): Steps<Contradiction | undefined> {
  const { blocks, index, ingest } = trace;
  const seen = seenIn(seenOf(trace), segment);
  const done = blocks.length;
  const { complete } = ingest;
  if (seen.contradiction !== undefined || seen.blocks === done) return ok(seen.contradiction);
  const span = spanOf(base, base + BigInt(segment.bytes.length) - 1n);
  const skip = (level: number, node: number): boolean => {
    const rows = () => index.rows(NODE.masks, level, node, span.firstPage, span.lastPage);
    const own = level === 0 ? undefined : rows();
    if (own === undefined) return !mayTouch(index, level, node, span, KINDS);
    if (someMasks(own, span, (page, masks) => contradicts(seen, span, segment.bytes, page, masks))) return false;
    someMasks(rows()!, span, (page, masks) => {
      const { low, high } = bytesInLine(span, page, masks.line);
      addEffects(
        effectsIn(seen, lineKey(span, page, masks.line)),
        (masks.writtenLow | masks.firstLow) & low,
        (masks.writtenHigh | masks.firstHigh) & high,
      );
      return false;
    });
    return true;
  };
  const ready = (level: number): number => nodesReady(level, done, complete);
  for (const block of blocksNotSkipped(seen.blocks, done, ready, skip)) {
    const read = addBlock(trace, block, span, segment.bytes, seen);
    if (!read.ok || read.value !== undefined) return read;
    yield blocks.firstRecord(block);
  }
  seen.blocks = Math.max(seen.blocks, done);
  return ok(undefined);
}

function seenIn(all: Map<Segment, Seen>, segment: Segment): Seen {
  let seen = all.get(segment);
  if (seen === undefined) all.set(segment, (seen = { blocks: 0, effects: new Map(), contradiction: undefined }));
  return seen;
}

function lineKey({ firstPage }: Span, page: PageNumber, line: number): number {
  return (page - firstPage) * 64 + line;
}

function effectsIn({ effects }: Seen, key: number): ByteSet {
  let set = effects.get(key);
  if (set === undefined) effects.set(key, (set = { low: 0, high: 0 }));
  return set;
}

function addEffects(set: ByteSet, low: number, high: number): void {
  set.low |= low;
  set.high |= high;
}

/** True if a line of masks has bytes whose first effect in the trace is a read of another value than the image has. */
function contradicts(seen: Seen, span: Span, bytes: Uint8Array, page: PageNumber, masks: MaskReader): boolean {
  const own = bytesInLine(span, page, masks.line);
  const { low = 0, high = 0 } = seen.effects.get(lineKey(span, page, masks.line)) ?? {};
  const firstLow = masks.firstLow & own.low & ~low;
  const firstHigh = masks.firstHigh & own.high & ~high;
  if ((firstLow | firstHigh) === 0) return false;
  scatterFirsts(masks, FIRSTS);
  /** Offset of the line from the segment's first byte. */
  const start = lineKey(span, page, masks.line) * 64 - (span.lowLow & 4095);
  for (let rest = firstLow; rest !== 0; rest &= rest - 1)
    if (FIRSTS[lowest(rest, 0)] !== bytes[start + lowest(rest, 0)]) return true;
  for (let rest = firstHigh; rest !== 0; rest &= rest - 1)
    if (FIRSTS[lowest(0, rest)] !== bytes[start + lowest(0, rest)]) return true;
  return false;
}

const FIRSTS = new Uint8Array(64);

/** Decodes a block up to its first contradiction. */
function addBlock(
  trace: Trace,
  block: BlockNumber,
  span: Span,
  bytes: Uint8Array,
  seen: Seen,
): Result<Contradiction | undefined> {
  const read = visitBatches(trace, block, 0, ({ batch, first }) => {
    const { count, flags, size, valueAt, values } = batch;
    for (
      let i = nextAccess(batch, KINDS, span, 0, count);
      i < count;
      i = nextAccess(batch, KINDS, span, i + 1, count)
    ) {
      const isValued = (flags[i]! & FLAG.value) !== 0;
      if (!isWrite(batch, i) && !isValued) continue;
      const offset = offsetInSpan(batch, i, span);
      const to = Math.min(bytes.length, offset + Math.max(1, size[i]!));
      for (let byte = Math.max(0, offset); byte < to; byte++) {
        const inPages = (span.lowLow & 4095) + byte;
        const set = effectsIn(seen, Math.floor(inPages / 64));
        const bit = 1 << (inPages & 31);
        const isHigh = (inPages & 32) !== 0;
        if (((isHigh ? set.high : set.low) & bit) !== 0) continue;
        if (!isWrite(batch, i) && values.bytes[valueAt[i]! + byte - offset] !== bytes[byte]) {
          seen.contradiction = { record: first + i, address: span.low + BigInt(byte) };
          return false;
        }
        addEffects(set, isHigh ? 0 : bit, isHigh ? bit : 0);
      }
    }
    return true;
  });
  return read.ok ? ok(seen.contradiction) : read;
}
