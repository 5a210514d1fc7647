/** Several programs that need the same index, one of which is stopped while it builds it. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import { createStandstill } from '../../electron/engine/index/neighbour.ts';
import { pageRows } from '../../shared/requests/addresses.ts';
import type { Progress } from '../../shared/requests/requests.ts';
import { NIGHTLY } from '../short-form.ts';
import { ask } from './ask.ts';
import { pagesOf, readAll } from './oracle.ts';
import { nastyByu, scratch } from './traces.ts';

const BLOCK = 6000;
const RECORDS = 100_000;
/** Several commits of the stopped program come before this record. */
const STOPPED_AT = 70_000;
const place = scratch();
const file = place.file('trace.byu', nastyByu(RECORDS, 4, 2 ** 24));
const fixture = fileURLToPath(new URL('./fixtures/stop-midway.ts', import.meta.url));
const oracle = readAll(file, 'byu6', { endian: 'big' });

afterAll(() => {
  place.dispose();
});

describe('a neighbour', () => {
  test('stands still after so many equal looks in a row', () => {
    const isStandingStill = createStandstill(3);
    expect(['a', 'a', 'a', 'a', 'a'].map(isStandingStill)).toEqual([false, false, false, true, true]);
  });

  test('that is slow but alive is followed on', () => {
    const isStandingStill = createStandstill(3);
    const signs = ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'c', 'd'];
    expect(signs.map(isStandingStill)).toEqual(signs.map(() => false));
  });
});

test.skipIf(process.platform === 'win32')(
  'a program names the stopped one that it waits for and goes on alone, and both end with right answers',
  async () => {
    const indexDirectory = path.join(place.folder, 'stopped');
    const child = spawn(process.execPath, [fixture, file, 'byu6', indexDirectory, String(BLOCK), String(STOPPED_AT)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('stopping');

    const engine = startEngine({ indexDirectory, blockBytes: BLOCK, jobs: 1, patience: 2 });
    const { trace } = await ask(engine, 'open', { path: file, format: 'byu6' });
    const events: Progress[] = [];
    const onEvent = (event: object) => 'bytes' in event && events.push(event as Progress);
    // Two requests at once go on with the same index.
    const reports = await Promise.all([
      ask(engine, 'index', { trace }, { onEvent }),
      ask(engine, 'index', { trace, until: { records: RECORDS } }),
    ]);
    for (const report of reports) expect(report).toMatchObject({ complete: true, records: oracle.records.length });
    expect(events.map(({ waitsFor }) => waitsFor)).toContain(`process ${String(child.pid)}`);
    // The indexed part never shrinks.
    expect(events.map(({ records }) => records)).toEqual(events.map(({ records }) => records).sort((a, b) => a - b));
    await expectWhole(engine, trace);
    const { notices, index } = await ask(engine, 'info', { trace });
    const folder = path.dirname(index.path);
    expect(notices).toEqual([
      `${path.join(indexDirectory, path.basename(index.path))}: process ${String(child.pid)} is building this index and has made no progress for 0 seconds; this index is temporary, in ${folder}`,
    ]);

    child.kill('SIGCONT');
    expect((await lines.next()).value).toBe(`complete ${String(oracle.records.length)}`);
    expect(await ended).toBe(0);
    await expectWhole(engine, trace);
    await engine.close();
    expect(fs.existsSync(folder)).toBe(false);
    const left = fs.readdirSync(indexDirectory).filter((name) => !name.endsWith('.format'));
    expect(left).toEqual([path.basename(index.path)]);
    await expectValid(indexDirectory);
  },
);

// Waits two seconds for the lock.
if (NIGHTLY) {
  test('a program that cannot create its index, because another one keeps it locked, uses a temporary one', async () => {
    const indexDirectory = path.join(place.folder, 'locked');
    const engine = startEngine({ indexDirectory, blockBytes: BLOCK, jobs: 1 });
    const first = await ask(engine, 'open', { path: file, format: 'byu6' });
    const { index } = await ask(engine, 'info', { trace: first.trace });
    await ask(engine, 'close', { trace: first.trace });
    await ask(engine, 'formats', {});
    fs.rmSync(index.path);
    const locker = new Database(index.path);
    locker.exec('BEGIN EXCLUSIVE');
    const { trace, notices } = await ask(engine, 'open', { path: file, format: 'byu6' });
    expect(notices[0]).toContain(`another program keeps ${index.path} locked; this index is temporary`);
    await ask(engine, 'index', { trace });
    await expectWhole(engine, trace);
    locker.exec('ROLLBACK');
    locker.close();
    await engine.close();
  });
}

async function expectValid(indexDirectory: string): Promise<void> {
  const [name = ''] = fs.readdirSync(indexDirectory).filter((file) => file.endsWith('.index'));
  const database = new Database(path.join(indexDirectory, name), { readonly: true });
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  database.close();
  const engine = startEngine({ indexDirectory, blockBytes: BLOCK, jobs: 1 });
  const { trace, reach, notices } = await ask(engine, 'open', { path: file, format: 'byu6' });
  expect({ reach, notices }).toMatchObject({ reach: { complete: true }, notices: [] });
  await expectWhole(engine, trace);
  await engine.close();
}

async function expectWhole(engine: Engine, trace: string): Promise<void> {
  const pages = await ask(engine, 'pages', { trace, size: 4096 });
  const { reach } = pages;
  expect(reach).toMatchObject({ complete: true, records: oracle.records.length });
  expect(pageRows(pages)).toEqual(pagesOf(oracle.records, 4096n));
}
