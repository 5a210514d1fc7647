/** Load addresses of position-independent images, from the mappings that perf records. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createImages, type Images } from '../../electron/engine/image/images.ts';
import { openImage } from '../../electron/engine/image/open-image.ts';
import { placeMapped } from '../../electron/engine/open/mapped-images.ts';
import { openSource } from '../../electron/engine/platform/source.ts';
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

test('takes the base from a mapping whose file has the name of the image', () => {
  const { list, notices } = place(['; comment', mapping('0x555555556000', '/home/u/spin')]);
  expect(list.map(({ shift, mappedBy }) => [shift, mappedBy])).toEqual([[0x555555554000n, 10]]);
  expect(notices).toEqual([]);
});

test('places the image at every base if processes mapped it at different ones', () => {
  const { images } = place([
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

test('accepts the same mapping from several processes, with any generation of the inode, and of a removed file', () => {
  const { list, notices } = place([
    mapping('0x555555556000', '/home/u/spin', { process: 1, inode: '11 0' }),
    mapping('0x555555556000', '/home/u/spin (deleted)', { process: 2 }),
  ]);
  expect(list.map(({ shift }) => shift)).toEqual([0x555555554000n]);
  expect(notices).toEqual([]);
});

test('reads mappings with a build id, and those of older kernels', () => {
  const before = 'PERF_RECORD_MMAP2 7/7: [0x555555556000(0x1000) @ 0';
  expect(place([`${before} <c0ffee>]: r-xp /home/u/spin`]).list[0]?.shift).toBe(0x555555554000n);
  expect(place([`${before.replace('MMAP2', 'MMAP')}]: x /home/u/spin`]).list[0]?.shift).toBe(0x555555554000n);
});

describe('leaves the image where it was linked', () => {
  test.each([
    ['if only its data is mapped', mapping('0x555555556000', '/home/u/spin').replace('r-xp', 'rw-p')],
    ['if other files are mapped', mapping('0x555555556000', '/home/u/spinner')],
  ])('%s', (_, line) => {
    const { list, notices } = place([line]);
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
  ])('with a notice if %s', (_, lines, notice) => {
    const { list, notices } = place(lines);
    expect(list.map(({ shift }) => shift)).toEqual([0n]);
    expect(notices).toEqual([expect.stringMatching(notice)]);
  });

  test('if the last line has no end, so that the name may be cut', () => {
    expect(place([mapping('0x555555556000', '/home/u/spin')], { end: '' }).list[0]?.shift).toBe(0n);
  });

  test('if it is not position-independent, or the user gave its base', () => {
    const lines = [mapping('0x555555556000', '/home/u/spin')];
    expect(place(lines, { type: 2 }).list[0]?.shift).toBe(0n);
    expect(place(lines, { base: '0x12078' }).list[0]?.shift).toBe(0x10000n);
  });
});

function place(
  lines: readonly string[],
  { type = 3, base, end = '\n' }: { readonly type?: number; readonly base?: `0x${string}`; readonly end?: string } = {},
): { readonly images: Images; readonly list: Images['list']; readonly notices: readonly string[] } {
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
  const trace = join(folder, 'trace.txt');
  writeFileSync(trace, lines.join('\n') + end);
  const source = openSource(trace);
  const opened = openImage({ path: image, ...(base === undefined ? {} : { base }) });
  if (!source.ok || !opened.ok) throw new Error('the files of the test can be opened');
  const placed = placeMapped(createImages([opened.value]), source.value, MAPPINGS);
  source.value.close();
  if (!placed.ok) throw new Error(placed.error.message);
  return { images: placed.value, list: placed.value.list, notices: placed.value.notices };
}
