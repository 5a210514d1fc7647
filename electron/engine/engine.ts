/**
 * The engine's interface to its hosts (desktop, localhost, command line, tests). The engine opens and indexes traces and answers requests,
 * each of which can be cancelled, in a thread of its own or in that of its host.
 */
import os from 'node:os';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { Answer, Arguments, RequestName, RequestOptions, Client } from '../../shared/requests/requests.ts';
import { CANCELLED } from '../../shared/requests/failures.ts';
import { fail, type Result } from '../../shared/base/result.ts';
import type { EngineSettings } from './settings.ts';
import { loadReader } from './platform/source.ts';
import { createScratch } from './platform/scratch.ts';
import { loadDatabase } from './index/store/open-index.ts';
import { SQL_PROCESS, type SqlHost } from './sql/host.ts';
import type { FromProcess } from './sql/protocol.ts';
import type { FromEngine, ToEngine } from './threads/engine-message.ts';
import type * as EngineThread from './threads/engine-thread.ts';
import { loadThread } from './threads/load-thread.ts';
import { createPool } from './threads/pool.ts';
import { workerUrl } from './threads/worker-url.ts';

export interface Engine extends Client {
  /** Closes all traces and ends the thread. */
  close(): Promise<void>;
}

export type { EngineSettings, FromEngine, FromProcess, ToEngine };
export { SQL_PROCESS };

interface Pending {
  readonly resolve: (answer: Result<never>) => void;
  readonly onEvent: ((event: never) => void) | undefined;
}

/**
 * Starts an engine in a thread of its own: the host answers others whatever the engine does.
 *
 * @param sqlHost starts processes that execute SQL, if threads of this program cannot
 */
export function startEngine(settings: EngineSettings = {}, sqlHost?: SqlHost): Engine {
  // Native code is loaded on the main thread before any worker starts.
  loadReader();
  loadDatabase();
  const scratch = createScratch();
  const sql = sqlHost && new MessageChannel();
  sql?.port1.on('message', (port: MessagePort) => sqlHost?.(port));
  sql?.port1.unref();
  const thread = new Worker(workerUrl('engine-worker'), {
    workerData: {
      ...settings,
      scratch: scratch.folder,
      ...(sql && { sqlHost: sql.port2 }),
    } satisfies EngineSettings,
    transferList: sql ? [sql.port2] : [],
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  });
  const client = engineAt(thread);
  thread.on('error', (error: Error) => {
    client.stop(error.message);
  });
  thread.on('exit', () => {
    scratch.remove();
    client.stop('it ended');
  });
  return client.engine;
}

/** Starts an engine in this thread, for a host with nothing else to do: without a thread, a first answer takes 70 ms less of processor time. */
export async function startEngineHere(settings: EngineSettings = {}): Promise<Engine> {
  loadReader();
  const pool = createPool(settings.jobs ?? os.availableParallelism());
  if (settings.decodes === true) pool.start(pool.jobs);
  const scratch = createScratch();
  const { port1, port2 } = new MessageChannel();
  const client = engineAt(port1);
  port1.on('close', () => {
    scratch.remove();
    client.stop('it ended');
  });
  const { serveRequests } = await loadThread<typeof EngineThread>('engine-thread');
  serveRequests(port2, pool, { ...settings, scratch: scratch.folder });
  return client.engine;
}

/** One end of a connection to an engine. It has an event `exit` or `close` when the engine is gone. */
interface EnginePort {
  postMessage(message: ToEngine): void;
  on(event: 'message', listener: (message: FromEngine) => void): unknown;
  once(event: 'exit' | 'close', listener: () => void): unknown;
}

/** Returns the engine at the other end of a port as its host sees it. `stop` fails its unanswered and later requests. */
export function engineAt(port: EnginePort): { readonly engine: Engine; stop(why: string): void } {
  const pending = new Map<number, Pending>();
  let stopped: string | undefined;
  let nextId = 0;

  port.on('message', (message: FromEngine) => {
    const waiting = pending.get(message.id);
    if (waiting === undefined) return;
    if (message.type === 'event') {
      waiting.onEvent?.(message.event as never);
      return;
    }
    pending.delete(message.id);
    waiting.resolve(message.answer as Result<never>);
  });
  return {
    engine: {
      request,
      async close(): Promise<void> {
        if (stopped !== undefined) return;
        const ended = new Promise<void>((resolve) => port.once(port instanceof Worker ? 'exit' : 'close', resolve));
        send({ type: 'close' });
        await ended;
      },
    },
    stop,
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
    port.postMessage(message);
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
