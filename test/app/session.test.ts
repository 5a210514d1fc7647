// `session`: commands that reuse one process. Runs processes on the bundles, in a home and a folder for sockets of their own.
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { TARMAC } from './cli/driver.ts';
import { runCli, startCli, type CliResult } from './run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'tracebench-session-'));
const env = { HOME: folder, XDG_CACHE_HOME: join(folder, 'cache'), TMPDIR: join(folder, 't') };
mkdirSync(env.TMPDIR);
const trace = join(folder, 'trace.txt');
copyFileSync(TARMAC, trace);

const tracebench = (...args: readonly string[]): Promise<CliResult> => runCli(args, { env, cwd: folder });
const sockets = (): string[] =>
  readdirSync(env.TMPDIR, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sock'));

afterEach(async () => {
  await tracebench('session', 'stop');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('commands find a session by themselves, and answer as without it', async () => {
  const alone = await tracebench('records', 'trace.txt', '--from', '3', '--count', '4', '--json');
  const started = await tracebench('session', 'start');
  expect(started).toMatchObject({ code: 0, stderr: '' });
  const pid = Number(/process (\d+)/.exec(started.stdout)?.[1]);
  expect((await tracebench('session', 'start')).stdout).toBe('a session is running already\n');
  expect(await tracebench('records', 'trace.txt', '--from', '3', '--count', '4', '--json')).toEqual(alone);

  // It keeps the trace open, and opens it again when the file has changed.
  appendFileSync(trace, '69407 clk R r0 00000001\n');
  const last = await tracebench('records', 'trace.txt', '--from', '200', '--json');
  expect(JSON.parse(last.stdout)).toMatchObject({ n: 200, register: 'r0', value: '0x1' });
  const missing = await tracebench('info', 'no-such-file.txt');
  expect(missing).toMatchObject({ code: 1, stdout: '' });
  expect(missing.stderr).toMatch(/no-such-file\.txt/);

  const [socket] = sockets();
  expect(statSync(join(env.TMPDIR, socket!)).mode & 0o077).toBe(0);
  expect((await tracebench('session', 'stop')).stdout).toBe('session stopped\n');
  expect((await tracebench('session', 'stop')).stdout).toBe('no session is running\n');
  await expect.poll(() => isRunning(pid), { timeout: 200_000 }).toBe(false);
});

test('a session that was killed is replaced', async () => {
  const first = startCli(['session', 'serve'], { env });
  await expect.poll(sockets, { timeout: 200_000 }).toHaveLength(1);
  first.kill('SIGKILL');
  await once(first, 'exit');
  expect(sockets()).toHaveLength(1);
  expect(await tracebench('records', 'trace.txt', '--count', '1')).toMatchObject({ code: 0 });
  expect((await tracebench('session', 'start')).stdout).toMatch(/^session started, /);
  expect((await tracebench('session', 'start')).stdout).toBe('a session is running already\n');
});

test.skipIf(process.platform === 'win32')('a folder that others can enter is not trusted', async () => {
  await tracebench('session', 'start');
  await tracebench('session', 'stop');
  const place = join(env.TMPDIR, `tracebench-${String(process.getuid!())}`);
  chmodSync(place, 0o755);
  const refused = await tracebench('session', 'start');
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/belongs to another user or is open to others; remove it and start the session again/);
  chmodSync(place, 0o700);
});

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}
