/** Connects a command to the session of its user. */
import { resolve } from 'node:path';
import { fail, ok } from '../../../shared/base/result.ts';
import { visible } from '../../../shared/base/visible.ts';
import type { Answer, Client, Opened } from '../../../shared/requests/requests.ts';
import { engineAt, type Engine } from '../../engine/engine.ts';
import { withPaths } from '../../request-paths.ts';
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

/**
 * Returns a client that names files by absolute paths: the session has a working directory of its own. Messages name them as they were typed,
 * as without a session.
 */
export function withAbsolutePaths(client: Client): Client {
  /** Typed paths by their absolute ones. */
  const typed = new Map<string, string>();
  const toAbsolute = (path: string): string => {
    const whole = resolve(path);
    typed.set(whole, path);
    return whole;
  };
  return {
    async request(name, args, options) {
      const answer = await client.request(name, withPaths(args, toAbsolute), options);
      if (!answer.ok) return fail(answer.error.code, asTyped(answer.error.message, typed));
      if (name !== 'open') return answer;
      const opened = answer.value as Opened;
      const notices = opened.notices.map((notice) => asTyped(notice, typed));
      return ok({ ...opened, notices } as Answer<typeof name>);
    },
  };
}

/** Replaces absolute paths in a sentence. A path that only contains one of them stays. */
function asTyped(sentence: string, typed: ReadonlyMap<string, string>): string {
  let text = sentence;
  for (const [whole, path] of typed) {
    text = replaced(text, whole, path);
    // Hidden characters of a path stand in a message by name.
    if (visible(whole) !== whole) text = replaced(text, visible(whole), visible(path));
  }
  return text;
}

function replaced(sentence: string, whole: string, path: string): string {
  return sentence.split(whole).reduce((before, after) => {
    const isPart = /[\w/.-]$/.test(before) || /^(?:[\w/-]|\.\w)/.test(after);
    return `${before}${isPart ? whole : path}${after}`;
  });
}
