/** `session start`, `session stop`, `session serve`: a process that later commands reuse. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { command, type Command } from '../command.ts';
import { number } from '../options/options.ts';
import { sessionPort } from '../session/connect.ts';
import { hostSession, STOP } from '../session/host.ts';
import { sessionPlace } from '../session/place.ts';

const MINUTES = 30;
const idle = {
  idle: number('MINUTES', whole(1, 7 * 24 * 60), `end after so many minutes without a command, ${MINUTES} by default`),
} as const;

const NOTES = `While a session runs, commands of this user find it by themselves: it keeps traces, indexes and decoded records in memory, so
that the next question costs less. Answers are the same. Commands with --index-dir or --jobs do not use it, nor does any with
TRACEBENCH_SESSION=no in its environment. Only this user can reach it.`;

/** Written by `session serve` to the process that started it. */
const READY = 'ready';

export const sessionCommands: readonly Command[] = [
  command({
    name: 'session start',
    text: 'Start a session: later commands answer faster until it is stopped',
    notes: NOTES,
    trace: 'none',
    standsAlone: true,
    options: idle,
    async run(context, { idle: minutes = MINUTES }) {
      const running = await sessionPort();
      if (running !== undefined) {
        running.close();
        await context.out.write('a session is running already\n');
        return ok(undefined);
      }
      const started = await startProcess(minutes);
      if (!started.ok) return started;
      const { pid } = started.value;
      if (context.common.json) await context.out.json({ pid, idleMinutes: minutes });
      else
        await context.out.write(
          `session started, process ${pid}; it ends after ${minutes} minutes without a command\n`,
        );
      return ok(undefined);
    },
  }),
  command({
    name: 'session stop',
    text: 'Stop the session',
    trace: 'none',
    standsAlone: true,
    options: {},
    async run({ out }) {
      const port = await sessionPort();
      if (port === undefined) {
        await out.write('no session is running\n');
        return ok(undefined);
      }
      const closed = new Promise<void>((resolve) => {
        port.once('close', resolve);
      });
      port.postMessage(STOP);
      await closed;
      await out.write('session stopped\n');
      return ok(undefined);
    },
  }),
  command({
    name: 'session serve',
    text: 'Be the session, in this terminal',
    notes: NOTES,
    trace: 'none',
    standsAlone: true,
    options: idle,
    async run(context, { idle: minutes = MINUTES }) {
      const { startEngine } = await import('../../engine/engine.ts');
      const engine = startEngine();
      const hosted = await hostSession(engine, sessionPlace(), {
        idleMs: minutes * 60_000,
        signal: context.signal,
        runLine: context.runLine,
        started: () => {
          process.send?.(READY);
          if (process.connected) process.disconnect();
        },
      });
      await engine.close();
      return hosted;
    },
  }),
];

/** Starts `session serve` in the background. */
async function startProcess(minutes: number): Promise<Result<{ readonly pid: number }>> {
  const child = spawn(process.execPath, [process.argv[1]!, 'session', 'serve', '--idle', String(minutes), '--quiet'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const outcome = await Promise.race([
    once(child, 'message').then(() => READY),
    once(child, 'exit').then(() => 'ended'),
  ]);
  if (outcome !== READY)
    return fail(
      'session',
      `the session could not be started: ${complaint.trim().replace(/^tracebench: /, '') || 'it ended'}`,
    );
  child.stderr?.destroy();
  child.unref();
  return ok({ pid: child.pid! });
}
