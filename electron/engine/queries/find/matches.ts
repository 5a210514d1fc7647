/** Pool task that finds the matches in some blocks, as record numbers or as full records. */
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
  ({ wanted }) => (wanted === 'numbers' ? 'survey' : 'urgent'),
);

export type Wanted =
  /** Numbers of all matches. */
  | 'numbers'
  /** The first `most` records in full, or the last ones if `newest` is true. */
  | { readonly most: number; readonly newest: boolean };

export interface Matches {
  /** Ascending. Empty if records are wanted. */
  readonly numbers: Float64Array<ArrayBuffer>;
  /** In the wanted order. Empty if numbers are wanted. */
  readonly records: readonly RecordView[];
}

export function findMatches(reader: TraceReader, batch: Batch, task: MatchesTask): Result<Matches> {
  const { question, blocks, from, to, wanted } = task;
  const matcher = createMatcher(reader, batch, question);
  const numbers = createNumberList();
  const records: RecordView[] = [];
  for (const block of blocks) {
    const searched =
      wanted === 'numbers'
        ? matcher.block(block, from, to, ({ first }, indexes) => {
            numbers.add(first, indexes);
            return true;
          })
        : addRecords(wanted, (visit) => matcher.block(block, from, to, visit), records, reader);
    if (!searched.ok) return searched;
    if (wanted !== 'numbers' && records.length >= wanted.most) break;
  }
  return ok({ numbers: numbers.taken(), records });
}

/** Adds the matches of a block in the wanted order, up to the wanted number. */
export function addRecords(
  { most, newest }: Exclude<Wanted, 'numbers'>,
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

interface NumberList {
  add(first: RecordNumber, indexes: readonly number[]): void;
  taken(): Float64Array<ArrayBuffer>;
}

function createNumberList(): NumberList {
  let list = new Float64Array(256);
  let length = 0;
  return {
    add(first, indexes): void {
      if (length + indexes.length > list.length) {
        const larger = new Float64Array(Math.max(list.length * 2, length + indexes.length));
        larger.set(list.subarray(0, length));
        list = larger;
      }
      for (const index of indexes) list[length++] = first + index;
    },
    taken: () => list.slice(0, length),
  };
}
