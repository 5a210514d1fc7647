// The program from its sources, as developers start it; the other tests run the bundles. Node strips the types of every module and
// thread that these runs load, so syntax that cannot be stripped fails here.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { finish, messagesOf, runCli, type CliResult } from './run-cli.ts';
import { NIGHTLY } from '../short-form.ts';

const SOURCE = fileURLToPath(new URL('../../electron/cli/main.ts', import.meta.url));
const BYU = fileURLToPath(new URL('../samples/byu6/complete/trace.byu', import.meta.url));
const TARMAC = fileURLToPath(new URL('../samples/tarmac/arm-sort/trace.txt', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'tracebench-sources-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const COMMANDS: readonly (readonly [command: string, trace: string, ...options: string[]])[] = [
  ['records', BYU],
  ['pages', BYU],
  ['calls', TARMAC],
  ['tree', TARMAC],
  ['registers', TARMAC, '--at', '20'],
  ['find', TARMAC, '--text', 'bl'],
];

if (NIGHTLY) {
  test.each(COMMANDS)(
    '%s gives the same output from the sources as from the bundles',
    async (command, trace, ...options) => {
      const args = (name: string): string[] => [
        command,
        trace,
        ...options,
        '--quiet',
        '--index-dir',
        join(folder, name),
      ];
      const ran = await runSources(args('sources'));
      const bundled = await runCli(args('bundles'));
      expect({ ...ran, stderr: messagesOf(ran.stderr) }).toEqual({ ...bundled, stderr: messagesOf(bundled.stderr) });
      expect(bundled).toMatchObject({ code: 0, stderr: '' });
    },
  );
}

test('a report with figures is made from the sources', async () => {
  const output = join(folder, 'report.html');
  const ran = await runSources(['report', TARMAC, '-o', output, '--quiet', '--index-dir', join(folder, 'sources')]);
  expect(ran).toMatchObject({ code: 0 });
  expect(readFileSync(output, 'utf8')).toContain('<svg');
});

function runSources(args: readonly string[]): Promise<CliResult> {
  return finish(spawn(process.execPath, [SOURCE, ...args], { stdio: ['ignore', 'pipe', 'pipe'] }));
}
