// The commands of package.json as a user meets them: set-up, the test run's last line, the `tracebench` command.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { findBrowser } from '../../build/setup/browser.mjs';
import { findNpm } from '../../build/setup/node24.mjs';
import { few, NIGHTLY } from '../short-form.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Runs a file of build/ under this Node until it ends. */
function run(home: string, file: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const options = { cwd: home, env: { ...process.env, ...env }, encoding: 'utf8' } as const;
  return spawnSync(process.execPath, [join(home, 'build', file), ...args], options);
}

/** A copy of the build folder and the lock file, where nothing is installed. */
function freshCopy(): string {
  const home = mkdtempSync(join(tmpdir(), 'tracebench-fresh-'));
  folders.push(home);
  for (const name of ['build', 'package.json', 'package-lock.json']) {
    cpSync(join(root, name), join(home, name), { recursive: true });
  }
  return home;
}

describe('set-up', () => {
  test('does nothing and prints nothing the second time', () => {
    expect(run(root, 'setup.mjs')).toMatchObject({ status: 0 });
    expect(run(root, 'setup.mjs')).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  if (NIGHTLY) {
    test.skipIf(!findNpm())(
      'explains in one sentence that the registry cannot be reached (needs npm beside this Node)',
      () => {
        const env = {
          npm_config_registry: 'http://127.0.0.1:9/',
          npm_config_fetch_retries: '0',
          npm_config_cache: join(root, '.cache', 'no-npm-cache'),
        };
        const { status, stderr } = run(freshCopy(), 'setup.mjs', [], env);
        const lines = stderr.trim().split('\n');
        expect(status).toBe(1);
        expect(lines.at(-1)).toMatch(
          /^tracebench set-up: the packages could not be installed .*ECONNREFUSED.*\.log\)$/,
        );
        expect(lines).toHaveLength(2);
      },
    );
  }

  test('explains that a browser variable points to no file', () => {
    vi.stubEnv('TRACEBENCH_BROWSER', '/nowhere/chromium');
    const found = findBrowser();
    vi.unstubAllEnvs();
    expect(found).toEqual({ reason: 'TRACEBENCH_BROWSER names /nowhere/chromium, which does not exist' });
  });
});

describe('tracebench', () => {
  test('explains that set-up has not run', () => {
    expect(run(freshCopy(), 'tracebench.mjs', ['formats'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'tracebench: set-up has not run yet: run `npm run setup` in the project once\n',
    });
  });

  test('returns the exit code of the command line', () => {
    expect(run(root, 'tracebench.mjs', ['formats', '--json'])).toMatchObject({ status: 0 });
    expect(run(root, 'tracebench.mjs', ['no-such-command'])).toMatchObject({ status: 2, stdout: '' });
  });

  test.skipIf(process.platform === 'win32')('forwards an interrupt and lets the program end', async () => {
    const child = spawn(process.execPath, [join(root, 'build/tracebench.mjs'), 'serve', '--no-open'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'exit');
    // Its first line is the address; if it ends before that, its exit code below shows it.
    await Promise.race([once(child.stdout, 'data'), ended]);
    child.kill('SIGINT');
    const [code, signal]: unknown[] = await ended;
    expect(signal).toBeNull();
    expect([0, 130]).toContain(code);
  });
});

describe('the last line of a test run', () => {
  const passing = `import { test } from 'vitest'; test('good', () => {});`;
  const cases: readonly (readonly [
    what: string,
    files: Readonly<Record<string, string>>,
    line: string,
    code: number,
  ])[] = [
    [
      'counts what failed and what was skipped',
      {
        'a.test.ts': passing,
        'b.test.ts': `import { test } from 'vitest'; test('bad', () => { throw new Error('x'); }); test.skip('later', () => {});`,
      },
      '1 passed, 1 failed, 1 skipped',
      1,
    ],
    ['passes', { 'a.test.ts': passing }, '1 passed, 0 failed, 0 skipped', 0],
    [
      'counts a file that cannot be loaded as a failure',
      { 'a.test.ts': passing, 'b.test.ts': `import './nowhere.ts';` },
      '1 passed, 1 failed, 0 skipped',
      1,
    ],
    [
      'fails on an error outside of the tests',
      {
        'a.test.ts': `import { test } from 'vitest'; test('good', () => { void Promise.reject(new Error('late')); });`,
      },
      '1 passed, 1 failed, 0 skipped',
      1,
    ],
    ['fails where nothing ran', {}, '0 passed, 1 failed, 0 skipped', 1],
  ];
  test.each(few(cases, 1))('%s', (_, files, line, code) => {
    const folder = join(root, '.cache', 'reports', `run-${String(process.pid)}`);
    folders.push(folder);
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const { status, stdout } = run(root, 'test.mjs', ['--root', folder]);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(line);
    expect(status).toBe(code);
  });
});
