/** Entry module of the thread that SQLite occupies. It executes one statement after the other, and waits for the answers to its questions. */
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { assert } from '../../../shared/base/result.ts';
import { createDatabase, type Questions } from './database.ts';
import type { Ask, FromProcess, Reply, ToProcess } from './protocol.ts';

assert(parentPort !== null, 'SQL runs in a worker thread');
const port = parentPort;
const { arrived, answers } = workerData as { readonly arrived: Int32Array; readonly answers: MessagePort };

const received = new Map<number, Exclude<ToProcess, { readonly type: 'run' }>>();
let lastId = 0;

const questions: Questions = {
  send(ask: Ask): number {
    const id = ++lastId;
    post({ type: 'ask', id, ask });
    return id;
  },
  wait(id: number): Reply {
    for (;;) {
      const before = Atomics.load(arrived, 0);
      for (let next; (next = receiveMessageOnPort(answers)) !== undefined;) {
        const message = next.message as Exclude<ToProcess, { readonly type: 'run' }>;
        received.set(message.id, message);
      }
      const answer = received.get(id);
      if (answer === undefined) {
        Atomics.wait(arrived, 0, before);
        continue;
      }
      received.delete(id);
      if (answer.type === 'failed') throw new Error(answer.message);
      return answer.reply;
    }
  },
};

const database = createDatabase(questions);

port.on('message', (message: ToProcess) => {
  if (message.type !== 'run') return;
  try {
    post({ type: 'result', result: database.run(message.statement) });
  } catch (error) {
    post({ type: 'problem', message: error instanceof Error ? error.message : String(error) });
  }
  received.clear();
});

function post(message: FromProcess): void {
  port.postMessage(message);
}
