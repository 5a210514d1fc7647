/** Connects a command to the session of its user. */
import { resolve } from 'node:path';
import type { Client, ImagePlace } from '../../../shared/requests/requests.ts';
import { engineAt, type Engine } from '../../engine/engine.ts';
import { socketPort, type SocketPort } from './socket-port.ts';
import { sessionSocket } from './socket.ts';

/** Returns the port of the running session; undefined if there is none. */
export async function sessionPort(): Promise<SocketPort | undefined> {
  const socket = await sessionSocket();
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
  return { ...engine, request: withAbsolutePaths(engine).request };
}

/** Returns a client that names files by absolute paths: the session has a working directory of its own. */
export function withAbsolutePaths(client: Client): Client {
  return {
    // Arguments of all requests use these names for nothing else.
    request: (name, args, options) => client.request(name, absolute(args as Paths) as typeof args, options),
  };
}

/** Arguments of requests that name files. */
interface Paths {
  readonly path?: string;
  readonly second?: string;
  readonly notebook?: string;
  readonly images?: readonly ImagePlace[];
}

function absolute(args: Paths): Paths {
  const { path, second, notebook, images } = args;
  return {
    ...args,
    ...(path !== undefined && { path: resolve(path) }),
    ...(second !== undefined && { second: resolve(second) }),
    ...(notebook !== undefined && { notebook: resolve(notebook) }),
    ...(images && { images: images.map((image) => ({ ...image, path: resolve(image.path) })) }),
  };
}
