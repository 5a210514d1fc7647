// `heat`: cells counted from the goldens, and the drawings.
import { linkSync, lstatSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { BYU, golden, hex, cli, json, folder } from './driver.ts';

test('heat counts every access in its cell', async () => {
  const [columns, rows, low, high] = [7, 5, 0x100000, 0x101000];
  const records = golden(BYU);
  const to = records.length;
  const counts = Array.from({ length: rows }, () => Array<number>(columns).fill(0));
  for (const { n, address } of records) {
    if (address < low || address >= high) continue;
    const row = counts[Math.floor(((address - low) * rows) / (high - low))] ?? [];
    const column = Math.floor((n * columns) / to);
    row[column] = (row[column] ?? 0) + 1;
  }
  const heat = await json(['heat', BYU, '--columns', '7', '--rows', '5', '--low', hex(low), '--high', hex(high)]);
  expect(JSON.stringify(heat)).toBe(
    JSON.stringify({ columns, rows, from: 0, to, low: hex(low), high: hex(high), counts }),
  );
});

test('heat covers the whole trace by default and has exactly the requested cells', async () => {
  const heat = (await json(['heat', BYU])) as { columns: number; rows: number; counts: number[][] };
  expect([heat.columns, heat.rows, heat.counts.length, heat.counts[0]?.length]).toEqual([64, 32, 32, 64]);
  expect(heat.counts.flat().reduce((sum, count) => sum + count, 0)).toBe(golden(BYU).length);
});

test('heat draws SVG and PNG files, and writes JSON', async () => {
  for (const name of ['heat.svg', 'heat.png', 'heat.json']) {
    const path = join(folder, name);
    const written = await json(['heat', BYU, '-o', path]);
    expect(written).toEqual({ path, bytes: readFileSync(path).length });
  }
  expect(readFileSync(join(folder, 'heat.svg'), 'utf8')).toMatch(/^<svg [^]*>0x00100000<[^]*<\/svg>\n$/);
  const png = PNG.sync.read(readFileSync(join(folder, 'heat.png')));
  const twice = join(folder, 'twice.png');
  await json(['heat', BYU, '-o', twice, '--scale', '2', '--theme', 'dark', '--title', 'Sorting']);
  const { width, height, data } = PNG.sync.read(readFileSync(twice));
  expect([width, height]).toEqual([2 * png.width, 2 * png.height]);
  // Backgrounds: white around the chart, and the page's dark.
  expect([...png.data.subarray(0, 3), ...data.subarray(0, 3)]).toEqual([255, 255, 255, 0x12, 0x17, 0x1f]);
  expect(JSON.parse(readFileSync(join(folder, 'heat.json'), 'utf8'))).toMatchObject({ columns: 64, rows: 32 });
  expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
});

test('heat names an output file that it cannot write, and leaves no file', async () => {
  const path = join(folder, 'nowhere', 'x.svg');
  const { code, stderr } = await cli(['heat', BYU, '-o', path]);
  expect(stderr).toBe(`tracebench: ${path}: the folder does not exist; create it or choose another\n`);
  expect(code).toBe(1);
});

test('heat does not overwrite a folder or a trace', async () => {
  mkdirSync(join(folder, 'folder.svg'), { recursive: true });
  const onFolder = await cli(['heat', BYU, '-o', join(folder, 'folder.svg')]);
  expect([onFolder.code, onFolder.stderr]).toEqual([1, expect.stringContaining('this is not an ordinary file')]);

  const trace = join(folder, 'trace.json');
  const bytes = readFileSync(BYU);
  writeFileSync(trace, bytes);
  linkSync(trace, join(folder, 'same.svg'));
  for (const name of ['trace.json', 'same.svg']) {
    const onTrace = await cli(['heat', trace, '-o', join(folder, name)]);
    expect([onTrace.code, onTrace.stderr]).toEqual([1, expect.stringContaining('this is the trace itself')]);
  }
  expect(readFileSync(trace).equals(bytes)).toBe(true);
  expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
});

test.skipIf(process.platform === 'win32')(
  'heat writes to the target of a symbolic link and keeps the link (Windows gives few people the right to make links)',
  async () => {
    writeFileSync(join(folder, 'drawn.json'), '');
    symlinkSync('drawn.json', join(folder, 'link.json'));
    await json(['heat', BYU, '-o', join(folder, 'link.json')]);
    expect(lstatSync(join(folder, 'link.json')).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(join(folder, 'drawn.json'), 'utf8'))).toMatchObject({ columns: 64 });
  },
);
