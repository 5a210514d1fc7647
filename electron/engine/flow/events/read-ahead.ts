/**
 * Reads stretches of blocks in order, ahead of their use: from the index, or on the threads of the pool.
 */
import type { FlowStretch } from '../../../../shared/flow/events.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { DAMAGED_ROW, DECODE_FLOW_ROW, decodeFlow, type FlowReading } from '../../index/builders/flow-row.ts';
import type { BlockStart } from '../../index/blocks.ts';
import type { BlockTable } from '../../index/store/block-table.ts';
import { NODE } from '../../index/store/index-file.ts';
import { unseal, type SealedRow } from '../../index/store/packing.ts';
import { IndexDamaged } from '../../collections/varint.ts';
import { unlessCancelled, type Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { FOLLOW_IMAGES } from './image-flow.ts';
import { followedOf, type Followed } from './image-flows.ts';
import { READ_STRETCH } from './read-stretch.ts';

/** Blocks of one task at most, for traces of lines, which have few events; one block of messages may have a million. */
const LONGEST_RUN = 4;
/** Index rows of fewer bytes are read on this thread, as sending them to another one takes as long. */
const SMALL_ROW = 4096;
/** Bytes of the row of a block whose events the index does not keep. */
const NO_ROW = 5;

/** How stretches are read, and free memory for them. */
interface Reading {
  readonly signal: AbortSignal;
  /** Rows are read on this thread: before a worker has started, that takes less than starting one. */
  readonly here: boolean;
  readonly reading: FlowReading;
  readonly rooms: SharedArrayBuffer[];
}

interface Part {
  /** The first block after the part. */
  readonly next: BlockNumber;
  readonly answer: Promise<Result<FlowStretch>>;
}

/**
 * Hands the stretches of blocks [first, end) to `take`, each with the first block after it, until `take` returns false. `reading`
 * applies only to stretches that the index has; others are read whole. The events are valid until `take` returns.
 */
export async function readAhead<E>(
  trace: Trace,
  { first, end, reading }: { readonly first: BlockNumber; readonly end: BlockNumber; readonly reading: FlowReading },
  task: Task<E>,
  take: (stretch: FlowStretch, next: BlockNumber) => Promise<boolean>,
): Promise<Result<undefined>> {
  const { pool } = trace;
  const control = new AbortController();
  const rooms: SharedArrayBuffer[] = [];
  const parts: Part[] = [];
  let requested = first;
  try {
    for (;;) {
      const here = !pool.isStarted();
      const how: Reading = { signal: control.signal, here, reading, rooms };
      while (requested < end && parts.length <= (here ? 0 : pool.jobs)) {
        const part = readPart(trace, requested, end, how);
        parts.push(part);
        requested = part.next;
      }
      const part = parts.shift();
      if (part === undefined) return ok(undefined);
      const stretch = sound(await unlessCancelled(part.answer, task));
      if (!stretch.ok) return stretch;
      const memory = stretch.value.events.record.buffer;
      if (!(await take(stretch.value, part.next))) return ok(undefined);
      if (memory instanceof SharedArrayBuffer) rooms.push(memory);
    }
  } finally {
    control.abort();
  }
}

/** Returns the stretch of one block. */
export async function readBlock<E>(trace: Trace, block: BlockNumber, task: Task<E>): Promise<Result<FlowStretch>> {
  const control = new AbortController();
  try {
    const here = !trace.pool.isStarted();
    const how: Reading = { signal: control.signal, here, reading: 'whole', rooms: [] };
    return sound(await unlessCancelled(readPart(trace, block, block + 1, how).answer, task));
  } finally {
    control.abort();
  }
}

/** Returns the stretch of a block up to the record `to`. For traces of instructions. */
export async function readBlockUpTo<E>(
  { pool, reader, blocks }: Trace,
  block: BlockNumber,
  to: RecordNumber,
  task: Task<E>,
): Promise<Result<FlowStretch>> {
  const control = new AbortController();
  try {
    const args = { trace: reader.ref, blocks: startsOf(blocks, block, block + 1), to };
    return await unlessCancelled(pool.run(READ_STRETCH, args, control.signal), task);
  } finally {
    control.abort();
  }
}

/** Starts reading the stretch that begins with block `from`: as many blocks as one task may have. */
function readPart(trace: Trace, from: BlockNumber, end: BlockNumber, how: Reading): Part {
  const { pool, reader, blocks, index } = trace;
  const followed = followedOf(trace);
  if (followed !== undefined) return { next: from + 1, answer: readFollowed(trace, followed, from, how) };
  const row = index.sealed(NODE.flow, 0, from);
  let next = from + 1;
  if (isKept(row)) return { next, answer: readRow(trace, row, from, how) };
  const longest = reader.decoder.framing.kind === 'lines' ? LONGEST_RUN : 1;
  while (next < Math.min(end, from + longest) && !isKept(index.sealed(NODE.flow, 0, next))) next++;
  return {
    next,
    answer: pool.run(READ_STRETCH, { trace: reader.ref, blocks: startsOf(blocks, from, next) }, how.signal),
  };
}

/** Returns false if the index does not keep the block's events. */
function isKept({ place, bytes }: SealedRow): boolean {
  return bytes.length > NO_ROW || unseal(place, bytes).length > 0;
}

/** Returns the CPUs that executed instructions in a block; undefined if the index does not keep its events. */
export function keptCpus({ index, blocks }: Trace, block: BlockNumber): readonly number[] | undefined {
  const row = index.sealed(NODE.flow, 0, block);
  if (!isKept(row)) return undefined;
  const { runs } = decodeFlow(unseal(row.place, row.bytes), blocks.firstRecord(block), 'once');
  return runs.filter(({ last }) => last.size > 0).map(({ cpu }) => cpu);
}

/** Reads a block's events from the index. */
function readRow(
  { pool, blocks }: Trace,
  row: SealedRow,
  block: BlockNumber,
  { signal, here, reading, rooms }: Reading,
): Promise<Result<FlowStretch>> {
  const first = blocks.firstRecord(block);
  const room = rooms.pop();
  if (here || row.bytes.length < SMALL_ROW)
    return Promise.resolve(ok(decodeFlow(unseal(row.place, row.bytes), first, reading, room)));
  // Copied, as the memory around a Buffer would be sent as well.
  return pool.run(DECODE_FLOW_ROW, { row: { ...row, bytes: new Uint8Array(row.bytes) }, first, reading, room }, signal);
}

function sound<T>(read: Result<T>): Result<T> {
  if (!read.ok && read.error.code === DAMAGED_ROW) throw new IndexDamaged(read.error.message);
  return read;
}

/** Returns the events of the recordings that begin in a block, followed through the images. */
function readFollowed(
  { pool, reader, blocks }: Trace,
  { flow, code }: Followed,
  block: BlockNumber,
  { signal, reading, rooms }: Reading,
): Promise<Result<FlowStretch>> {
  const [from, next] = flow.blocksAround({ reader, blocks }, block, block + 1);
  const run = {
    blocks: startsOf(blocks, from, next),
    first: blocks.firstRecord(block),
    end: block + 1 < blocks.length ? blocks.firstRecord(block + 1) : blocks.records,
    lean: reading !== 'whole',
    room: rooms.pop(),
  };
  return pool.run(FOLLOW_IMAGES, { trace: reader.ref, code, ...run }, signal);
}

function startsOf({ entry, firstRecord }: BlockTable, from: BlockNumber, next: BlockNumber): readonly BlockStart[] {
  return Array.from({ length: next - from }, (_, at) => ({
    block: from + at,
    entry: entry(from + at),
    firstRecord: firstRecord(from + at),
  }));
}
