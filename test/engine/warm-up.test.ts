/** The bytes before a group of blocks give its entry state. A wrong guess costs a second scan. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRecordCounter, type ScanTools } from '../../electron/engine/index/block-scan.ts';
import type { Entry } from '../../electron/engine/index/blocks.ts';
import { createAccessCounter } from '../../electron/engine/index/builders/accesses/accesses.ts';
import { createPartCounter } from '../../electron/engine/index/builders/block-parts.ts';
import { createCodeCounter } from '../../electron/engine/index/builders/code/code-counter.ts';
import { createEffectCounter } from '../../electron/engine/index/builders/effects/effect-counter.ts';
import { createRegisterCounter } from '../../electron/engine/index/builders/register-sets.ts';
import { createTouchCounter } from '../../electron/engine/index/builders/memory/touches.ts';
import { scanGroup, type GroupScan } from '../../electron/engine/index/group-scan.ts';
import { FAN_IN } from '../../electron/engine/index/pyramid.ts';
import { sample } from '../../electron/sample/sample.ts';
import { openSource } from '../../electron/engine/platform/source.ts';
import { openTraceReader, type TraceReader } from '../../electron/engine/index/trace-reader.ts';
import { createBatch } from '../../shared/records/batch.ts';
import type { State } from '../../shared/format/format.ts';
import type { Result } from '../../shared/base/result.ts';
import { scratch } from './traces.ts';

const BLOCK = 64 * 1024;
const place = scratch();
let tools: ScanTools;

beforeAll(() => {
  tools = {
    batch: createBatch(),
    accesses: createAccessCounter(),
    records: createRecordCounter(),
    touches: createTouchCounter(),
    registers: createRegisterCounter(),
    code: createCodeCounter(),
    effects: createEffectCounter(),
    parts: createPartCounter(),
    flow: undefined,
  };
});
afterAll(() => {
  place.dispose();
});

test.each([
  ['btm', 'btm', 'text'],
  ['btm-binary', 'btm', 'binary'],
  ['tarmac', 'tarmac', 'qemu4v'],
])('guesses the entry state of every group in a sample of %s', async (name, format, dialect) => {
  const file = path.join(place.folder, name);
  const made = value(await sample({ format: name, size: 5_000_000, path: file, seed: 1, locality: 'spread' }));
  expectGuessed(open(file, made.bytes, format, dialect));
});

test('guesses the right cpu of several that alternate in QEMU4V', () => {
  const file = path.join(place.folder, 'cpus');
  const turns = Array.from({ length: 100_000 }, (_, n) => {
    const cpu = String(Math.floor(n / 7) % 5);
    return `${String(n)} clk ${cpu} IT (${String(n)}) 00008000 e59f0060 A svc : nop\n${String(n)} clk R r0 00000001\n`;
  }).join('');
  writeFileSync(file, turns);
  expectGuessed(open(file, turns.length, 'tarmac', 'qemu4v'));
});

function expectGuessed(reader: TraceReader): void {
  const guesses: State[] = [];
  const entries: State[] = [];
  let entry: Entry = { position: 0, state: reader.decoder.initial };
  for (let block = 0; block < reader.plan.blocks; block += FAN_IN) {
    guesses.push(scan(reader, block, undefined).guess);
    entries.push(entry.state);
    const last = scan(reader, block, entry).blocks.at(-1)!;
    entry = { position: last.exitPosition, state: last.exit };
  }
  reader.source.close();
  expect(entries.length).toBeGreaterThan(8);
  expect(new Set(entries.map((state) => JSON.stringify(state))).size).toBeGreaterThan(1);
  expect(guesses).toEqual(entries);
}

function scan(reader: TraceReader, block: number, entry: Entry | undefined): GroupScan {
  return value(scanGroup(reader, block, entry, reader.decoder.initial, tools));
}

function open(file: string, fileBytes: number, format: string, dialect: string): TraceReader {
  const source = value(openSource(file));
  const { identity } = source;
  source.close();
  const settings = { dialect };
  return value(openTraceReader({ key: file, path: file, identity, format, settings, fileBytes, blockBytes: BLOCK }));
}

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
