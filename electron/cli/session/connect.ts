/** Connects a command to the session of its user. */
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { resolve } from 'node:path';
import type { Arguments, Client } from '../../../shared/requests/requests.ts';
import { engineAt, type Engine } from '../../engine/engine.ts';
import { isPrivatePlace, sessionPlace } from './place.ts';
import { socketPort, type SocketPort } from './socket-port.ts';

/** Returns the port of the running session; undefined if there is none. */
export async function sessionPort(): Promise<SocketPort | undefined> {
  const place = sessionPlace();
  if (process.platform !== 'win32' && !(existsSync(place) && isPrivatePlace())) return undefined;
  const socket = await connected(place);
  return socket && socketPort(socket);
}

/** Returns the engine of the running session; undefined if there is none. */
export async function sessionEngine(): Promise<Engine | undefined> {
  const port = await sessionPort();
  if (port === undefined) return undefined;
  const { engine, stop } = engineAt(port);
  port.once('close', () => {
    stop('its session ended');
  });
  return { ...engine, request: absolute(engine).request };
}

/** The session has a working directory of its own. */
function absolute(client: Client): Client {
  return {
    request: (name, args, options) =>
      client.request(name, (name === 'open' ? absolutePaths(args as Arguments<'open'>) : args) as typeof args, options),
  };
}

function absolutePaths(args: Arguments<'open'>): Arguments<'open'> {
  const { path, images, notebook } = args;
  return {
    ...args,
    path: resolve(path),
    ...(images && { images: images.map((image) => ({ ...image, path: resolve(image.path) })) }),
    ...(notebook !== undefined && { notebook: resolve(notebook) }),
  };
}

function connected(place: string): Promise<Socket | undefined> {
  return new Promise((settle) => {
    const socket = connect(place, () => {
      settle(socket);
    });
    // The socket of a session that was killed is still there.
    socket.once('error', () => {
      settle(undefined);
    });
  });
}
