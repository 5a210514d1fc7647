/** The decode pool: worker threads that live as long as the engine and take the waiting tasks in turn (`turns.ts`). */
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { CANCELLED } from '../../../shared/requests/failures.ts';
import { fail, type Result } from '../../../shared/base/result.ts';
import { END, FORGET_TRACE, type PoolReply, type PoolRequest, type PoolTask, type Queue } from './pool-task.ts';
import { createTurns } from './turns.ts';
import { workerUrl } from './worker-url.ts';

export interface Pool {
  readonly jobs: number;
  /** False until the first task starts a worker. */
  isStarted(): boolean;
  /** Starts the workers for that many tasks ahead of them: starting takes about a tenth of a second. */
  start(tasks: number): void;
  /**
   * Tasks with the same `signal` belong to one question.
   * Answers with a failure if the worker dies, or with CANCELLED if `signal` is aborted. An aborted task that a worker has begun
   * is dropped; if it does not end within STUCK_MS, as with a regular expression that backtracks forever, its worker is ended.
   */
  run<Arguments extends object, Answer>(
    task: PoolTask<Arguments, Answer>,
    args: Arguments,
    signal?: AbortSignal,
  ): Promise<Result<Answer>>;
  /** Every worker closes the trace with this key after its earlier tasks. */
  forget(key: string): void;
  close(): Promise<void>;
}

/** A task that was requested and has no answer yet. */
interface Pending {
  readonly request: PoolRequest;
  readonly queue: Queue;
  readonly question: AbortSignal | undefined;
  readonly resolve: (answer: Result<never>) => void;
}

/** A worker with the tasks it was given, in order. It works at the first, or at an urgent one among the others. */
interface Member {
  readonly worker: Worker;
  /** The worker reads this port before each task that came the usual way. */
  readonly urgent: MessagePort;
  readonly tasks: Map<number, Pending>;
  hasAnswered: boolean;
}

/** Maximum number of tasks of a worker: the current one, and the next one so that it need not wait for the engine's thread. */
const MOST_TASKS = 2;
/** Time after which a worker that has not finished a dropped task is ended: ten times what a long task takes. */
const STUCK_MS = 2000;

export function createPool(jobs: number): Pool {
  const members: Member[] = [];
  const waiting = createTurns<Pending>();
  let nextId = 0;
  let closing = false;

  return {
    jobs,
    isStarted: () => members.length > 0,
    start(tasks): void {
      while (members.length < Math.min(jobs, tasks)) startWorker();
    },
    run({ name, queueOf }, args, signal) {
      // Work ahead of requests may still be at it. A new worker would keep the process alive.
      if (closing) return Promise.resolve(fail(CANCELLED, 'the engine is closed'));
      return new Promise((resolve) => {
        const abort = (): void => {
          drop(pending);
        };
        const pending: Pending = {
          request: { id: nextId++, name, args },
          queue: queueOf(args),
          question: signal,
          resolve: (answer) => {
            signal?.removeEventListener('abort', abort);
            resolve(answer);
          },
        };
        waiting.add(pending);
        signal?.addEventListener('abort', abort);
        dispatch();
      });
    },
    forget(key): void {
      const request: PoolRequest = { id: -1, name: FORGET_TRACE.name, args: { key } };
      for (const { worker } of members) worker.postMessage(request);
    },
    async close(): Promise<void> {
      closing = true;
      await Promise.all(members.map(end));
    },
  };

  /** Ends a worker, at once if it is at work or still loads. */
  async function end({ worker, tasks, hasAnswered }: Member): Promise<void> {
    if (tasks.size > 0 || !hasAnswered) {
      await worker.terminate();
      return;
    }
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage({ id: -1, name: END.name, args: {} } satisfies PoolRequest);
    await ended;
  }

  function drop(dropped: Pending): void {
    const { id } = dropped.request;
    const waited = waiting.remove(dropped);
    dropped.resolve(fail(CANCELLED, 'the call was cancelled'));
    if (waited) return;
    const timer = setTimeout(() => {
      const member = members.find(({ tasks }) => tasks.has(id));
      if (member !== undefined) endStuck(member, id);
    }, STUCK_MS);
    timer.unref();
  }

  /** Ends a worker that does not finish a task, and has the other tasks that it was given done by another worker. */
  function endStuck(member: Member, stuck: number): void {
    members.splice(members.indexOf(member), 1);
    member.urgent.close();
    for (const [id, pending] of [...member.tasks].reverse()) {
      if (id === stuck) continue;
      const queue = pending.queue === 'scan' ? 'scan' : 'urgent';
      waiting.addFirst({ ...pending, queue, request: withoutRoom(pending.request) });
    }
    member.tasks.clear();
    void member.worker.terminate();
    dispatch();
  }

  /** Gives each task to the worker with the fewest. */
  function dispatch(): void {
    if (closing) return;
    while (!waiting.isEmpty()) {
      const member = leastLoaded();
      if (member === undefined) return;
      const next = waiting.take();
      if (next === undefined) return;
      member.tasks.set(next.request.id, next);
      (next.queue === 'urgent' ? member.urgent : member.worker).postMessage(next.request);
    }
  }

  function leastLoaded(): Member | undefined {
    const least = Math.min(...members.map(({ tasks }) => tasks.size));
    if (least > 0 && members.length < jobs) return startWorker();
    return least < MOST_TASKS ? members.find(({ tasks }) => tasks.size === least) : undefined;
  }

  function startWorker(): Member {
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(workerUrl('decode-worker'), {
      workerData: port2,
      transferList: [port2],
      // Garbage of a decoder is short-lived, so a small nursery keeps the pool's memory small.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    const member: Member = { worker, urgent: port1, tasks: new Map(), hasAnswered: false };
    members.push(member);
    worker.on('message', (reply: PoolReply) => {
      member.hasAnswered = true;
      const pending = member.tasks.get(reply.id);
      if (pending === undefined) return; // the answer to `forget`
      member.tasks.delete(reply.id);
      waiting.spend(pending, reply.milliseconds);
      pending.resolve(reply.answer as Result<never>);
      dispatch();
    });
    worker.on('error', (error: Error) => {
      replace(member, error.message);
    });
    worker.on('exit', () => {
      replace(member, 'it ended');
    });
    return member;
  }

  /** Removes a worker that died. Only the tasks that it had been given fail. */
  function replace(member: Member, why: string): void {
    const index = members.indexOf(member);
    if (index < 0) return;
    members.splice(index, 1);
    member.urgent.close();
    for (const { resolve } of member.tasks.values())
      resolve(fail('worker', `a decode worker stopped (${why}); try again`));
    dispatch();
  }
}

/** The same request for another worker: the worker that has it may still write to the shared memory it was given. */
function withoutRoom(request: PoolRequest): PoolRequest {
  return 'room' in request.args ? { ...request, args: { ...request.args, room: undefined } } : request;
}
