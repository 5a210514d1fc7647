/** Finds the state of CPUs before a range of records that is walked over. */
import type { FlowRun, FlowStretch } from '../../../../shared/flow/events.ts';
import { assert, ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { createJoiner, firstEventOf, type Joiner } from './join.ts';
import { readBlock, readBlockUpTo } from './read-ahead.ts';

/** Blocks before the range that are searched for the state of a CPU. */
const LOOKED_BACK = 64;

/** Searches the blocks before `first` for the state of the CPUs of a stretch that the joiner has not seen. */
export async function lookBack<E>(
  trace: Trace,
  joiner: Joiner,
  stretch: FlowStretch,
  first: BlockNumber,
  task: Task<E>,
): Promise<Result<undefined>> {
  const wanted = first === 0 ? [] : joiner.unseen(stretch);
  const searched = new Set(wanted);
  const earlier: FlowStretch[] = [];
  for (let block = first - 1; block >= Math.max(0, first - LOOKED_BACK) && searched.size > 0; block--) {
    const read = await readBlock(trace, block, task);
    if (!read.ok) return read;
    earlier.push(read.value);
    // A single instruction may depend on the one before it, and a straight run is counted from the branch that began it.
    const { runs, events } = read.value;
    for (const run of runs)
      if (run.first.record < run.last.record && firstEventOf(events, run.cpu) >= 0) searched.delete(run.cpu);
  }
  joiner.lookBack(earlier.reverse(), wanted);
  return ok(undefined);
}

/**
 * Returns the state before the record `at` of the CPUs that executed instructions in the block of the preceding record. For traces of
 * instructions; `at` is above 0.
 */
export async function endsBefore<E>(
  trace: Trace,
  at: RecordNumber,
  task: Task<E>,
): Promise<Result<readonly FlowRun[]>> {
  const { flow } = trace.reader.decoder;
  assert(flow !== undefined, 'a trace of instructions has a flow');
  const block = trace.blocks.blockOfRecord(at - 1);
  const stretch = await readBlockUpTo(trace, block, at, task);
  if (!stretch.ok) return stretch;
  const joiner = createJoiner(flow);
  const looked = await lookBack(trace, joiner, stretch.value, block, task);
  if (!looked.ok) return looked;
  joiner.add(stretch.value);
  return ok(joiner.runs().filter(({ last }) => last.size > 0));
}
