/**
 * Reads records of one block on the engine thread. Decodes only the requested batches, starting at checkpoints of the index, or at those
 * that were found before.
 */
import { BATCH_RECORDS, createBatch, PART_RECORDS, resetBatch, type Batch } from '../../../../shared/records/batch.ts';
import type { Decoder, State, Window } from '../../../../shared/format/format.ts';
import { LONG_LINE } from '../../../../shared/format/format.ts';
import type { RecordView } from '../../../../shared/records/record.ts';
import { assert, ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, ByteOffset, RecordNumber } from '../../../../shared/base/units.ts';
import { cachePer } from '../../collections/cache-per.ts';
import type { Trace } from '../../trace.ts';
import { partBefore, partsOf, type BlockPlace } from './block-parts.ts';

/** Checkpoints and batches of recently decoded blocks. */
interface DecodedBlocks {
  /** Starts of batches found so far, per block. The most recently used blocks are kept. */
  readonly checkpoints: Map<BlockNumber, BlockPlace[]>;
  /** Keyed by `batchKey`. The most recently used batches are kept. */
  readonly batches: Map<number, DecodedBatch>;
}

interface DecodedBatch {
  readonly batch: Batch;
  /** Offset after its last record, and the end of the block as reported by the decoder at that point. */
  readonly position: ByteOffset;
  readonly end: ByteOffset;
  /** End of the block before decoding. */
  readonly nominalEnd: ByteOffset;
  readonly state: State;
}

const MOST_BLOCKS = 512;
/** Records of the batches that are kept: about thirty megabytes. Queries about one place of a trace return to the same few blocks. */
const MOST_RECORDS = 48 * BATCH_RECORDS;

/** Returns the number of records in the batches of a trace: those of a part if decoding can begin at each. A block's last batch has fewer. */
export function batchRecords({ reader }: Trace): number {
  return reader.decoder.marksParts === true ? PART_RECORDS : BATCH_RECORDS;
}

/** Cache for queries that decode on the engine thread, one at a time. */
const decodedBlocks = cachePer((): DecodedBlocks => ({ checkpoints: new Map(), batches: new Map() }));

export interface DecodedColumns {
  readonly batch: Batch;
  /** Trace-wide number of the batch's first record. */
  readonly first: RecordNumber;
}

/** A decoded batch with the data needed to describe its records. */
export interface Decoded extends DecodedColumns {
  readonly window: Window;
}

/**
 * Visits the batches of a block in order, beginning with the batch that contains record `from` (a number within the block), until `visit`
 * returns false. The batch is only valid during the visit.
 */
export function visitBatches(
  trace: Trace,
  block: BlockNumber,
  from: number,
  visit: (decoded: Decoded) => boolean,
): Result<undefined> {
  return visitDecoded(trace, block, from, true, (columns, window) => visit({ ...columns, window: window! }));
}

/** Does the same for a visit that needs no bytes of records: the block is not read if its batches are cached. */
export function visitColumns(
  trace: Trace,
  block: BlockNumber,
  from: number,
  visit: (decoded: DecodedColumns) => boolean,
): Result<undefined> {
  return visitDecoded(trace, block, from, false, visit);
}

/** @param isRead true if the visit needs the window of the block */
function visitDecoded(
  trace: Trace,
  block: BlockNumber,
  from: number,
  isRead: boolean,
  visit: (decoded: DecodedColumns, window: Window | undefined) => boolean,
): Result<undefined> {
  const { reader, blocks } = trace;
  const decoded = decodedBlocks(trace);
  const entry = block < blocks.length ? blocks.entry(block) : { position: 0, state: reader.decoder.initial };
  assert(block < blocks.length || block === 0, 'only the first block can be read before it is indexed');
  const firstRecord = block < blocks.length ? blocks.firstRecord(block) : 0;
  const size = batchRecords(trace);
  const start = partBefore(trace, block, Math.floor(from / size));
  let known = decoded.checkpoints.get(block);
  let place = start
    ? start.record / size
    : known === undefined
      ? 0
      : Math.min(known.length - 1, Math.floor(from / size));
  let window: Window | undefined;
  /** The place that the window has; undefined if it has all of the block. */
  let loaded: number | undefined;
  let nominalEnd = 0;
  const load = (its: number): Result<Window> => {
    if (window !== undefined && (loaded === undefined || loaded === its)) return ok(window);
    const alone =
      window === undefined && reader.loader.held(block) === undefined ? placeAlone(trace, block, its) : undefined;
    const part = alone && reader.loader.loadPart(block, alone.start, alone.end);
    const read = part ?? reader.loader.load(block, entry, entry.state);
    if (read.ok) {
      window = read.value;
      loaded = part && its;
      nominalEnd = window.end;
    }
    return read;
  };
  known = checkpointsOf(decoded.checkpoints, block, { record: 0, position: entry.position, state: entry.state });
  let { state, record, position } = start ?? known[place]!;
  let end: ByteOffset | undefined;
  for (; end === undefined || position < end; place++) {
    let filled = cachedBatch(decoded.batches, batchKey(block, place));
    if (filled === undefined || isRead) {
      const read = load(place);
      if (!read.ok) return read;
    }
    if (filled === undefined) {
      const value = window!;
      value.position = position;
      value.end = end ?? nominalEnd;
      const batch = decodeBatch(reader.decoder, decoded.batches, value, { record, state, size });
      filled = { ...batch, position: value.position, end: value.end, nominalEnd };
      decoded.batches.set(batchKey(block, place), filled);
    }
    ({ state, position, end } = filled);
    if (window !== undefined) Object.assign(window, { position, end });
    const { batch } = filled;
    const next = record + batch.count;
    // The decoder may extend the window past its original end for the last line. A reloaded window has the original end, so no checkpoint
    // may be beyond it.
    if (batch.count === size && known.length === next / size && position < filled.nominalEnd)
      known.push({ record: next, position, state });
    if (next > from && !visit({ batch, first: firstRecord + record }, window)) break;
    record = next;
  }
  return ok(undefined);
}

/** Returns the bytes of a part that can be decoded without the rest of its block; undefined if they are not known. */
function placeAlone(
  trace: Trace,
  block: BlockNumber,
  place: number,
): { readonly start: ByteOffset; readonly end: ByteOffset } | undefined {
  const { blocks } = trace;
  const parts = partsOf(trace, block);
  const [part, next] = [parts[place], parts[place + 1]];
  if (part?.state === undefined) return undefined;
  // Blank lines can lie before the first record.
  const start = place === 0 ? blocks.entry(block).position : part.position;
  if (next !== undefined) return next.state && { start, end: next.position };
  // The last line of a block ends where the records of the next block begin.
  return block + 1 < blocks.length ? { start, end: blocks.entry(block + 1).position } : undefined;
}

/** Row of a record in a batch that is valid until the next one is decoded. */
export interface RecordRow {
  readonly batch: Batch;
  readonly row: number;
}

/** Returns the row of an indexed record. */
export function rowOf(trace: Trace, n: RecordNumber): Result<RecordRow> {
  const block = trace.blocks.blockOfRecord(n);
  const from = n - trace.blocks.firstRecord(block);
  const size = batchRecords(trace);
  const row = from % size;
  const cached = cachedBatch(decodedBlocks(trace).batches, batchKey(block, Math.floor(from / size)));
  if (cached !== undefined) return ok({ batch: cached.batch, row });
  let found: RecordRow | undefined;
  const read = visitColumns(trace, block, from, ({ batch }) => {
    found = { batch, row };
    return false;
  });
  if (!read.ok) return read;
  assert(found !== undefined, 'an indexed record is in its block');
  return ok(found);
}

/** Returns the view of an indexed record. If its batch is cached and its block is not in memory, only some lines around it are read. */
export function viewOf(trace: Trace, n: RecordNumber): Result<RecordView> {
  const found = rowOf(trace, n);
  if (!found.ok) return found;
  const { batch, row } = found.value;
  const first = n - row;
  const window = bytesAround(trace, n, found.value);
  return window.ok ? ok(recordView(trace, { batch, first, window: window.value }, row)) : window;
}

type Bytes = Pick<Window, 'bytes' | 'base' | 'length'>;

/** Bytes that were read last without their block. */
const latestBytes = cachePer((): { window?: Bytes } => ({}));
/** Records before and after one whose bytes are read with it. */
const AROUND = 32;
/** Bytes of adjacent records that are read at once. */
const MOST_AROUND = 16_384;

function bytesAround(trace: Trace, n: RecordNumber, { batch, row }: RecordRow): Result<Bytes> {
  const held = trace.reader.loader.held(trace.blocks.blockOfRecord(n));
  if (held !== undefined) return ok(held);
  const latest = latestBytes(trace);
  const [start, end] = [batch.start[row]!, batch.end[row]!];
  const { window } = latest;
  if (window !== undefined && start >= window.base && end <= window.base + window.length) return ok(window);
  const base = batch.start[Math.max(0, row - AROUND)]!;
  const stop = batch.end[Math.min(batch.count - 1, row + AROUND)]!;
  const isShort = stop - base <= MOST_AROUND;
  const from = isShort ? base : start;
  const bytes = new Uint8Array(isShort ? stop - base : Math.min(end - start, LONG_LINE));
  const read = trace.reader.source.read(from, bytes, 0, bytes.length);
  if (!read.ok) return read;
  const around = { bytes, base: from, length: read.value };
  if (isShort) latest.window = around;
  return ok(around);
}

/** Returns the cache key of the batch at a place of the block, which begins with record place * batchRecords. */
function batchKey(block: BlockNumber, place: number): number {
  return block * 2 ** 20 + place;
}

function cachedBatch(batches: DecodedBlocks['batches'], key: number): DecodedBatch | undefined {
  const known = batches.get(key);
  if (known === undefined) return undefined;
  batches.delete(key);
  batches.set(key, known);
  return known;
}

/** Decodes the batch at the window's position into the least recently used one, if there are enough. */
function decodeBatch(
  decoder: Decoder,
  batches: DecodedBlocks['batches'],
  window: Window,
  { record, state, size }: Pick<BlockPlace, 'record' | 'state'> & { readonly size: number },
): Pick<DecodedBatch, 'batch' | 'state'> {
  const batch = oldestBatch(batches, size) ?? createBatch(size);
  resetBatch(batch, record);
  let exit = state;
  // A decoder also stops at many blank lines.
  while (batch.count < size && window.position < window.end) {
    const before = window.position;
    batch.gaps.length = 0;
    exit = decoder.decode(window, exit, batch);
    assert(window.position > before, 'a decoder moves on');
  }
  return { batch, state: exit };
}

/** Removes and returns the least recently used batch if the cache is full. */
function oldestBatch(batches: DecodedBlocks['batches'], size: number): Batch | undefined {
  if (batches.size < MOST_RECORDS / size) return undefined;
  const [oldest] = batches;
  assert(oldest !== undefined, 'there are batches');
  batches.delete(oldest[0]);
  return oldest[1].batch;
}

/** All batches except a block's last are full, so checkpoint i is the start of the batch at place i. */
function checkpointsOf(cache: DecodedBlocks['checkpoints'], block: BlockNumber, start: BlockPlace): BlockPlace[] {
  const known = cache.get(block) ?? [start];
  cache.delete(block);
  cache.set(block, known);
  if (cache.size > MOST_BLOCKS) {
    const oldest = cache.keys().next();
    if (oldest.done !== true) cache.delete(oldest.value);
  }
  return known;
}

/** A decoded batch with the bytes of some of its records. */
type WithBytes = DecodedColumns & { readonly window: Pick<Window, 'bytes' | 'base' | 'length'> };

/** Returns the bytes of record `index` of a decoded batch, cut after LONG_LINE. Valid as long as the batch. */
export function recordBytes({ batch, window }: WithBytes, index: number): Uint8Array {
  const start = batch.start[index]! - window.base;
  const end = Math.min(batch.end[index]! - window.base, start + LONG_LINE, window.length);
  return window.bytes.subarray(start, end);
}

export function recordView(trace: Trace, decoded: WithBytes, index: number): RecordView {
  const { batch, first } = decoded;
  const offset = batch.start[index]!;
  return {
    n: first + index,
    offset,
    bytes: batch.end[index]! - offset,
    ...trace.reader.decoder.describe(recordBytes(decoded, index), batch, index),
  };
}
