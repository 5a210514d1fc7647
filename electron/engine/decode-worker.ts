/** A thread of the decode pool: takes one task at a time, keeps the traces it has seen open until told to forget them. */
import { parentPort } from 'node:worker_threads';
import { createBatch } from '../../shared/batch.ts';
import { assert, fail, ok, type Result } from '../../shared/result.ts';
import { createRecordCounter } from './block-scan.ts';
import { createAccessCounter } from './builders/accesses.ts';
import { scanGroup, type GroupScan, type ScanTools } from './group-scan.ts';
import type { Task, TaskAnswer, TaskReply, TaskRequest } from './pool.ts';
import { countCells } from './queries/heat-cells.ts';
import { openTraceReader, type TraceReader, type TraceRef } from './trace-ref.ts';

const port = parentPort;
assert(port !== null, 'the decode worker runs as a worker thread');

const readers = new Map<string, TraceReader>();
const tools: ScanTools = {
  batch: createBatch(),
  accesses: createAccessCounter(),
  records: createRecordCounter(),
};

port.on('message', (request: TaskRequest) => {
  if (request.task.name === 'forget') {
    readers.get(request.task.key)?.source.close();
    readers.delete(request.task.key);
    port.postMessage({ id: request.id, answer: ok(undefined) } satisfies TaskReply);
    return;
  }
  let answer: Result<TaskAnswer>;
  try {
    answer = run(request.task);
  } catch (error) {
    answer = fail(
      'internal',
      `internal error in a decode worker: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
  }
  port.postMessage({ id: request.id, answer } satisfies TaskReply, transfers(answer));
});

function run(task: Exclude<Task, { name: 'forget' }>): Result<TaskAnswer> {
  const reader = readerOf(task.trace);
  if (!reader.ok) return reader;
  switch (task.name) {
    case 'scan':
      return scanGroup(reader.value, task.firstBlock, task.entry, task.guess, tools);
    case 'cells':
      return countCells(reader.value, task.blocks, task.grid, tools.batch);
  }
}

function readerOf(ref: TraceRef): Result<TraceReader> {
  const known = readers.get(ref.key);
  if (known !== undefined) return ok(known);
  const opened = openTraceReader(ref);
  if (opened.ok) readers.set(ref.key, opened.value);
  return opened;
}

function transfers(answer: Result<TaskAnswer>): ArrayBuffer[] {
  if (!answer.ok || answer.value === undefined) return [];
  if (answer.value instanceof Uint32Array) return [answer.value.buffer as ArrayBuffer];
  return scanBuffers(answer.value);
}

function scanBuffers({ accesses: columns }: GroupScan): ArrayBuffer[] {
  const { page, kind, lineLow, lineHigh, counts, first, last } = columns;
  return [page, kind, lineLow, lineHigh, counts, first, last].map((column) => column.buffer as ArrayBuffer);
}
