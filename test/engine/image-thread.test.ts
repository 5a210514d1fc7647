/** Images are read in a thread of their own: other requests are answered meanwhile, and it ends when it takes too much. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import type { Image } from '../../electron/engine/image/image.ts';
import { openImage } from '../../electron/engine/image/open-image.ts';
import { openImages, readImages } from '../../electron/engine/image/read-images.ts';
import { createTask } from '../../electron/engine/threads/task.ts';
import { CANCELLED } from '../../shared/requests/failures.ts';
import type { ImageProgress } from '../../shared/requests/requests.ts';
import { advancePc, copy, endSequence, LINE_STRINGS, setAddress, special, unit } from '../unit/dwarf-writer.ts';
import { writeElf } from '../unit/elf-writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'image-thread-'));
const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

/** Takes a good part of a second to read. */
const SLOW = file(
  'slow.sym',
  Array.from({ length: 100_000 }, (_, i) => `${(0x8000 + 4 * i).toString(16).padStart(8, '0')} T function_${i}\n`).join(
    '',
  ),
);
const SORT = { version: 5, endian: 'little', bits: 64 } as const;
const PROGRAM = file(
  'program.elf',
  writeElf({
    bits: 64,
    endian: 'little',
    machine: 62,
    sections: [
      { name: '.text', address: 0x8000, bytes: new Uint8Array(8).fill(0x90) },
      {
        name: '.debug_line',
        bytes: unit(SORT, [...setAddress(SORT, 0x8000), ...copy, ...special(1, 4), ...advancePc(1), ...endSequence]),
        flags: 0,
      },
      { name: '.debug_line_str', bytes: LINE_STRINGS, flags: 0 },
    ],
    symbols: [
      { name: 'main', value: 0x8000, size: 8 },
      { name: 'größe', value: 0x8004, size: 0, type: 0 },
      { name: 'inner', value: 0x8002, size: 2, binding: 0 },
    ],
  }),
);
const HEX = file('program.hex', ':020000040000FA\n:04800000000102FC7D\n:00000001FF\n');
const TRACE = file(
  'trace.log',
  Array.from(
    { length: 20 },
    (_, i) => `${i} clk IT (${i}) 0000${(0x8000 + 4 * i).toString(16)} e3a00000 A svc_s : MOV r0,#0\n`,
  ).join(''),
);

let engine: Engine;
beforeAll(() => {
  engine = startEngine({ indexDirectory: join(folder, 'index'), jobs: 1 });
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const WAITING = createTask<ImageProgress>(
  () => false,
  () => undefined,
);

test('answers requests about another trace while an image is read', async () => {
  const opened = await engine.request('open', { path: TRACE });
  if (!opened.ok) throw new Error(opened.error.message);
  const order: string[] = [];
  const slow = engine.request('open', { path: TRACE, images: [{ path: SLOW }] });
  const facts = engine.request('images', { images: [{ path: SLOW }] });
  const records = engine.request('records', { trace: opened.value.trace, from: 0, count: 5 });
  await Promise.all([
    slow.then(({ ok }) => order.push(`open ${ok}`)),
    facts.then(({ ok }) => order.push(`images ${ok}`)),
    records.then(({ ok }) => order.push(`records ${ok}`)),
  ]);
  expect(order[0]).toBe('records true');
  expect(order.slice(1).sort()).toEqual(['images true', 'open true']);
});

test.each(['open', 'images'] as const)('cancels %s while an image is read', async (name) => {
  const own = new AbortController();
  const images = [{ path: SLOW }];
  const args = name === 'open' ? { path: TRACE, images } : { images };
  const answer = engine.request(name, args, { signal: own.signal });
  own.abort();
  expect(await answer).toMatchObject({ ok: false, error: { code: CANCELLED } });
});

test('reports progress of an image that takes long', async () => {
  const events: ImageProgress[] = [];
  const task = createTask<ImageProgress>(
    () => events.length > 0,
    (event) => events.push(event),
  );
  expect(
    await openImages(
      Array.from({ length: 5 }, () => ({ path: SLOW })),
      task,
    ),
  ).toMatchObject({
    ok: false,
    error: { code: CANCELLED },
  });
  expect(events[0]).toMatchObject({ image: SLOW, part: 'file' });
});

test('gives up an image that takes too long or needs too much memory', async () => {
  const messageOf = async (path: string, seconds: number, heapMegabytes: number): Promise<string> => {
    const opened = await openImages([{ path }], WAITING, { seconds, heapMegabytes });
    return opened.ok ? '' : opened.error.message;
  };
  expect(await messageOf(PROGRAM, 0, 100)).toBe(
    `${PROGRAM}: reading this image is given up, because it takes more than 0 seconds; use a stripped image`,
  );
  expect(await messageOf(SLOW, 60, 24)).toBe(
    `${SLOW}: reading this image is given up, because it needs more than 24 MiB of memory; use a stripped image`,
  );
});

test('continues with the next image after one that was given up or cannot be read', async () => {
  const found: string[] = [];
  const places = [SLOW, join(folder, 'missing.elf'), PROGRAM].map((path) => ({ path }));
  for await (const image of readImages(places, WAITING, { seconds: 60, heapMegabytes: 24 }))
    found.push(image.ok ? image.value.path : image.error.code);
  expect(found).toEqual(['image', 'missing', PROGRAM]);
});

test.each([PROGRAM, HEX, SLOW])('returns what a reader on this thread returns: %s', async (path) => {
  const own = openImage({ path });
  const opened = await openImages([{ path }], WAITING);
  if (!own.ok || !opened.ok) throw new Error('the image can be read');
  const [read] = opened.value.list;
  expect(contentOf(read!)).toEqual(contentOf(own.value));
  expect(read!.segments.map(({ bytes }) => bytes.buffer.constructor)).toEqual(
    read!.segments.map(() => SharedArrayBuffer),
  );
});

function contentOf({ symbols, states, lines, digest, segments, ...rest }: Image) {
  const at = [0x8000n, 0x8003n, 0x8004n, 0x8008n];
  return {
    ...rest,
    digest: digest(),
    segments: segments.map(({ bytes, ...segment }) => ({ ...segment, bytes: [...bytes] })),
    symbols: [symbols.count, symbols.functions, at.map((address) => symbols.at(address))],
    states: at.map((address) => states.at(address)),
    lines: lines && [lines().rows, lines().files, lines().problems, at.map((address) => lines().at(address))],
  };
}
