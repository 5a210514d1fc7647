/** The blocks that may hold a match: those that the find pyramid cannot rule out. */
import type { BlockNumber } from '../../../../shared/units.ts';
import { blocksNotSkipped, blocksNotSkippedBackwards, nodesReady } from '../../pyramid.ts';
import type { Trace } from '../../trace.ts';
import { mayTouch } from '../span.ts';
import type { SearchedBlock } from './matcher.ts';
import type { Question } from './question.ts';

/** Blocks of [from, to) in ascending or descending order. */
export function candidates(
  trace: Trace,
  question: Question,
  from: BlockNumber,
  to: BlockNumber,
  newest: boolean,
): Iterable<BlockNumber> {
  const complete = trace.ingest.complete;
  const done = trace.blocks.length;
  const ready = (level: number): number => nodesReady(level, done, complete);
  const skip = (level: number, node: number): boolean => cannotMatch(trace, question, level, node);
  return newest ? blocksNotSkippedBackwards(from, to, ready, skip) : blocksNotSkipped(from, to, ready, skip);
}

export function searchedBlock({ blocks }: Trace, block: BlockNumber): SearchedBlock {
  return {
    block,
    entry: blocks.entry(block),
    firstRecord: blocks.firstRecord(block),
    kinds: blocks.kindsPresent(block),
  };
}

/** Whether a node of the pyramid certainly holds no match. */
function cannotMatch(trace: Trace, { kinds, span }: Question, level: number, node: number): boolean {
  if (level === 0 && (trace.blocks.kindsPresent(node) & kinds) === 0) return true;
  if (span === undefined) return false;
  return !mayTouch(trace.index, level, node, span, kinds);
}
