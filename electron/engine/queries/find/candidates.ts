/** Lists the blocks that may contain a match, which are those that the find pyramid cannot rule out. */
import type { BlockNumber } from '../../../../shared/base/units.ts';
import { decodeRegisterSets } from '../../index/builders/register-sets.ts';
import { NODE } from '../../index/store/index-file.ts';
import { blocksNotSkipped, blocksNotSkippedBackwards, nodesReady } from '../../index/pyramid.ts';
import type { Trace } from '../../trace.ts';
import { mayAccess } from '../access/access-memory.ts';
import { READ_KINDS, WRITE_KINDS } from '../access/accesses.ts';
import { mayTouch } from '../records/span.ts';
import type { SearchedBlock } from './matcher.ts';
import type { Question } from './question.ts';

const MEMORY_KINDS = READ_KINDS | WRITE_KINDS;

/** Yields blocks of [from, to) in ascending order, or in descending order if `newest` is true. */
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

/** Returns true if a node of the pyramid certainly contains no match. */
function cannotMatch(trace: Trace, { kinds, span, register }: Question, level: number, node: number): boolean {
  const { blocks, index, reader } = trace;
  const present = level === 0 ? kinds & blocks.kindsPresent(node) : kinds;
  if (present === 0) return true;
  // Searching a block takes little longer than reading what it sets.
  if (register !== undefined && level > 0 && !sets(trace, level, node, register)) return true;
  if (span === undefined) return false;
  if (reader.decoder.neverAborts !== true) return !mayTouch(index, level, node, span, present);
  // The find pyramid resolves cache lines. The touch rows resolve bytes, but only for accesses that have an effect.
  const others = present & ~MEMORY_KINDS;
  if (others !== 0 && mayTouch(index, level, node, span, others)) return false;
  const ofMemory = present & MEMORY_KINDS;
  return ofMemory === 0 || !mayAccess(trace, level, node, ofMemory, span);
}

function sets({ index }: Trace, level: number, node: number, register: string): boolean {
  return decodeRegisterSets(index.blob(NODE.registers, level, node)).some(({ name }) => name === register);
}
