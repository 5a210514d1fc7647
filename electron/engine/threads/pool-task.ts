/**
 * Kinds of work for the threads of the decode pool. Each kind is declared next to the code that does the work; decode-thread.ts
 * registers a handler for each, and `Pool.run` takes any of them, so that the pool knows none of its users.
 */
import type { Result } from '../../../shared/base/result.ts';

/**
 * When a task's turn comes. `urgent`: before all others, because a person waits. `scan` (building the index) and `survey` (reading
 * much of a trace) take turns.
 */
export type Queue = 'urgent' | 'scan' | 'survey';

/** A kind of work. Arguments and answers are copied between threads; a field `room` of the arguments is shared memory that the worker writes to. */
export interface PoolTask<Arguments extends object, Answer> {
  readonly name: string;
  readonly queueOf: (args: Arguments) => Queue;
  /** Never set: carries the type of the answer. */
  readonly answer?: Answer;
}

export function poolTask<Arguments extends object, Answer>(
  name: string,
  queue: Queue | ((args: Arguments) => Queue),
): PoolTask<Arguments, Answer> {
  return { name, queueOf: typeof queue === 'function' ? queue : () => queue };
}

/** A worker closes a trace. Sent to all workers. */
export const FORGET_TRACE = poolTask<{ readonly key: string }, undefined>('forget trace', 'scan');

/** A worker ends, and its thread keeps the code that it compiled. */
export const END = poolTask<object, undefined>('end', 'scan');

/** A message to a worker. */
export interface PoolRequest {
  readonly id: number;
  readonly name: string;
  readonly args: object;
}

/** A message from a worker. */
export interface PoolReply {
  readonly id: number;
  readonly answer: Result<unknown>;
  /** Time that the task took. */
  readonly milliseconds: number;
}
