/**
 * The decode pool: worker threads that live as long as the engine and take tasks in the order they are asked for,
 * urgent ones (questions of a person) before the rest (indexing).
 */
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { CANCELLED } from '../../../shared/requests/requests.ts';
import { fail, type Result } from '../../../shared/base/result.ts';
import type { FlowStretch } from '../../../shared/flow/events.ts';
import type { State } from '../../../shared/format/format.ts';
import type { BlockNumber, RecordNumber } from '../../../shared/base/units.ts';
import type { FlowReading } from '../index/builders/flow-row.ts';
import type { GroupScan } from '../index/group-scan.ts';
import type { Entry } from '../index/blocks.ts';
import type { CaptureRun } from '../flow/captures/xscale/read-captures.ts';
import type { SharedCode } from '../image/shared-code.ts';
import type { BlockStart, CellGrid } from '../queries/heat/heat-cells.ts';
import type { Matches, MatchesTask } from '../queries/find/matches.ts';
import type { SealedRow } from '../index/store/index-file.ts';
import type { TraceRef } from '../open/trace-ref.ts';
import { workerUrl } from './worker-url.ts';

export type Task =
  | {
      readonly name: 'scan';
      readonly trace: TraceRef;
      readonly firstBlock: BlockNumber;
      readonly entry?: Entry | undefined;
      readonly guess: State;
      /** The accesses of an earlier answer that are no longer needed: shared memory for those of this one. */
      readonly room?: Int32Array | undefined;
    }
  | {
      readonly name: 'cells';
      readonly trace: TraceRef;
      readonly blocks: readonly BlockStart[];
      readonly grid: CellGrid;
    }
  | (MatchesTask & { readonly name: 'matches'; readonly trace: TraceRef })
  | { readonly name: 'flow'; readonly trace: TraceRef; readonly blocks: readonly BlockStart[] }
  | { readonly name: 'captures'; readonly trace: TraceRef; readonly code: SharedCode; readonly run: CaptureRun }
  | {
      readonly name: 'flowRow';
      readonly row: SealedRow;
      readonly first: RecordNumber;
      readonly reading: FlowReading;
      /** That of an earlier answer whose events are no longer needed. */
      readonly room?: SharedArrayBuffer | undefined;
    }
  | { readonly name: 'forget'; readonly key: string };

export type TaskAnswer = GroupScan | Uint32Array | Matches | FlowStretch | undefined;

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
  /** Starts the workers ahead of their first tasks, which takes them a tenth of a second. */
  start(): void;
  scan(task: Omit<Extract<Task, { name: 'scan' }>, 'name'>): Promise<Result<GroupScan>>;
  /** Urgent: runs before waiting scans. */
  cells(task: Omit<Extract<Task, { name: 'cells' }>, 'name'>): Promise<Result<Uint32Array>>;
  /**
   * Urgent where records are wanted, which somebody waits for; where all are counted it takes turns with scans. One whose
   * signal is aborted is dropped; where it does not end by itself, since a regular expression can take for ever, its worker
   * is ended with it.
   */
  matches(task: Omit<Extract<Task, { name: 'matches' }>, 'name'>, signal: AbortSignal): Promise<Result<Matches>>;
  /** What the program did in some blocks that follow one another; takes turns with scans. One whose signal is aborted is dropped. */
  flow(task: Omit<Extract<Task, { name: 'flow' }>, 'name'>, signal: AbortSignal): Promise<Result<FlowStretch>>;
  /** The same of the captures of an XScale trace, with the code of its images. */
  captures(task: Omit<Extract<Task, { name: 'captures' }>, 'name'>, signal: AbortSignal): Promise<Result<FlowStretch>>;
  /** The same from a row of the index whose first record is given; fails with DAMAGED_ROW where it cannot be one. */
  flowRow(task: Omit<Extract<Task, { name: 'flowRow' }>, 'name'>, signal: AbortSignal): Promise<Result<FlowStretch>>;
  /** Every worker closes the trace once its earlier tasks are done. */
  forget(key: string): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly request: TaskRequest;
  readonly resolve: (answer: Result<never>) => void;
}

/** A worker, with the tasks it was given in order; it works at the first, or at an urgent one among the others. */
interface Member {
  readonly worker: Worker;
  /** The worker looks here before each task that came the usual way. */
  readonly urgent: MessagePort;
  readonly tasks: Map<number, Waiting>;
}

/** Failure code of a row of the index that is none. */
export const DAMAGED_ROW = 'damaged-row';

/** Tasks that a worker has at most: one to work at and one that it needs not wait for the engine's thread to get. */
const MOST_TASKS = 2;
/** A worker that has not come back from a dropped task after this time, which is ten times that of a long one, is ended. */
const STUCK_MS = 2000;

export function createPool(jobs: number): Pool {
  const members: Member[] = [];
  const urgent: Waiting[] = [];
  const waiting: Waiting[] = [];
  const counting: Waiting[] = [];
  let countsNext = true;
  let nextId = 0;
  let closing = false;

  return {
    jobs,
    start(): void {
      while (members.length < jobs) startWorker();
    },
    scan: (task) => enqueue({ name: 'scan', ...task }, waiting),
    cells: (task) => enqueue({ name: 'cells', ...task }, urgent),
    matches: (task, signal) =>
      enqueue({ name: 'matches', ...task }, task.wanted === 'numbers' ? counting : urgent, signal),
    flow: (task, signal) => enqueue({ name: 'flow', ...task }, counting, signal),
    captures: (task, signal) => enqueue({ name: 'captures', ...task }, counting, signal),
    flowRow: (task, signal) => enqueue({ name: 'flowRow', ...task }, counting, signal),
    forget(key): void {
      for (const { worker } of members) {
        worker.postMessage({ id: -1, task: { name: 'forget', key } } satisfies TaskRequest);
      }
    },
    async close(): Promise<void> {
      closing = true;
      await Promise.all(members.map(({ worker }) => worker.terminate()));
    },
  };

  function enqueue(task: Task, queue: Waiting[], signal?: AbortSignal): Promise<Result<never>> {
    return new Promise((resolve) => {
      const abort = (): void => {
        drop(waits, queue);
      };
      const waits: Waiting = {
        request: { id: nextId++, task },
        resolve: (answer) => {
          signal?.removeEventListener('abort', abort);
          resolve(answer);
        },
      };
      queue.push(waits);
      signal?.addEventListener('abort', abort);
      dispatch();
    });
  }

  function drop(dropped: Waiting, queue: Waiting[]): void {
    const { id } = dropped.request;
    const at = queue.indexOf(dropped);
    if (at >= 0) queue.splice(at, 1);
    dropped.resolve(fail(CANCELLED, 'the request was cancelled'));
    if (at >= 0) return;
    const timer = setTimeout(() => {
      const member = members.find(({ tasks }) => tasks.has(id));
      if (member !== undefined) endStuck(member, id);
    }, STUCK_MS);
    timer.unref();
  }

  /** Ends a worker that does not come back from a task; another one does what else it was given. */
  function endStuck(member: Member, stuck: number): void {
    members.splice(members.indexOf(member), 1);
    member.urgent.close();
    for (const [id, { request, resolve }] of [...member.tasks].reverse()) {
      if (id === stuck) continue;
      const again = { request: { id, task: withoutRoom(request.task) }, resolve };
      if (request.task.name === 'scan') waiting.unshift(again);
      else urgent.unshift(again);
    }
    member.tasks.clear();
    void member.worker.terminate();
    dispatch();
  }

  /** Tasks go to the worker that has the fewest. */
  function dispatch(): void {
    while (urgent.length > 0 || waiting.length > 0 || counting.length > 0) {
      const member = leastLoaded();
      if (member === undefined) return;
      const isUrgent = urgent.length > 0;
      const next = isUrgent ? urgent.shift() : inTurn();
      if (next === undefined) return;
      member.tasks.set(next.request.id, next);
      (isUrgent ? member.urgent : member.worker).postMessage(next.request);
    }
  }

  /** A scan and a task that counts take turns where both wait. */
  function inTurn(): Waiting | undefined {
    const counts = counting.length > 0 && (countsNext || waiting.length === 0);
    countsNext = !counts;
    return counts ? counting.shift() : waiting.shift();
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
      // What a decoder drops is short-lived: a small nursery keeps the pool's memory small.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    const member: Member = { worker, urgent: port1, tasks: new Map() };
    members.push(member);
    worker.on('message', (reply: TaskReply) => {
      const task = member.tasks.get(reply.id);
      if (task === undefined) return; // the echo of a forget
      member.tasks.delete(reply.id);
      task.resolve(reply.answer as Result<never>);
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

  /** A worker that died takes only its tasks with it. */
  function replace(member: Member, why: string): void {
    const index = members.indexOf(member);
    if (index < 0) return;
    members.splice(index, 1);
    member.urgent.close();
    for (const { resolve } of member.tasks.values())
      resolve(fail('worker', `a decode worker stopped (${why}); try again`));
    if (!closing) dispatch();
  }
}

/** The same task for another worker: the one that has it may still write to memory that it was given. */
function withoutRoom(task: Task): Task {
  if (task.name === 'captures') return { ...task, run: { ...task.run, room: undefined } };
  return 'room' in task ? { ...task, room: undefined } : task;
}
