/** Reads records of one block on the engine thread. Decodes only the requested batches, starting at cached checkpoints. */
import { BATCH_RECORDS, createBatch, resetBatch, type Batch } from '../../../../shared/records/batch.ts';
import type { Decoder, State, Window } from '../../../../shared/format/format.ts';
import { LONG_LINE } from '../../../../shared/format/format.ts';
import type { RecordView } from '../../../../shared/records/record.ts';
import { assert, ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, ByteOffset, RecordNumber } from '../../../../shared/base/units.ts';
import { cachePer } from '../../collections/cache-per.ts';
import type { Trace } from '../../trace.ts';

/** Start of a batch: the number of its first record within the block, its file offset and the decoder state. */
interface Checkpoint {
  readonly record: number;
  readonly position: ByteOffset;
  readonly state: State;
}

/** Checkpoints and batches of recently decoded blocks. */
interface DecodedBlocks {
  /** Checkpoints found so far, per block. The most recently used blocks are kept. */
  readonly checkpoints: Map<BlockNumber, Checkpoint[]>;
  /** Keyed by `batchKey`. The most recently used batches are kept. */
  readonly batches: Map<number, DecodedBatch>;
}

interface DecodedBatch {
  readonly batch: Batch;
  /** Offset after its last record, and the end of the block as reported by the decoder at that point. */
  readonly position: ByteOffset;
  readonly end: ByteOffset;
  readonly state: State;
}

const MOST_BLOCKS = 512;
/** About thirty megabytes. Queries about one place of a trace return to the same few blocks. */
const MOST_BATCHES = 48;

/** Cache for queries that decode on the engine thread, one at a time. */
const decodedBlocks = cachePer((): DecodedBlocks => ({ checkpoints: new Map(), batches: new Map() }));

/** A decoded batch with the data needed to describe its records. */
export interface Decoded {
  readonly batch: Batch;
  readonly window: Window;
  /** Trace-wide number of the batch's first record. */
  readonly first: RecordNumber;
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
  const { reader, blocks } = trace;
  const decoded = decodedBlocks(trace);
  const entry = block < blocks.length ? blocks.entry(block) : { position: 0, state: reader.decoder.initial };
  assert(block < blocks.length || block === 0, 'only the first block can be read before it is indexed');
  const firstRecord = block < blocks.length ? blocks.firstRecord(block) : 0;
  const loaded = reader.loader.load(block, entry, entry.state);
  if (!loaded.ok) return loaded;
  const window = loaded.value;
  const { end } = window;
  const known = checkpointsOf(decoded.checkpoints, block, {
    record: 0,
    position: window.position,
    state: entry.state,
  });
  let place = Math.min(known.length - 1, Math.floor(from / BATCH_RECORDS));
  const start = known[place]!;
  window.position = start.position;
  let { state, record } = start;
  for (; window.position < window.end; place++) {
    const filled = decodeBatch(reader.decoder, decoded.batches, batchKey(block, place), window, { record, state });
    ({ state } = filled);
    window.position = filled.position;
    window.end = filled.end;
    const { batch } = filled;
    const next = record + batch.count;
    // The decoder may extend the window past its original end for the last line. A reloaded window has the original end, so no checkpoint
    // may be beyond it.
    if (batch.count === BATCH_RECORDS && known.length === next / BATCH_RECORDS && window.position < end)
      known.push({ record: next, position: window.position, state });
    if (next > from && !visit({ batch, window, first: firstRecord + record })) break;
    record = next;
  }
  return ok(undefined);
}

/** Returns the cache key of the batch that begins with record place * BATCH_RECORDS of the block. */
function batchKey(block: BlockNumber, place: number): number {
  return block * 2 ** 20 + place;
}

/** Returns the batch at the window's position, from the cache if possible. */
function decodeBatch(
  decoder: Decoder,
  batches: DecodedBlocks['batches'],
  key: number,
  window: Window,
  { record, state }: Pick<Checkpoint, 'record' | 'state'>,
): DecodedBatch {
  const known = batches.get(key);
  if (known !== undefined) {
    batches.delete(key);
    batches.set(key, known);
    return known;
  }
  const before = window.position;
  const batch = oldestBatch(batches) ?? createBatch();
  resetBatch(batch, record);
  const exit = decoder.decode(window, state, batch);
  assert(window.position > before, 'a decoder moves on');
  const filled = { batch, position: window.position, end: window.end, state: exit };
  batches.set(key, filled);
  return filled;
}

/** Removes and returns the least recently used batch if the cache is full. */
function oldestBatch(batches: DecodedBlocks['batches']): Batch | undefined {
  if (batches.size < MOST_BATCHES) return undefined;
  const [oldest] = batches;
  assert(oldest !== undefined, 'there are batches');
  batches.delete(oldest[0]);
  return oldest[1].batch;
}

/** All batches except a block's last are full, so checkpoint i is the start of record i * BATCH_RECORDS. */
function checkpointsOf(cache: DecodedBlocks['checkpoints'], block: BlockNumber, start: Checkpoint): Checkpoint[] {
  const known = cache.get(block) ?? [start];
  cache.delete(block);
  cache.set(block, known);
  if (cache.size > MOST_BLOCKS) {
    const oldest = cache.keys().next();
    if (oldest.done !== true) cache.delete(oldest.value);
  }
  return known;
}

/** Returns the bytes of record `index` of a decoded batch, cut after LONG_LINE. Valid as long as the batch. */
export function recordBytes({ batch, window }: Decoded, index: number): Uint8Array {
  const start = batch.start[index]! - window.base;
  const end = Math.min(batch.end[index]! - window.base, start + LONG_LINE, window.length);
  return window.bytes.subarray(start, end);
}

export function recordView(trace: Trace, decoded: Decoded, index: number): RecordView {
  const { batch, first } = decoded;
  const offset = batch.start[index]!;
  return {
    n: first + index,
    offset,
    bytes: batch.end[index]! - offset,
    ...trace.reader.decoder.describe(recordBytes(decoded, index), batch, index),
  };
}
