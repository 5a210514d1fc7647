/**
 * The path of traces without executed instructions: their branches, or their accesses to memory, in the order of their records. It is cut
 * into chunks like that of branch events, where a function of the last few address differences says so. The pool decodes the trace for it
 * once, block after block, because a chunk may continue from one block to the next; the result is kept in the index.
 */
import { FLAG, resetBatch, type Batch } from '../../../../shared/records/batch.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { PathElements } from '../../../../shared/requests/diff.ts';
import { kindBits, KIND, READS, WRITES } from '../../../../shared/records/record.ts';
import { assert, ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { BlockStart } from '../../index/blocks.ts';
import type { TraceReader, TraceRef } from '../../index/trace-reader.ts';
import { poolTask } from '../../threads/pool-task.ts';
import { unlessCancelled, type Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { createWholeTraceResult } from '../whole-trace.ts';
import { mix } from '../../index/builders/effects/path-places.ts';
import type { Path } from './path-chunks.ts';

/** Elements of traces without executed instructions. */
export type RecordElements = Exclude<PathElements, 'instructions'>;

const ACCESSES = kindBits([...READS, ...WRITES, 'branch']);
const BRANCHES = kindBits(['branch']);

/** Returns the kinds of records that are elements, as a set of bits. */
export function elementKinds(elements: RecordElements): number {
  return elements === 'branches' ? BRANCHES : ACCESSES;
}

/**
 * Returns the elements that the path of a trace consists of; undefined if no record shows any. Branch messages among bus cycles count with the
 * accesses: their addresses, to 16 bytes and of either end, prove no branch.
 */
export function elementsOf({ ingest, reader }: Trace): PathElements | undefined {
  const { kinds } = ingest.totals;
  if ((kinds[KIND.instruction] ?? 0) > 0) return 'instructions';
  const isMessages = reader.decoder.format.branches?.as === 'messages';
  if (isMessages) return (kinds[KIND.branch] ?? 0) > 0 ? 'branches' : undefined;
  return kinds.some((count, kind) => count > 0 && ((ACCESSES >> kind) & 1) !== 0) ? 'accesses' : undefined;
}

/** FLAG bits of the ends of a branch. */
export const ENDS = FLAG.address | FLAG.target;
/** One in 2 ** MEAN_BITS elements ends a chunk. */
const MEAN_BITS = 11;
const LONGEST = 2 ** (MEAN_BITS + 3);
/** Bits by which an element moves when the next one comes: four elements decide whether a chunk ends. */
const BITS = 8;
/** Bytes of blocks of one task: some tenths of a second of work. */
const TASK_BYTES = 1 << 24;

/** The open chunk of a CPU, between two tasks. */
interface ChunkState {
  readonly cpu: number;
  /** Address of the last element. */
  low: number;
  high: number;
  hash: number;
  other: number;
  /** Elements of the open chunk, and its first one. */
  count: number;
  startLow: number;
  startHigh: number;
  start: RecordNumber;
  /** 1 if the last few elements before it say so. */
  marked: number;
  /** The last four elements. */
  recent: number;
  /** Elements so far, and how many of them show their target and their address. */
  all: number;
  targets: number;
  addresses: number;
}

/** Finished chunks, as columns. */
interface Columns {
  readonly cpu: number[];
  readonly hash: number[];
  readonly other: number[];
  readonly startLow: number[];
  readonly startHigh: number[];
  readonly record: number[];
  readonly count: number[];
  readonly marked: number[];
}

export interface ChunkedRecords {
  readonly chunks: Columns;
  readonly states: readonly ChunkState[];
}

interface ChunkArguments {
  readonly blocks: readonly BlockStart[];
  readonly elements: RecordElements;
  /** FLAG bits of ENDS that count. */
  readonly ends: number;
  /** The open chunks after the preceding block. */
  readonly states: readonly ChunkState[];
}

/** Cuts the elements of consecutive blocks into chunks. */
export const CHUNK_RECORDS = poolTask<ChunkArguments & { readonly trace: TraceRef }, ChunkedRecords>(
  'chunk records',
  'survey',
);

export function chunkRecords(
  { decoder, loader }: TraceReader,
  { blocks, elements, ends, states }: ChunkArguments,
  batch: Batch,
): Result<ChunkedRecords> {
  const counted = { kinds: elementKinds(elements), ends };
  const byCpu = new Map(states.map((state) => [state.cpu, state]));
  const chunks = noChunks();
  for (const { block, entry, firstRecord } of blocks) {
    const loaded = loader.load(block, entry, entry.state);
    if (!loaded.ok) return loaded;
    const window = loaded.value;
    let { state } = entry;
    for (let first = firstRecord; window.position < window.end; first += batch.count) {
      resetBatch(batch, first);
      state = decoder.decode(window, state, batch);
      addBatch(batch, first, counted, byCpu, chunks);
    }
  }
  return ok({ chunks, states: [...byCpu.values()] });
}

interface Counted {
  /** Kinds of records that are elements, as bits. */
  readonly kinds: number;
  readonly ends: number;
}

function addBatch(
  batch: Batch,
  first: RecordNumber,
  counted: Counted,
  byCpu: Map<number, ChunkState>,
  chunks: Columns,
): void {
  for (let from = 0; from < batch.count;) {
    const cpu = batch.cpu[from]!;
    const state = byCpu.get(cpu) ?? emptyState(cpu);
    byCpu.set(cpu, state);
    from = addRows(batch, from, first, counted, state, chunks);
  }
}

/** Adds the rows of one CPU, starting at `from`, and returns the first row of another one. Local variables are faster than those of the state. */
function addRows(
  { count: rows, kind, flags, cpu, native, addressLow, addressHigh, targetLow, targetHigh }: Batch,
  from: number,
  first: RecordNumber,
  { kinds, ends: shown }: Counted,
  state: ChunkState,
  chunks: Columns,
): number {
  const number = state.cpu;
  let { low, high, hash, other, count, recent, all, targets, addresses } = state;
  let row = from;
  for (; row < rows && cpu[row] === number; row++) {
    const its = kind[row]!;
    if (((kinds >> its) & 1) === 0) continue;
    const proved = flags[row]! & ENDS;
    const ends = proved & shown;
    all++;
    if ((proved & FLAG.target) !== 0) targets++;
    if ((proved & FLAG.address) !== 0) addresses++;
    let own = its + 32 * ends;
    let [nextLow, nextHigh] = [addressLow[row]!, addressHigh[row]!];
    if (ends !== FLAG.address) {
      // A branch without its source is placed by its target; one that shows neither is where the last one was.
      if (ends === FLAG.target) [nextLow, nextHigh] = [targetLow[row]!, targetHigh[row]!];
      else if (ends === 0) [nextLow, nextHigh] = [low, high];
      own = ends === 0 ? 256 + native[row]! : mix(own, (targetLow[row]! - nextLow) | 0);
    }
    let mixed = mix(own, (nextLow - low) | 0);
    const difference = (nextHigh - high - (nextLow < low ? 1 : 0)) | 0;
    if (difference !== 0) mixed = mix(mixed, difference);
    low = nextLow;
    high = nextHigh;
    if (count === 0) {
      state.startLow = low;
      state.startHigh = high;
      state.start = first + row;
    }
    // The way to the first element is no part of the chunk.
    const part = count === 0 ? own : mixed;
    hash = mix(hash, part);
    other = mix(other ^ 0x5bd1e995, Math.imul(part, 0x2c1b3c6d) ^ (part >>> 15));
    count++;
    recent = ((recent << BITS) + mixed) | 0;
    const isPlace = recent >>> (32 - MEAN_BITS) === 0;
    if (!isPlace && count < LONGEST) continue;
    Object.assign(state, { hash, other, count });
    cut(state, chunks);
    state.marked = Number(isPlace);
    [hash, other, count] = [0, 0, 0];
  }
  Object.assign(state, { low, high, hash, other, count, recent, all, targets, addresses });
  return row;
}

function cut(state: ChunkState, chunks: Columns): void {
  chunks.cpu.push(state.cpu);
  chunks.hash.push(state.hash >>> 0);
  chunks.other.push(state.other >>> 0);
  chunks.startLow.push(state.startLow);
  chunks.startHigh.push(state.startHigh);
  chunks.record.push(state.start);
  chunks.count.push(state.count);
  chunks.marked.push(state.marked);
  state.hash = 0;
  state.other = 0;
  state.count = 0;
}

function emptyState(cpu: number): ChunkState {
  return {
    cpu,
    low: 0,
    high: 0,
    hash: 0,
    other: 0,
    count: 0,
    startLow: 0,
    startHigh: 0,
    start: 0,
    marked: 1,
    recent: 0,
    all: 0,
    targets: 0,
    addresses: 0,
  };
}

function noChunks(): Columns {
  return { cpu: [], hash: [], other: [], startLow: [], startHigh: [], record: [], count: [], marked: [] };
}

export interface RecordPath extends Path {
  /** FLAG bits of ENDS that most elements show. */
  readonly ends: number;
}

/** By `ends`. */
const KNOWN = new Map(
  [ENDS, FLAG.address, FLAG.target].map((ends) => [
    ends,
    createWholeTraceResult<RecordPath, RecordPath>({
      name: `record path ${String(ends)}`,
      toTable: (path) => path,
      fromTable: (path) => path,
    }),
  ]),
);

/** Returns the chunks of all records; elements are counted as `instructions`. Of their ends only those in `ends` count. */
export async function recordPathOf(
  trace: Trace,
  elements: RecordElements,
  ends: number,
  task: Task<FlowProgress>,
): Promise<Result<RecordPath>> {
  const { blocks, pool, reader } = trace;
  const { records } = blocks;
  const kept = KNOWN.get(ends);
  assert(kept !== undefined, 'at least one end is compared');
  const known = kept.get(trace, records);
  if (known !== undefined) return ok(known);
  const all = noChunks();
  let states: readonly ChunkState[] = [];
  const step = Math.max(1, Math.floor(TASK_BYTES / reader.plan.blockBytes));
  const control = new AbortController();
  try {
    for (let from = 0; from < blocks.length; from += step) {
      const some = Array.from({ length: Math.min(step, blocks.length - from) }, (_, k) => ({
        block: from + k,
        entry: blocks.entry(from + k),
        firstRecord: blocks.firstRecord(from + k),
      }));
      const args = { trace: reader.ref, blocks: some, elements, ends, states };
      const cutBlocks = await unlessCancelled(pool.run(CHUNK_RECORDS, args, control.signal), task);
      if (!cutBlocks.ok) return cutBlocks;
      append(all, cutBlocks.value.chunks);
      states = cutBlocks.value.states;
      task.progress(() => ({ at: some.at(-1)!.firstRecord, to: records }));
    }
  } finally {
    control.abort();
  }
  for (const state of states) if (state.count > 0) cut(state, all);
  const sum = (of: 'all' | 'addresses' | 'targets'): number => states.reduce((total, state) => total + state[of], 0);
  const shown =
    (2 * sum('addresses') > sum('all') ? FLAG.address : 0) | (2 * sum('targets') > sum('all') ? FLAG.target : 0);
  const path = { cpus: states.map(({ cpu }) => chunksOf(cpu, all, records)), ends: shown };
  kept.set(trace, records, path);
  return ok(path);
}

function append(all: Columns, more: Columns): void {
  for (const name of Object.keys(all) as (keyof Columns)[]) for (const one of more[name]) all[name].push(one);
}

function chunksOf(cpu: number, all: Columns, end: RecordNumber): Path['cpus'][number] {
  const own = [...all.cpu.keys()].filter((k) => all.cpu[k] === cpu);
  const of = (name: keyof Columns): number[] => own.map((k) => all[name][k]!);
  return {
    cpu,
    count: own.length,
    hash: Uint32Array.from(of('hash')),
    other: Uint32Array.from(of('other')),
    startLow: Uint32Array.from(of('startLow')),
    startHigh: Uint32Array.from(of('startHigh')),
    record: Float64Array.from([...of('record'), end]),
    instructions: Uint32Array.from(of('count')),
    marked: Uint8Array.from(of('marked')),
  };
}
