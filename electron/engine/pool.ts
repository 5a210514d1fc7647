/**
 * The decode pool: worker threads that live as long as the engine and take tasks in the order they are asked for,
 * urgent ones (questions of a person) before the rest (indexing).
 */
import { Worker } from 'node:worker_threads';
import { fail, type Result } from '../../shared/result.ts';
import type { State } from '../../shared/format.ts';
import type { BlockNumber } from '../../shared/units.ts';
import type { GroupScan } from './group-scan.ts';
import type { Entry } from './blocks.ts';
import type { BlockStart, CellGrid } from './queries/heat-cells.ts';
import type { TraceRef } from './trace-ref.ts';
import { workerUrl } from './worker-url.ts';

export type Task =
  | {
      readonly name: 'scan';
      readonly trace: TraceRef;
      readonly firstBlock: BlockNumber;
      readonly entry?: Entry | undefined;
      readonly guess: State;
    }
  | {
      readonly name: 'cells';
      readonly trace: TraceRef;
      readonly blocks: readonly BlockStart[];
      readonly grid: CellGrid;
    }
  | { readonly name: 'forget'; readonly key: string };

export type TaskAnswer = GroupScan | Uint32Array | undefined;

export interface TaskRequest {
  readonly id: number;
  readonly task: Task;
}

export interface TaskReply {
  readonly id: number;
  readonly answer: Result<TaskAnswer>;
}

export interface Pool {
  readonly jobs: number;
  scan(task: Omit<Extract<Task, { name: 'scan' }>, 'name'>): Promise<Result<GroupScan>>;
  /** Urgent: runs before waiting scans. */
  cells(task: Omit<Extract<Task, { name: 'cells' }>, 'name'>): Promise<Result<Uint32Array>>;
  /** Every worker closes the trace once its earlier tasks are done. */
  forget(key: string): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly request: TaskRequest;
  readonly resolve: (answer: Result<never>) => void;
}

export function createPool(jobs: number): Pool {
  const idle: Worker[] = [];
  const workers: Worker[] = [];
  const running = new Map<Worker, Waiting>();
  const urgent: Waiting[] = [];
  const waiting: Waiting[] = [];
  let nextId = 0;
  let closing = false;

  return {
    jobs,
    scan: (task) => enqueue({ name: 'scan', ...task }, waiting),
    cells: (task) => enqueue({ name: 'cells', ...task }, urgent),
    forget(key): void {
      for (const worker of workers) worker.postMessage({ id: -1, task: { name: 'forget', key } } satisfies TaskRequest);
    },
    async close(): Promise<void> {
      closing = true;
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };

  function enqueue(task: Task, queue: Waiting[]): Promise<Result<never>> {
    return new Promise((resolve) => {
      queue.push({ request: { id: nextId++, task }, resolve });
      dispatch();
    });
  }

  function dispatch(): void {
    while (urgent.length > 0 || waiting.length > 0) {
      const worker = idle.pop() ?? (workers.length < jobs ? startWorker() : undefined);
      if (worker === undefined) return;
      const next = urgent.shift() ?? waiting.shift();
      if (next === undefined) return;
      running.set(worker, next);
      worker.postMessage(next.request);
    }
  }

  function startWorker(): Worker {
    const worker = new Worker(workerUrl('decode-worker', import.meta.url), {
      // What a decoder drops is short-lived: a small nursery keeps the pool's memory small.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    workers.push(worker);
    worker.on('message', (reply: TaskReply) => {
      const task = running.get(worker);
      if (task?.request.id !== reply.id) return; // the echo of a forget
      running.delete(worker);
      idle.push(worker);
      task.resolve(reply.answer as Result<never>);
      dispatch();
    });
    worker.on('error', (error: Error) => {
      replace(worker, error.message);
    });
    worker.on('exit', () => {
      replace(worker, 'it ended');
    });
    return worker;
  }

  /** A worker that died takes only its task with it. */
  function replace(worker: Worker, why: string): void {
    const index = workers.indexOf(worker);
    if (index < 0) return;
    workers.splice(index, 1);
    const task = running.get(worker);
    running.delete(worker);
    const place = idle.indexOf(worker);
    if (place >= 0) idle.splice(place, 1);
    task?.resolve(fail('worker', `a decode worker stopped (${why}); try again`));
    if (!closing) dispatch();
  }
}
