/** Finds the session of this user. */
import { connect, type Socket } from 'node:net';
import { mayHaveSession, sessionPlace } from './place.ts';

/** Returns a connection to the running session; undefined if there is none. */
export async function sessionSocket(): Promise<Socket | undefined> {
  if (!mayHaveSession()) return undefined;
  return new Promise((settle) => {
    const socket = connect(sessionPlace(), () => {
      settle(socket);
    });
    // The socket of a session that was killed is still there.
    socket.once('error', () => {
      settle(undefined);
    });
  });
}
