/** Leaves a command to the session of the user, which has everything loaded: the process only passes on what it prints. */
import { outputProblem } from '../last-words.ts';
import { ownSurroundings, type TextStream } from '../surroundings.ts';
import type { Delegation, FromProcess, FromSession, StreamFacts } from './delegation.ts';
import { sessionSocket } from './socket.ts';
import { socketPort } from './socket-port.ts';

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Returns the exit code; undefined if this process has to run the command, of which nothing has happened then. */
export async function delegate(args: readonly string[]): Promise<number | undefined> {
  const socket = await sessionSocket();
  if (socket === undefined) return undefined;
  const port = socketPort(socket);
  const { stdout, stderr, colour, exit } = ownSurroundings();
  const send = (message: FromProcess): void => {
    port.postMessage(message);
  };
  let signals = 0;
  const onSignal = (name: NodeJS.Signals): void => {
    if (++signals > 1) exit(130);
    send({ type: 'signal', name });
  };
  let problem: NodeJS.ErrnoException | undefined;
  stdout.on('error', (error) => {
    problem ??= error;
    send({ type: 'output ended' });
  });
  // If stderr is closed, there is no place to report that.
  stderr.on('error', () => undefined);
  for (const name of SIGNALS) process.on(name, onSignal);
  const code = await new Promise<number | undefined>((settle) => {
    let isOver = false;
    port.on('message', (message: FromSession) => {
      if (message.type === 'output') (message.stream === 'stdout' ? stdout : stderr).write(message.bytes);
      else {
        isOver = true;
        settle(message.type === 'exit' ? message.code : undefined);
      }
    });
    port.once('close', () => {
      if (!isOver) stderr.write('tracebench: its session ended\n');
      settle(1);
    });
    const delegation: Delegation = {
      type: 'run',
      args,
      folder: process.cwd(),
      stdout: factsOf(stdout),
      stderr: factsOf(stderr),
      colour,
    };
    port.postMessage(delegation);
  });
  for (const name of SIGNALS) process.off(name, onSignal);
  port.close();
  // An empty write completes once everything before it has been written or has failed.
  await new Promise<void>((settle) => stdout.write('', () => setImmediate(settle)));
  if (problem === undefined) return code;
  if (problem.code === 'EPIPE') return 0;
  stderr.write(`tracebench: ${outputProblem(problem.message)}\n`);
  return 1;
}

function factsOf({ isTTY = false, columns }: TextStream): StreamFacts {
  return { isTTY, columns };
}
