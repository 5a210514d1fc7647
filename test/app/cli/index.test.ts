// `index`, and index locations: damage, temporary indexes, and full disks.
import { mkdirSync, readFileSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { NODE } from '../../../electron/engine/index/store/index-file.ts';
import { CLI, finish, runCli, runInside, messagesOf } from '../run-cli.ts';
import { BTM, BYU, golden, json, folder, TARMAC } from './driver.ts';

test('index reports its work, and the next time that there was none', async () => {
  const first = (await json(['index', BYU, '--force'])) as Record<string, unknown>;
  expect(Object.keys(first).slice(0, 8)).toEqual([
    'records',
    'bytes',
    'seconds',
    'bytesPerSecond',
    'indexBytes',
    'peakRssBytes',
    'jobs',
    'reader',
  ]);
  expect(first).toMatchObject({
    records: golden(BYU).length,
    bytes: readFileSync(BYU).length,
    built: true,
    complete: true,
  });
  expect(await json(['index', BYU])).toMatchObject({ built: false, complete: true });
  expect(await json(['index', BYU, '--force', '--jobs', '1'])).toMatchObject({ built: true, jobs: 1 });
});

test('info reports the index path as absolute', async () => {
  const { stdout } = await runInside(['info', BYU, '--json', '--quiet', '--index-dir', 'beside'], { cwd: folder });
  const { index } = JSON.parse(stdout) as { index: { path: string } };
  expect(dirname(index.path)).toBe(join(realpathSync(folder), 'beside'));
});

test.each([
  ['branch messages', BTM],
  ['executed instructions', TARMAC],
  ['bus cycles', BYU],
])('index keeps the answers about the whole trace: %s', async (what, trace) => {
  const questions = ['branches', 'calls', 'heat', 'loops', 'pages'];
  const indexes = join(folder, `answers about ${what}`);
  const index = ['--json', '--quiet', '--index-dir', indexes];
  await runInside(['index', trace, '--bare', ...index]);
  expect(keptIn(indexes)).toEqual([]);
  const report = JSON.parse((await runInside(['index', trace, ...index])).stdout) as Record<string, unknown>;
  expect(Object.keys(report).slice(-2)).toEqual(['flowSeconds', 'preparedSeconds']);
  const before = keptIn(indexes);
  expect(before.map((each) => each.split(' ')[0])).toEqual(expect.arrayContaining(questions));
  // The commands find everything there.
  for (const command of questions) await runInside([command, trace, ...index]);
  expect(keptIn(indexes)).toEqual(before);
});

function keptIn(indexes: string): readonly string[] {
  const [name = ''] = readdirSync(indexes).filter((file) => file.endsWith('.index'));
  const database = new Database(join(indexes, name), { readonly: true });
  const kept = database
    .prepare<[], { readonly name: string; readonly digest: string }>(
      'SELECT name, hex(body) AS digest FROM kept ORDER BY name',
    )
    .all();
  database.close();
  return kept.map((each) => `${each.name} ${each.digest}`);
}

test('a damaged index is rebuilt and the request answered', async () => {
  const indexes = join(folder, 'damaged-index');
  // The index keeps the answer about pages of the usual size.
  const pages = ['pages', BYU, '--size', '8k', '--json', '--index-dir'];
  // In another index: this one would keep the answer, too.
  const sound = await runCli([...pages, join(folder, 'sound-index')]);
  await runCli(['index', BYU, '--index-dir', indexes]);
  const [name = ''] = readdirSync(indexes).filter((file) => file.endsWith('.index'));
  const database = new Database(join(indexes, name));
  database.prepare('UPDATE node SET body = zeroblob(40) WHERE id < ?').run(NODE.segment * 32 * 2 ** 40);
  database.close();
  const { code, stdout, stderr } = await runCli([...pages, indexes]);
  expect([code, messagesOf(stderr)]).toEqual([0, `tracebench: ${BYU}: the index was damaged, so it is rebuilt\n`]);
  expect(stdout).toBe(sound.stdout);
});

test('a temporary index is removed at the end of the run', async () => {
  const file = join(folder, 'file-for-a-folder');
  const scratch = join(folder, 'scratch');
  writeFileSync(file, '');
  mkdirSync(scratch);
  const places = {
    XDG_CACHE_HOME: file,
    LOCALAPPDATA: file,
    HOME: file,
    TMPDIR: scratch,
    TEMP: scratch,
    TMP: scratch,
  };
  const { code, stdout, stderr } = await runCli(['info', BYU, '--json'], { env: places });
  expect(stderr).toMatch(/ cannot be written; this index is temporary, in /);
  expect([code, readdirSync(scratch)]).toEqual([0, []]);
  expect(JSON.parse(stdout)).toMatchObject({ index: { complete: true } });
});

test.skipIf(process.platform === 'win32')(
  'a partial index is removed from a full disk (Windows has no limits on the size of files)',
  async () => {
    const trace = join(folder, 'scattered.byu');
    await runInside(['sample', '--format', 'byu6', '--size', '6M', '--locality', 'none', '-o', trace]);
    const indexes = join(folder, 'small-disk');
    const command = [process.execPath, CLI, 'index', trace, '--json', '--index-dir', indexes];
    const child = spawn('bash', ['-c', 'ulimit -f 640; trap "" XFSZ; exec "$0" "$@"', ...command]);
    const { code, stdout, stderr } = await finish(child);
    expect(messagesOf(stderr)).toMatch(
      /^tracebench: .*: no room left for the index; free some or choose another folder/,
    );
    expect([code, stdout, readdirSync(indexes)]).toEqual([1, '', []]);
  },
);
