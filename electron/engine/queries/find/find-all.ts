/** Counts the matching records over time and returns the first of them, in bounded memory. */
import type { Answer, Arguments, FindAllProgress } from '../../../../shared/requests/requests.ts';
import { assert, ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { rangeOf } from './find.ts';
import { candidates } from './candidates.ts';
import { knownMatches, type BlockMatches, type Positions } from './known-matches.ts';
import { lowerBound } from './matcher.ts';
import type { Wanted, WantedCounts } from './matches.ts';
import { readQuestion } from './question.ts';
import { searchBlocks } from './search.ts';
import { evenEdges } from '../heat/grid.ts';
import { columnOf } from '../heat/cell-grid.ts';

const MOST_REPORTED = 1000;

export async function findAll(
  trace: Trace,
  args: Omit<Arguments<'findAll'>, 'trace'>,
  task: Task<FindAllProgress>,
): Promise<Result<Answer<'findAll'>>> {
  const read = readQuestion(args);
  if (!read.ok) return read;
  const question = read.value;
  const reach = reachOf(trace);
  const { from, to } = rangeOf(trace, args);
  const edges = from < to ? evenEdges(from, to, args.columns ?? 1) : new Float64Array(0);
  const sum = createSum(edges, args.most ?? 0);
  if (from >= to) return ok({ ...sum.soFar(sum.most), reach });
  const { blocks } = trace;
  const known = knownMatches(trace, question);
  const isWhole = (block: BlockNumber): boolean =>
    blocks.firstRecord(block) >= from && blocks.firstRecord(block + 1) <= to;
  /** Known matches of blocks that have not been added to the sum. */
  const waiting: [BlockNumber, BlockMatches][] = [];
  const wanted = (part: readonly BlockNumber[]): Wanted => sum.wanted(recordsOf(part));
  const search = { question, from, to, wanted, blocks: unknown() };
  const searched = await searchBlocks(trace, search, task, ({ counted }, part) => {
    assert(counted !== undefined, 'a search for counts counts');
    sum.addCounts(recordsOf(part).first, counted.counts);
    let at = 0;
    for (const [i, block] of part.entries()) {
      const count = counted.inBlocks[i]!;
      const numbers = counted.numbers.subarray(at, (at += count));
      sum.keep(block, numbers);
      if (isWhole(block)) known.set(block, count, numbers, blocks.firstRecord(block));
    }
    const last = part.at(-1)!;
    addWaiting(last);
    sum.endPart();
    task.progress(() => ({ ...sum.soFar(MOST_REPORTED), at: Math.min(to, blocks.firstRecord(last + 1)) }));
    return true;
  });
  if (!searched.ok) return searched;
  addWaiting(Number.POSITIVE_INFINITY);
  return ok({ ...sum.soFar(sum.most), reach });

  /** Yields the blocks to search. Those whose known matches suffice wait for their turn. */
  function* unknown(): Iterator<BlockNumber> {
    /** Matches in the blocks so far, as far as they are known. */
    let sure = 0;
    const end = blocks.blockOfRecord(to - 1) + 1;
    for (const block of candidates(trace, question, blocks.blockOfRecord(from), end, false)) {
      const matches = known.get(block);
      if (matches !== undefined && suffices(block, matches, sure < sum.most)) waiting.push([block, matches]);
      else yield block;
      if (matches !== undefined && isWhole(block)) sure += matches.count;
    }
  }

  function suffices(block: BlockNumber, { count, positions }: BlockMatches, numbersWanted: boolean): boolean {
    if (count === 0 || positions !== undefined) return true;
    const { first, last } = recordsOf([block]);
    return !numbersWanted && isWhole(block) && columnOf(edges, first) === columnOf(edges, last);
  }

  /** Adds the waiting matches of blocks before `until`. */
  function addWaiting(until: BlockNumber): void {
    for (let next = waiting[0]; next !== undefined && next[0] < until; next = waiting[0]) {
      waiting.shift();
      const [block, { count, positions }] = next;
      if (positions === undefined) sum.addCount(recordsOf([block]).first, count);
      else sum.addMatches(block, numbersIn(positions, blocks.firstRecord(block), from, to));
    }
  }

  /** Returns the first and the last record of the range in ascending blocks. */
  function recordsOf(part: readonly BlockNumber[]): RecordSpan {
    const first = Math.max(from, blocks.firstRecord(part[0]!));
    return { first, last: Math.max(first, Math.min(to, blocks.firstRecord(part.at(-1)! + 1)) - 1) };
  }
}

interface RecordSpan {
  readonly first: RecordNumber;
  readonly last: RecordNumber;
}

interface Sum {
  readonly most: number;
  /** Returns the instructions for a search of these records. */
  wanted(records: RecordSpan): WantedCounts;
  /** Adds the counts of the column of a record. */
  addCount(record: RecordNumber, count: number): void;
  /** Adds the counts of columns, starting at that of a record. */
  addCounts(first: RecordNumber, counts: Float64Array): void;
  /** Counts the matches of a block, and keeps them. */
  addMatches(block: BlockNumber, numbers: Float64Array): void;
  /** Keeps the first matches of a block that are counted already. */
  keep(block: BlockNumber, numbers: Float64Array): void;
  /** All matches before those to come have been added: if `most` are kept, no more are wanted. */
  endPart(): void;
  /** Includes at most the first `most` numbers. */
  soFar(most: number): Omit<Answer<'findAll'>, 'reach'>;
}

function createSum(edges: Float64Array, most: number): Sum {
  const counts = new Float64Array(Math.max(0, edges.length - 1));
  const kept: { readonly block: BlockNumber; readonly numbers: Float64Array }[] = [];
  let keptNumbers = 0;
  let isFull = most === 0;
  let found = 0;
  return {
    most,
    wanted: ({ first, last }) => ({
      edges: edges.slice(columnOf(edges, first), columnOf(edges, last) + 2),
      most: Math.max(0, most - keptNumbers),
    }),
    addCount(record, count): void {
      counts[columnOf(edges, record)]! += count;
      found += count;
    },
    addCounts(first, added): void {
      const column = columnOf(edges, first);
      added.forEach((count, at) => {
        counts[column + at]! += count;
        found += count;
      });
    },
    addMatches(block, numbers): void {
      let column = columnOf(edges, numbers[0] ?? 0);
      for (const n of numbers) {
        while (n >= edges[column + 1]!) column++;
        counts[column]!++;
      }
      found += numbers.length;
      keep(block, numbers);
    },
    keep,
    endPart(): void {
      isFull = keptNumbers >= most;
    },
    soFar(wanted) {
      const inOrder = kept.toSorted((a, b) => a.block - b.block).map(({ numbers }) => numbers);
      return { found, edges: edges.slice(), counts: counts.slice(), numbers: joined(inOrder, wanted) };
    },
  };

  function keep(block: BlockNumber, numbers: Float64Array): void {
    if (isFull || numbers.length === 0) return;
    kept.push({ block, numbers });
    keptNumbers += numbers.length;
  }
}

/** Returns the record numbers of positions in a block, as far as they are in [from, to). */
function numbersIn(positions: Positions, first: RecordNumber, from: RecordNumber, to: RecordNumber): Float64Array {
  const inside = positions.subarray(lowerBound(positions, from - first), lowerBound(positions, to - first));
  const numbers = new Float64Array(inside.length);
  for (let i = 0; i < inside.length; i++) numbers[i] = first + inside[i]!;
  return numbers;
}

function joined(parts: readonly Float64Array[], most: number): Float64Array {
  const length = Math.min(
    most,
    parts.reduce((sum, part) => sum + part.length, 0),
  );
  const all = new Float64Array(length);
  let at = 0;
  for (const part of parts) {
    if (at >= length) break;
    const taken = part.subarray(0, length - at);
    all.set(taken, at);
    at += taken.length;
  }
  return all;
}
