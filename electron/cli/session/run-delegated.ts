/** Runs commands in the session for processes that leave them to it, one at a time: they have their process's working directory. */
import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import type { Engine } from '../../engine/engine.ts';
import type { Command, Given, RunLine } from '../command.ts';
import { explain } from '../last-words.ts';
import type { TextStream } from '../surroundings.ts';
import type { Delegation, FromProcess, FromSession, StreamFacts } from './delegation.ts';
import type { SocketPort } from './socket-port.ts';

/** Runs a command for the process at a port, or declines it. `engine` is that of the command, which closes it. */
export type RunDelegated = (port: SocketPort, delegation: Delegation, engine: Engine) => Promise<void>;

export function createDelegatedRuns(runLine: RunLine): RunDelegated {
  let isBusy = false;
  return async (port, delegation, engine) => {
    if (isBusy || !enter(delegation.folder)) {
      send(port, { type: 'declined' });
      return;
    }
    isBusy = true;
    await runFor(port, delegation, engine, runLine);
    isBusy = false;
  };
}

/** Makes a folder the working directory. Returns false if it has been removed, or the session may not enter it. */
function enter(folder: string): boolean {
  try {
    process.chdir(folder);
    return true;
  } catch {
    return false;
  }
}

/** False for commands that need more of their process than its output, or an engine of their own. */
function isQuestion({ serves, standsAlone }: Command, { common, own }: Given): boolean {
  if (serves || standsAlone || common.help) return false;
  return common.jobs === undefined && common['index-dir'] === undefined && !('output' in own);
}

async function runFor(port: SocketPort, delegation: Delegation, engine: Engine, runLine: RunLine): Promise<void> {
  const { args, colour } = delegation;
  const signals = new EventEmitter();
  const stdout = streamTo(port, 'stdout', delegation.stdout);
  const stderr = streamTo(port, 'stderr', delegation.stderr);
  const endOutput = (): void => {
    stdout.destroy(Object.assign(new Error('nobody reads the output'), { code: 'EPIPE' }));
  };
  const exit = (code: number): void => {
    send(port, { type: 'exit', code });
  };
  port.on('message', (message: FromProcess) => {
    if (message.type === 'signal') signals.emit(message.name);
    else endOutput();
  });
  port.once('close', () => {
    endOutput();
    signals.emit('SIGTERM');
  });
  let code: number | undefined = 1;
  try {
    code = await runLine(args, () => engine, { stdout, stderr, colour, signals, exit }, isQuestion);
  } catch (error) {
    stderr.write(explain(error));
  }
  await Promise.all([stdout, stderr].map((stream) => new Promise((settle) => stream.end(settle))));
  if (code === undefined) send(port, { type: 'declined' });
  else exit(code);
}

function send(port: SocketPort, message: FromSession): void {
  port.postMessage(message);
}

/** A stream that writes to that of the process. */
function streamTo(port: SocketPort, stream: 'stdout' | 'stderr', { isTTY, columns }: StreamFacts): TextStream {
  const writable = new Writable({
    write(bytes: Buffer, _, done) {
      port.postMessage({ type: 'output', stream, bytes } satisfies FromSession, () => {
        done();
      });
    },
  });
  // Only a command that has begun listens for its end.
  writable.on('error', () => undefined);
  return Object.assign(writable, { isTTY, columns });
}
