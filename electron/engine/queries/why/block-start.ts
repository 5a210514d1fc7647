/** Values of registers at the starts of blocks, from the register nodes of the index. */
import { createLru } from '../../../../shared/base/lru.ts';
import { settersOf } from '../../../../shared/records/registers.ts';
import type { BlockNumber } from '../../../../shared/base/units.ts';
import { cachePer } from '../../collections/cache-per.ts';
import { decodeRegisterSets, type RegisterSet } from '../../index/builders/register-sets.ts';
import { nodesBefore, nodesReady } from '../../index/pyramid.ts';
import { NODE } from '../../index/store/index-file.ts';
import type { Trace } from '../../trace.ts';

/** Nodes that are kept decoded: some megabytes. A node of all blocks and one of few blocks have about as many registers. */
const MOST_NODES = 512;

const decodedNodes = cachePer(() => createLru<string, readonly RegisterSet[]>(MOST_NODES));

/**
 * Returns the newest setting before a block of a register, of its parts, or of another register that shares bits with it; undefined if there
 * is none.
 */
export function lastSetBefore(trace: Trace, block: BlockNumber, cpu: number, name: string): RegisterSet | undefined {
  const ready = (level: number): number => nodesReady(level, trace.blocks.length, trace.ingest.complete);
  const sets = settersOf(name);
  for (const { level, node } of [...nodesBefore(block, ready)].reverse()) {
    const found = nodeSets(trace, level, node).findLast((set) => set.cpu === cpu && sets(set.name));
    if (found !== undefined) return found;
  }
  return undefined;
}

function nodeSets(trace: Trace, level: number, node: number): readonly RegisterSet[] {
  const nodes = decodedNodes(trace);
  const key = `${level} ${node}`;
  const known = nodes.get(key);
  if (known !== undefined) return known;
  const sets = decodeRegisterSets(trace.index.blob(NODE.registers, level, node));
  nodes.set(key, sets);
  return sets;
}
