/** A socket as a port of messages: each is the structured clone of a value, after its length in four bytes, lowest first. */
import type { Socket } from 'node:net';
import { deserialize, serialize } from 'node:v8';

/** Both ends belong to the same user and the same build of the program, so what arrives is what was sent. */
export interface SocketPort {
  /** @param sent called when the message has been handed to the system */
  postMessage(message: unknown, sent?: () => void): void;
  on(event: 'message', listener: (message: never) => void): void;
  once(event: 'close', listener: () => void): void;
  close(): void;
}

const HEAD = 4;

export function socketPort(socket: Socket): SocketPort {
  const listeners: ((message: never) => void)[] = [];
  let parts: Buffer[] = [];
  let length = 0;
  /** Bytes that the next message needs, with its head. */
  let wanted = HEAD;
  socket.setNoDelay(true);
  // The end of a broken connection is its close.
  socket.on('error', () => undefined);
  socket.on('data', (part: Buffer) => {
    parts.push(part);
    length += part.length;
    while (length >= wanted) {
      const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts, length);
      parts = [bytes];
      const size = HEAD + bytes.readUInt32LE(0);
      if (length < size) {
        wanted = size;
        return;
      }
      parts = [bytes.subarray(size)];
      length -= size;
      wanted = HEAD;
      const message = deserialize(bytes.subarray(HEAD, size)) as never;
      // Not those that a listener adds: they get the next message.
      for (const listener of [...listeners]) listener(message);
    }
  });
  return {
    postMessage(message, sent) {
      const body = serialize(message);
      const head = Buffer.alloc(HEAD);
      head.writeUInt32LE(body.length);
      socket.cork();
      socket.write(head);
      socket.write(body, sent);
      socket.uncork();
    },
    on: (_, listener) => listeners.push(listener),
    once: (event, listener) => socket.once(event, listener),
    close: () => socket.end(),
  };
}
