/** Rows as the addon packs them with the host's Zstandard, and as Node does where that is not to be had: each reads the other's. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { pack, unpack } from '../../electron/engine/index/store/packing.ts';
import { hostZstd } from '../../electron/native/zstd.ts';
import { createRandom } from '../laws/random.ts';
import { noMap } from './no-map.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tracebench-packing-'));
afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

/** The first byte of a row says how the rest is packed. */
const [RAW, ZSTD] = [0, 1];

const random = createRandom(1);
const noise = Uint8Array.from({ length: 20_000 }, () => random.below(256));
const steps = Uint8Array.from({ length: 200_000 }, (_, at) => (at % 7) * random.below(3));
const short = new Uint8Array(4095);

it.each([
  ['a row that repeats itself', steps, ZSTD],
  ['noise, which does not become smaller', noise, RAW],
  ['a short row', short, RAW],
  ['an empty row', new Uint8Array(0), RAW],
])('%s comes back as it was', (_name, payload, codec) => {
  const packed = pack(payload);
  expect(packed[0]).toBe(codec);
  expect(packed.length).toBeLessThanOrEqual(payload.length + 1);
  expect(Buffer.from(unpack(packed)).equals(payload)).toBe(true);
});

it('packs what Node unpacks, and unpacks what Node packs', () => {
  expect(zstdDecompressSync(pack(steps).subarray(1)).equals(steps)).toBe(true);
  const frame = zstdCompressSync(steps, {
    params: { [constants.ZSTD_c_compressionLevel]: 1 },
    pledgedSrcSize: steps.length,
  });
  expect(Buffer.from(unpack(Uint8Array.of(ZSTD, ...frame))).equals(steps)).toBe(true);
});

it('packs and unpacks without the addon', () => {
  const files = ['engine/index/store/packing.ts', 'engine/collections/varint.ts', 'native/zstd.ts', 'native/addon.ts'];
  for (const file of [...files.map((name) => `electron/${name}`), 'shared/base/result.ts'])
    fs.cpSync(path.join(import.meta.dirname, '../..', file), path.join(folder, file));
  fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  fs.writeFileSync(path.join(folder, 'row'), pack(steps));
  const program = `import fs from 'node:fs';
    import { pack, unpack } from ${JSON.stringify(`file://${path.join(folder, 'electron/engine/index/store/packing.ts')}`)};
    import { hostZstd } from ${JSON.stringify(`file://${path.join(folder, 'electron/native/zstd.ts')}`)};
    const row = unpack(fs.readFileSync('row'));
    fs.writeFileSync('again', pack(row));
    console.log(hostZstd() === undefined, row.length);`;
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(said.trim()).toBe('true 200000');
  const again = fs.readFileSync(path.join(folder, 'again'));
  expect(again[0]).toBe(ZSTD);
  expect(Buffer.from(unpack(again)).equals(steps)).toBe(true);
});

it('refuses what it cannot use, and says what does not fit or is no frame', ({ skip }) => {
  skip(noMap !== undefined, noMap);
  const zstd = hostZstd()!;
  const target = new Uint8Array(1000);
  expect(zstd.pack(noise, target, 1)).toBe(-1);
  expect(zstd.unpack(noise, target)).toBe(-1);
  const length = zstd.pack(new Uint8Array(5000), target, 1);
  expect(length).toBeGreaterThan(0);
  expect(zstd.unpack(target.slice(0, length), target)).toBe(-1);
  const untyped = zstd as unknown as Record<'pack' | 'unpack', (...args: readonly unknown[]) => number>;
  for (const wrong of [
    () => untyped.pack(noise, target),
    () => untyped.pack('', target, 1),
    () => untyped.unpack(noise),
  ])
    expect(wrong).toThrow('expected a Uint8Array');
});
