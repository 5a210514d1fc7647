/** Files that the program makes on its own are readable to nobody who may not read the trace. */
import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { runCli } from '../run-cli.ts';
import { BYU, folder } from './driver.ts';

/** Paths below a folder with their modes. */
function modesIn(place: string): readonly (readonly [path: string, mode: string])[] {
  return readdirSync(place, { recursive: true, encoding: 'utf8' }).map((path) => {
    const status = statSync(join(place, path));
    return [path, `${status.isDirectory() ? 'folder' : 'file'} ${(status.mode & 0o777).toString(8)}`];
  });
}

// Windows has no modes.
test.skipIf(process.platform === 'win32').each([
  ['600', '600'],
  ['644', '644'],
])('a notebook of a trace of mode %s has mode %s, index and expansion 600', async (mode, notebook) => {
  const home = join(folder, `home-${mode}`);
  const traces = join(folder, `traces-${mode}`);
  for (const place of [home, traces]) mkdirSync(place);
  const trace = join(traces, 't.gz');
  writeFileSync(trace, gzipSync(readFileSync(BYU)));
  chmodSync(trace, Number.parseInt(mode, 8));

  const env = { HOME: home, XDG_CACHE_HOME: join(home, 'cache'), XDG_DATA_HOME: join(home, 'data') };
  expect(await runCli(['notes', 'add', trace, '--title', 'secret', '--at', '3'], { env })).toMatchObject({ code: 0 });
  const made = modesIn(home);
  const kinds = made.map(([path]) => path.replace(/^.*\./, ''));
  expect(kinds).toEqual(expect.arrayContaining(['index', 'expanded']));
  expect([...new Set(made.map(([, its]) => its))].sort()).toEqual(['file 600', 'folder 700']);
  expect(Object.fromEntries(modesIn(traces))).toEqual({ 't.gz': `file ${mode}`, 't.gz.notebook': `file ${notebook}` });
});
