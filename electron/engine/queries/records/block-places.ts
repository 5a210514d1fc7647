/**
 * Places inside blocks where decoding can begin or end, for queries that need some records of many blocks: the parts of the index, or every
 * place of a block of fixed-size records without gaps, whose offsets follow from their numbers.
 */
import { PART_RECORDS } from '../../../../shared/records/batch.ts';
import type { BlockNumber, ByteOffset } from '../../../../shared/base/units.ts';
import type { Trace } from '../../trace.ts';
import { partBefore, partsOf, type BlockPlace } from './block-parts.ts';

/** Returns the newest known place up to a record of a block, counted from its start; undefined if decoding has to begin with the block. */
export function placeBefore(trace: Trace, block: BlockNumber, record: number): BlockPlace | undefined {
  const { decoder } = trace.reader;
  if (decoder.marksParts === true) return partBefore(trace, block, Math.floor(record / PART_RECORDS));
  const bytes = recordBytes(trace, block);
  if (bytes === undefined || decoder.placeBefore === undefined) return undefined;
  const { position: start, state } = trace.blocks.entry(block);
  const place = decoder.placeBefore(start + record * bytes, state);
  return place.position > start ? { ...place, record: (place.position - start) / bytes } : undefined;
}

/** Returns an offset at or after the end of the records of a block up to record `end`; undefined if only that of the block is known. */
export function offsetAfter(trace: Trace, block: BlockNumber, end: number): ByteOffset | undefined {
  if (trace.reader.decoder.marksParts === true) return partsOf(trace, block)[Math.ceil(end / PART_RECORDS)]?.position;
  const bytes = recordBytes(trace, block);
  return bytes === undefined ? undefined : trace.blocks.entry(block).position + end * bytes;
}

/** Returns the size of each record of a block; undefined if records differ in size, or there are bytes that belong to none. */
function recordBytes({ blocks, reader: { decoder, plan } }: Trace, block: BlockNumber): number | undefined {
  const { framing } = decoder;
  if (framing.kind !== 'units') return undefined;
  const end = block + 1 < blocks.length ? blocks.entry(block + 1).position : plan.fileBytes;
  const records = blocks.firstRecord(block + 1) - blocks.firstRecord(block);
  return records * framing.bytes === end - blocks.entry(block).position ? framing.bytes : undefined;
}
