/** A thread of the decode pool: takes one task at a time, urgent ones first, keeps the traces it has seen open until told to forget them. */
import { MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { createBatch } from '../../shared/batch.ts';
import { assert, fail, ok, type Result } from '../../shared/result.ts';
import { createRecordCounter } from './block-scan.ts';
import { createAccessCounter } from './builders/accesses.ts';
import { scanGroup, type ScanTools } from './group-scan.ts';
import type { Task, TaskAnswer, TaskReply, TaskRequest } from './pool.ts';
import { countCells } from './queries/heat-cells.ts';
import { openTraceReader, type TraceReader, type TraceRef } from './trace-ref.ts';

const port = parentPort;
const urgentPort: unknown = workerData;
assert(port !== null && urgentPort instanceof MessagePort, 'the decode worker runs as a worker thread of the pool');

const readers = new Map<string, TraceReader>();
const tools: ScanTools = {
  batch: createBatch(),
  accesses: createAccessCounter(),
  records: createRecordCounter(),
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
    readers.get(request.task.key)?.source.close();
    readers.delete(request.task.key);
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

function reply(answered: TaskReply): void {
  port?.postMessage(answered, transfers(answered.answer));
}

function run(task: Exclude<Task, { name: 'forget' }>): Result<TaskAnswer> {
  const reader = readerOf(task.trace);
  if (!reader.ok) return reader;
  switch (task.name) {
    case 'scan':
      return scanGroup(reader.value, task.firstBlock, task.entry, task.guess, tools, task.room);
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
  return [answer.value.accesses.words.buffer];
}
