/**
 * The captures of an XScale trace one by one, in the blocks in which they lie.
 */
import { resetBatch, type Batch } from '../../../../shared/records/batch.ts';
import { indexIn, type State } from '../../../../shared/format/format.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, ByteOffset, RecordNumber } from '../../../../shared/base/units.ts';
import type { BlockStart } from '../../index/blocks.ts';
import type { TraceReader } from '../../index/trace-reader.ts';
import type { Trace } from '../../trace.ts';
import { createReading, unitOf, type CaptureContent, type Reading } from './capture-content.ts';

/**
 * Visits the captures that begin in a block or behind it, in order, until `visit` returns false. `pause` is called now and then
 * and ends the visit with false; a capture that an option leaves out is not visited.
 */
export async function visitCaptures(
  { reader, blocks, batch }: Pick<Trace, 'reader' | 'blocks' | 'batch'>,
  block: BlockNumber,
  visit: (capture: CaptureContent) => boolean,
  pause: () => Promise<boolean>,
): Promise<Result<undefined>> {
  const reading = createReading(reader, visit);
  const end = Math.max(blocks.length, Math.min(1, reader.plan.blocks));
  for (let b = block; b < end && reading.goesOn(); b++) {
    const start =
      b < blocks.length
        ? { block: b, entry: blocks.entry(b), firstRecord: blocks.firstRecord(b) }
        : { block: b, entry: { position: 0, state: reader.decoder.initial }, firstRecord: 0 };
    const read = readBlock(reader, batch, start, reading);
    if (!read.ok) return read;
    if (!(await pause())) return ok(undefined);
  }
  reading.finish();
  return ok(undefined);
}

/** Whoever visits captures may know some by their bytes, which need not be decoded then. */
export interface KnownByBytes {
  /** Asked for the capture at bytes[at, at + unit), whose first record that is: how many records it has; 0 where it is not known. */
  pass(bytes: Uint8Array, at: number, first: RecordNumber): number;
  /** Set while a capture is visited that is the one asked for last, if its bytes tell all of it. */
  isSought: boolean;
}

/**
 * Visits the captures that begin in some blocks that follow one another, as `visitCaptures` does; a last one may be cut. `known`:
 * only where no option tells of captures by their number.
 */
export function visitCapturesIn(
  reader: TraceReader,
  batch: Batch,
  blocks: readonly BlockStart[],
  visit: (capture: CaptureContent) => boolean,
  known?: KnownByBytes,
): Result<undefined> {
  const reading = createReading(reader, visit);
  for (const start of blocks) {
    if (!reading.goesOn()) break;
    const read = readBlock(reader, batch, start, reading, known);
    if (!read.ok) return read;
  }
  reading.finish();
  return ok(undefined);
}

/** Gives all of a block's batches, also those that have no record, to a reading. */
function readBlock(
  reader: TraceReader,
  batch: Batch,
  { block, entry, firstRecord }: BlockStart,
  reading: Reading,
  known?: KnownByBytes,
): Result<undefined> {
  const loaded = reader.loader.load(block, entry, entry.state);
  if (!loaded.ok) return loaded;
  const window = loaded.value;
  const { end } = window;
  const unit = known === undefined ? 0 : unitOf(reader);
  let { state } = entry;
  reading.enter(state);
  let first = firstRecord;
  while (window.position < end) {
    const start = window.position;
    const isWhole = unit > 0 && start + unit <= end && beginsAt(start, unit, state);
    if (isWhole) {
      reading.finish();
      if (!reading.goesOn()) break;
      const records = known!.pass(window.bytes, indexIn(window, start), first);
      if (records > 0) {
        window.position += unit;
        first += records;
        continue;
      }
      window.end = start + unit;
    }
    resetBatch(batch, first);
    state = reader.decoder.decode(window, state, batch);
    window.end = end;
    if (!reading.add(window, batch)) break;
    first += batch.count;
    if (!isWhole || window.position !== start + unit || !beginsAt(window.position, unit, state)) continue;
    known!.isSought = true;
    reading.finish();
    known!.isSought = false;
    if (!reading.goesOn()) break;
  }
  return ok(undefined);
}

/** Whether a capture begins there and not before, of those that all have the same length. */
function beginsAt(offset: ByteOffset, unit: number, { inside = 0, phase = 0 }: State): boolean {
  return inside === 0 && (offset - phase) % unit === 0;
}

/** The first block that capture `number` can begin in. */
export function blockOfCapture(trace: Trace, number: number): BlockNumber {
  const unit = unitOf(trace.reader);
  if (unit === 0 || trace.blocks.length === 0) return 0;
  // Where bytes were lost captures begin up to one length later than they would.
  return trace.blocks.blockOfOffset(number * unit);
}

/**
 * The blocks in which captures lie that begin in the blocks [from, next): where they are cut inside one, blocks before and behind
 * them as well.
 */
export function blocksAround(
  { blocks, reader }: Pick<Trace, 'blocks' | 'reader'>,
  from: BlockNumber,
  next: BlockNumber,
): readonly [first: BlockNumber, end: BlockNumber] {
  const most = Math.ceil(unitOf(reader) / reader.plan.blockBytes);
  // 0 where a capture begins with the block.
  const isInside = (block: BlockNumber): boolean => (blocks.entry(block).state['inside'] ?? 0) !== 0;
  let first = from;
  while (first > 0 && from - first < most && isInside(first)) first--;
  let end = next;
  while (end < blocks.length && end - next < most && isInside(end)) end++;
  return [first, end];
}
