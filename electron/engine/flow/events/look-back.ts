/** Finds the state of CPUs before a range of records that is walked over. */
import type { FlowRun, FlowStretch } from '../../../../shared/flow/events.ts';
import type { FlowReader } from '../../../../shared/format/format.ts';
import { assert, ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { cachePer } from '../../collections/cache-per.ts';
import { visitBatches } from '../../queries/records/block-reader.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { createJoiner, firstEventOf, type Joiner } from './join.ts';
import { keptCpus, readBlock, readBlockUpTo } from './read-ahead.ts';

/** Blocks before the range that are searched for the state of a CPU. */
const LOOKED_BACK = 64;
/** Records before a place that are searched for the branch that began its straight run. */
const NEAR = 1024;

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
    for (const run of read.value.runs) if (isWhole(read.value, run)) searched.delete(run.cpu);
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
  const near = readNear(trace, block, at);
  if (near !== undefined) return ok(near);
  const stretch = await readBlockUpTo(trace, block, at, task);
  if (!stretch.ok) return stretch;
  const joiner = createJoiner(flow);
  const looked = await lookBack(trace, joiner, stretch.value, block, task);
  if (!looked.ok) return looked;
  joiner.add(stretch.value);
  return ok(joiner.runs().filter(({ last }) => last.size > 0));
}

/** A single instruction may depend on the one before it, and a straight run is counted from the branch that began it. */
function isWhole({ events }: FlowStretch, { cpu, first, last }: FlowRun): boolean {
  return first.record < last.record && firstEventOf(events, cpu) >= 0;
}

/** The flow reader of this thread. */
const readers = cachePer((): { reader?: FlowReader } => ({}));

/**
 * Does the same with the last records before `at` alone, on this thread. Returns undefined if decoding cannot begin near `at`, or if these
 * records do not show the state of every CPU that executed instructions in the block.
 */
function readNear(trace: Trace, block: BlockNumber, at: RecordNumber): readonly FlowRun[] | undefined {
  const from = at - NEAR - trace.blocks.firstRecord(block);
  const { flow, marksParts } = trace.reader.decoder;
  const cpus = from > 0 && marksParts === true ? keptCpus(trace, block) : undefined;
  if (flow === undefined || cpus === undefined) return undefined;
  const reader = (readers(trace).reader ??= flow.createReader());
  const read = visitBatches(trace, block, from, ({ batch, first, window }) => {
    const count = Math.min(batch.count, at - first);
    reader.add(window, { ...batch, first, count });
    return first + count < at;
  });
  // Also forgets what was read before a failure, which reading the whole block will report.
  const stretch = reader.finish();
  if (!read.ok) return undefined;
  const isShown = (cpu: number): boolean => stretch.runs.some((run) => run.cpu === cpu && isWhole(stretch, run));
  return cpus.every(isShown) ? stretch.runs : undefined;
}
