/** Sizes of the parts of the index in `info`: they add up to the file, and each part has content if the trace has data for it. */
import Database from 'better-sqlite3';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import { INDEX_PARTS, type IndexPart } from '../../shared/requests/requests.ts';
import { ask } from './ask.ts';
import { stateTarmac } from './state-traces.ts';
import { nastyByu, scratch } from './traces.ts';

const place = scratch();

afterAll(() => {
  place.dispose();
});

async function partsOf(engine: Engine, trace: string): Promise<{ bytes: number; parts: Record<IndexPart, number> }> {
  await ask(engine, 'index', { trace });
  const { index } = await ask(engine, 'info', { trace, parts: true });
  expect(index.parts?.map(({ part }) => part)).toEqual(INDEX_PARTS);
  const parts = Object.fromEntries((index.parts ?? []).map(({ part, bytes }) => [part, bytes]));
  return { bytes: index.bytes, parts: parts as Record<IndexPart, number> };
}

test('the parts add up to the file and match its contents', async () => {
  const indexDirectory = path.join(place.folder, 'scattered');
  const file = place.file('scattered.byu', nastyByu(100_000, 4));
  const engine = startEngine({ indexDirectory, jobs: 2, blockBytes: 60_000 });
  const { trace } = await ask(engine, 'open', { path: file, format: 'byu6' });
  const { bytes, parts } = await partsOf(engine, trace);
  const { index } = await ask(engine, 'info', { trace, parts: true });
  expect(Object.values(parts).reduce((sum, its) => sum + its, 0)).toBe(bytes);
  await engine.close();

  const database = new Database(index.path, { readonly: true });
  const blobs = ['node', 'body'].flatMap((table) =>
    database.prepare<[], Buffer>(`SELECT body FROM ${table}`).pluck().all(),
  );
  database.close();
  expect(bytes - parts.file).toBe(blobs.reduce((sum, blob) => sum + blob.length, 0));
  // A trace with addresses only: most bytes store their locations, and hardly any store registers.
  expect(parts.find).toBeGreaterThan(parts.blocks);
  expect(parts.find).toBeGreaterThan(20 * parts.registers);
});

test('reports sizes of registers and values if the trace has them, and no parts before the index is complete', async () => {
  const file = place.file('state.txt', stateTarmac(6000, 3, { cpus: 2, contradicting: 0, damaged: 0 }));
  const engine = startEngine({ indexDirectory: path.join(place.folder, 'state'), jobs: 1, blockBytes: 6000 });
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac' });
  await ask(engine, 'index', { trace, until: { records: 10 } });
  const before = await ask(engine, 'info', { trace, parts: true });
  expect([before.index.complete, before.index.parts]).toEqual([false, undefined]);
  const { parts } = await partsOf(engine, trace);
  expect(parts.registers).toBeGreaterThan(1000);
  expect(parts.masks).toBeGreaterThan(1000);
  await engine.close();
});
