/** Finds the record that first read bytes with values other than the earlier blocks left there, and the record that left them. */
import { FLAG } from '../../../../shared/records/batch.ts';
import { assert } from '../../../../shared/base/result.ts';
import { PAGE_BYTES, type PageNumber, type RecordNumber } from '../../../../shared/base/units.ts';
import type { Contradictions } from '../../index/builders/memory/replay.ts';
import type { LineBytes } from '../../index/builders/memory/merge-masks.ts';
import { answerAtOnce } from '../../threads/in-slices.ts';
import { spanOf as blocksOf } from '../../index/pyramid.ts';
import type { Trace } from '../../trace.ts';
import { lastAccess } from '../access/access-memory.ts';
import { READ_KINDS, WRITE_KINDS } from '../access/accesses.ts';
import { visitBatches } from '../records/block-reader.ts';
import { mayTouch, spanOf } from '../records/span.ts';

/**
 * Searches the blocks of a node for the first read of the given bytes. The caller knows that their first effect in the node was a read that
 * contradicts the known value. Decodes the blocks that touch them up to that read.
 */
export function firstContradiction(
  trace: Trace,
  level: number,
  node: number,
  lines: readonly LineBytes[],
): Omit<Contradictions, 'bytes'> {
  const { blocks, index } = trace;
  const wanted = Map.groupBy(lines, ({ page }) => page);
  const pages = lines.map(({ page }) => page);
  const span = spanOf(
    BigInt(Math.min(...pages)) * BigInt(PAGE_BYTES),
    (BigInt(Math.max(...pages)) + 1n) * BigInt(PAGE_BYTES) - 1n,
  );
  const end = Math.min((node + 1) * blocksOf(level), blocks.length);
  for (let block = node * blocksOf(level); block < end; block++) {
    if (!mayTouch(index, 0, block, span, READ_KINDS)) continue;
    const found = firstReadOf(trace, block, wanted);
    if (found === undefined) continue;
    const byte = spanOf(found.address, found.address);
    const before = lastAccess(trace, READ_KINDS | WRITE_KINDS, byte, found.record - 1, 'effects');
    const earlier = answerAtOnce(before);
    return { record: found.record, earlier: earlier.ok ? (earlier.value ?? -1) : -1 };
  }
  return { record: -1, earlier: -1 };
}

function firstReadOf(
  trace: Trace,
  block: number,
  wanted: ReadonlyMap<PageNumber, readonly LineBytes[]>,
): { readonly record: RecordNumber; readonly address: bigint } | undefined {
  let found: { readonly record: RecordNumber; readonly address: bigint } | undefined;
  const read = visitBatches(trace, block, 0, ({ batch, first }) => {
    const { kind, flags, addressLow, addressHigh, size } = batch;
    for (let i = 0; i < batch.count; i++) {
      if ((READ_KINDS & (1 << kind[i]!)) === 0 || (flags[i]! & (FLAG.value | FLAG.noEffect)) !== FLAG.value) continue;
      for (let k = 0; k < size[i]!; k++) {
        const low = addressLow[i]! + k;
        const page = addressHigh[i]! * 2 ** 20 + Math.floor(low / PAGE_BYTES);
        const bytes = wanted.get(page)?.find(({ line }) => line === ((low >>> 6) & 63));
        if (bytes === undefined) continue;
        const bit = 1 << (low & 31);
        if ((((low & 32) === 0 ? bytes.low : bytes.high) & bit) === 0) continue;
        found = { record: first + i, address: (BigInt(addressHigh[i]!) << 32n) + BigInt(low) };
        return false;
      }
    }
    return true;
  });
  assert(read.ok || found === undefined, 'a block that cannot be read yields no result');
  return found;
}
