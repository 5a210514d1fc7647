/**
 * The engine's interface to its hosts (desktop, localhost, command line, tests). Starts one thread that opens and indexes traces
 * and answers requests, each of which can be cancelled.
 */
import { Worker } from 'node:worker_threads';
import type { Answer, Arguments, RequestName, RequestOptions, Client } from '../../shared/requests/requests.ts';
import { CANCELLED } from '../../shared/requests/failures.ts';
import { fail, type Result } from '../../shared/base/result.ts';
import type { EngineSettings } from './settings.ts';
import { loadReader } from './platform/source.ts';
import { createScratch } from './platform/scratch.ts';
import { loadDatabase } from './index/store/open-index.ts';
import { workerUrl } from './threads/worker-url.ts';

export interface Engine extends Client {
  /** Closes all traces and ends the thread. */
  close(): Promise<void>;
}

export type { EngineSettings };

export type ToEngine =
  | { readonly type: 'request'; readonly id: number; readonly name: RequestName; readonly args: unknown }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'close' };

export type FromEngine =
  | { readonly type: 'answer'; readonly id: number; readonly answer: Result<unknown> }
  | { readonly type: 'event'; readonly id: number; readonly event: unknown };

interface Pending {
  readonly resolve: (answer: Result<never>) => void;
  readonly onEvent: ((event: never) => void) | undefined;
}

export function startEngine(settings: EngineSettings = {}): Engine {
  // Native code is loaded on the main thread before any worker starts.
  loadReader();
  loadDatabase();
  const scratch = createScratch();
  const thread = new Worker(workerUrl('engine-worker'), {
    workerData: { ...settings, scratch: scratch.folder } satisfies EngineSettings,
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  });
  const pending = new Map<number, Pending>();
  let stopped: string | undefined;
  let nextId = 0;

  thread.on('message', (message: FromEngine) => {
    const waiting = pending.get(message.id);
    if (waiting === undefined) return;
    if (message.type === 'event') {
      waiting.onEvent?.(message.event as never);
      return;
    }
    pending.delete(message.id);
    waiting.resolve(message.answer as Result<never>);
  });
  thread.on('error', (error: Error) => {
    stop(error.message);
  });
  thread.on('exit', () => {
    scratch.remove();
    stop('it ended');
  });

  return {
    request,
    async close(): Promise<void> {
      if (stopped !== undefined) return;
      const ended = new Promise((resolve) => thread.once('exit', resolve));
      send({ type: 'close' });
      await ended;
    },
  };

  function request<N extends RequestName>(
    name: N,
    args: Arguments<N>,
    options: RequestOptions<N> = {},
  ): Promise<Result<Answer<N>>> {
    if (stopped !== undefined) return Promise.resolve(engineStopped());
    if (options.signal?.aborted === true) return Promise.resolve(fail(CANCELLED, 'the request was cancelled'));
    const id = nextId++;
    return new Promise((resolve) => {
      const abort = (): void => {
        send({ type: 'cancel', id });
      };
      options.signal?.addEventListener('abort', abort);
      pending.set(id, {
        resolve: (answer) => {
          options.signal?.removeEventListener('abort', abort);
          resolve(answer);
        },
        onEvent: options.onEvent,
      });
      send({ type: 'request', id, name, args });
    });
  }

  function send(message: ToEngine): void {
    thread.postMessage(message);
  }

  function stop(why: string): void {
    if (stopped !== undefined) return;
    stopped = why;
    for (const { resolve } of pending.values()) resolve(engineStopped());
    pending.clear();
  }

  function engineStopped(): Result<never> {
    return fail('engine-stopped', `the engine has stopped (${stopped ?? ''}); start the program again`);
  }
}
