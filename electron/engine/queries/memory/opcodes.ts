/**
 * Adds the memory bytes that executed opcodes prove to those known from data accesses.
 *
 * An instruction that was executed, or skipped after its opcode was fetched, proves the bytes of its opcode at its record. The later
 * evidence wins, opcode or data.
 *
 * No index shows exactly which bytes contain instructions. Other bytes of the same lines are searched for back to the start of the trace.
 * Results are therefore cached by line, and the next query searches only the records between the two queries.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { KNOWN, type MemoryView, type SearchProgress } from '../../../../shared/requests/requests.ts';
import { KIND } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { blocksNotSkippedBackwards, nodesReady } from '../../index/pyramid.ts';
import { cachePer } from '../../collections/cache-per.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { nextAccess, offsetInSpan } from '../access/accesses.ts';
import { recordBytes, visitBatches, type Decoded } from '../records/block-reader.ts';
import { opcodeBytes } from '../records/opcode-bytes.ts';
import { createWalk, finishWalk, resolveBefore, type OpcodeLines, type OpcodeWalk } from './opcode-walk.ts';
import { mayTouch, spanOf, type Span } from '../records/span.ts';

const KINDS = (1 << KIND.instruction) | (1 << KIND.skipped);
const SLICE_MS = 8;
/** Opcode bytes of recently requested lines. */
const linesOf = cachePer((): OpcodeLines => new Map());

/**
 * Adds the bytes that opcodes up to record `at` prove to `view`, which covers the span. `since` contains, per byte, the record of the data
 * access that determined the byte in `view`, or -1.
 */
export async function addOpcodes(
  trace: Trace,
  { at, span }: { readonly at: RecordNumber; readonly span: Span },
  view: Pick<MemoryView, 'bytes' | 'known'>,
  since: Float64Array,
  task: Task<SearchProgress>,
): Promise<Result<undefined>> {
  const { blocks, ingest, reader } = trace;
  const endian = reader.decoder.settings['endian'];
  // Formats without a byte order have no opcodes.
  if (endian === undefined || blocks.length === 0) return ok(undefined);
  const newest = Math.min(at, blocks.records - 1);
  const done = blocks.length;
  const { complete } = ingest;
  const lines = linesOf(trace);
  const walk = createWalk(lines, span, newest, since);
  let left = openSpan(span, walk);
  const ready = (level: number): number => nodesReady(level, done, complete);
  const skip = (level: number, node: number): boolean =>
    left === undefined || !mayTouch(trace.index, level, node, left, KINDS);
  let sliceEnd = performance.now() + SLICE_MS;
  for (const block of blocksNotSkippedBackwards(0, blocks.blockOfRecord(newest) + 1, ready, skip)) {
    resolveBefore(walk, block + 1 < blocks.length ? blocks.firstRecord(block + 1) : blocks.records);
    left = openSpan(span, walk);
    if (left === undefined) break;
    const read = addBlock(trace, block, { at: newest, span, left, endian }, walk);
    if (!read.ok) return read;
    left = openSpan(span, walk);
    if (performance.now() < sliceEnd) continue;
    await breathe();
    if (task.cancelled()) return task.cancel();
    task.progress(() => ({ at: blocks.firstRecord(block) }));
    sliceEnd = performance.now() + SLICE_MS;
  }
  finishWalk(walk, lines, span, newest);
  for (let byte = 0; byte < since.length; byte++) {
    if (!(walk.provedBy[byte]! > since[byte]!)) continue;
    view.bytes[byte] = walk.bytes[byte]!;
    view.known[byte] = KNOWN.opcode;
  }
  return ok(undefined);
}

/** Returns the span from the first to the last unresolved byte, or undefined if there is none. */
function openSpan({ low }: Span, { open }: OpcodeWalk): Span | undefined {
  const first = open.indexOf(1);
  return first < 0 ? undefined : spanOf(low + BigInt(first), low + BigInt(open.lastIndexOf(1)));
}

interface Wanted {
  readonly at: RecordNumber;
  readonly span: Span;
  /** The part of the span that contains unresolved bytes. */
  readonly left: Span;
  readonly endian: string;
}

/** Batches are decoded forwards only, so the results of a later batch replace those of an earlier one. */
function addBlock(trace: Trace, block: BlockNumber, wanted: Wanted, walk: OpcodeWalk): Result<undefined> {
  const bytes = new Uint8Array(walk.open.length);
  const provedBy = new Float64Array(walk.open.length).fill(-1);
  const read = visitBatches(trace, block, 0, (decoded) => {
    addBatch(trace, decoded, wanted, walk.open, bytes, provedBy);
    return decoded.first + decoded.batch.count <= wanted.at;
  });
  if (!read.ok) return read;
  for (let byte = 0; byte < provedBy.length; byte++) {
    if (provedBy[byte]! < 0 || walk.open[byte] === 0) continue;
    walk.open[byte] = 0;
    walk.bytes[byte] = bytes[byte]!;
    walk.provedBy[byte] = provedBy[byte]!;
  }
  return ok(undefined);
}

/** Runs from the newest record to the oldest, so that only the last iteration of a loop is described. */
function addBatch(
  trace: Trace,
  decoded: Decoded,
  { at, span, left, endian }: Wanted,
  open: Uint8Array,
  bytes: Uint8Array,
  provedBy: Float64Array,
): void {
  const { batch, first } = decoded;
  const end = Math.min(batch.count, at - first + 1);
  const found: number[] = [];
  for (let i = nextAccess(batch, KINDS, left, 0, end); i < end; i = nextAccess(batch, KINDS, left, i + 1, end))
    found.push(i);
  for (const i of found.reverse()) {
    const offset = offsetInSpan(batch, i, span);
    const from = Math.max(0, offset);
    const to = Math.min(open.length, offset + batch.size[i]!);
    let wanted = false;
    for (let byte = from; byte < to; byte++) wanted ||= open[byte] === 1 && provedBy[byte]! < first;
    if (!wanted) continue;
    const proved = opcodeBytes(trace.reader.decoder.describe(recordBytes(decoded, i), batch, i), endian);
    if (proved === undefined) continue;
    for (let byte = from; byte < Math.min(to, offset + proved.length); byte++) {
      if (provedBy[byte]! >= first) continue;
      bytes[byte] = proved[byte - offset]!;
      provedBy[byte] = first + i;
    }
  }
}
