// `session`: commands that reuse one process. Runs processes on the bundles, in a home and a folder for sockets of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { Delegation, FromSession } from '../../electron/cli/session/delegation.ts';
import { socketPort } from '../../electron/cli/session/socket-port.ts';
import { TARMAC } from './cli/driver.ts';
import { CLI, finish, runCli, startCli, type CliResult } from './run-cli.ts';

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

test('messages name files as they were typed, from any folder', async () => {
  const inner = join(folder, 'inner');
  mkdirSync(inner, { recursive: true });
  writeFileSync(join(folder, 'bad.elf'), 'junk');
  expect((await tracebench('bundle', 'trace.txt', '-o', 'finding.zip', '--no-reports')).code).toBe(0);
  const commands = [
    ['calls', '../trace.txt', '--image', '../bad.elf'],
    ['calls', '../trace.txt', '--image', '../no.elf'],
    ['info', '../none.txt'],
    ['notes', 'list', '../trace.txt', '--notebook', 'none'],
    ['notes', 'list', '../finding.zip'],
    ['verify', '../finding.zip', '../trace.txt'],
    ['notes', 'import', '../trace.txt', '../bad.elf'],
  ];
  const outcomes = async (): Promise<readonly CliResult[]> => {
    const results = [];
    for (const args of commands) results.push(await runCli(args, { env, cwd: inner }));
    return results;
  };
  const alone = await outcomes();
  expect(alone.map(({ code }) => code)).toEqual([1, 1, 1, 1, 0, 0, 1]);
  await tracebench('session', 'start');
  expect(await outcomes()).toEqual(alone);
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

test('the session runs questions as their own processes do', async () => {
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere, { recursive: true });
  const questions: readonly (readonly [args: readonly string[], cwd: string])[] = [
    [['records', 'trace.txt', '--from', '3', '--count', '4'], folder],
    [['registers', '../trace.txt', '--at', '40', '--json'], elsewhere],
    [['find', '../trace.txt', '--kind', 'read', '--limit', '2'], elsewhere],
    [['calls', 'trace.txt'], folder],
    [['diff', 'trace.txt', 'trace.txt'], folder],
    [['memory', 'trace.txt', '--at', '5'], folder],
    [['info', 'trace.txt'], elsewhere],
    [['records', 'trace.txt', '--cuont', '4'], folder],
  ];
  const ask = ([args, cwd]: (typeof questions)[number]) => runCli(args, { env, cwd });
  const alone: CliResult[] = [];
  for (const question of questions) alone.push(await ask(question));
  expect(alone.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 2, 1, 2]);
  await tracebench('session', 'start');
  for (const [at, question] of questions.entries())
    expect(await ask(question), question[0].join(' ')).toEqual(alone[at]);
});

test('the session runs one command at a time, and none that needs more of its process than its output', async () => {
  await tracebench('session', 'start');
  const [place = ''] = sockets();
  const declined = [{ type: 'declined' }];
  expect(await leave(place, ['serve', 'trace.txt'])).toEqual(declined);
  expect(await leave(place, ['ask', 'trace.txt'])).toEqual(declined);
  expect(await leave(place, ['heat', 'trace.txt', '-o', 'heat.svg'])).toEqual(declined);
  expect(await leave(place, ['info', 'trace.txt', '--jobs', '1'])).toEqual(declined);
  expect(await leave(place, ['info', 'trace.txt'], join(folder, 'removed'))).toEqual(declined);

  const both = [leave(place, ['info', 'trace.txt']), leave(place, ['info', 'trace.txt'])];
  const outcomes = await Promise.all(both);
  expect(outcomes.map((seen) => seen.at(-1))).toEqual([{ type: 'exit', code: 0 }, { type: 'declined' }]);
  expect(Buffer.concat(outcomes[0]!.flatMap((one) => (one.type === 'output' ? one.bytes : []))).toString()).toMatch(
    /^format .*tarmac/m,
  );
});

test('a process that ends at once leaves the session free', async () => {
  await tracebench('session', 'start');
  const [place = ''] = sockets();
  const port = socketPort(connect(join(env.TMPDIR, place)));
  port.postMessage(delegationOf(['records', 'trace.txt'], folder));
  port.close();
  const answer = async (): Promise<FromSession | undefined> => (await leave(place, ['formats'])).at(-1);
  await expect.poll(answer, { timeout: 200_000 }).toEqual({ type: 'exit', code: 0 });
});

test.skipIf(process.platform !== 'linux')('says that standard output cannot be written', async () => {
  await tracebench('session', 'start');
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [CLI, 'records', trace], {
    env: { ...process.env, ...env },
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  const { code, stderr } = await finish(child);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^tracebench: standard output: .*ENOSPC/) as string,
  });
});

test('an interrupt reaches the command that the session runs', async () => {
  await tracebench('session', 'start');
  // The fastest way to a long command: the records of a large trace, whose first lines show that it runs.
  const long = join(folder, 'long.txt');
  await tracebench('sample', '--format', 'tarmac', '--size', '40M', '-o', long);
  const child = startCli(['find', long, '--kind', 'instruction', '--limit', '100000000'], { env });
  const [code] = await new Promise<[number | null]>((settle) => {
    child.stdout!.once('data', () => {
      child.stdout!.resume();
      child.kill('SIGINT');
    });
    child.once('exit', (...exit) => {
      settle([exit[0]]);
    });
  });
  expect(code).toBe(130);
  expect(await tracebench('records', 'trace.txt', '--count', '1')).toMatchObject({ code: 0 });
});

/** Leaves a command to the session at a place in the folder of sockets; returns all its messages. */
function leave(place: string, args: readonly string[], where = folder): Promise<readonly FromSession[]> {
  const port = socketPort(connect(join(env.TMPDIR, place)));
  const seen: FromSession[] = [];
  const ended = new Promise<readonly FromSession[]>((settle) => {
    port.once('close', () => {
      settle(seen);
    });
    port.on('message', (message: FromSession) => {
      seen.push(message);
      if (message.type !== 'output') port.close();
    });
  });
  port.postMessage(delegationOf(args, where));
  return ended;
}

function delegationOf(args: readonly string[], where: string): Delegation {
  const stream = { isTTY: false, columns: undefined };
  return { type: 'run', args, folder: where, stdout: stream, stderr: stream, colour: false };
}

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}
