/**
 * A thread of the decode pool: does one task at a time, urgent ones first. It keeps every trace that it has read open until
 * it receives the task to close it.
 */
import os from 'node:os';
import { MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { createBatch, type Batch } from '../../../shared/records/batch.ts';
import type { FlowReader } from '../../../shared/format/format.ts';
import { assert, fail, ok, type Result } from '../../../shared/base/result.ts';
import { createRecordCounter, type ScanTools } from '../index/block-scan.ts';
import { createAccessCounter } from '../index/builders/accesses/accesses.ts';
import { createPartCounter } from '../index/builders/block-parts.ts';
import { createCodeCounter } from '../index/builders/code/code-counter.ts';
import { createEffectCounter } from '../index/builders/effects/effect-counter.ts';
import { createRegisterCounter } from '../index/builders/register-sets.ts';
import { createTouchCounter } from '../index/builders/memory/touches.ts';
import { DECODE_FLOW_ROW, decodeSealedFlow } from '../index/builders/flow-row.ts';
import { READ_STRETCH, readStretch } from '../flow/events/read-stretch.ts';
import { CHUNK_RECORDS, chunkRecords } from '../flow/path/record-chunks.ts';
import { FOLLOW_IMAGES, type ImageFlowReader } from '../flow/events/image-flow.ts';
import { imageFlowOf } from '../flow/events/image-flows.ts';
import { SCAN_GROUP, scanGroup } from '../index/group-scan.ts';
import { openTraceReader, type TraceReader, type TraceRef } from '../index/trace-reader.ts';
import { imagesOfCode, type SharedCode } from '../image/shared-code.ts';
import { COMPARE_RUNS, createRunComparer } from '../queries/diff/values/compare-runs.ts';
import { FIND_MATCHES, findMatches } from '../queries/find/matches.ts';
import { COUNT_CELLS, createCellCounter } from '../queries/heat/heat-cells.ts';
import { ENCODE_RECORDS, encodeRecords } from '../export/encode-records.ts';
import { END, FORGET_TRACE, type PoolReply, type PoolRequest, type PoolTask } from './pool-task.ts';

const port = parentPort;
const urgentPort: unknown = workerData;
assert(port !== null && urgentPort instanceof MessagePort, 'the decode worker runs as a worker thread of the pool');

/** Each trace has its own batch: columns that its decoder never writes must not hold values of another trace. */
interface OpenTrace {
  readonly reader: TraceReader;
  readonly batch: Batch;
  /** Undefined if the format has no branch events. Caches decoded instructions. */
  readonly flow: FlowReader | undefined;
  /** Created by the first task that follows records through images. */
  imageFlow?: ImageFlowReader;
}

type Handler = (args: object) => Result<unknown>;

/** Nice value of a thread that answers questions. */
const NICE = 10;
let isNice = false;

const handlers = new Map<string, Handler>();
const traces = new Map<string, OpenTrace>();
const countCells = createCellCounter();
const compareRuns = createRunComparer();
const tools: Omit<ScanTools, 'batch' | 'flow'> = {
  accesses: createAccessCounter(),
  records: createRecordCounter(),
  touches: createTouchCounter(),
  registers: createRegisterCounter(),
  effects: createEffectCounter(),
  code: createCodeCounter(),
  parts: createPartCounter(),
};

handle(FORGET_TRACE, ({ key }) => {
  traces.get(key)?.reader.source.close();
  traces.delete(key);
  return ok(undefined);
});
handle(END, () => process.exit());
handle(DECODE_FLOW_ROW, decodeSealedFlow);
handleForTrace(SCAN_GROUP, ({ reader, batch, flow }, { firstBlock, entry, guess, room }) => {
  // An instruction is read from its line, so its place is needed; records that are only counted need no places.
  batch.placed = flow !== undefined && reader.decoder.framing.kind === 'lines';
  return scanGroup(reader, firstBlock, entry, guess, { ...tools, batch, flow }, room);
});
handleForTrace(COUNT_CELLS, ({ reader, batch }, { blocks, grid, apart = false }) => {
  batch.placed = false;
  return countCells(reader, blocks, grid, batch, apart);
});
handleForTrace(FIND_MATCHES, ({ reader, batch }, args) => findMatches(reader, batch, args));
handleForTrace(CHUNK_RECORDS, ({ reader, batch }, args) => {
  batch.placed = false;
  return chunkRecords(reader, args, batch);
});
handleForTrace(ENCODE_RECORDS, ({ reader, batch }, args) => encodeRecords(reader, args, batch));
handleForTrace(COMPARE_RUNS, ({ reader }, args) => {
  const other = openTrace(args.other);
  return other.ok ? compareRuns(reader, other.value.reader, args) : other;
});
handleForTrace(READ_STRETCH, ({ reader, batch, flow }, stretch) => {
  assert(flow !== undefined, 'branch events are read only from formats that have them');
  return readStretch(reader, flow, stretch, batch);
});
handleForTrace(FOLLOW_IMAGES, (open, args) => {
  open.imageFlow ??= createImageFlowReader(open, args.code);
  return open.imageFlow.read(args);
});

port.on('message', (request: PoolRequest) => {
  for (;;) {
    const urgent = receiveMessageOnPort(urgentPort);
    if (urgent === undefined) break;
    answer(urgent.message as PoolRequest);
  }
  answer(request);
});
urgentPort.on('message', answer);

function handle<Arguments extends object, Answer>(
  { name }: PoolTask<Arguments, Answer>,
  handler: (args: Arguments) => Result<Answer>,
): void {
  handlers.set(name, handler as Handler);
}

/** Opens the trace of a task before it is done. Batches have places unless the handler decides otherwise. */
function handleForTrace<Arguments extends { readonly trace: TraceRef }, Answer>(
  task: PoolTask<Arguments, Answer>,
  handler: (open: OpenTrace, args: Arguments) => Result<Answer>,
): void {
  handle(task, (args) => {
    const open = openTrace(args.trace);
    if (!open.ok) return open;
    open.value.batch.placed = true;
    return handler(open.value, args);
  });
}

function answer({ id, name, args }: PoolRequest): void {
  const handler = handlers.get(name);
  assert(handler !== undefined, `the task '${name}' has a handler`);
  if (name !== SCAN_GROUP.name) becomeNice();
  const start = performance.now();
  let answered: Result<unknown>;
  try {
    answered = handler(args);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    answered = fail('internal', `internal error in a decode worker: ${text}`);
  }
  reply({ id, answer: answered, milliseconds: performance.now() - start });
}

/**
 * Yields to the engine thread, which combines the answers of the pool and has all the short questions, when both want a processor. Only
 * Linux gives each thread a priority of its own, and it does not raise one again. Building an index takes 2 % longer after it.
 */
function becomeNice(): void {
  if (isNice || process.platform !== 'linux') return;
  isNice = true;
  os.setPriority(NICE);
}

/**
 * Transfers nothing: after an isolate has given an array buffer away, V8's compiled code checks at every access to any typed array
 * whether its buffer is still attached, which costs a tenth of all the time. Large answers are in shared memory.
 */
function reply(message: PoolReply): void {
  port?.postMessage(message);
}

function createImageFlowReader({ reader, batch }: OpenTrace, code: SharedCode): ImageFlowReader {
  const flow = imageFlowOf(reader.decoder.format);
  assert(flow !== undefined, 'only records of formats with an image flow are followed');
  return flow.createReader(reader, batch, imagesOfCode(code));
}

function openTrace(ref: TraceRef): Result<OpenTrace> {
  const known = traces.get(ref.key);
  if (known !== undefined) return ok(known);
  const reader = openTraceReader(ref);
  if (!reader.ok) return reader;
  const opened = { reader: reader.value, batch: createBatch(), flow: reader.value.decoder.flow?.createReader() };
  traces.set(ref.key, opened);
  return ok(opened);
}
