/** A complete index is one file that answers from read-only folders, and only for its own trace. */
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startEngine } from '../../electron/engine/engine.ts';
import { ask, refusal } from './ask.ts';
import { noProtection, protect, release } from './protect.ts';
import { nastyByu, scratch } from './traces.ts';
import { pageRows } from '../../shared/requests/addresses.ts';

const BLOCK = 6000;
const place = scratch();
const trace = place.file('trace.byu', nastyByu(12_000, 3));
const other = place.file('other.byu', nastyByu(12_000, 8));
let folder: string;
let made = 0;
const engine = startEngine({ blockBytes: BLOCK, jobs: 1 });

beforeEach(() => {
  folder = path.join(place.folder, `index-${String(made++)}`);
});

afterAll(async () => {
  await engine.close();
  place.dispose();
});

interface Reported {
  readonly index: string;
  readonly reach: { readonly complete: boolean };
  readonly pages: unknown;
  readonly notices: readonly string[];
}

/** Opens a trace, indexes it if needed, sends a request, and closes it. */
async function reported(file = trace): Promise<Reported> {
  const { trace: id, reach } = await ask(engine, 'open', { path: file, format: 'byu6', indexDirectory: folder });
  try {
    if (!reach.complete) await ask(engine, 'index', { trace: id });
    const pages = pageRows(await ask(engine, 'pages', { trace: id, size: 4096 }));
    const { index, notices } = await ask(engine, 'info', { trace: id });
    return { index: index.path, reach, pages, notices };
  } finally {
    await ask(engine, 'close', { trace: id });
    // The file is closed when the engine answers the next request.
    await ask(engine, 'formats', {});
  }
}

test('requests on a complete index write nothing and leave no other file than the choice of the format', async () => {
  const { index } = await reported();
  const before = fs.readFileSync(index);
  expect(await reported()).toMatchObject({ reach: { complete: true }, notices: [] });
  const others = fs.readdirSync(folder).filter((name) => name !== path.basename(index));
  expect(others).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.format$/)]);
  expect(fs.readFileSync(index).equals(before)).toBe(true);
});

test('merges the log that a killed process left next to a complete index at the next opening', async () => {
  const { index, pages } = await reported();
  const database = new Database(index);
  database.pragma('journal_mode = WAL');
  database.close();
  expect(await reported()).toMatchObject({ pages, reach: { complete: true }, notices: [] });
  const idle = new Database(index, { readonly: true });
  expect(idle.pragma('journal_mode', { simple: true })).toBe('delete');
  idle.close();
});

describe.skipIf(noProtection !== undefined)(`in a read-only folder (${noProtection ?? 'as here'})`, () => {
  test('a complete index answers', async () => {
    const { index, pages } = await reported();
    protect(index);
    protect(folder);
    try {
      expect(await reported()).toMatchObject({ index, pages, reach: { complete: true }, notices: [] });
    } finally {
      release(folder);
      release(index);
    }
  });

  test('a damaged index, or a rebuild, is refused in one sentence', async () => {
    const { index } = await reported();
    const args = { path: trace, format: 'byu6', indexDirectory: folder };
    const { trace: id } = await ask(engine, 'open', args);
    protect(index);
    protect(folder);
    try {
      const sentence = `${index}: this index cannot be replaced, because its folder may not be written to; choose another one with --index-dir`;
      expect(await refusal(engine, 'index', { trace: id, rebuild: true })).toEqual({
        code: 'index-unusable',
        message: sentence,
      });
      release(index);
      fs.writeFileSync(index, 'no index');
      expect(await refusal(engine, 'open', args)).toEqual({
        code: 'index-unusable',
        message: `the index is damaged: ${sentence}`,
      });
    } finally {
      release(folder);
      release(index);
    }
  });
});

test.skipIf(process.platform === 'win32')('keeps an index that another process has rebuilt meanwhile', async () => {
  const { index } = await reported();
  const { trace: id } = await ask(engine, 'open', { path: trace, format: 'byu6', indexDirectory: folder });
  fs.copyFileSync(index, `${index}.other`);
  mark(`${index}.other`);
  fs.renameSync(`${index}.other`, index);
  expect(await ask(engine, 'index', { trace: id, rebuild: true })).toMatchObject({ complete: true });
  await ask(engine, 'close', { trace: id });
  expect(isMarked(index)).toBe(true);
});

function mark(index: string): void {
  const database = new Database(index);
  database.exec("INSERT INTO kept (name, body) VALUES ('mark', x'00')");
  database.close();
}

function isMarked(index: string): boolean {
  const database = new Database(index, { readonly: true });
  const found = database.prepare("SELECT 1 FROM kept WHERE name = 'mark'").get();
  database.close();
  return found !== undefined;
}

describe('an index under the name of another one', () => {
  test('is discarded', async () => {
    const [mine, its] = [await reported(), await reported(other)];
    fs.copyFileSync(its.index, mine.index);
    expect(await reported()).toEqual({ ...mine, notices: ['the index was damaged and is built again'] });
  });

  test('is discarded if only its rows were exchanged', async () => {
    const [mine, its] = [await reported(), await reported(other)];
    const database = new Database(mine.index);
    database.prepare('ATTACH ? AS its').run(its.index);
    for (const table of ['node', 'body']) database.exec(`INSERT OR REPLACE INTO ${table} SELECT * FROM its.${table}`);
    database.close();
    expect(await reported()).toEqual({ ...mine, notices: ['the index was damaged and is built again'] });
  });
});

test.each([
  ['a watermark of another type', 'UPDATE meta SET value = 4'],
  ['no watermark', 'DELETE FROM meta'],
  ['nodes of another type', 'UPDATE node SET body = 4'],
])('rebuilds an index with %s without wrong answers', async (_, damage) => {
  const mine = await reported();
  const database = new Database(mine.index);
  database.exec(damage);
  database.close();
  expect(await reported()).toEqual({ ...mine, notices: ['the index was damaged and is built again'] });
});

/** Creates each of `files` at the same moment as the other worker, and reports errors. */
const AT_ONCE = `
const { parentPort, workerData } = require('node:worker_threads');
import(workerData.module).then(({ openIndexFile }) => {
  const arrived = new Int32Array(workerData.arrived);
  parentPort.postMessage(workerData.files.flatMap((file, round) => {
    Atomics.add(arrived, round, 1);
    while (Atomics.load(arrived, round) < 2);
    const opened = openIndexFile(file);
    if (!opened.ok) return [opened.error];
    opened.value.close();
    return [];
  }));
});`;

test('processes that create the same index at once wait for each other', async () => {
  const module = new URL('../../electron/engine/index/store/open-index.ts', import.meta.url).href;
  const files = Array.from({ length: 200 }, (_, round) => path.join(folder, `${String(round)}.index`));
  const arrived = new SharedArrayBuffer(4 * files.length);
  const answers = [1, 2].map(async () => {
    const worker = new Worker(AT_ONCE, { eval: true, workerData: { module, files, arrived } });
    const [failures] = (await once(worker, 'message')) as [unknown[]];
    return failures;
  });
  expect((await Promise.all(answers)).flat()).toEqual([]);
});
