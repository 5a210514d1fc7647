/** The addon refuses every wrong argument instead of touching foreign memory. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { HINT, loadMap, type MapAddon, type MapHandle } from '../../electron/native/map.ts';
import { noMap } from './no-map.ts';

let folder = '';
let addon: MapAddon;
let map: MapHandle;

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tracebench-map-'));
  fs.writeFileSync(path.join(folder, 'ten'), '0123456789');
  const loaded = loadMap();
  if (!loaded.ok) return;
  addon = loaded.value;
  map = addon.open(path.join(folder, 'ten'));
});
beforeEach(({ skip }) => skip(noMap !== undefined, noMap));
afterAll(() => {
  if (noMap === undefined) addon.close(map);
  fs.rmSync(folder, { recursive: true, force: true });
});

it('copies and advises inside its bounds', () => {
  const target = Buffer.from('..........');
  expect(addon.size(map)).toBe(10);
  expect(addon.copy(map, 3, target, 1, 4)).toBe(4);
  expect(addon.copy(map, 10, target, 10, 0)).toBe(0);
  for (const hint of Object.values(HINT)) addon.advise(map, 3, 7, hint);
  expect(addon.copy(map, 9, target, 9, 1)).toBe(1);
  expect(target.toString()).toBe('.3456....9');
});

it.each([
  [11, 0, 0],
  [0, 0, 11],
  [9, 0, 2],
  [0, 1, 10],
  [0, 11, 0],
  [-1, 0, 1],
  [0, -1, 1],
  [0, 0, -1],
  [0.5, 0, 1],
  [NaN, 0, 1],
  [Infinity, 0, 1],
  [2 ** 53, 0, 1],
  [2 ** 53, 0, 2 ** 53],
  [2 ** 64, 0, 1],
])('refuses to copy from %d to %d a length of %d', (offset, start, length) => {
  const target = Buffer.alloc(10, '.');
  expect(problem(() => addon.copy(map, offset, target, start, length))).toBe('ARGUMENT');
  expect(target.toString()).toBe('..........');
});

it('refuses invalid maps, targets and hints', () => {
  const untyped = addon as unknown as Record<keyof MapAddon, (...args: readonly unknown[]) => unknown>;
  expect(problem(() => untyped.size({}))).toBe('ARGUMENT');
  expect(problem(() => untyped.size())).toBe('ARGUMENT');
  expect(problem(() => untyped.copy(map, 0, new Float64Array(10), 0, 1))).toBe('ARGUMENT');
  expect(problem(() => untyped.copy(map, 0, new ArrayBuffer(10), 0, 1))).toBe('ARGUMENT');
  expect(problem(() => untyped.copy(map, '0', Buffer.alloc(10), 0, 1))).toBe('ARGUMENT');
  expect(problem(() => untyped.advise(map, 0, 1, 4))).toBe('ARGUMENT');
  expect(problem(() => untyped.advise(map, 5, 6, 0))).toBe('ARGUMENT');
  expect(problem(() => untyped.open(5))).toBe('ARGUMENT');
  expect(problem(() => untyped.open(`${folder}/ten\0`))).toBe('OPEN');
  expect(problem(() => untyped.open(`${folder}/none`))).toBe('OPEN');
  expect(problem(() => untyped.open(folder))).toBe('OPEN');
});

it('refuses a closed map', () => {
  const closed = addon.open(path.join(folder, 'ten'));
  addon.close(closed);
  expect(problem(() => addon.copy(closed, 0, Buffer.alloc(1), 0, 1))).toBe('CLOSED');
  expect(problem(() => addon.size(closed))).toBe('CLOSED');
  expect(problem(() => addon.close(closed))).toBe('CLOSED');
});

function problem(action: () => unknown): unknown {
  try {
    return `no error but ${String(action())}`;
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : String(error);
  }
}
