/**
 * Entry module of the process that executes SQL. SQLite cannot be interrupted, so it has a thread of its own, and the engine kills the
 * process if a statement takes too long. This thread passes messages on and watches the memory, and ends with the engine.
 */
import { MessageChannel, Worker } from 'node:worker_threads';
import type { FromProcess, ToProcess } from './protocol.ts';

/** Port that an Electron utility process has instead of Node's channel. */
interface ParentPort {
  on(event: 'message', listener: (event: { readonly data: ToProcess }) => void): void;
  postMessage(message: FromProcess): void;
}
const { parentPort } = process as { readonly parentPort?: ParentPort };

/** Memory of the whole process in bytes, above which it ends. */
const MOST_BYTES = 1024 ** 3;
const WATCH_MS = 20;
/** A port does not report that a message has left. */
const LEAVING_MS = 100;

const arrived = new Int32Array(new SharedArrayBuffer(4));
const { port1, port2 } = new MessageChannel();
const here = import.meta.url;
const worker = new Worker(new URL(here.endsWith('.ts') ? './sql-worker.ts' : './sql-worker.js', here), {
  workerData: { arrived, answers: port2 },
  transferList: [port2],
});
worker.on('message', (message: FromProcess) => send(message));
worker.on('error', (error: Error) => {
  // Too little memory for JavaScript values ends the thread.
  send({ type: 'problem', message: error.message }, end);
});

if (parentPort) parentPort.on('message', ({ data }) => receive(data));
else {
  process.on('message', receive);
  process.on('disconnect', end);
}

function receive(message: ToProcess): void {
  if (message.type === 'run') {
    worker.postMessage(message);
    return;
  }
  port1.postMessage(message);
  Atomics.add(arrived, 0, 1);
  Atomics.notify(arrived, 0);
}

setInterval(() => {
  if (process.memoryUsage.rss() > MOST_BYTES) send({ type: 'memory' }, end);
}, WATCH_MS);

function send(message: FromProcess, then?: () => void): void {
  if (!parentPort) process.send?.(message, undefined, undefined, () => then?.());
  else {
    parentPort.postMessage(message);
    if (then) setTimeout(then, LEAVING_MS);
  }
}

/** An ordinary exit would wait for the thread that SQLite occupies. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}
