/** The blocks that may hold a match: those that the find pyramid cannot rule out. */
import type { BlockNumber } from '../../../../shared/units.ts';
import { blocksNotSkipped, blocksNotSkippedBackwards, nodesReady } from '../../pyramid.ts';
import type { Trace } from '../../trace.ts';
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
  const rows = trace.index.findRows(level, node, span.firstPage, span.lastPage);
  if (rows === undefined) return false;
  for (const columns of iterate(rows)) {
    for (let i = 0; i < columns.length; i++) {
      const page = columns.page[i]!;
      if (page < span.firstPage || page > span.lastPage || (kinds & (1 << columns.kind[i]!)) === 0) continue;
      const from = page === span.firstPage ? (span.lowLow >>> 6) & 63 : 0;
      const to = page === span.lastPage ? (span.highLow >>> 6) & 63 : 63;
      if (anyLine(columns.lineLow[i]!, columns.lineHigh[i]!, from, to)) return false;
    }
  }
  return true;
}

function* iterate<T>(iterator: Iterator<T, undefined>): Generator<T, undefined> {
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) yield next.value;
  return undefined;
}

function anyLine(low: number, high: number, from: number, to: number): boolean {
  return (
    (low & bitsBetween(from, Math.min(to, 31))) !== 0 || (high & bitsBetween(Math.max(from - 32, 0), to - 32)) !== 0
  );
}

/** Bits from..to set, none when to < from. */
function bitsBetween(from: number, to: number): number {
  if (to < from) return 0;
  return (-1 << from) & (-1 >>> (31 - to));
}
