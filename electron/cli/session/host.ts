/** The process of a session: one engine for the commands that connect, until it is stopped or was not used for a while. */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Arguments, RequestName } from '../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import type { Engine, FromEngine, ToEngine } from '../../engine/engine.ts';
import { keepTraces } from './kept-traces.ts';
import { makeSessionFolder } from './place.ts';
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
  { idleMs, signal, started }: { readonly idleMs: number; readonly signal: AbortSignal; started(): void },
): Promise<Result<undefined>> {
  const folder = makeSessionFolder();
  if (!folder.ok) return folder;
  const client = keepTraces(engine);
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
    port.on('message', (message: ToEngine | typeof STOP) => {
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
      }
    });
    /** A command that was killed has not closed its traces. A trace that it opened twice is in the list twice. */
    const opened: string[] = [];
    port.once('close', () => {
      for (const control of running.values()) control.abort();
      closeAll();
    });

    function closeAll(): void {
      for (const trace of opened.splice(0)) void client.request('close', { trace });
    }

    async function answer(id: number, name: RequestName, args: Arguments<RequestName>): Promise<void> {
      const control = new AbortController();
      running.set(id, control);
      const answered = await client.request(name, args, {
        signal: control.signal,
        onEvent: (event) => {
          send({ type: 'event', id, event });
        },
      });
      running.delete(id);
      if (answered.ok && name === 'open') {
        const { trace } = answered.value as { readonly trace: string };
        opened.push(trace);
        // The command was killed meanwhile.
        if (socket.destroyed) closeAll();
      }
      if (name === 'close') {
        const at = opened.indexOf((args as Arguments<'close'>).trace);
        if (at >= 0) opened.splice(at, 1);
      }
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
