/** Runs a module as a utility process of the stand-in: with a parent port instead of Node's channel. */
import { EventEmitter } from 'node:events';
import { pathToFileURL } from 'node:url';

const { argv } = process;
const send = process.send?.bind(process);
const parentPort = Object.assign(new EventEmitter(), {
  postMessage: (message: unknown) => void send?.(message),
});
process.on('message', (data) => parentPort.emit('message', { data }));
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
Object.defineProperty(process, 'send', { value: undefined });
Object.assign(process, { parentPort });
await import(pathToFileURL(argv[2]!).href);
