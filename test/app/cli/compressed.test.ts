// A compressed trace on the command line: same answers as the plain one, clean interruption, and one line for damage.
import { mkdtempSync, mkdirSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finish, runCli, runInside, startCli } from '../run-cli.ts';

const LINES = 'I  04001090,3\n L 1ffeffe7e0,8\n'.repeat(500);
let folder = '';
let index = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'compressed-'));
  index = join(folder, 'index');
  mkdirSync(index);
  writeFileSync(join(folder, 'plain'), LINES);
  writeFileSync(join(folder, 'trace.gz'), gzipSync(LINES));
  writeFileSync(join(folder, 'trace'), zstdCompressSync(LINES));
  writeFileSync(join(folder, 'cut.gz'), gzipSync(LINES).subarray(0, 60));
  writeFileSync(join(folder, 'large.gz'), gzipSync(new Uint8Array(400_000_000)));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(['trace.gz', 'trace'])('%s prints the records of the plain trace', async (name) => {
  const requested = (file: string): Promise<{ stdout: string }> =>
    runInside(['records', file, '--from', '990', '--count', '5', '--json', '--index-dir', index], { cwd: folder });
  expect((await requested(name)).stdout).toBe((await requested('plain')).stdout);
});

test('info names the compressed file and its expanded copy', async () => {
  const { stdout, code } = await runCli(['info', 'trace.gz', '--json', '--index-dir', index], { cwd: folder });
  const { file, records } = JSON.parse(stdout) as {
    file: { path: string; bytes: number; compressed: { as: string; bytes: number; expanded: string } };
    records: number;
  };
  expect(code).toBe(0);
  expect(records).toBe(1000);
  expect(file).toMatchObject({ path: join(folder, 'trace.gz'), bytes: LINES.length });
  expect(file.compressed).toMatchObject({ as: 'gzip', bytes: gzipSync(LINES).length });
  expect(readdirSync(index).map((name) => join(index, name))).toContain(file.compressed.expanded);
});

test('a truncated file gives one line and exit code 1', async () => {
  const { stdout, stderr, code } = await runInside(['info', 'cut.gz', '--index-dir', index], { cwd: folder });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^tracebench: cut\.gz: it breaks off at byte 60, .*\n$/);
});

test.skipIf(process.platform === 'win32')('Ctrl+C during expansion exits with 130 and leaves no file', async () => {
  const place = join(folder, 'stopped');
  mkdirSync(place);
  const child = startCli(['info', 'large.gz', '--format', 'byu6', '--index-dir', place], { cwd: folder });
  // Sent once: a second interrupt would not wait for cleanup.
  const watcher = watch(place).once('change', () => child.kill('SIGINT'));
  const { code, stdout } = await finish(child);
  watcher.close();
  expect([code, stdout]).toEqual([130, '']);
  expect(readdirSync(place)).toEqual([]);
});
