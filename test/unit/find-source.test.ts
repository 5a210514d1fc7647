/** Where source files are found, and what is never read. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSource, type SourcePlaces } from '../../electron/engine/queries/source/find-source.ts';

let root = '';
const at = (...parts: readonly string[]): string => path.join(root, ...parts);
beforeAll(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tracebench-source-')));
  for (const file of ['fw/src/uart.c', 'fw/lib/uart.c', 'fw/src/main.c', 'a/same.c', 'b/same.c', 'outside/secret.c']) {
    fs.mkdirSync(path.dirname(at(file)), { recursive: true });
    fs.writeFileSync(at(file), file);
  }
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const NOWHERE: SourcePlaces = { folders: [], maps: [], compiledIn: [] };
const find = (name: string, places: Partial<SourcePlaces> = {}) =>
  findSource(name, { ...NOWHERE, ...places }, () => false);

test('finds a file under its own name, before all other places', async () => {
  const found = await find(at('fw/src/main.c'), { folders: [at('fw')] });
  expect(found).toEqual({ path: at('fw/src/main.c'), by: 'name', tried: [] });
});

test('finds a file by a map, also of a compilation directory', async () => {
  const maps = [{ from: '/build/fw', to: at('fw') }];
  expect(await find('/build/fw/src/../src/main.c', { maps })).toMatchObject({ path: at('fw/src/main.c'), by: 'map' });
  expect(await find('src/main.c', { maps, compiledIn: ['/build/fw'] })).toMatchObject({ path: at('fw/src/main.c') });
  // A map leads nowhere outside of its own folder.
  expect(await find('/build/fw/../outside/secret.c', { maps })).not.toHaveProperty('path');
});

test('finds a relative name in its compilation directory, and in no other', async () => {
  expect(await find('src/main.c', { compiledIn: [at('fw')] })).toMatchObject({ by: 'compilation directory' });
  // It is not looked for in the folder in which the program runs.
  expect(await find('package.json')).toEqual({ tried: [] });
});

test('finds the file whose path ends most like the name', async () => {
  expect(await find('/x/lib/uart.c', { folders: [root] })).toMatchObject({ path: at('fw/lib/uart.c'), by: 'folder' });
  expect(await find('C:\\work\\src\\uart.c', { folders: [root] })).toMatchObject({ path: at('fw/src/uart.c') });
});

test('chooses none of several files that end alike', async () => {
  const found = await find('/x/same.c', { folders: [root] });
  expect(found).toMatchObject({ problem: expect.stringMatching(/Several files could be it: .*same\.c/) as string });
  expect(found).not.toHaveProperty('path');
});

test('names the places at which a file is not', async () => {
  expect(await find('/gone/main.x', { folders: [at('fw')], maps: [{ from: '/gone', to: root }] })).toEqual({
    tried: ['/gone/main.x', at('main.x'), at('fw/…/main.x')],
  });
});

test.skipIf(process.platform === 'win32')('follows no link out of a folder, and reads no pipe', async () => {
  fs.symlinkSync(at('outside/secret.c'), at('fw/linked.c'));
  fs.symlinkSync(at('outside'), at('fw/elsewhere'));
  execFileSync('mkfifo', [at('fw/pipe.c')]);
  for (const name of ['linked.c', 'secret.c', 'pipe.c'])
    expect(await find(`/x/${name}`, { folders: [at('fw')] })).not.toHaveProperty('path');
  expect(await find(at('fw/pipe.c'))).not.toHaveProperty('path');
  expect(await find('/old/linked.c', { maps: [{ from: '/old', to: at('fw') }] })).not.toHaveProperty('path');
});
