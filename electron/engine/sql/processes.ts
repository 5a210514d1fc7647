/** Starts processes that execute SQL: Node forks them, and in Electron the host of the engine starts them (host.ts). */
import { fork } from 'node:child_process';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { hostOfSql, SQL_PROCESS } from './host.ts';
import type { FromProcess, ToProcess } from './protocol.ts';

export interface SqlProcess {
  send(message: ToProcess): void;
  /** Sets who receives its messages and its end; undefined: nobody. */
  listen(listener: SqlListener | undefined): void;
  /** Ends it at once, whatever it does. */
  kill(): void;
  /** Decides whether this program stays alive for it. */
  hold(isHeld: boolean): void;
  readonly isAlive: boolean;
}

export interface SqlListener {
  receive(message: FromProcess): void;
  ended(): void;
}

export function startSqlProcess(): SqlProcess {
  const host = hostOfSql();
  return host === undefined ? forked() : hosted(host);
}

function forked(): SqlProcess {
  const child = fork(SQL_PROCESS, {
    serialization: 'advanced',
    // Options of the parent, which a test may have given, are not for it.
    execArgv: SQL_PROCESS.endsWith('.ts') ? process.execArgv.filter((option) => option.startsWith('--wasm')) : [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let listener: SqlListener | undefined;
  const ended = (): void => listener?.ended();
  child.on('message', (message: FromProcess) => listener?.receive(message));
  child.on('exit', ended);
  child.on('error', ended);
  return {
    send(message) {
      if (child.connected) child.send(message);
    },
    listen: (next) => (listener = next),
    kill: () => child.kill('SIGKILL'),
    hold(isHeld) {
      const change = isHeld ? 'ref' : 'unref';
      child[change]();
      child.channel?.[change]();
    },
    get isAlive() {
      return child.connected;
    },
  };
}

function hosted(at: MessagePort): SqlProcess {
  const { port1: port, port2 } = new MessageChannel();
  let listener: SqlListener | undefined;
  let isAlive = true;
  port.on('message', (message: FromProcess) => listener?.receive(message));
  port.on('close', () => {
    isAlive = false;
    listener?.ended();
  });
  at.postMessage(port2, [port2]);
  return {
    send: (message) => port.postMessage(message),
    listen: (next) => (listener = next),
    kill: () => port.close(),
    hold(isHeld) {
      if (isHeld) port.ref();
      else port.unref();
    },
    get isAlive() {
      return isAlive;
    },
  };
}
