/**
 * Records of one block for the engine thread: decodes only the batches that are asked for, from remembered places.
 */
import { BATCH_RECORDS, resetBatch, type Batch } from '../../../shared/batch.ts';
import type { State, Window } from '../../../shared/format.ts';
import { LONG_LINE } from '../../../shared/format.ts';
import type { RecordView } from '../../../shared/record.ts';
import { assert, ok, type Result } from '../../../shared/result.ts';
import type { BlockNumber, ByteOffset, RecordNumber } from '../../../shared/units.ts';
import type { Trace } from '../trace.ts';

/** Where a batch starts: the number of its first record within the block, its byte, its state. */
interface Checkpoint {
  readonly record: number;
  readonly position: ByteOffset;
  readonly state: State;
}

/** Per block the checkpoints found so far; the blocks used last stay. */
export type Checkpoints = Map<BlockNumber, Checkpoint[]>;

const MOST_BLOCKS = 512;

/** A decoded batch with what is needed to describe its records. */
export interface Decoded {
  readonly batch: Batch;
  readonly window: Window;
  /** Trace-wide number of the batch's first record. */
  readonly first: RecordNumber;
}

/**
 * Visits the batches of a block in order, beginning with the one that holds record `from` of the block (a number within
 * the block), until `visit` returns false. The batch is valid during the visit only.
 */
export function visitBatches(
  trace: Trace,
  block: BlockNumber,
  from: number,
  visit: (decoded: Decoded) => boolean,
): Result<undefined> {
  const { reader, blocks, batch } = trace;
  const entry = block < blocks.length ? blocks.entry(block) : { position: 0, state: reader.decoder.initial };
  assert(block < blocks.length || block === 0, 'only the first block can be read before it is indexed');
  const firstRecord = block < blocks.length ? blocks.firstRecord(block) : 0;
  const loaded = reader.loader.load(block, entry, entry.state);
  if (!loaded.ok) return loaded;
  const window = loaded.value;
  const { end } = window;
  const known = checkpointsOf(trace.checkpoints, block, { record: 0, position: window.position, state: entry.state });
  const start = known[Math.min(known.length - 1, Math.floor(from / BATCH_RECORDS))]!;
  window.position = start.position;
  let { state, record } = start;
  while (window.position < window.end) {
    const before = window.position;
    resetBatch(batch, record);
    state = reader.decoder.decode(window, state, batch);
    assert(window.position > before, 'a decoder moves on');
    const next = record + batch.count;
    // A window that is loaded again ends where it did, so none starts in what a last line has behind that.
    if (batch.count === BATCH_RECORDS && known.length === next / BATCH_RECORDS && window.position < end)
      known.push({ record: next, position: window.position, state });
    if (next > from && !visit({ batch, window, first: firstRecord + record })) break;
    record = next;
  }
  return ok(undefined);
}

/** Batches but a block's last are full, so checkpoint i is where record i * BATCH_RECORDS starts. */
function checkpointsOf(cache: Checkpoints, block: BlockNumber, start: Checkpoint): Checkpoint[] {
  const known = cache.get(block) ?? [start];
  cache.delete(block);
  cache.set(block, known);
  if (cache.size > MOST_BLOCKS) {
    const oldest = cache.keys().next();
    if (oldest.done !== true) cache.delete(oldest.value);
  }
  return known;
}

/** The bytes of record `index` of a decoded batch, cut after LONG_LINE; valid like the batch. */
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
