/** Answers the requests about watches: contents at a record, the last and the next change, and the history as a list. */
import type { Answer, Arguments, RequestEvent, SearchProgress } from '../../../../shared/requests/requests.ts';
import type { HistoryRow, WatchSubject, WatchValue } from '../../../../shared/requests/watches.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { answerInSlices, type Steps } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import { beyond, reachOf, type Trace } from '../../trace.ts';
import { visitBatches } from '../records/block-reader.ts';
import { follow } from './contents.ts';
import { instructionOf } from './instruction-of.ts';
import { changeOf, lastChange, nextChange, walkForwards } from './walk.ts';

type Question<N extends 'watchValues' | 'watchChange' | 'watchHistory'> = Omit<Arguments<N>, 'trace'>;

export function watchValues(
  trace: Trace,
  question: Question<'watchValues'>,
  task: Task,
): Promise<Result<Answer<'watchValues'>>> {
  return answerInSlices(valuesOf(trace, question), task);
}

function* valuesOf(trace: Trace, { at, subjects }: Question<'watchValues'>): Steps<Answer<'watchValues'>> {
  const reach = reachOf(trace);
  if (at >= reach.records) return beyond(at, reach);
  const values: WatchValue[] = [];
  for (const subject of subjects) {
    const value = yield* valueAt(trace, subject, at);
    if (!value.ok) return value;
    values.push(value.value);
    yield at;
  }
  return ok({ values, reach });
}

function* valueAt(trace: Trace, subject: WatchSubject, at: RecordNumber): Steps<WatchValue> {
  const followed = follow(trace, subject);
  const started = yield* followed.start(at - 1);
  if (!started.ok) return started;
  const before = followed.text();
  let here: WatchValue['here'];
  const block = trace.blocks.blockOfRecord(at);
  const read = visitBatches(trace, block, at - trace.blocks.firstRecord(block), (decoded) => {
    followed.visit(decoded, at, at + 1, (event) => {
      here = event.changed ? 'changed' : 'rewritten';
      return true;
    });
    return false;
  });
  if (!read.ok) return read;
  return ok({
    contents: followed.text(),
    ...(here && { here }),
    ...(here === 'changed' && { before }),
  });
}

export async function watchChange(
  trace: Trace,
  { subject, way, at }: Question<'watchChange'>,
  task: Task<SearchProgress>,
): Promise<Result<Answer<'watchChange'>>> {
  const reach = reachOf(trace);
  const steps = way === 'last' ? lastChange(trace, subject, at) : nextChange(trace, subject, at);
  const found = await answerInSlices(steps, task, (record) => task.progress(() => ({ at: record })));
  return found.ok ? ok({ change: found.value ?? null, reach }) : found;
}

export async function watchHistory(
  trace: Trace,
  { subject, from = 0, to = Number.MAX_SAFE_INTEGER, most }: Question<'watchHistory'>,
  task: Task<RequestEvent<'watchHistory'>>,
): Promise<Result<Answer<'watchHistory'>>> {
  const reach = reachOf(trace);
  const changes: HistoryRow[] = [];
  const followed = follow(trace, subject);
  let start = '';
  let rewrites = 0;
  let next: RecordNumber | null = null;
  const steps = walkForwards(
    trace,
    followed,
    { from, to },
    (event) => {
      if (!event.changed) {
        rewrites += 1;
        return true;
      }
      if (changes.length === most) {
        next = event.n;
        return false;
      }
      changes.push({ ...changeOf(event), rewrites });
      rewrites = 0;
      return true;
    },
    () => (start = followed.text()),
  );
  const walked = await answerInSlices(steps, task, (at) => task.progress(() => ({ at, found: changes.length })));
  if (!walked.ok) return walked;
  const named = await answerInSlices(withInstructions(trace, changes), task);
  return named.ok ? ok({ start, changes: named.value, rewrites, next, reach }) : named;
}

function* withInstructions(trace: Trace, changes: readonly HistoryRow[]): Steps<readonly HistoryRow[]> {
  const named: HistoryRow[] = [];
  for (const change of changes) {
    const by = instructionOf(trace, change.n);
    named.push(by === undefined ? change : { ...change, by });
    yield change.n;
  }
  return ok(named);
}
