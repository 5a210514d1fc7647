/** Indexes after every kind of interrupted build, and traces that change while they are open. */
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import { sample } from '../../electron/sample/sample.ts';
import { NIGHTLY, rounds } from '../short-form.ts';
import { ask, refusal } from './ask.ts';
import { pagesOf, readAll, type OracleAnswers } from './oracle.ts';
import { sharedEngine } from './shared-engine.ts';
import { nastyByu, nastyTarmac, scratch } from './traces.ts';
import { pageRows } from '../../shared/requests/addresses.ts';

const BLOCK = 6000;
const RECORDS = rounds(120_000, 400_000);
const place = scratch();
const file = place.file('trace.byu', nastyByu(RECORDS, 3, 2 ** 24));
const settings = { endian: 'big' };
let oracle: OracleAnswers;

beforeAll(() => {
  oracle = readAll(file, 'byu6', settings);
});

afterAll(() => {
  place.dispose();
});

test('a build killed at any moment continues from its last commit and ends the same', async () => {
  const indexDirectory = path.join(place.folder, 'killed');
  const resumedFrom: number[] = [];
  for (let kills = 0; kills < rounds(2, 6); kills++) {
    const child = build(indexDirectory);
    await killAfterProgress(child, resumedFrom);
  }
  const engine = startEngine({ indexDirectory, blockBytes: BLOCK });
  const opened = await ask(engine, 'open', { path: file, format: 'byu6' });
  resumedFrom.push(opened.reach.records);
  expect(opened.reach.records).toBeLessThanOrEqual(oracle.records.length);
  await ask(engine, 'index', { trace: opened.trace });
  await expectWhole(engine, opened.trace);
  await engine.close();
  expect(Math.max(...resumedFrom), 'a build resumed from an earlier commit').toBeGreaterThan(0);
});

if (NIGHTLY) {
  test('two processes that build the same index at once both end with a complete one', async () => {
    const indexDirectory = path.join(place.folder, 'together');
    const children = Array.from({ length: 3 }, () => build(indexDirectory));
    const outputs = await Promise.all(children.map(outputOf));
    for (const { code, text } of outputs) {
      expect(text).toContain(`complete ${String(oracle.records.length)}`);
      expect(code).toBe(0);
    }
    const engine = startEngine({ indexDirectory, blockBytes: BLOCK });
    const opened = await ask(engine, 'open', { path: file, format: 'byu6' });
    expect(opened.reach.complete).toBe(true);
    await expectWhole(engine, opened.trace);
    await engine.close();
  });
}

test('a cancelled build answers for its prefix and continues when requested again', async () => {
  const engine = startEngine({ indexDirectory: path.join(place.folder, 'cancelled'), blockBytes: BLOCK });
  const { trace } = await ask(engine, 'open', { path: file, format: 'byu6' });
  const until = { records: 50_000 };
  const part = await ask(engine, 'index', { trace, until });
  expect(part.complete).toBe(false);
  expect(part.records).toBeGreaterThanOrEqual(until.records);
  const pages = await ask(engine, 'pages', { trace, size: 4096 });
  const { reach } = pages;
  expect(reach).toMatchObject({ records: part.records, complete: false });
  expect(pageRows(pages)).toEqual(pagesOf(oracle.records.slice(0, reach.records), 4096n));
  expect((await refusal(engine, 'records', { trace, from: reach.records + 1, count: 1 })).code).toBe('beyond-index');
  const stop = new AbortController();
  stop.abort();
  expect((await refusal(engine, 'index', { trace }, { signal: stop.signal })).code).toBe('cancelled');
  const whole = await ask(engine, 'index', { trace });
  expect(whole.complete).toBe(true);
  await expectWhole(engine, trace);
  await engine.close();
});

if (NIGHTLY) {
  test('a stopped build does not block another process, answers for its prefix, and then finds the complete index', async () => {
    const indexDirectory = path.join(place.folder, 'left to others');
    const [stopped, other] = [1, 2].map(() => startEngine({ indexDirectory, blockBytes: BLOCK })) as [Engine, Engine];
    const first = await ask(stopped, 'open', { path: file, format: 'byu6' });
    const part = await ask(stopped, 'index', { trace: first.trace, until: { records: 50_000 } });
    const second = await ask(other, 'open', { path: file, format: 'byu6' });
    expect((await ask(other, 'index', { trace: second.trace })).complete).toBe(true);
    await expectWhole(other, second.trace);
    const pages = await ask(stopped, 'pages', { trace: first.trace, size: 4096 });
    const { reach } = pages;
    expect(reach).toMatchObject({ records: part.records, complete: false });
    expect(pageRows(pages)).toEqual(pagesOf(oracle.records.slice(0, reach.records), 4096n));
    expect((await ask(stopped, 'index', { trace: first.trace })).complete).toBe(true);
    await expectWhole(stopped, first.trace);
    await stopped.close();
    await other.close();
  });

  test('two processes that build alternately end with a complete index', async () => {
    const indexDirectory = path.join(place.folder, 'by turns');
    const engines = [1, 2].map(() => startEngine({ indexDirectory, blockBytes: BLOCK }));
    const traces = await Promise.all(
      engines.map(async (engine) => (await ask(engine, 'open', { path: file, format: 'byu6' })).trace),
    );
    for (const [i, records] of [30_000, 40_000, 90_000, 100_000, 170_000, 171_000].entries())
      await ask(engines[i % 2]!, 'index', { trace: traces[i % 2]!, until: { records } });
    for (const [i, engine] of engines.entries()) {
      expect((await ask(engine, 'index', { trace: traces[i]! })).complete).toBe(true);
      await expectWhole(engine, traces[i]!);
    }
    await Promise.all(engines.map((engine) => engine.close()));
  });
}

test('returns the first records before indexing', async () => {
  const engine = sharedEngine(BLOCK);
  const { trace, reach } = await ask(engine, 'open', { path: file, format: 'byu6' });
  expect(reach).toEqual({ records: 0, bytes: 0, complete: false });
  const { records } = await ask(engine, 'records', { trace, from: 0, count: 20 });
  expect(records.map(({ offset }) => offset)).toEqual(oracle.records.slice(0, 20).map(({ offset }) => offset));
  await engine.close();
});

test('closing or rebuilding a trace during indexing leaves no process running and no damage', async () => {
  const engine = startEngine({ indexDirectory: path.join(place.folder, 'closing'), blockBytes: BLOCK });
  const { trace } = await ask(engine, 'open', { path: file, format: 'byu6' });
  const building = engine.request('index', { trace });
  const rebuilt = await ask(engine, 'index', { trace, rebuild: true });
  expect(rebuilt).toMatchObject({ complete: true, records: oracle.records.length });
  expect((await building).ok).toBe(true);
  await expectWhole(engine, trace);
  const again = engine.request('index', { trace, rebuild: true });
  await ask(engine, 'close', { trace });
  await again;
  expect((await refusal(engine, 'info', { trace })).code).toBe('not-open');
  const reopened = await ask(engine, 'open', { path: file, format: 'byu6' });
  await ask(engine, 'index', { trace: reopened.trace });
  await expectWhole(engine, reopened.trace);
  await engine.close();
});

test('a rebuild waits for requests that read the index, and requests that follow wait for it', async () => {
  const text = path.join(place.folder, 'calls.log');
  await sample({ format: 'tarmac', size: 600_000, path: text, seed: 1, locality: 'spread' });
  const engine = startEngine({ indexDirectory: path.join(place.folder, 'read'), blockBytes: 6000, jobs: 1 });
  const { trace } = await ask(engine, 'open', { path: text });
  const index = { trace, rebuild: true };
  const before = await ask(engine, 'index', { trace });
  const question = { trace, from: 0, count: 1000 };
  const events = await ask(engine, 'branchEvents', question);
  for (let round = 0; round < 2; round++) {
    const [early, first, second, late] = await Promise.all([
      ask(engine, 'branchEvents', question),
      ask(engine, 'index', index),
      ask(engine, 'index', index),
      ask(engine, 'records', { trace, from: 0, count: 3 }),
    ]);
    expect(early).toEqual(events);
    for (const report of [first, second]) expect(report).toMatchObject({ records: before.records, complete: true });
    expect(late.records).toHaveLength(3);
  }
  await engine.close();
});

test('two open traces do not mix', async () => {
  const text = place.file('other.txt', nastyTarmac(3000, 11));
  const other = readAll(text, 'tarmac', { dialect: 'qemu4v' });
  const engine = startEngine({ indexDirectory: path.join(place.folder, 'two'), blockBytes: BLOCK });
  const [a, b] = await Promise.all([ask(engine, 'open', { path: file }), ask(engine, 'open', { path: text })]);
  await Promise.all([ask(engine, 'index', { trace: a.trace }), ask(engine, 'index', { trace: b.trace })]);
  await expectWhole(engine, a.trace);
  expect(pageRows(await ask(engine, 'pages', { trace: b.trace, size: 4096 }))).toEqual(pagesOf(other.records, 4096n));
  await engine.close();
});

describe('a damaged index', () => {
  let engine: Engine;
  let pristine: Buffer;
  let index: string;

  beforeAll(async () => {
    engine = startEngine({ indexDirectory: path.join(place.folder, 'damaged'), blockBytes: BLOCK });
    const { trace } = await ask(engine, 'open', { path: file, format: 'byu6' });
    await ask(engine, 'index', { trace });
    index = (await ask(engine, 'info', { trace })).index.path;
    await ask(engine, 'close', { trace });
    pristine = fs.readFileSync(index);
  });

  afterAll(async () => {
    await engine.close();
  });

  const PARTS = rounds(3, 24);
  const damages: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
    ['empty', () => Buffer.alloc(0)],
    ['cut in half', (bytes) => bytes.subarray(0, bytes.length >> 1)],
    ['text', () => Buffer.from('this is no index\n'.repeat(1000))],
    ['a flipped head', (bytes) => flipped(bytes, 20)],
    ...Array.from({ length: PARTS }, (_, i) => {
      const name = `bits flipped in part ${i} of ${PARTS}`;
      return [name, (bytes: Buffer) => flipped(bytes, Math.floor((bytes.length * (i + 0.37)) / PARTS), 64)] as const;
    }),
  ];

  test.each(damages)('is rebuilt without wrong answers: %s', async (_, damage) => {
    for (const end of ['-wal', '-shm']) fs.rmSync(index + end, { force: true });
    fs.writeFileSync(index, damage(Buffer.from(pristine)));
    const { trace } = await ask(engine, 'open', { path: file, format: 'byu6' });
    const answer = await engine.request('pages', { trace, size: 4096 });
    const whole = await engine.request('find', {
      trace,
      kinds: ['io-write'],
      address: { low: '0x100', high: '0x10f' },
      limit: 400,
    });
    if (answer.ok && answer.value.reach.complete)
      expect(pageRows(answer.value)).toEqual(pagesOf(oracle.records, 4096n));
    if (!answer.ok) expect(answer.error.code).toBe('index-damaged');
    if (whole.ok && whole.value.reach.complete) {
      const wanted = oracle.records.filter(
        ({ kind, low, high }) => kind === 'io-write' && low! <= 0x10fn && high! >= 0x100n,
      );
      expect(whole.value.records.map(({ n }) => n)).toEqual(wanted.slice(0, 400).map(({ n }) => n));
    }
    if (!whole.ok) expect(whole.error.code).toBe('index-damaged');
    await ask(engine, 'index', { trace });
    await ask(engine, 'close', { trace });
  });
});

describe('a file that changes while it is open', () => {
  test.each([
    [
      'truncated',
      (name: string) => {
        fs.truncateSync(name, 30_000);
      },
      'became shorter',
    ],
    [
      'written to',
      (name: string) => {
        fs.writeFileSync(name, nastyByu(60_000, 99));
      },
      'was written to',
    ],
  ])('gives one error and no mixed answers: %s', async (_, change, sentence) => {
    const name = place.file('changing.byu', nastyByu(60_000, 5));
    const engine = sharedEngine(BLOCK);
    const { trace } = await ask(engine, 'open', { path: name, format: 'byu6' });
    await ask(engine, 'index', { trace, until: { records: 5000 } });
    change(name);
    for (const refused of [
      await refusal(engine, 'index', { trace }),
      await refusal(engine, 'records', { trace, from: 0, count: 5 }),
    ]) {
      expect(refused.code).toBe('changed');
      expect(refused.message).toContain(sentence);
      expect(refused.message).toContain(name);
    }
    await engine.close();
  });

  test('does not complete the index of a file that is written to during indexing', async () => {
    const name = place.file('rewritten.byu', nastyByu(RECORDS, 5));
    const other = nastyByu(RECORDS, 99);
    const engine = sharedEngine(BLOCK);
    const { trace } = await ask(engine, 'open', { path: name, format: 'byu6' });
    const refused = refusal(engine, 'index', { trace });
    // Whether indexing has begun or not, it cannot have finished so many blocks. The file keeps its length.
    fs.writeFileSync(name, other, { flag: 'r+' });
    expect(await refused).toMatchObject({ code: 'changed' });
    await engine.close();
  });

  test.skipIf(process.platform === 'win32')(
    'does not read a replacing file as the open one (Windows does not allow replacing an open file)',
    async () => {
      const name = place.file('replaced.byu', nastyByu(60_000, 5));
      const engine = sharedEngine(BLOCK);
      const { trace } = await ask(engine, 'open', { path: name, format: 'byu6' });
      fs.renameSync(place.file('replacement.byu', nastyByu(60_000, 99)), name);
      const refused = await refusal(engine, 'index', { trace });
      expect(refused.code).toBe('changed');
      expect(refused.message).toContain('another file has taken its place');
      await engine.close();
    },
  );

  test('leaves appended data for the next opening and gives one notice', async () => {
    const name = place.file('growing.byu', nastyByu(10_000, 6));
    const engine = sharedEngine(BLOCK);
    const { trace, file: facts } = await ask(engine, 'open', { path: name, format: 'byu6' });
    fs.appendFileSync(name, nastyByu(10_000, 7));
    const report = await ask(engine, 'index', { trace });
    expect(report).toMatchObject({ complete: true, bytes: facts.bytes });
    const reported = `the file has grown since it was opened: only its first ${facts.bytes} bytes are shown; open it again to see the rest`;
    for (let times = 0; times < 2; times++) {
      expect((await ask(engine, 'info', { trace })).notices).toEqual([reported]);
      fs.appendFileSync(name, nastyByu(100, 8));
    }
    const again = await ask(engine, 'open', { path: name, format: 'byu6' });
    expect([again.notices, again.file.bytes]).toEqual([[], fs.statSync(name).size]);
    await engine.close();
  });

  test.skipIf(process.platform === 'win32')(
    'reports a file that takes over the name and keeps showing the open one',
    async () => {
      const content = nastyByu(20_000, 5);
      const name = place.file('renamed-over.byu', content);
      const engine = sharedEngine(BLOCK);
      const { trace } = await ask(engine, 'open', { path: name, format: 'byu6' });
      await ask(engine, 'index', { trace });
      const before = await ask(engine, 'records', { trace, from: 0, count: 20 });
      fs.renameSync(place.file('newer.byu', nastyByu(20_000, 6)), name);
      for (let times = 0; times < 2; times++) {
        expect((await ask(engine, 'info', { trace })).notices).toEqual([
          'another file has replaced this one since it was opened: what you see is the old file; open it again to see the new one',
        ]);
      }
      expect((await ask(engine, 'records', { trace, from: 0, count: 20 })).records).toEqual(before.records);
      expect((await ask(engine, 'open', { path: name, format: 'byu6' })).notices).toEqual([]);
      await engine.close();
    },
  );
});

describe('a run of the same size, time, beginning and end as another', () => {
  const ends = 6 * 20_000;
  const [one, other] = [nastyByu(100_000, 6), nastyByu(101_000, 7)];
  const another = Buffer.concat([one.subarray(0, ends), other.subarray(ends, one.length - ends), one.subarray(-ends)]);
  const time = new Date('2026-01-31T12:00:00Z');

  beforeAll(() => {
    expect(another).toHaveLength(one.length);
  });

  test('has its own index', async () => {
    const name = place.file('again.byu', one);
    fs.utimesSync(name, time, time);
    const engine = sharedEngine(BLOCK);
    const first = await ask(engine, 'open', { path: name, format: 'byu6', options: settings });
    await ask(engine, 'index', { trace: first.trace });
    await ask(engine, 'close', { trace: first.trace });
    fs.writeFileSync(name, another);
    fs.utimesSync(name, time, time);
    const { trace, reach } = await ask(engine, 'open', { path: name, format: 'byu6', options: settings });
    expect(reach.records).toBe(0);
    await ask(engine, 'index', { trace });
    const { kinds } = await ask(engine, 'info', { trace });
    const counts: Record<string, number> = {};
    for (const { kind } of readAll(name, 'byu6', settings).records) counts[kind] = (counts[kind] ?? 0) + 1;
    expect(kinds).toEqual(counts);
    await engine.close();
  });

  test('is not mistaken for the open file where indexing continues', async () => {
    const name = place.file('longer.byu', one);
    const engine = sharedEngine(BLOCK);
    const { trace } = await ask(engine, 'open', { path: name, format: 'byu6' });
    fs.writeFileSync(name, Buffer.concat([another, another]));
    expect((await refusal(engine, 'index', { trace })).message).toContain('was written to while it was open');
    await engine.close();
  });
});

describe('an index that cannot be written', () => {
  test('gives one error for an unwritable folder', async () => {
    const notAFolder = place.file('a-file', 'x');
    const engine = startEngine({ indexDirectory: path.join(notAFolder, 'index') });
    const refused = await refusal(engine, 'open', { path: file, format: 'byu6' });
    expect(refused.code).toBe('index-unusable');
    expect(refused.message).toContain('--index-dir');
    await engine.close();
  });

  test('gives one error and leaves no file if the disk is full at the start', async () => {
    const indexDirectory = path.join(place.folder, 'no-room');
    const { code, text } = await outputOf(buildWithin(64, indexDirectory));
    expect(text).toContain('the index cannot be kept there');
    expect(text).not.toContain('internal');
    expect(code).not.toBe(0);
    expect(fs.readdirSync(indexDirectory)).toEqual([]);
  });

  test('gives one error if the disk fills up, keeps records readable, and never passes for complete', async () => {
    const indexDirectory = path.join(place.folder, 'full');
    const { code, text } = await outputOf(buildWithin(768, indexDirectory));
    expect(text).toContain('disk-full');
    expect(code).not.toBe(0);
    const engine = startEngine({ indexDirectory, blockBytes: BLOCK });
    const { trace, reach } = await ask(engine, 'open', { path: file, format: 'byu6' });
    expect(reach.complete).toBe(false);
    await ask(engine, 'index', { trace });
    await expectWhole(engine, trace);
    await engine.close();
  });
});

async function expectWhole(engine: Engine, trace: string): Promise<void> {
  const info = await ask(engine, 'info', { trace });
  expect(info.reach).toEqual({ records: oracle.records.length, bytes: info.file.bytes, complete: true });
  expect(Object.fromEntries(info.diagnostics.map(({ code, count }) => [code, count]))).toEqual(oracle.diagnostics);
  expect(pageRows(await ask(engine, 'pages', { trace, size: 4096 }))).toEqual(pagesOf(oracle.records, 4096n));
  const grid = await ask(engine, 'heat', { trace, columns: 30, rows: 10, precision: 'quick' });
  expect(grid.counts.reduce((a, b) => a + b, 0)).toBe(oracle.records.filter(({ low }) => low !== undefined).length);
  const last = oracle.records.findLast(({ kind }) => kind === 'write')!;
  expect((await ask(engine, 'find', { trace, kinds: ['write'], before: oracle.records.length })).records[0]?.n).toBe(
    last.n,
  );
}

function fixture(): string {
  return path.join(import.meta.dirname, 'fixtures', 'build-index.ts');
}

function build(indexDirectory: string): ChildProcess {
  return spawn(process.execPath, [fixture(), file, 'byu6', indexDirectory, String(BLOCK)]);
}

/** Limits files of a process to `limit` KiB: more writing fails as on a full disk. */
function buildWithin(limit: number, indexDirectory: string): ChildProcess {
  const command = `ulimit -f ${String(limit)}; trap "" XFSZ; exec "$0" "$@"`;
  return spawn('bash', ['-c', command, process.execPath, fixture(), file, 'byu6', indexDirectory, String(BLOCK)]);
}

async function outputOf(child: ChildProcess): Promise<{ code: number | null; text: string }> {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, text };
}

/** Kills with SIGKILL as soon as the build reports progress beyond its start, or lets it end. */
async function killAfterProgress(child: ChildProcess, resumedFrom: number[]): Promise<void> {
  if (child.stdout === null) throw new Error('the child has an output');
  const ended = new Promise((resolve) => child.on('close', resolve));
  let began = 0;
  for await (const line of createInterface(child.stdout)) {
    const [word, number] = line.split(' ');
    if (word === 'opened') resumedFrom.push((began = Number(number)));
    if (word === 'at' && Number(number) > began + 70 * (BLOCK / 6)) child.kill('SIGKILL');
  }
  await ended;
}

function flipped(bytes: Buffer, from: number, count = 1): Buffer {
  for (let i = from; i < Math.min(from + count, bytes.length); i++) bytes[i] = bytes[i]! ^ 0x55;
  return bytes;
}
