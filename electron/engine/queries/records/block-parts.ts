/** The parts of blocks, from the index: places in a block where decoding can begin, and fingerprints of what runs there. */
import { createLru } from '../../../../shared/base/lru.ts';
import type { BlockNumber } from '../../../../shared/base/units.ts';
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
