/** The engine thread: receives requests, holds the open traces, and sends answers and events. */
import type { MessagePort } from 'node:worker_threads';
import type { Answer, Arguments, RequestEvent, RequestName } from '../../../shared/requests/requests.ts';
import { fail, type Result } from '../../../shared/base/result.ts';
import { IMPLEMENTATIONS } from '../requests.ts';
import type { EngineSettings } from '../settings.ts';
import { startSqlAtHost } from '../sql/host.ts';
import type { FromEngine, ToEngine } from './engine-message.ts';
import type { Pool } from './pool.ts';
import { createOpenTraces } from '../open/open-traces.ts';
import { createTask } from './task.ts';

/** Answers the requests that arrive through `port` until one of them closes it. */
export function serveRequests(port: MessagePort, pool: Pool, settings: EngineSettings): void {
  if (settings.sqlHost !== undefined) startSqlAtHost(settings.sqlHost);
  const traces = createOpenTraces(pool, settings);
  const cancelled = new Set<number>();
  const running = new Set<number>();

  port.on('message', (message: ToEngine) => {
    switch (message.type) {
      case 'request':
        void answer(message.id, message.name, message.args as never);
        return;
      case 'cancel':
        if (running.has(message.id)) cancelled.add(message.id);
        return;
      case 'close':
        void close();
    }
  });

  async function answer<N extends RequestName>(id: number, name: N, args: Arguments<N>): Promise<void> {
    running.add(id);
    const task = createTask<RequestEvent<N>>(
      () => cancelled.has(id),
      (event) => {
        send({ type: 'event', id, event });
      },
    );
    const implementation = () => IMPLEMENTATIONS[name](traces, args, task);
    const answering = readsIndex(name, args)
      ? traces.guarded(args, implementation)
      : Promise.resolve().then(implementation);
    const result: Result<Answer<N>> = await answering.catch((error: unknown) =>
      fail(
        'internal',
        `internal error in '${name}': ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      ),
    );
    running.delete(id);
    cancelled.delete(id);
    send({ type: 'answer', id, answer: result }, result.ok ? bulkOf(result.value) : []);
  }

  function send(message: FromEngine, transfer: ArrayBuffer[] = []): void {
    port.postMessage(message, transfer);
  }

  async function close(): Promise<void> {
    traces.close();
    await pool.close();
    port.close();
  }
}

/** Returns false for requests that a rebuild of the index need not wait for: those for a rebuild, and those that end only when cancelled. */
function readsIndex(name: RequestName, args: object): boolean {
  return name !== 'watchNotebook' && !('rebuild' in args && args.rebuild === true);
}

/** Returns the buffers of an answer's number arrays, which are transferred instead of copied. */
function bulkOf(value: unknown): ArrayBuffer[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((field) =>
    field instanceof Float64Array && field.buffer instanceof ArrayBuffer ? [field.buffer] : [],
  );
}
