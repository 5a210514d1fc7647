/**
 * Finds the next and previous records that match. The find pyramid rules out ranges of blocks, the nearest remaining blocks are decoded
 * here, and the pool decodes the rest. Text is searched by the pool only, because a regular expression can take very long.
 */
import type { Answer, Arguments, Criteria, FindProgress } from '../../../../shared/requests/requests.ts';
import type { RecordView } from '../../../../shared/records/record.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { visitBatches } from '../records/block-reader.ts';
import { candidates } from './candidates.ts';
import { createMatcher } from './matcher.ts';
import { addRecords, type WantedRecords } from './matches.ts';
import { readQuestion, type Question } from './question.ts';
import { searchBlocks } from './search.ts';

const SLICE_MS = 8;

export async function find(
  trace: Trace,
  args: Omit<Arguments<'find'>, 'trace'>,
  task: Task<FindProgress>,
): Promise<Result<Answer<'find'>>> {
  if (args.after !== undefined && args.before !== undefined)
    return fail('usage', 'find searches after a record or before one; give only one of the two');
  const question = readQuestion(args);
  if (!question.ok) return question;
  const reach = reachOf(trace);
  const { from, to } = rangeOf(trace, args);
  const records: RecordView[] = [];
  const wanted = { most: args.limit ?? 1, newest: args.before !== undefined };
  if (from >= to || wanted.most <= 0) return ok({ records, reach });
  const { blocks } = trace;
  const end = blocks.blockOfRecord(to - 1) + 1;
  const found = candidates(trace, question.value, blocks.blockOfRecord(from), end, wanted.newest)[Symbol.iterator]();
  const near = searchNear(trace, question.value, from, to, wanted, found, records);
  if (!near.ok) return near;
  if (records.length >= wanted.most) return ok({ records, reach });

  const search = { question: question.value, from, to, wanted: () => wanted, blocks: found };
  const rest = await searchBlocks(trace, search, task, (matches, searched) => {
    records.push(...matches.records.slice(0, wanted.most - records.length));
    const last = searched.at(-1);
    if (last !== undefined) task.progress(() => ({ at: blocks.firstRecord(last), found: records.length }));
    return records.length < wanted.most;
  });
  return rest.ok ? ok({ records, reach }) : rest;
}

/** Returns the requested range, limited to the indexed records. */
export function rangeOf(
  trace: Trace,
  { from = 0, to = Number.MAX_SAFE_INTEGER, after = -1, before = Number.MAX_SAFE_INTEGER }: Range,
): { readonly from: RecordNumber; readonly to: RecordNumber } {
  return { from: Math.max(from, after + 1), to: Math.min(to, before, trace.blocks.records) };
}

type Range = Pick<Criteria, 'from' | 'to'> & Pick<Arguments<'find'>, 'after' | 'before'>;

/** Adds the matches of the first blocks, for no longer than one time slice. */
function searchNear(
  trace: Trace,
  question: Question,
  from: RecordNumber,
  to: RecordNumber,
  wanted: WantedRecords,
  found: Iterator<BlockNumber>,
  records: RecordView[],
): Result<undefined> {
  if (question.text !== undefined) return ok(undefined);
  const { reader, batch, blocks } = trace;
  const matcher = createMatcher(reader, batch, question);
  const sliceEnd = performance.now() + SLICE_MS;
  while (records.length < wanted.most && performance.now() < sliceEnd) {
    const next = found.next();
    if (next.done === true) break;
    const block = next.value;
    const first = blocks.firstRecord(block);
    const search: Parameters<typeof addRecords>[1] = (visit) =>
      visitBatches(trace, block, Math.max(0, from - first), (decoded) => {
        const indexes = matcher.batch(decoded, from, to);
        if (indexes.length > 0 && !visit(decoded, indexes)) return false;
        return decoded.first + decoded.batch.count < to;
      });
    const searched = addRecords(wanted, search, records, reader);
    if (!searched.ok) return searched;
  }
  return ok(undefined);
}
