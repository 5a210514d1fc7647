/** Starts processes that execute SQL for the engine, whose thread cannot start utility processes of Electron. */
import type { MessagePort } from 'node:worker_threads';
import { utilityProcess } from 'electron';
import { SQL_PROCESS, type FromProcess } from './engine/engine.ts';

export function startSqlHost(port: MessagePort): void {
  const child = utilityProcess.fork(SQL_PROCESS, [], { serviceName: 'Tracebench SQL', stdio: 'ignore' });
  port.on('message', (message) => child.postMessage(message));
  child.on('message', (message: FromProcess) => port.postMessage(message));
  port.on('close', () => child.kill());
  child.on('exit', () => port.close());
}
