/**
 * Bytes of memory that executed opcodes prove, and what they add to what data accesses tell.
 *
 * An instruction that was executed, or skipped after its opcode was fetched, proves the bytes of its opcode as they were at
 * its record. What is later wins, opcode or data.
 */
import { KNOWN, type MemoryView } from '../../../shared/api.ts';
import { FLAG, type Batch } from '../../../shared/batch.ts';
import { KIND } from '../../../shared/record.ts';
import { ok, type Result } from '../../../shared/result.ts';
import {
  addressToPage,
  highHalf,
  lowHalf,
  type BlockNumber,
  type PageNumber,
  type RecordNumber,
} from '../../../shared/units.ts';
import { blocksNotSkippedBackwards, nodesReady } from '../pyramid.ts';
import type { Trace } from '../trace.ts';
import { recordBytes, visitBatches, type Decoded } from './block-reader.ts';
import { opcodeBytes } from './opcode-bytes.ts';

type Bytes = Pick<MemoryView, 'bytes' | 'known'>;

/**
 * Puts what opcodes up to record `at` prove into `view`, whose first byte lies at `low`. `since` has per byte the record by
 * which a data access left what `view` says of it, known or not; -1 where none did.
 */
export function addOpcodes(
  trace: Trace,
  { at, low }: { readonly at: RecordNumber; readonly low: bigint },
  view: Bytes,
  since: Float64Array,
): Result<undefined> {
  const endian = trace.reader.decoder.settings['endian'];
  // A format without byte order has no opcodes either.
  if (endian === undefined || trace.blocks.length === 0) return ok(undefined);
  const length = view.bytes.length;
  const span = spanOf(low, length);
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
  const skip = (level: number, node: number): boolean => proofs.left === 0 || !mayHold(trace, level, node, span);
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

interface Span {
  readonly low: bigint;
  readonly length: number;
  readonly lowLow: number;
  readonly lowHigh: number;
  readonly highLow: number;
  readonly highHigh: number;
  readonly firstPage: PageNumber;
  readonly lastPage: PageNumber;
}

function spanOf(low: bigint, length: number): Span {
  const high = low + BigInt(length) - 1n;
  return {
    low,
    length,
    lowLow: lowHalf(low),
    lowHigh: highHalf(low),
    highLow: lowHalf(high),
    highHigh: highHalf(high),
    firstPage: addressToPage(low),
    lastPage: addressToPage(high),
  };
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
  const bytes = new Uint8Array(span.length);
  const provedBy = new Float64Array(span.length).fill(-1);
  const read = visitBatches(trace, block, 0, (decoded) => {
    addBatch(trace, decoded, at, span, proofs, bytes, provedBy);
    return decoded.first + decoded.batch.count <= at;
  });
  if (!read.ok) return read;
  for (let byte = 0; byte < span.length; byte++) {
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
  for (let i = Math.min(batch.count, at - first + 1) - 1; i >= 0; i--) {
    if ((KINDS & (1 << batch.kind[i]!)) === 0 || !touches(batch, i, span)) continue;
    const offset = (batch.addressHigh[i]! - span.lowHigh) * 2 ** 32 + (batch.addressLow[i]! - span.lowLow);
    const from = Math.max(0, offset);
    const to = Math.min(span.length, offset + batch.size[i]!);
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

/** Whether the record had an effect and lies in the span with any byte. */
function touches(batch: Batch, i: number, { lowLow, lowHigh, highLow, highHigh }: Span): boolean {
  const high = batch.addressHigh[i]!;
  const low = batch.addressLow[i]!;
  if (high > highHigh || (high === highHigh && low > highLow)) return false;
  // The last byte may lie above 4 GiB.
  const lastLow = low + Math.max(1, batch.size[i]!) - 1;
  const lastHigh = lastLow > 0xffffffff ? high + 1 : high;
  if (lastHigh < lowHigh || (lastHigh === lowHigh && lastLow % 2 ** 32 < lowLow)) return false;
  return (batch.flags[i]! & (FLAG.address | FLAG.noEffect)) === FLAG.address;
}

/** Whether instructions of a node may lie in the span, as far as the find pyramid tells. */
function mayHold({ blocks, index }: Trace, level: number, node: number, span: Span): boolean {
  if (level === 0 && (blocks.kindsPresent(node) & KINDS) === 0) return false;
  const rows = index.findRows(level, node, span.firstPage, span.lastPage);
  if (rows === undefined) return true;
  for (let next = rows.next(); next.done !== true; next = rows.next()) {
    const { length, page, kind, lineLow, lineHigh } = next.value;
    for (let i = 0; i < length; i++) {
      const its = page[i]!;
      if (its < span.firstPage || its > span.lastPage || (KINDS & (1 << kind[i]!)) === 0) continue;
      const from = its === span.firstPage ? (span.lowLow >>> 6) & 63 : 0;
      const to = its === span.lastPage ? (span.highLow >>> 6) & 63 : 63;
      if ((lineLow[i]! & bits(from, Math.min(to, 31))) !== 0) return true;
      if ((lineHigh[i]! & bits(Math.max(from - 32, 0), to - 32)) !== 0) return true;
    }
  }
  return false;
}

/** Bits from..to set, none when to < from. */
function bits(from: number, to: number): number {
  return to < from ? 0 : (-1 << from) & (-1 >>> (31 - to));
}
