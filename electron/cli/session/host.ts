/** The process of a session: one engine for the commands that connect, until it is stopped or was not used for a while. */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Answer, Arguments, RequestName, RequestOptions } from '../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import type { Engine, FromEngine, ToEngine } from '../../engine/engine.ts';
import type { RunLine } from '../command.ts';
import { withAbsolutePaths } from './connect.ts';
import type { Delegation } from './delegation.ts';
import { keepTraces } from './kept-traces.ts';
import { makeSessionFolder } from './place.ts';
import { createDelegatedRuns } from './run-delegated.ts';
import { socketPort } from './socket-port.ts';

/** A message of `session stop`. */
export const STOP = { type: 'stop' } as const;

/**
 * Serves until a client stops it, `signal` is aborted, or no command was connected for `idleMs`. Fails if another session listens there.
 * @param started called once commands can connect
 */
export async function hostSession(
  engine: Engine,
  place: string,
  {
    idleMs,
    signal,
    runLine,
    started,
  }: { readonly idleMs: number; readonly signal: AbortSignal; readonly runLine: RunLine; started(): void },
): Promise<Result<undefined>> {
  const folder = makeSessionFolder();
  if (!folder.ok) return folder;
  const client = keepTraces(engine);
  const runDelegated = createDelegatedRuns(runLine);
  const sockets = new Set<Socket>();
  let over = (): void => undefined;
  const ended = new Promise<void>((resolve) => (over = resolve));
  let timer = setTimeout(over, idleMs);
  const server = createServer((socket) => {
    clearTimeout(timer);
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0 && server.listening) timer = setTimeout(over, idleMs);
    });
    serve(socket);
  });
  const listening = await listen(server, place);
  if (!listening.ok) {
    clearTimeout(timer);
    return listening;
  }
  signal.addEventListener('abort', over);
  started();
  await ended;
  clearTimeout(timer);
  signal.removeEventListener('abort', over);
  const closed = new Promise((resolve) => server.close(resolve));
  for (const socket of sockets) socket.destroy();
  await closed;
  return ok(undefined);

  function serve(socket: Socket): void {
    const port = socketPort(socket);
    const running = new Map<number, AbortController>();
    const send = (message: FromEngine): void => {
      if (!socket.destroyed) port.postMessage(message);
    };
    port.on('message', (message: ToEngine | typeof STOP | Delegation) => {
      switch (message.type) {
        case 'stop':
          over();
          return;
        case 'close':
          socket.end();
          return;
        case 'cancel':
          running.get(message.id)?.abort();
          return;
        case 'request':
          void answer(message.id, message.name, message.args as Arguments<RequestName>);
          return;
        case 'run':
          void runDelegated(port, message, { ...withAbsolutePaths({ request: tracked }), close: closeAll });
      }
    });
    /** A command that was killed has not closed its traces. A trace that it opened twice is in the list twice. */
    const opened: string[] = [];
    port.once('close', () => {
      for (const control of running.values()) control.abort();
      void closeAll();
    });

    async function closeAll(): Promise<void> {
      for (const trace of opened.splice(0)) await client.request('close', { trace });
    }

    /** Requests of the process at this socket. */
    async function tracked<N extends RequestName>(
      name: N,
      args: Arguments<N>,
      options?: RequestOptions<N>,
    ): Promise<Result<Answer<N>>> {
      const answered = await client.request(name, args, options);
      if (answered.ok && name === 'open') {
        opened.push((answered.value as Answer<'open'>).trace);
        // The command was killed meanwhile.
        if (socket.destroyed) await closeAll();
      }
      if (name === 'close') {
        const at = opened.indexOf((args as Arguments<'close'>).trace);
        if (at >= 0) opened.splice(at, 1);
      }
      return answered;
    }

    async function answer(id: number, name: RequestName, args: Arguments<RequestName>): Promise<void> {
      const control = new AbortController();
      running.set(id, control);
      const answered = await tracked(name, args, {
        signal: control.signal,
        onEvent: (event) => {
          send({ type: 'event', id, event });
        },
      });
      running.delete(id);
      send({ type: 'answer', id, answer: answered });
    }
  }
}

/** Listens at a place, also if a session that was killed has left its socket there. The caller has found that none answers. */
function listen(server: Server, place: string): Promise<Result<undefined>> {
  if (process.platform !== 'win32') rmSync(place, { force: true });
  return new Promise((resolve) => {
    server.once('error', (error) => {
      resolve(fail('session', `no session can be started at ${place}: ${error.message}`));
    });
    server.listen(place, () => {
      if (process.platform !== 'win32') chmodSync(place, 0o600);
      resolve(ok(undefined));
    });
  });
}
