/** A thread of the decode pool: takes one task at a time, urgent ones first, keeps the traces it has seen open until told to forget them. */
import { MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { createBatch, type Batch } from '../../../shared/records/batch.ts';
import type { FlowStretch } from '../../../shared/flow/events.ts';
import type { FlowReader } from '../../../shared/format/format.ts';
import { assert, fail, ok, type Result } from '../../../shared/base/result.ts';
import { createRecordCounter } from '../index/block-scan.ts';
import { createAccessCounter } from '../index/builders/accesses/accesses.ts';
import { createRegisterCounter } from '../index/builders/register-sets.ts';
import { createTouchCounter } from '../index/builders/memory/touches.ts';
import { decodeFlow } from '../index/builders/flow-row.ts';
import { readStretch } from '../flow/events/read-stretch.ts';
import { createCaptureReader, type CaptureReader } from '../flow/captures/xscale/read-captures.ts';
import { codeOf } from '../flow/captures/trace-captures.ts';
import { scanGroup, type ScanTools } from '../index/group-scan.ts';
import { imagesOfCode, type SharedCode } from '../image/shared-code.ts';
import { DAMAGED_ROW, type Task, type TaskAnswer, type TaskReply, type TaskRequest } from './pool.ts';
import { findMatches } from '../queries/find/matches.ts';
import { createCellCounter } from '../queries/heat/heat-cells.ts';
import { unseal } from '../index/store/packing.ts';
import { IndexDamaged } from '../collections/varint.ts';
import { openTraceReader, type TraceReader, type TraceRef } from '../open/trace-ref.ts';

const port = parentPort;
const urgentPort: unknown = workerData;
assert(port !== null && urgentPort instanceof MessagePort, 'the decode worker runs as a worker thread of the pool');

/** A trace has a batch of its own: columns that its decoder never writes must not hold what another's left there. */
interface OpenTrace {
  readonly reader: TraceReader;
  readonly batch: Batch;
  /** Undefined where the format tells nothing of the flow. It remembers what instructions are. */
  readonly flow: FlowReader | undefined;
  /** There once captures were asked for. */
  captures?: CaptureReader;
}

const countCells = createCellCounter();
const traces = new Map<string, OpenTrace>();
const tools: Omit<ScanTools, 'batch' | 'flow'> = {
  accesses: createAccessCounter(),
  records: createRecordCounter(),
  touches: createTouchCounter(),
  registers: createRegisterCounter(),
};

port.on('message', (request: TaskRequest) => {
  for (;;) {
    const urgent = receiveMessageOnPort(urgentPort);
    if (urgent === undefined) break;
    answer(urgent.message as TaskRequest);
  }
  answer(request);
});
urgentPort.on('message', answer);

function answer(request: TaskRequest): void {
  if (request.task.name === 'forget') {
    traces.get(request.task.key)?.reader.source.close();
    traces.delete(request.task.key);
    reply({ id: request.id, answer: ok(undefined) });
    return;
  }
  try {
    reply({ id: request.id, answer: run(request.task) });
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    reply({ id: request.id, answer: fail('internal', `internal error in a decode worker: ${what}`) });
  }
}

/**
 * Nothing is transferred: once an isolate has given memory away, V8's compiled code asks at every access to any array whether
 * that one is still there, which costs a tenth of all the time. What is large lies in shared memory.
 */
function reply(answered: TaskReply): void {
  port?.postMessage(answered);
}

function run(task: Exclude<Task, { name: 'forget' }>): Result<TaskAnswer> {
  if (task.name === 'flowRow') return readRow(task);
  const open = openTrace(task.trace);
  if (!open.ok) return open;
  const { reader, batch, flow } = open.value;
  // What is only counted need not have places; what an instruction was is read from its line.
  batch.placed =
    task.name === 'scan' ? flow !== undefined && reader.decoder.framing.kind === 'lines' : task.name !== 'cells';
  switch (task.name) {
    case 'scan':
      return scanGroup(reader, task.firstBlock, task.entry, task.guess, { ...tools, batch, flow }, task.room);
    case 'cells':
      return countCells(reader, task.blocks, task.grid, batch);
    case 'matches':
      return findMatches(reader, batch, task);
    case 'flow':
      assert(flow !== undefined, 'only traces that tell of the flow are asked for it');
      return readStretch(reader, flow, task.blocks, batch);
    case 'captures':
      open.value.captures ??= captureReader(reader, batch, task.code);
      return open.value.captures.read(task.run);
  }
}

function captureReader(reader: TraceReader, batch: Batch, shared: SharedCode): CaptureReader {
  const code = codeOf({ images: imagesOfCode(shared) });
  assert(code !== undefined, 'captures are followed here with code alone');
  return createCaptureReader(reader, batch, code);
}

function readRow({ row, first, reading, room }: Extract<Task, { name: 'flowRow' }>): Result<FlowStretch> {
  try {
    return ok(decodeFlow(unseal(row.place, row.bytes), first, reading, room));
  } catch (error) {
    if (error instanceof IndexDamaged) return fail(DAMAGED_ROW, error.message);
    throw error;
  }
}

function openTrace(ref: TraceRef): Result<OpenTrace> {
  const known = traces.get(ref.key);
  if (known !== undefined) return ok(known);
  const reader = openTraceReader(ref);
  if (!reader.ok) return reader;
  const opened = { reader: reader.value, batch: createBatch(), flow: reader.value.decoder.flow?.() };
  traces.set(ref.key, opened);
  return ok(opened);
}
