/** Visits the captures of a trace one by one, in file order. */
import { setImmediate as breathe } from 'node:timers/promises';
import { resetBatch, type Batch } from '../../../../shared/records/batch.ts';
import { indexIn, type State } from '../../../../shared/format/format.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, ByteOffset, RecordNumber } from '../../../../shared/base/units.ts';
import type { FollowedTrace } from '../events/image-flow.ts';
import type { BlockStart } from '../../index/blocks.ts';
import type { TraceReader } from '../../index/trace-reader.ts';
import type { Task } from '../../threads/task.ts';
import { createAssembler, unitOf, type CaptureAssembler, type CaptureContent } from './content.ts';

type VisitedTrace = Pick<FollowedTrace, 'reader' | 'blocks' | 'batch'>;

/** Time after which a visit lets other requests run. */
const SLICE_MS = 8;

/**
 * Visits the captures that begin in `block` or later until `visit` returns false. `pause` is called after each block and ends the
 * visit by returning false. Captures that an option leaves out are not visited. While the trace is indexed, its last capture so far is not
 * visited either, because the rest of it may not be indexed yet.
 */
export async function visitCaptures(
  { reader, blocks, batch }: VisitedTrace,
  block: BlockNumber,
  visit: (capture: CaptureContent) => boolean,
  pause: () => Promise<boolean>,
): Promise<Result<undefined>> {
  const assembler = createAssembler(reader, visit);
  const end = Math.max(blocks.length, Math.min(1, reader.plan.blocks));
  for (let b = block; b < end && assembler.continues(); b++) {
    const start =
      b < blocks.length
        ? { block: b, entry: blocks.entry(b), firstRecord: blocks.firstRecord(b) }
        : { block: b, entry: { position: 0, state: reader.decoder.initial }, firstRecord: 0 };
    const read = readBlock(reader, batch, start, assembler);
    if (!read.ok) return read;
    if (!(await pause())) return ok(undefined);
  }
  if (end >= reader.plan.blocks) assembler.finish();
  return ok(undefined);
}

/** Captures that a visitor recognises by their bytes, so that they need not be decoded. */
export interface KnownByBytes {
  /** Returns the number of records of the capture at bytes[at, at + unit), whose first record is `first`; 0 if it is not known. */
  pass(bytes: Uint8Array, at: number, first: RecordNumber): number;
  /** True while the visited capture is the one last passed to `pass`, and its bytes determine all of it. */
  isSought: boolean;
}

/**
 * Visits the captures that begin in consecutive blocks. The last one may be incomplete. `known` requires that no option refers to captures
 * by their number.
 */
export function visitCapturesIn(
  reader: TraceReader,
  batch: Batch,
  blocks: readonly BlockStart[],
  visit: (capture: CaptureContent) => boolean,
  known?: KnownByBytes,
): Result<undefined> {
  const assembler = createAssembler(reader, visit);
  for (const start of blocks) {
    if (!assembler.continues()) break;
    const read = readBlock(reader, batch, start, assembler, known);
    if (!read.ok) return read;
  }
  assembler.finish();
  return ok(undefined);
}

/** Passes all batches of a block to the assembler, also those without records. */
function readBlock(
  reader: TraceReader,
  batch: Batch,
  { block, entry, firstRecord }: BlockStart,
  assembler: CaptureAssembler,
  known?: KnownByBytes,
): Result<undefined> {
  const loaded = reader.loader.load(block, entry, entry.state);
  if (!loaded.ok) return loaded;
  const window = loaded.value;
  const { end } = window;
  const unit = known === undefined ? 0 : unitOf(reader);
  let { state } = entry;
  assembler.enter(state);
  let first = firstRecord;
  while (window.position < end) {
    const start = window.position;
    const isWhole = unit > 0 && start + unit <= end && beginsAt(start, unit, state);
    if (isWhole) {
      assembler.finish();
      if (!assembler.continues()) break;
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
    if (!assembler.add(window, batch)) break;
    first += batch.count;
    if (!isWhole || window.position !== start + unit || !beginsAt(window.position, unit, state)) continue;
    known!.isSought = true;
    assembler.finish();
    known!.isSought = false;
    if (!assembler.continues()) break;
  }
  return ok(undefined);
}

/** Returns true if a capture of fixed length begins exactly at `offset`. */
function beginsAt(offset: ByteOffset, unit: number, { inside = 0, phase = 0 }: State): boolean {
  return inside === 0 && (offset - phase) % unit === 0;
}

/** Returns the first block in which capture `number` can begin. */
export function blockOfCapture({ reader, blocks }: VisitedTrace, number: number): BlockNumber {
  const unit = unitOf(reader);
  if (unit === 0 || blocks.length === 0) return 0;
  // After lost bytes captures begin up to one length later.
  return blocks.blockOfOffset(number * unit);
}

/** Returns the first block from which a visit includes the whole capture that contains record `n`. */
export async function firstBlockFor<E>(
  trace: VisitedTrace,
  n: RecordNumber,
  task: Task<E>,
): Promise<Result<BlockNumber>> {
  const { blocks } = trace;
  let block = blocks.length === 0 ? 0 : blocks.blockOfRecord(n);
  while (block > 0) {
    let first = Number.POSITIVE_INFINITY;
    const visited = await visitCaptures(
      trace,
      block,
      (capture) => {
        if (capture.records > 0) first = capture.first;
        return capture.records === 0;
      },
      pauses(task),
    );
    if (!visited.ok) return visited;
    if (first <= n || task.cancelled()) break;
    block--;
  }
  return ok(block);
}

/** Returns the blocks that hold all of the captures that begin in the blocks [from, next). */
export function blocksAround(
  { blocks, reader }: Pick<FollowedTrace, 'blocks' | 'reader'>,
  from: BlockNumber,
  next: BlockNumber,
): readonly [first: BlockNumber, end: BlockNumber] {
  const most = Math.ceil(unitOf(reader) / reader.plan.blockBytes);
  // `inside` is 0 if a capture begins with the block.
  const isInside = (block: BlockNumber): boolean => (blocks.entry(block).state['inside'] ?? 0) !== 0;
  let first = from;
  while (first > 0 && from - first < most && isInside(first)) first--;
  let end = next;
  while (end < blocks.length && end - next < most && isInside(end)) end++;
  return [first, end];
}

/** Returns a pause that lets other requests run every few milliseconds and resolves to false once the task is cancelled. */
export function pauses<E>(task: Task<E>): () => Promise<boolean> {
  let sliceEnd = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < sliceEnd) return true;
    await breathe();
    sliceEnd = performance.now() + SLICE_MS;
    return !task.cancelled();
  };
}
