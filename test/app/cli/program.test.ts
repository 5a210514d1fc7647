// The command line as a process: pipes, signals, full disks, a server.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOpenRequest } from '../../../renderer/shell/open-request.ts';
import { createFrameReader } from '../../../shared/wire/frames.ts';
import { CLI, finish, runCli, startCli } from '../run-cli.ts';
import { BYU, CUT, PAGE, own, cli, folder } from './driver.ts';

test.skipIf(!existsSync('/dev/full'))(
  'help on a full disk prints one line without a stack trace (needs /dev/full)',
  async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [CLI, 'help'], { stdio: ['ignore', full, 'pipe'] });
    const { code, stderr } = await finish(child);
    closeSync(full);
    expect(stderr).toMatch(/^tracebench: standard output: ENOSPC[^\n]*\n$/);
    expect(code).toBe(1);
  },
);

test.each<[string, readonly string[], number, string]>([
  ['wrong usage', ['inof'], 2, "there is no command 'inof', perhaps info; `tracebench help` lists them"],
  [
    'an input that cannot be used',
    ['info', join(folder, 'absent')],
    1,
    `${join(folder, 'absent')}: there is no such file; check the path`,
  ],
])('%s ends the process with its exit code and one line on stderr', async (_, args, code, message) => {
  expect(await runCli(args)).toEqual({ code, stdout: '', stderr: `tracebench: ${message}\n` });
});

test('prints help and version', async () => {
  const help = await cli(['help']);
  expect([help.code, help.stderr]).toEqual([0, '']);
  for (const name of ['formats', 'info', 'index', 'pages', 'records', 'find', 'heat', 'sample', 'serve']) {
    expect(help.stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  }
  expect(help.stdout).toMatch(/^ {2}help \[COMMAND\] +.*\n {2}--version /m);
  for (const same of [['--help'], ['-h'], ['help', 'help'], ['help', '--help']]) expect(await cli(same)).toEqual(help);
  const heat = await cli(['heat', '--help']);
  expect([heat.code, heat.stdout.split('\n')[0]]).toEqual([0, 'usage: tracebench heat TRACE [options]']);
  const find = await cli(['help', 'find']);
  expect(find.stdout).toContain('With --image they can be symbols: main, main+0x10.');
  expect(find.stdout).toContain('Kinds of records: instruction, skipped, fetch, read, write, bus-fetch,');
  const branches = await cli(['help', 'branches']);
  expect(branches.stdout).toContain(
    'only branches of these kinds: call, return, jump, exception, interrupt, sequential, unknown',
  );
  // Errors that only a trace can cause are tested with a trace.
  const sample = await cli(['help', 'sample']);
  expect([find.stdout.includes('--strict'), sample.stdout.includes('--strict')]).toEqual([true, false]);
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(await cli(['--version'])).toEqual({ code: 0, stdout: `tracebench ${version}\n`, stderr: '' });
});

test('ends quietly when the reader closes the pipe (head)', async () => {
  const long = join(folder, 'long.byu');
  const part = readFileSync(BYU);
  writeFileSync(long, Buffer.concat(Array.from({ length: 100 }, () => part)));
  const child = startCli(['records', long, '--count', '1000000', '--json', '--quiet', ...own()]);
  const ended = finish(child);
  child.stdout?.once('data', () => child.stdout?.destroy());
  const { code, stderr } = await ended;
  expect([code, stderr]).toEqual([0, '']);
});

// Windows has no signals between processes.
test.skipIf(process.platform === 'win32')(
  'Ctrl+C stops indexing with 130, and the next run continues or starts over',
  async () => {
    const huge = join(folder, 'huge.byu');
    writeFileSync(huge, readFileSync(BYU));
    truncateSync(huge, 6 * 200_000_000);
    const indexes = join(folder, 'huge-index');
    const child = startCli(['index', huge, '--json', '--quiet', '--format', 'byu6', '--index-dir', indexes]);
    const ended = finish(child);
    await expect
      .poll(() => existsSync(indexes) && readdirSync(indexes).some((name) => name.endsWith('.index')))
      .toBe(true);
    // The launcher forwards an interrupt as a request to end, which does not count as a second Ctrl+C.
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 130, stdout: '', stderr: 'tracebench: interrupted\n' });

    const next = await runCli([
      'records',
      huge,
      '--count',
      '1',
      '--json',
      '--quiet',
      '--format',
      'byu6',
      '--index-dir',
      indexes,
    ]);
    expect([next.code, next.stderr]).toEqual([0, '']);
    expect(JSON.parse(next.stdout)).toMatchObject({ n: 0, address: '0x100000' });
  },
);

test.skipIf(process.platform === 'win32')('a second Ctrl+C leaves no temporary index behind', async () => {
  const huge = join(folder, 'twice.byu');
  writeFileSync(huge, readFileSync(BYU));
  truncateSync(huge, 6 * 200_000_000);
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  // The index becomes temporary because no folder can be made inside of a file.
  const env = { TMPDIR: temporary, XDG_CACHE_HOME: huge };
  const child = startCli(['index', huge, '--quiet', '--format', 'byu6'], { env });
  const ended = finish(child);
  await expect.poll(() => readdirSync(temporary).length).toBe(1);
  const interrupts = setInterval(() => child.kill('SIGINT'), 1);
  const { code, stdout } = await ended;
  clearInterval(interrupts);
  expect([code, stdout]).toEqual([130, '']);
  expect(readdirSync(temporary)).toEqual([]);
});

test.skipIf(process.platform === 'win32')('a closed terminal leaves no partial file behind', async () => {
  const results = join(folder, 'closed-terminal');
  mkdirSync(results);
  const output = join(results, 'trace.byu');
  const child = startCli(['sample', '--format', 'byu6', '--size', '4G', '-o', output]);
  const ended = finish(child);
  await expect.poll(() => readdirSync(results).length).toBeGreaterThan(0);
  child.kill('SIGHUP');
  expect(await ended).toEqual({ code: 130, stdout: '', stderr: 'tracebench: interrupted\n' });
  expect(readdirSync(results)).toEqual([]);
});

// The page is built by set-up; Windows has no signals between processes.
test.skipIf(process.platform === 'win32' || !existsSync(PAGE))(
  'serve prints an address that works until Ctrl+C',
  async () => {
    const child = startCli(['serve', CUT, '--no-open', '--json', '--option', 'endian=little', ...own()]);
    const ended = finish(child);
    if (!child.stdout) throw new Error('no output is connected');
    const [line] = (await once(child.stdout, 'data')) as [string];
    const url = new URL((JSON.parse(line) as { url: string }).url);
    expect(url.hostname).toBe('127.0.0.1');
    expect(readOpenRequest(url.hash)).toEqual([{ path: CUT, options: { endian: 'little' } }]);

    const signIn = await fetch(url, { redirect: 'manual' });
    const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const base = new URL(signIn.headers.get('location') ?? '', url).href;
    expect((await fetch(base, { headers: { cookie } })).headers.get('content-type')).toBe('text/html; charset=utf-8');
    const call = {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ path: CUT }),
    };
    const answer = await fetch(`${base}api/detect`, call);
    const [frame] = createFrameReader().push(new Uint8Array(await answer.arrayBuffer()));
    expect(frame).toMatchObject({ answer: { ok: true, value: { candidates: [{ format: 'byu6' }] } } });

    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
  },
);
