/**
 * Where processes that execute SQL are started. Electron cannot fork itself as Node, and only its main thread starts processes. There, the
 * host of the engine starts them, and each is one end of a message port.
 */
import { fileURLToPath } from 'node:url';
import type { MessagePort } from 'node:worker_threads';

/** Starts a process at the other end of the port. The process is killed when the port closes, and its end closes the port. */
export type SqlHost = (port: MessagePort) => void;

const here = import.meta.url;

/** Entry module of the process. */
export const SQL_PROCESS: string = fileURLToPath(
  new URL(here.endsWith('.ts') ? './sql-process.ts' : './sql-process.js', here),
);

let host: MessagePort | undefined;

/** Leaves starting processes to the host of the engine, which receives a port for each. */
export function startSqlAtHost(port: MessagePort): void {
  host = port;
  host.unref();
}

/** Returns the port of the host that starts processes; undefined if this program starts them. */
export function hostOfSql(): MessagePort | undefined {
  return host;
}
