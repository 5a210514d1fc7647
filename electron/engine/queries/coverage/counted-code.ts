/**
 * Returns how often each instruction of a range ran, from the rows of the index. Only the blocks of groups that the range cuts are read. The trace has
 * the counts of `countsCode`.
 */
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { appendEvents, createEvents, setApart } from '../../../../shared/flow/events.ts';
import { assert, ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { createJoiner } from '../../flow/events/join.ts';
import { lookBack } from '../../flow/events/look-back.ts';
import { walkFlow, type WalkedRange } from '../../flow/events/walk.ts';
import { createCodeCounter } from '../../index/builders/code/code-counter.ts';
import { createCodeJoiner, decodeCode, type Before } from '../../index/builders/code/code-row.ts';
import { createCodeSum, PARTS, type CodeSum, type CodeTable } from '../../index/builders/code/code-table.ts';
import { FAN_IN, nodesReady, spanOf, type TreeNode } from '../../index/pyramid.ts';
import { NODE } from '../../index/store/index-file.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { visitColumns } from '../records/block-reader.ts';
import { createRunReader } from './run-reader.ts';

/** Returns the code that ran in the records [from, to). An outcome counts if the next instruction of its CPU is in the range. */
export async function countedCode(
  trace: Trace,
  { from, to }: WalkedRange,
  task: Task<FlowProgress>,
): Promise<Result<CodeTable>> {
  const sum = createCodeSum();
  if (from >= to) return ok(sum);
  const { blocks } = trace;
  const first = Math.ceil(blockAfter(trace, from) / FAN_IN) * FAN_IN;
  const after = to >= blocks.records ? blocks.length : blocks.blockOfRecord(to);
  const end = after < blocks.length ? after - (after % FAN_IN) : after;
  const hasGroups = first < end;
  const startOf = (block: BlockNumber): RecordNumber =>
    block < blocks.length ? blocks.firstRecord(block) : blocks.records;
  const parts = hasGroups
    ? [
        { from, to: startOf(first) },
        { from: startOf(end), to },
      ]
    : [{ from, to }];
  for (const part of parts) {
    const added = await addRecords(trace, part, sum, task);
    if (!added.ok) return added;
  }
  if (hasGroups) {
    const added = await addGroups(trace, first, end, sum, task);
    if (!added.ok) return added;
  }
  return ok(sum);
}

/** Returns the first block that has no record before `from`. */
function blockAfter({ blocks }: Trace, from: RecordNumber): BlockNumber {
  const block = blocks.blockOfRecord(from);
  return blocks.firstRecord(block) === from ? block : block + 1;
}

/** Adds the groups of the blocks [first, end). */
async function addGroups(
  trace: Trace,
  first: BlockNumber,
  end: BlockNumber,
  sum: CodeSum,
  task: Task<FlowProgress>,
): Promise<Result<undefined>> {
  const { index, blocks, reader } = trace;
  const { flow } = reader.decoder;
  assert(flow !== undefined, 'the trace has a flow');
  const nodes = [...nodesWithin(trace, first, end)];
  let before: Before = { runs: [], isStart: first === 0 };
  const [earliest] = nodes;
  if (first > 0 && earliest !== undefined) {
    const { runs } = decodeCode(index.blob(NODE.code, earliest.level, earliest.node));
    const joiner = createJoiner(flow);
    const looked = await lookBack(trace, joiner, { events: createEvents(0), runs }, first, task);
    if (!looked.ok) return looked;
    before = { runs: joiner.runs(), isStart: false };
  }
  const joiner = createCodeJoiner(flow, before);
  function* adding(): Generator<undefined, Result<undefined>, undefined> {
    for (const { level, node } of nodes) {
      yield;
      joiner.add(decodeCode(index.blob(NODE.code, level, node)), blocks.firstRecord(node * spanOf(level)));
    }
    addTo(sum, joiner.finish().code);
    return ok(undefined);
  }
  return answerInSlices(adding(), task);
}

/** The fewest nodes that have the blocks [first, end). */
function* nodesWithin({ blocks, ingest }: Trace, first: BlockNumber, end: BlockNumber): Generator<TreeNode, undefined> {
  const ready = (level: number): number =>
    level === 1 ? Math.ceil(blocks.length / FAN_IN) : nodesReady(level, blocks.length, ingest.complete);
  for (let block = first; block < end;) {
    let level = 1;
    const fits = (next: number): boolean => {
      const node = block / spanOf(next);
      return Number.isInteger(node) && node < ready(next) && Math.min((node + 1) * spanOf(next), blocks.length) <= end;
    };
    while (fits(level + 1)) level++;
    yield { level, node: block / spanOf(level) };
    block += spanOf(level);
  }
  return undefined;
}

/** Adds the records of a range, which are in few blocks. */
async function addRecords(
  trace: Trace,
  { from, to }: WalkedRange,
  sum: CodeSum,
  task: Task<FlowProgress>,
): Promise<Result<undefined>> {
  if (from >= to) return ok(undefined);
  const { blocks, index } = trace;
  const counter = createCodeCounter();
  const runs = createRunReader(counter);
  const own = blocks.blockOfRecord(from);
  if (from === blocks.firstRecord(own) && own > 0 && own % FAN_IN === 0)
    for (const { cpu, last } of decodeCode(index.blob(NODE.code, 1, own / FAN_IN - 1)).runs) runs.begin(cpu, last);
  function* reading(): Generator<undefined, Result<undefined>, undefined> {
    for (let block = own; block <= blocks.blockOfRecord(to - 1); block++) {
      yield;
      const start = Math.max(0, from - blocks.firstRecord(block) - NEAR);
      const read = visitColumns(trace, block, start, ({ batch, first }) => {
        runs.pass(batch, 0, Math.min(batch.count, from - first));
        runs.add(batch, Math.max(0, from - first), Math.min(batch.count, to - first));
        return first + batch.count < to;
      });
      if (!read.ok) return read;
    }
    return ok(undefined);
  }
  const read = await answerInSlices(reading(), task);
  if (!read.ok) return read;
  runs.finish();
  const events = createEvents(1024);
  const walked = await walkFlow(trace, { from, to }, task, {
    take(some) {
      setApart(some);
      appendEvents(events, some, 0, some.count);
      return true;
    },
  });
  if (!walked.ok) return walked;
  addTo(sum, counter.finish(events));
  return ok(undefined);
}

function addTo(sum: CodeSum, table: CodeTable): void {
  for (const part of PARTS) sum[part].addAll(table[part]);
}

/** Records before a range in which the last instruction of a CPU is looked for. */
const NEAR = 256;
