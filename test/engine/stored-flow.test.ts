/** Results about branches and calls, and the last heatmap, are stored in the index, per set of images, sealed, and only for the whole trace. */
import Database from 'better-sqlite3';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import { INDEX_DAMAGED } from '../../shared/requests/failures.ts';
import { ask, refusal } from './ask.ts';
import { scratch } from './traces.ts';
import { NIGHTLY } from '../short-form.ts';

const place = scratch();
afterAll(() => {
  place.dispose();
});

/** A loop at 0x8000 that calls 0x8100, which returns: three instructions per round. */
function calling(times: number): Uint8Array {
  const round = [
    '00008000 eb00003e A svc : bl #0x8100',
    '00008100 e12fff1e A svc : bx lr',
    '00008004 eafffffd A svc : b #0x8000',
  ];
  const lines = Array.from({ length: 3 * times }, (_, n) => `${n + 1} clk 0 IT (${n + 1}) ${round[n % 3]!}`);
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}

const names = (name: string) =>
  place.file(`${name}.nm`, new TextEncoder().encode(`00008000 T loop\n00008100 T ${name}\n`));

async function open(engine: Engine, file: string, image?: string): Promise<string> {
  const images = image === undefined ? [] : [{ path: image }];
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', images });
  await ask(engine, 'index', { trace });
  return trace;
}

async function keptIn(engine: Engine, trace: string): Promise<{ file: string; names: string[] }> {
  const { index } = await ask(engine, 'info', { trace });
  const database = new Database(index.path, { readonly: true });
  const kept = database.prepare<[], string>('SELECT name FROM kept ORDER BY id').pluck().all();
  database.close();
  return { file: index.path, names: kept };
}

test('stores results for each set of images separately', async () => {
  const file = place.file('images.log', calling(50));
  const engine = startEngine({ indexDirectory: path.join(place.folder, 'images'), jobs: 1 });
  for (const image of [undefined, names('leaf'), names('other'), names('leaf')]) {
    const trace = await open(engine, file, image);
    const { functions, edges } = await ask(engine, 'calls', { trace });
    const expected = image === undefined ? '0x8100' : path.basename(image, '.nm');
    expect(functions.map(({ name }) => name)).toContain(expected);
    expect(edges.map(({ count }) => count)).toEqual([50]);
    await ask(engine, 'branches', { trace });
    await ask(engine, 'close', { trace });
  }
  const trace = await open(engine, file);
  const { names: kept } = await keptIn(engine, trace);
  await engine.close();
  expect(kept.map((name) => name.split(' ')[0])).toEqual([
    'calls',
    'branches',
    'calls',
    'branches',
    'calls',
    'branches',
  ]);
  expect(new Set(kept).size).toBe(6);
});

test('detects a flipped bit and rebuilds the index', async () => {
  const file = place.file('damaged.log', calling(50));
  const settings = { indexDirectory: path.join(place.folder, 'damaged'), jobs: 1 };
  const before = startEngine(settings);
  const first = await open(before, file);
  const answer = await ask(before, 'calls', { trace: first });
  const { file: index } = await keptIn(before, first);
  await before.close();

  const database = new Database(index);
  const body = database.prepare<[], Buffer>("SELECT body FROM kept WHERE name LIKE 'calls%'").pluck().get()!;
  body[body.length >> 1]! ^= 4;
  database.prepare("UPDATE kept SET body = ? WHERE name LIKE 'calls%'").run(body);
  database.close();

  const after = startEngine(settings);
  const trace = await open(after, file);
  expect((await refusal(after, 'calls', { trace })).code).toBe(INDEX_DAMAGED);
  await ask(after, 'index', { trace });
  expect(await ask(after, 'calls', { trace })).toEqual(answer);
  await after.close();
});

test('stores nothing for a part of the trace or a growing index', async () => {
  const file = place.file('part.log', calling(20_000));
  const engine = startEngine({ indexDirectory: path.join(place.folder, 'part'), jobs: 1, blockBytes: 20_000 });
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
  await ask(engine, 'index', { trace, until: { records: 1000 } });
  const early = await ask(engine, 'calls', { trace });
  expect(early.reach.complete).toBe(false);
  expect((await keptIn(engine, trace)).names).toEqual([]);
  await ask(engine, 'index', { trace });
  const late = await ask(engine, 'calls', { trace });
  expect(late.edges.map(({ count }) => count)).toEqual([20_000]);
  expect((await keptIn(engine, trace)).names).toHaveLength(1);
  await engine.close();
});

test('stores results ahead of requests, if the caller asks for it', async () => {
  const file = place.file('ahead.log', calling(2000));
  const indexDirectory = path.join(place.folder, 'ahead');
  const engine = startEngine({ blockBytes: 2000, jobs: 2, indexDirectory });
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
  expect((await keptIn(engine, trace)).names).toEqual([]);
  await ask(engine, 'index', { trace, ahead: true });
  for (let kept: string[] = []; kept.length < 2;) ({ names: kept } = await keptIn(engine, trace));
  const { edges } = await ask(engine, 'calls', { trace });
  expect(edges.map(({ count }) => count)).toEqual([2000]);
  await engine.close();
});

test('stores the last exact heatmap of all records, and counts every other one', async () => {
  const file = place.file('heat.log', calling(1000));
  const settings = { indexDirectory: path.join(place.folder, 'heat'), jobs: 1, blockBytes: 2000 };
  const bands = [{ low: '0x8000', high: '0x8200', rows: 2 }] as const;
  const question = { columns: 3, bands, precision: 'even' } as const;
  // Records 1, 4, 7 ... are at 0x8100: 333 of the first thousand, 334 of the second, 333 of the third.
  const all = [667, 333, 666, 334, 667, 333];
  const part = [1333, 667];
  for (let opened = 0; opened < 2; opened++) {
    const engine = startEngine(settings);
    const trace = await open(engine, file);
    const whole = await ask(engine, 'heat', { trace, ...question });
    expect([...whole.counts]).toEqual(all);
    const half = await ask(engine, 'heat', { trace, ...question, columns: 1, from: 0, to: 2000 });
    expect([...half.counts]).toEqual(part);
    expect((await keptIn(engine, trace)).names.map((name) => name.split(' ')[0])).toEqual(['heat']);
    await engine.close();
  }
  const engine = startEngine(settings);
  const trace = await open(engine, file);
  const wider = await ask(engine, 'heat', { trace, ...question, columns: 1 });
  expect([...wider.counts]).toEqual([2000, 1000]);
  const fetches = await ask(engine, 'heat', { trace, ...question, columns: 1, kinds: ['read'] });
  expect([...fetches.counts]).toEqual([0, 0]);
  expect((await keptIn(engine, trace)).names).toHaveLength(1);
  await engine.close();
});

test('ends work ahead of requests when the trace is closed or its index replaced', async () => {
  const file = place.file('ended.log', calling(20_000));
  const engine = startEngine({ blockBytes: 2000, jobs: 2, indexDirectory: path.join(place.folder, 'ended') });
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
  await ask(engine, 'index', { trace, ahead: true });
  await ask(engine, 'index', { trace, ahead: true, rebuild: true });
  await ask(engine, 'close', { trace });
  const again = await open(engine, file);
  expect((await ask(engine, 'calls', { trace: again })).edges.map(({ count }) => count)).toEqual([20_000]);
  await ask(engine, 'index', { trace: again, ahead: true });
  await engine.close();
});

if (NIGHTLY) {
  test('reads long branch rows in other threads like short ones', async () => {
    const file = place.file('long.log', calling(20_000));
    const answers = [];
    for (const blockBytes of [2000, 1_048_576]) {
      const indexDirectory = path.join(place.folder, `rows-${blockBytes}`);
      const engine = startEngine({ blockBytes, jobs: 2, indexDirectory });
      const trace = await open(engine, file);
      const { edges } = await ask(engine, 'branches', { trace });
      const { functions } = await ask(engine, 'calls', { trace });
      answers.push({ edges, functions });
      await engine.close();
    }
    const [short, long] = answers;
    expect(long).toEqual(short);
    // The last round ends with the trace.
    expect(long!.edges.map(({ count }) => count)).toEqual([20_000, 20_000, 19_999]);
  });
}
