/**
 * Bytes of memory that executed opcodes prove, and what they add to what data accesses tell.
 *
 * An instruction that was executed, or skipped after its opcode was fetched, proves the bytes of its opcode as they were at
 * its record. What is later wins, opcode or data.
 */
import { KNOWN, type MemoryView } from '../../../shared/api.ts';
import { KIND } from '../../../shared/record.ts';
import { ok, type Result } from '../../../shared/result.ts';
import type { BlockNumber, RecordNumber } from '../../../shared/units.ts';
import { blocksNotSkippedBackwards, nodesReady } from '../pyramid.ts';
import type { Trace } from '../trace.ts';
import { nextAccess, offsetInSpan } from './accesses.ts';
import { recordBytes, visitBatches, type Decoded } from './block-reader.ts';
import { opcodeBytes } from './opcode-bytes.ts';
import { mayTouch, type Span } from './span.ts';

type Bytes = Pick<MemoryView, 'bytes' | 'known'>;

/**
 * Puts what opcodes up to record `at` prove into `view`, which has the bytes of the span. `since` has per byte the record by
 * which a data access left what `view` says of it, known or not; -1 where none did.
 */
export function addOpcodes(
  trace: Trace,
  { at, span }: { readonly at: RecordNumber; readonly span: Span },
  view: Bytes,
  since: Float64Array,
): Result<undefined> {
  const endian = trace.reader.decoder.settings['endian'];
  // A format without byte order has no opcodes either.
  if (endian === undefined || trace.blocks.length === 0) return ok(undefined);
  const length = view.bytes.length;
  const proofs: Proofs = {
    bytes: view.bytes,
    known: view.known,
    since,
    open: new Uint8Array(length).fill(1),
    left: length,
    endian,
  };
  const last = trace.blocks.blockOfRecord(Math.min(at, trace.blocks.records - 1));
  const { complete } = trace.ingest;
  const ready = (level: number): number => nodesReady(level, trace.blocks.length, complete);
  const skip = (level: number, node: number): boolean =>
    proofs.left === 0 || !mayTouch(trace.index, level, node, span, KINDS);
  for (const block of blocksNotSkippedBackwards(0, last + 1, ready, skip)) {
    closeOlder(proofs, trace, block);
    if (proofs.left === 0) break;
    const read = addBlock(trace, block, at, span, proofs);
    if (!read.ok) return read;
  }
  return ok(undefined);
}

interface Proofs extends Bytes {
  readonly since: Float64Array;
  /** Per byte 1 while an older opcode may still prove it. */
  readonly open: Uint8Array;
  /** How many are open. */
  left: number;
  readonly endian: string;
}

/** Bytes that data told of after the block need no opcode of it or of an older one. */
function closeOlder(proofs: Proofs, { blocks }: Trace, block: BlockNumber): void {
  const end = block + 1 < blocks.length ? blocks.firstRecord(block + 1) : blocks.records;
  for (let byte = 0; byte < proofs.open.length; byte++) {
    if (proofs.open[byte] === 1 && proofs.since[byte]! >= end) close(proofs, byte);
  }
}

function close(proofs: Proofs, byte: number): void {
  proofs.open[byte] = 0;
  proofs.left--;
}

const KINDS = (1 << KIND.instruction) | (1 << KIND.skipped);

/** Batches decode forwards only: what a later batch proves replaces what an earlier one did. */
function addBlock(trace: Trace, block: BlockNumber, at: RecordNumber, span: Span, proofs: Proofs): Result<undefined> {
  const bytes = new Uint8Array(proofs.open.length);
  const provedBy = new Float64Array(proofs.open.length).fill(-1);
  const read = visitBatches(trace, block, 0, (decoded) => {
    addBatch(trace, decoded, at, span, proofs, bytes, provedBy);
    return decoded.first + decoded.batch.count <= at;
  });
  if (!read.ok) return read;
  for (let byte = 0; byte < proofs.open.length; byte++) {
    if (provedBy[byte]! < 0 || proofs.open[byte] === 0) continue;
    close(proofs, byte);
    if (provedBy[byte]! < proofs.since[byte]!) continue;
    proofs.bytes[byte] = bytes[byte]!;
    proofs.known[byte] = KNOWN.opcode;
  }
  return ok(undefined);
}

/** From the newest record to the oldest, so that of a loop only the last round is described. */
function addBatch(
  trace: Trace,
  decoded: Decoded,
  at: RecordNumber,
  span: Span,
  { open, endian }: Proofs,
  bytes: Uint8Array,
  provedBy: Float64Array,
): void {
  const { batch, first } = decoded;
  const end = Math.min(batch.count, at - first + 1);
  const found: number[] = [];
  for (let i = nextAccess(batch, KINDS, span, 0, end); i < end; i = nextAccess(batch, KINDS, span, i + 1, end))
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
