// `tracebench sample` for scripts: its output, its exit codes, and clean interruption.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SAMPLE_FORMAT_IDS } from '../../electron/sample/sample.ts';

const CLI = fileURLToPath(new URL('../../electron/cli/main.ts', import.meta.url));

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sample-command-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly complaint: string;
}

function start(...args: readonly string[]): { readonly ended: Promise<Ended>; interrupt(): void } {
  const child = spawn(process.execPath, [CLI, 'sample', ...args], { cwd: folder });
  let output = '';
  let complaint = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (complaint += data.toString()));
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, output, complaint }));
  return { ended, interrupt: () => child.kill('SIGINT') };
}

test('prints the trace path and its contents', async () => {
  const args = ['--format', 'byu6', '--size', '64k', '--seed', '9', '--locality', 'local', '-o', 'a.byu', '--json'];
  const { code, output } = await start(...args).ended;
  expect(code).toBe(0);
  expect(JSON.parse(output)).toEqual({ path: 'a.byu', records: 10922, bytes: 65532 });
  expect(statSync(join(folder, 'a.byu')).size).toBe(65532);
  rmSync(join(folder, 'a.byu'));
});

test('prints one line for missing or wrong arguments and exits with the usage code', async () => {
  const wrong = [
    ['--size', '1M', '-o', 'x'],
    ['--format', 'byu6', '-o', 'x'],
    ['--format', 'byu6', '--size', '1M'],
    ['--format', 'byu6', '--size', '1M', '-o', 'x', '--locality', 'far'],
  ];
  const results = await Promise.all(wrong.map((args) => start(...args).ended));
  const text = results.map(({ code, complaint }) => `${String(code)} ${complaint}`).join('');
  expect(text.replace(SAMPLE_FORMAT_IDS.join(', '), 'ALL')).toMatchInlineSnapshot(`
    "2 tracebench: sample: choose the format with --format (ALL)
    2 tracebench: sample: give the size with --size, for example --size 100M
    2 tracebench: sample: name the output file with -o FILE
    2 tracebench: --locality must be spread, local or none, not 'far'
    "
  `);
  expect(readdirSync(folder)).toEqual([]);
});

test.skipIf(process.platform === 'win32')(
  'exits with 130 and leaves no file when interrupted (Windows cannot send that to a process)',
  async () => {
    const begun = watch(folder);
    const child = start('--format', 'byu6', '--size', '2G', '-o', 'big.byu');
    await once(begun, 'change');
    begun.close();
    child.interrupt();
    const { code, complaint } = await child.ended;
    expect(complaint).toBe('tracebench: interrupted\n');
    expect(code).toBe(130);
    expect(readdirSync(folder)).toEqual([]);
  },
);
