/** Pool task that finds the matches in some blocks: counts them, or returns them as full records. */
import type { Batch } from '../../../../shared/records/batch.ts';
import type { RecordView } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { TraceReader, TraceRef } from '../../index/trace-reader.ts';
import { poolTask } from '../../threads/pool-task.ts';
import { createMatcher, viewOf, type SearchedBlock } from './matcher.ts';
import type { Question } from './question.ts';

export interface MatchesTask {
  readonly question: Question;
  /** Ascending, or descending if the newest matches come first. */
  readonly blocks: readonly SearchedBlock[];
  /** Only records of [from, to) match. */
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  readonly wanted: Wanted;
}

/** Finds the matches in some blocks. Urgent if records are wanted, because a person waits for them. */
export const FIND_MATCHES = poolTask<MatchesTask & { readonly trace: TraceRef }, Matches>(
  'find matches',
  ({ wanted }) => ('edges' in wanted ? 'survey' : 'urgent'),
);

export type Wanted = WantedCounts | WantedRecords;

/** Counts between ascending edges that enclose all records of the blocks, and the numbers of the first `most` matches. */
export interface WantedCounts {
  readonly edges: Float64Array;
  readonly most: number;
}

/** The first `most` records in full, or the last ones if `newest` is true. */
export interface WantedRecords {
  readonly most: number;
  readonly newest: boolean;
}

export interface Matches {
  /** Undefined if records are wanted. */
  readonly counted?: Counted;
  /** In the wanted order. Empty if counts are wanted. */
  readonly records: readonly RecordView[];
}

export interface Counted {
  /** Matches between the edges, and in each block. */
  readonly counts: Float64Array<ArrayBuffer>;
  readonly inBlocks: readonly number[];
  /** Ascending. */
  readonly numbers: Float64Array<ArrayBuffer>;
}

export function findMatches(reader: TraceReader, batch: Batch, task: MatchesTask): Result<Matches> {
  const { question, blocks, from, to, wanted } = task;
  const matcher = createMatcher(reader, batch, question);
  if ('edges' in wanted) {
    const counter = createCounter(wanted);
    for (const block of blocks) {
      const searched = matcher.block(block, from, to, ({ first }, indexes) => counter.add(first, indexes));
      if (!searched.ok) return searched;
      counter.endBlock();
    }
    return ok({ counted: counter.taken(), records: [] });
  }
  const records: RecordView[] = [];
  for (const block of blocks) {
    const searched = addRecords(wanted, (visit) => matcher.block(block, from, to, visit), records, reader);
    if (!searched.ok) return searched;
    if (records.length >= wanted.most) break;
  }
  return ok({ records });
}

/** Adds the matches of a block in the wanted order, up to the wanted number. */
export function addRecords(
  { most, newest }: WantedRecords,
  search: (visit: Parameters<ReturnType<typeof createMatcher>['block']>[3]) => Result<undefined>,
  records: RecordView[],
  { decoder }: Pick<TraceReader, 'decoder'>,
): Result<undefined> {
  const left = most - records.length;
  if (!newest) {
    return search((decoded, indexes) => {
      for (const index of indexes.slice(0, most - records.length)) records.push(viewOf(decoder, decoded, index));
      return records.length < most;
    });
  }
  // Blocks are decoded forwards only, so the last matches so far are kept.
  let kept: RecordView[] = [];
  const searched = search((decoded, indexes) => {
    kept.push(...indexes.slice(-left).map((index) => viewOf(decoder, decoded, index)));
    if (kept.length > left) kept = kept.slice(-left);
    return true;
  });
  records.push(...kept.reverse());
  return searched;
}

interface Counter {
  /** Counts the matches at ascending positions of a batch. Returns true. */
  add(first: RecordNumber, indexes: readonly number[]): true;
  endBlock(): void;
  taken(): Counted;
}

function createCounter({ edges, most }: WantedCounts): Counter {
  const counts = new Float64Array(edges.length - 1);
  const inBlocks: number[] = [];
  const numbers: number[] = [];
  let column = 0;
  let total = 0;
  let before = 0;
  return {
    add(first, indexes) {
      for (const index of indexes) {
        while (first + index >= edges[column + 1]!) column++;
        counts[column]!++;
      }
      for (let at = 0; at < indexes.length && numbers.length < most; at++) numbers.push(first + indexes[at]!);
      total += indexes.length;
      return true;
    },
    endBlock() {
      inBlocks.push(total - before);
      before = total;
    },
    taken: () => ({ counts, inBlocks, numbers: Float64Array.from(numbers) }),
  };
}
