/** Load addresses of position-independent images, from the mappings that perf records. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createImages, type Images } from '../../electron/engine/image/images.ts';
import { openImage } from '../../electron/engine/image/open-image.ts';
import { placeMapped } from '../../electron/engine/open/mapped-images.ts';
import { openSource, type Source } from '../../electron/engine/platform/source.ts';
import { createTask, type Task } from '../../electron/engine/threads/task.ts';
import { ok } from '../../shared/base/result.ts';
import { CANCELLED } from '../../shared/requests/failures.ts';
import type { ImageProgress } from '../../shared/requests/requests.ts';
import { MAPPINGS } from '../../shared/formats/brstack/mappings.ts';
import { writeElf } from '../unit/elf-writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'mapped-images-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Offset of the only segment in the file: it follows the file header and one program header. */
const OFFSET = 0x78;
/** Link-time address of main. The page of the file's start is linked at 0x2000. */
const MAIN = 0x2000 + OFFSET;

/** Maps the first page of a file, whose code is linked at 0x2000. */
function mapping(address: string, file: string, more: { process?: number; inode?: string } = {}): string {
  const { process = 7, inode = '11 222' } = more;
  return ` spin ${process} 1.000001: PERF_RECORD_MMAP2 ${process}/${process}: [${address}(0x1000) @ 0 103:02 ${inode}]: r-xp ${file}`;
}

test('takes the base from a mapping whose file has the name of the image', async () => {
  const { list, notices } = await place(['; comment', mapping('0x555555556000', '/home/u/spin')]);
  expect(list.map(({ shift, mappedBy }) => [shift, mappedBy])).toEqual([[0x555555554000n, 10]]);
  expect(notices).toEqual([]);
});

test('places the image at every base if processes mapped it at different ones', async () => {
  const { images } = await place([
    mapping('0x5ffeb3638000', '/home/u/spin', { process: 1 }),
    mapping('0x5caa46c42000', '/home/u/spin', { process: 2 }),
  ]);
  const main = BigInt(MAIN);
  // A raw name is found at once.
  const { value: found } = images.symbolsNamed('main').next();
  expect(found?.map(({ address }) => address)).toEqual([0x5ffeb3636000n + main, 0x5caa46c40000n + main]);
  for (const base of [0x5ffeb3636000n, 0x5caa46c40000n])
    expect(images.symbolAt(base + main + 1n)).toMatchObject({ symbol: { name: 'main' } });
  expect(images.symbolAt(main)).toBeUndefined();
});

test('accepts the same mapping from several processes, with any generation of the inode, and of a removed file', async () => {
  const { list, notices } = await place([
    mapping('0x555555556000', '/home/u/spin', { process: 1, inode: '11 0' }),
    mapping('0x555555556000', '/home/u/spin (deleted)', { process: 2 }),
  ]);
  expect(list.map(({ shift }) => shift)).toEqual([0x555555554000n]);
  expect(notices).toEqual([]);
});

test('reads mappings with a build id, and those of older kernels', async () => {
  const before = 'PERF_RECORD_MMAP2 7/7: [0x555555556000(0x1000) @ 0';
  expect((await place([`${before} <c0ffee>]: r-xp /home/u/spin`])).list[0]?.shift).toBe(0x555555554000n);
  expect((await place([`${before.replace('MMAP2', 'MMAP')}]: x /home/u/spin`])).list[0]?.shift).toBe(0x555555554000n);
});

describe('leaves the image where it was linked', () => {
  test.each([
    ['if only its data is mapped', mapping('0x555555556000', '/home/u/spin').replace('r-xp', 'rw-p')],
    ['if other files are mapped', mapping('0x555555556000', '/home/u/spinner')],
  ])('%s', async (_, line) => {
    const { list, notices } = await place([line]);
    expect(list.map(({ shift, mappedBy }) => [shift, mappedBy])).toEqual([[0n, undefined]]);
    expect(notices).toEqual([]);
  });

  test.each([
    [
      'two files have its name',
      [mapping('0x555555556000', '/a/spin'), mapping('0x777777776000', '/b/spin')],
      /two files of this name \(bytes 0 and \d+\); add its base, as in spin@/,
    ],
    [
      'the file was written again',
      [
        mapping('0x555555556000', '/a/spin', { inode: '11 1' }),
        mapping('0x777777776000', '/a/spin', { inode: '12 1' }),
      ],
      /two files of this name/,
    ],
    [
      'the mapping is of another part of the file',
      [mapping('0x555555556000', '/a/spin').replace('@ 0 ', '@ 0x9000 ')],
      /the mapping at byte 0 of the trace does not fit its segments/,
    ],
    [
      'another process has other code there',
      [mapping('0x555555556000', '/a/spin'), mapping('0x555555556000', '/a/other', { process: 8 })],
      /other code is mapped to the same addresses 0x555555554000/,
    ],
  ])('with a notice if %s', async (_, lines, notice) => {
    const { list, notices } = await place(lines);
    expect(list.map(({ shift }) => shift)).toEqual([0n]);
    expect(notices).toEqual([expect.stringMatching(notice)]);
  });

  test('if the last line has no end, so that the name may be cut', async () => {
    expect((await place([mapping('0x555555556000', '/home/u/spin')], { end: '' })).list[0]?.shift).toBe(0n);
  });

  test('if it is not position-independent, or the user gave its base', async () => {
    const lines = [mapping('0x555555556000', '/home/u/spin')];
    expect((await place(lines, { type: 2 })).list[0]?.shift).toBe(0n);
    expect((await place(lines, { base: '0x12078' })).list[0]?.shift).toBe(0x10000n);
  });
});

describe('a large trace', () => {
  const PIECES = 6;
  const PIECE = 1024 * 1024;
  const line = Buffer.from(`${mapping('0x555555556000', '/home/u/spin')}\n`);

  /** A trace with a mapping at its end, whose every read takes longer than a slice. */
  function slowSource(read: () => void): Source {
    const lines = Buffer.alloc(PIECE, `${'0x10/0x20/P/-/-/3 '.repeat(7)}\n`);
    return {
      size: PIECES * PIECE,
      read(from: number, into: Uint8Array, at: number, length: number) {
        read();
        for (const end = performance.now() + 10; performance.now() < end;);
        into.set(lines.subarray(0, length), at);
        if (from + length === PIECES * PIECE) into.set(line, at + length - line.length);
        return ok(length);
      },
    } as unknown as Source;
  }

  test('is read in slices, so that other requests are served meanwhile', async () => {
    const served: number[] = [];
    let reads = 0;
    const state = { ended: false };
    const serve = (): void => {
      served.push(reads);
      if (!state.ended) setImmediate(serve);
    };
    setImmediate(serve);
    const placed = await placeMapped(
      movable(),
      slowSource(() => reads++),
      MAPPINGS,
      task(),
    );
    state.ended = true;
    expect(placed.ok && placed.value.list.map(({ shift }) => shift)).toEqual([0x555555554000n]);
    expect(new Set(served).size).toBeGreaterThan(PIECES / 2);
  });

  test('is read no further once the request is cancelled', async () => {
    let reads = 0;
    const placed = await placeMapped(
      movable(),
      slowSource(() => reads++),
      MAPPINGS,
      task(() => reads === 2),
    );
    expect(placed.ok || placed.error.code).toBe(CANCELLED);
    expect(reads).toBe(2);
  });
});

function task(cancelled = (): boolean => false): Task<ImageProgress> {
  return createTask(cancelled, () => undefined);
}

/** A position-independent image. */
function movable(base?: `0x${string}`, type = 3): Images {
  const image = join(folder, 'spin');
  const elf = writeElf({
    bits: 64,
    endian: 'little',
    machine: 62,
    type,
    sections: [{ name: '.text', address: MAIN, bytes: new Array<number>(16).fill(0x90) }],
    symbols: [{ name: 'main', value: MAIN, size: 16 }],
  });
  writeFileSync(image, elf);
  const opened = openImage({ path: image, ...(base === undefined ? {} : { base }) });
  if (!opened.ok) throw new Error(opened.error.message);
  return createImages([opened.value]);
}

async function place(
  lines: readonly string[],
  { type = 3, base, end = '\n' }: { readonly type?: number; readonly base?: `0x${string}`; readonly end?: string } = {},
): Promise<{ readonly images: Images; readonly list: Images['list']; readonly notices: readonly string[] }> {
  const trace = join(folder, 'trace.txt');
  writeFileSync(trace, lines.join('\n') + end);
  const source = openSource(trace);
  if (!source.ok) throw new Error(source.error.message);
  const placed = await placeMapped(movable(base, type), source.value, MAPPINGS, task());
  source.value.close();
  if (!placed.ok) throw new Error(placed.error.message);
  return { images: placed.value, list: placed.value.list, notices: placed.value.notices };
}
