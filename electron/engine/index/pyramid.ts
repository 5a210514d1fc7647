/**
 * The shape of the pyramids: nodes of level L span 8^L blocks, and a node is there once all its blocks are indexed (or
 * the trace has ended).
 */
import type { BlockNumber } from '../../../shared/base/units.ts';

export const FAN_IN = 8;

export function spanOf(level: number): number {
  return FAN_IN ** level;
}

/** Levels above the blocks until one node spans all. */
function topLevel(blocks: number): number {
  let level = 0;
  while (spanOf(level) < blocks) level++;
  return level;
}

/** Nodes of a level that are there when `done` blocks are indexed; none above the node that spans them all. */
export function nodesReady(level: number, done: number, complete: boolean): number {
  if (level > topLevel(done)) return 0;
  const whole = Math.floor(done / spanOf(level));
  return complete && whole * spanOf(level) < done ? whole + 1 : whole;
}

/** The nodes above the blocks that become ready with block number `done - 1`, lower levels first. */
export function* nodesCompletedBy(done: number): Generator<TreeNode, undefined> {
  for (let level = 1; done % spanOf(level) === 0; level++) yield { level, node: done / spanOf(level) - 1 };
  return undefined;
}

export interface TreeNode {
  readonly level: number;
  readonly node: number;
}

/** The fewest nodes of level 1 and above that together are the whole trace, in order; those above `cutOff` only where they are full. */
export function* highestNodes(blocks: number, cutOff: number): Generator<TreeNode, undefined> {
  const fits = (block: BlockNumber, level: number): boolean =>
    block % spanOf(level) === 0 && level <= topLevel(blocks) && (level <= cutOff || block + spanOf(level) <= blocks);
  for (let block = 0; block < blocks;) {
    let level = 1;
    while (fits(block, level + 1)) level++;
    yield { level, node: block / spanOf(level) };
    block += spanOf(level);
  }
  return undefined;
}

/** The partly filled nodes that the end of the trace leaves, lower levels first. */
export function* nodesLeftAtEnd(blocks: number): Generator<TreeNode, undefined> {
  for (let level = 1; level <= topLevel(blocks); level++) {
    if (blocks % spanOf(level) !== 0) yield { level, node: Math.floor(blocks / spanOf(level)) };
  }
  return undefined;
}

/** The children of a node, as far as there are any. */
export function childrenOf(level: number, node: number, blocks: number): number[] {
  const ready = nodesReady(level - 1, blocks, true);
  const children: number[] = [];
  for (let child = node * FAN_IN; child < Math.min((node + 1) * FAN_IN, ready); child++) children.push(child);
  return children;
}

/** The fewest nodes that span the blocks [0, end) and no others, in order. */
export function* nodesBefore(end: BlockNumber, ready: (level: number) => number): Generator<TreeNode, undefined> {
  let block = 0;
  while (block < end) {
    let level = 0;
    const fits = (next: number): boolean =>
      block % spanOf(next) === 0 && block + spanOf(next) <= end && block / spanOf(next) < ready(next);
    while (fits(level + 1)) level++;
    yield { level, node: block / spanOf(level) };
    block += spanOf(level);
  }
  return undefined;
}

/**
 * Walks forwards over [from, to) in nodes as large as fit: calls `skip` for a node and steps over it when it returns true,
 * else goes down. Yields the blocks that no level could skip.
 */
export function* blocksNotSkipped(
  from: BlockNumber,
  to: BlockNumber,
  ready: (level: number) => number,
  skip: (level: number, node: number) => boolean,
): Generator<BlockNumber, undefined> {
  let block = from;
  while (block < to) {
    let level = 0;
    while (block % spanOf(level + 1) === 0 && block / spanOf(level + 1) < ready(level + 1)) level++;
    for (; level >= 0; level--) if (skip(level, block / spanOf(level))) break;
    if (level < 0) {
      yield block;
      block++;
    } else block += spanOf(level);
  }
  return undefined;
}

/** The same backwards, from the block before `to` down to `from`. */
export function* blocksNotSkippedBackwards(
  from: BlockNumber,
  to: BlockNumber,
  ready: (level: number) => number,
  skip: (level: number, node: number) => boolean,
): Generator<BlockNumber, undefined> {
  let end = to;
  while (end > from) {
    const block = end - 1;
    let level = 0;
    while (endsNode(level + 1, end, ready)) level++;
    for (; level >= 0; level--) if (skip(level, Math.floor(block / spanOf(level)))) break;
    if (level < 0) {
      yield block;
      end = block;
    } else end = Math.floor(block / spanOf(level)) * spanOf(level);
  }
  return undefined;
}

/** Whether a ready node of the level ends with block end - 1 (a partly filled last node ends with the trace). */
function endsNode(level: number, end: number, ready: (level: number) => number): boolean {
  const node = Math.floor((end - 1) / spanOf(level));
  if (node >= ready(level)) return false;
  const nodeEnd = Math.min((node + 1) * spanOf(level), ready(0));
  return nodeEnd === end;
}
