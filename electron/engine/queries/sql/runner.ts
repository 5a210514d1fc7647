/**
 * Executes statements in processes of their own. SQLite cannot be interrupted, and a statement may be endless or want all memory: then its
 * process is killed, and nothing else is affected. A process that answered is kept for a while, because it takes long to start.
 */
import { counted } from '../../../../shared/base/numbers.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { startSqlProcess, type SqlProcess } from '../../sql/processes.ts';
import type { Ask, FromProcess, Reply, SqlResult, Statement } from '../../sql/protocol.ts';
import { unlessCancelled, type Task } from '../../threads/task.ts';

/** Failure codes of a statement that took too long or wanted too much memory. */
export const SQL_TIME = 'sql-time';
export const SQL_MEMORY = 'sql-memory';

/** Processes that run at the same time: each may use a gigabyte. */
const MOST_PROCESSES = 3;
const IDLE_MS = 30_000;

const idle: SqlProcess[] = [];
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
  return unlessCancelled(inTurn(run, task), task);
}

/** Waits until few enough other statements run, and executes the statement. */
async function inTurn(run: Run, task: Task<unknown>): Promise<Result<SqlResult>> {
  if (running < MOST_PROCESSES) running++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    if (task.cancelled()) return task.cancel();
    const child = idle.pop() ?? startSqlProcess();
    child.hold(true);
    // Damage of the index is thrown, and the index is then built again.
    const answer = await unlessCancelled(execute(child, run), task).catch((error: unknown) => {
      child.kill();
      throw error;
    });
    if (answer.ok || answer.error.code === 'usage') keep(child);
    else child.kill();
    return answer;
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
}

function keep(child: SqlProcess): void {
  // It ends with this process, which does not wait for it.
  child.hold(false);
  child.listen({ receive: () => undefined, ended: () => void remove(child) });
  if (!child.isAlive) return;
  idle.push(child);
  setTimeout(() => {
    if (remove(child)) child.kill();
  }, IDLE_MS).unref();
}

function remove(child: SqlProcess): boolean {
  const at = idle.indexOf(child);
  if (at >= 0) idle.splice(at, 1);
  return at >= 0;
}

function execute(child: SqlProcess, { statement, seconds, answer, hint }: Run): Promise<Result<SqlResult>> {
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
    child.listen({ receive, ended });
    child.send({ type: 'run', statement });

    async function reply(id: number, ask: Ask): Promise<void> {
      try {
        const found = await answer(ask);
        child.send(
          found.ok ? { type: 'answer', id, reply: found.value } : { type: 'failed', id, message: found.error.message },
        );
      } catch (error) {
        stop();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    }

    function done(result: Result<SqlResult>): void {
      stop();
      resolve(result);
    }

    function stop(): void {
      clearTimeout(timer);
      child.listen(undefined);
    }
  });
}
