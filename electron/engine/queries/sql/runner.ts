/**
 * Executes statements in processes of their own. SQLite cannot be interrupted, and a statement may be endless or want all memory: then its
 * process is killed, and nothing else is affected. A process that answered is kept for a while, because it takes long to start.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { counted } from '../../../../shared/base/numbers.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import type { Ask, FromProcess, Reply, SqlResult, Statement, ToProcess } from '../../sql/protocol.ts';
import { unlessCancelled, type Task } from '../../threads/task.ts';

/** Failure codes of a statement that took too long or wanted too much memory. */
export const SQL_TIME = 'sql-time';
export const SQL_MEMORY = 'sql-memory';

/** Processes that run at the same time: each may use a gigabyte. */
const MOST_PROCESSES = 3;
const IDLE_MS = 30_000;

const idle: ChildProcess[] = [];
/** Statements that run, and those that wait for one to end. */
let running = 0;
const waiting: (() => void)[] = [];

export interface Run {
  readonly statement: Statement;
  readonly seconds: number;
  /** Answers a question of the statement. */
  answer(ask: Ask): Promise<Result<Reply>>;
  /** Phrase about the rows that the statement has read, for the person whose time is up. */
  hint(): string;
}

export async function runStatement(run: Run, task: Task<unknown>): Promise<Result<SqlResult>> {
  if ('electron' in process.versions)
    return fail('sql-unavailable', 'SQL runs in the command line and in `tracebench serve`, not in this program yet');
  return unlessCancelled(inTurn(run, task), task);
}

/** Waits until few enough other statements run, and executes the statement. */
async function inTurn(run: Run, task: Task<unknown>): Promise<Result<SqlResult>> {
  if (running < MOST_PROCESSES) running++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    if (task.cancelled()) return task.cancel();
    const child = idle.pop() ?? start();
    child.ref();
    child.channel?.ref();
    // Damage of the index is thrown, and the index is then built again.
    const answer = await unlessCancelled(execute(child, run), task).catch((error: unknown) => {
      child.kill('SIGKILL');
      throw error;
    });
    if (answer.ok || answer.error.code === 'usage') keep(child);
    else child.kill('SIGKILL');
    return answer;
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}

function start(): ChildProcess {
  const here = import.meta.url;
  const isSource = here.endsWith('.ts');
  const entry = new URL(isSource ? '../../sql/sql-process.ts' : './sql-process.js', here);
  return fork(fileURLToPath(entry), {
    serialization: 'advanced',
    // Options of the parent, which a test may have given, are not for it.
    execArgv: isSource ? process.execArgv.filter((option) => option.startsWith('--wasm')) : [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

function keep(child: ChildProcess): void {
  child.removeAllListeners();
  // It ends with this process, which does not wait for it.
  child.unref();
  child.channel?.unref();
  if (!child.connected) return;
  idle.push(child);
  child.on('exit', () => remove(child));
  setTimeout(() => {
    if (remove(child)) child.kill('SIGKILL');
  }, IDLE_MS).unref();
}

function remove(child: ChildProcess): boolean {
  const at = idle.indexOf(child);
  if (at >= 0) idle.splice(at, 1);
  return at >= 0;
}

function execute(child: ChildProcess, { statement, seconds, answer, hint }: Run): Promise<Result<SqlResult>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const limit = counted(seconds, 'second');
      done(fail(SQL_TIME, `the statement was stopped after ${limit}${hint()}; allow more time, or select less`));
    }, seconds * 1000);
    const ended = (): void => done(fail('sql-ended', 'the process that executes SQL has ended; ask again'));
    const receive = (message: FromProcess): void => {
      switch (message.type) {
        case 'ask':
          void reply(message.id, message.ask);
          return;
        case 'result':
          done(ok(message.result));
          return;
        case 'problem':
          done(fail('usage', `sql: ${message.message}`));
          return;
        case 'memory':
          done(fail(SQL_MEMORY, 'the statement was stopped because it used a gigabyte of memory; select less'));
      }
    };
    child.on('message', receive);
    child.on('exit', ended);
    child.on('error', ended);
    send({ type: 'run', statement });

    async function reply(id: number, ask: Ask): Promise<void> {
      try {
        const found = await answer(ask);
        send(
          found.ok ? { type: 'answer', id, reply: found.value } : { type: 'failed', id, message: found.error.message },
        );
      } catch (error) {
        stop();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    }

    function send(message: ToProcess): void {
      if (child.connected) child.send(message);
    }

    function done(result: Result<SqlResult>): void {
      stop();
      resolve(result);
    }

    function stop(): void {
      clearTimeout(timer);
      child.off('message', receive);
      child.off('exit', ended);
      child.off('error', ended);
    }
  });
}
