/** The parts of blocks, from the index: places in a block where decoding can begin, and fingerprints of what runs there. */
import { createLru } from '../../../../shared/base/lru.ts';
import { PART_RECORDS } from '../../../../shared/records/batch.ts';
import type { State } from '../../../../shared/format/format.ts';
import type { BlockNumber, ByteOffset } from '../../../../shared/base/units.ts';
import { cachePer } from '../../collections/cache-per.ts';
import { decodeParts, type BlockPart } from '../../index/builders/block-parts.ts';
import { NODE } from '../../index/store/index-file.ts';
import type { Trace } from '../../trace.ts';

/** Blocks whose parts are kept: some megabytes. */
const MOST_BLOCKS = 2048;

const knownParts = cachePer(() => createLru<BlockNumber, readonly BlockPart[]>(MOST_BLOCKS));

/** Returns the parts of a block in order, without those that are not known; none if the format does not mark them, or the block is not indexed. */
export function partsOf(trace: Trace, block: BlockNumber): readonly BlockPart[] {
  const { blocks, index, reader } = trace;
  if (reader.decoder.marksParts !== true || block >= blocks.length) return [];
  const kept = knownParts(trace);
  const known = kept.get(block);
  if (known !== undefined) return known;
  const parts = decodeParts(index.blob(NODE.parts, 0, block), blocks.entry(block).position);
  kept.set(block, parts);
  return parts;
}

/** A place in a block where decoding can begin: the number of its next record within the block, its offset, and the decoder's state there. */
export interface BlockPlace {
  readonly record: number;
  readonly position: ByteOffset;
  readonly state: State;
}

/** Returns the newest part of a block up to number `part` at which decoding can begin; undefined if the index has none after the first. */
export function partBefore(trace: Trace, block: BlockNumber, part: number): BlockPlace | undefined {
  const parts = partsOf(trace, block);
  for (let at = Math.min(part, parts.length - 1); at > 0; at--) {
    const { state, position } = parts[at]!;
    if (state !== undefined) return { record: at * PART_RECORDS, position, state };
  }
  return undefined;
}
