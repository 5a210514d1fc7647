/** Compressed traces are expanded once, completely or not at all, and then behave like plain traces. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { startEngine } from '../../electron/engine/engine.ts';
import { expand, type Expansion } from '../../electron/engine/open/expand/expand.ts';
import { createLzwDecoder } from '../../electron/engine/open/expand/lzw.ts';
import type { Expandable } from '../../electron/engine/open/expand/packing.ts';
import { unpack } from '../../electron/engine/open/expand/unpack.ts';
import { createTask } from '../../electron/engine/threads/task.ts';
import type { ExpandProgress } from '../../shared/requests/requests.ts';
import type { Result } from '../../shared/base/result.ts';
import { createRandom } from '../laws/random.ts';
import { ask, refusal } from './ask.ts';
import { compress, type CompressOptions } from './compress.ts';
import { noProtection, protect, release } from './protect.ts';
import { nastyTarmac, scratch } from './traces.ts';
import { NIGHTLY, pairs, rounds } from '../short-form.ts';

const place = scratch();
const opener = startEngine({ indexDirectory: path.join(place.folder, 'opened'), blockBytes: 6000 });
/** Nothing is ever written to its folder. */
const nowhere = path.join(place.folder, 'nothing');
const detector = startEngine({ indexDirectory: nowhere });
afterAll(async () => {
  await Promise.all([opener.close(), detector.close()]);
  place.dispose();
});

const plain = new TextEncoder().encode(nastyTarmac(rounds(8000, 20_000), 5));
const half = plain.subarray(0, plain.length >> 1);
const rest = plain.subarray(plain.length >> 1);
/** A frame without content: magic, length, four bytes. */
const skippable = Uint8Array.from([0x5a, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]);
/** The same with 100,000 bytes (0x0186a0), more than detection reads. */
const longSkippable = joined(Uint8Array.from([0x50, 0x2a, 0x4d, 0x18, 0xa0, 0x86, 1, 0]), new Uint8Array(100_000));

const PACKED: Readonly<Record<string, { readonly as: Expandable; readonly bytes: Uint8Array }>> = {
  'a gzip file': { as: 'gzip', bytes: zlib.gzipSync(plain) },
  'a gzip file of two members': { as: 'gzip', bytes: joined(zlib.gzipSync(half), zlib.gzipSync(rest)) },
  'a gzip file with trailing zeros': { as: 'gzip', bytes: joined(zlib.gzipSync(plain), new Uint8Array(512)) },
  'a Zstandard file': { as: 'zstd', bytes: zlib.zstdCompressSync(plain) },
  'Zstandard frames in a row': {
    as: 'zstd',
    bytes: joined(skippable, zlib.zstdCompressSync(half), skippable, zlib.zstdCompressSync(rest), skippable),
  },
  'a Zstandard file after a long skippable frame': {
    as: 'zstd',
    bytes: joined(longSkippable, zlib.zstdCompressSync(plain)),
  },
  'a compress file': { as: 'compress', bytes: compress(plain) },
};

describe.each(Object.entries(PACKED))('%s', (name, { as, bytes }) => {
  test('opens as its content, whatever the file name', async () => {
    const file = place.file(`${name}.txt`, bytes);
    const original = await ask(opener, 'open', { path: place.file(`plain of ${name}`, plain) });
    const opened = await ask(opener, 'open', { path: file });
    expect(opened.file).toMatchObject({ path: file, bytes: plain.length, compressed: { as, bytes: bytes.length } });
    expect(opened.format).toEqual(original.format);
    await ask(opener, 'index', { trace: opened.trace });
    const records = await ask(opener, 'records', { trace: opened.trace, from: 15_000, count: 50 });
    await ask(opener, 'index', { trace: original.trace });
    expect(records.records).toEqual(
      (await ask(opener, 'records', { trace: original.trace, from: 15_000, count: 50 })).records,
    );
  });

  test('is detected without being expanded', async () => {
    const inside = await ask(detector, 'detect', { path: place.file(`${name}.bin`, bytes) });
    const outside = await ask(detector, 'detect', { path: place.file('plain', plain) });
    expect(inside.problem).toBeUndefined();
    expect(inside.candidates.map(({ format }) => format)).toEqual(outside.candidates.map(({ format }) => format));
    expect(inside.candidates[0]?.preview).toEqual(outside.candidates[0]?.preview);
    expect(fs.existsSync(nowhere)).toBe(false);
  });
});

test('unpacks frames of every block kind for a slow reader', async () => {
  const random = createRandom(11);
  const noise = Uint8Array.from({ length: 300_000 }, () => random.below(256));
  const contents = [plain, noise, new Uint8Array(700_000), new Uint8Array(0), plain.subarray(0, 9), rest];
  for (const checksum of [0, 1]) {
    const params = { [zlib.constants.ZSTD_c_checksumFlag]: checksum };
    const frames = contents.flatMap((content) => [zlib.zstdCompressSync(content, { params }), skippable]);
    const file = place.file('slowly', joined(...frames));
    const taken: Uint8Array[] = [];
    const done = await unpack(file, 'zstd', async (piece) => {
      taken.push(piece.slice());
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      return true;
    });
    expect(done).toEqual({ ok: true, value: true });
    expect(Buffer.compare(joined(...taken), joined(...contents))).toBe(0);
  }
});

const CUT: readonly (readonly [string, Uint8Array, Expandable])[] = [
  ['gzip', zlib.gzipSync(plain), 'gzip'],
  ['zstd', zlib.zstdCompressSync(plain, { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } }), 'zstd'],
];

describe.each(CUT)('a %s file', (name, bytes, as) => {
  test('reports truncation at the last byte and leaves no file', async () => {
    for (const length of [20, 1000, bytes.length >> 1, bytes.length - 1]) {
      const file = place.file(`cut.${name}`, bytes.subarray(0, length));
      const failed = await expandInto('cut', file);
      expect(failed.ok ? 'expanded' : failed.error.code).toBe('truncated');
      if (!failed.ok) expect(failed.error.message).toContain(`${file}: it breaks off at byte ${String(length)},`);
      expect(expansionsIn('cut')).toEqual([]);
    }
  });

  test('reports damage near a wrong byte', async () => {
    const random = createRandom(3);
    for (let round = 0; round < 30; round++) {
      const wrong = Uint8Array.from(bytes);
      const at = 100 + random.below(bytes.length - 200);
      wrong[at] = wrong[at]! ^ (1 + random.below(255));
      let taken = 0;
      const file = place.file(`wrong.${name}`, wrong);
      const done = await unpack(file, as, (piece) => (taken += piece.length) >= 0);
      expect(done.ok ? 'whole' : done.error.code, `byte ${String(at)}`).toMatch(
        /^(damaged|truncated|too-wide|dictionary)$/,
      );
    }
  });
});

test('reports a missing dictionary for a Zstandard file, not damage', async () => {
  // One raw block of three bytes; the frame's descriptor says that a dictionary number follows.
  const packed = Buffer.from('28b52ffd210703190000616263', 'hex');
  const file = place.file('dictionary', packed);
  const failed = await unpack(file, 'zstd', () => true);
  expect(failed.ok ? 'whole' : failed.error.code).toBe('dictionary');
  if (!failed.ok) expect(failed.error.message).toContain('packed with a dictionary');
});

test('reports data after the content that is no gzip member or Zstandard frame', async () => {
  for (const [as, packed] of [
    ['gzip', zlib.gzipSync(plain)],
    ['zstd', zlib.zstdCompressSync(plain)],
  ] as const) {
    const file = place.file('behind', joined(packed, new TextEncoder().encode('garbage behind it')));
    const done = await unpack(file, as, () => true);
    expect(done.ok ? 'whole' : done.error.code, as).toBe('damaged');
  }
});

test('reports data after the trailing zeros of a gzip file', async () => {
  const packed = zlib.gzipSync(half);
  for (const zeros of [1, 512, 200_000]) {
    for (const behind of [zlib.gzipSync(rest), new TextEncoder().encode('garbage')]) {
      const file = place.file('zeros', joined(packed, new Uint8Array(zeros), behind));
      const failed = await expandInto('zeros', file);
      expect(failed.ok ? 'expanded' : failed.error.code).toBe('damaged');
      const [end, more] = [String(packed.length), String(packed.length + zeros)];
      if (!failed.ok)
        expect(failed.error.message).toContain(
          `ends at byte ${end}, but after zeros there is more data at byte ${more};`,
        );
      expect(expansionsIn('zeros')).toEqual([]);
    }
  }
});

test.each([
  ['1f8b', [0x00, 0x10, 0x80]],
  ['1f9d', [0x00, 0x08, 0x40, 0x91, 0xe0]],
])('does not take a trace that begins at address 0x%s... for a compressed file', async (start, third) => {
  const engine = startEngine({ indexDirectory: cacheOf('addresses') });
  for (const byte of third) {
    // Code fetches at the address and up, 8 bytes each.
    const records = Array.from({ length: 2000 }, (_, n) => {
      const record = Buffer.from(`${start}00000090`, 'hex');
      record.writeUInt16BE(byte * 256 + ((8 * n) % 256), 2);
      return record;
    });
    const opened = await ask(engine, 'open', { path: place.file('addresses', joined(...records)) });
    expect(opened.format.id).toBe('byu6');
  }
  await engine.close();
});

test('expands a file once, and again after its content changed', async () => {
  const file = place.file('once', zlib.gzipSync(plain));
  const first = await expandInto('once', file);
  const { ino, mtimeMs } = fs.statSync(pathOf(first));
  const again = await expandInto('once', file);
  expect(pathOf(again)).toBe(pathOf(first));
  expect(fs.statSync(pathOf(again))).toMatchObject({ ino, mtimeMs });
  fs.writeFileSync(file, zlib.gzipSync(rest));
  const other = await expandInto('once', file);
  expect(fs.readFileSync(pathOf(other)).equals(rest)).toBe(true);
  expect(fs.readFileSync(pathOf(first)).equals(plain)).toBe(true);
});

test.skipIf(noProtection !== undefined)('opens a read-only expansion', async () => {
  const file = place.file('only read.gz', zlib.gzipSync(plain));
  const first = pathOf(await expandInto('only read', file));
  const fixed = [first, path.dirname(first)];
  fixed.forEach(protect);
  try {
    expect(pathOf(await expandInto('only read', file))).toBe(first);
  } finally {
    fixed.toReversed().forEach(release);
  }
});

if (NIGHTLY) {
  test('engines that expand the same file at once share one expansion', async () => {
    const file = place.file('at once.gz', zlib.gzipSync(plain));
    const engines = [1, 2, 3].map(() => startEngine({ indexDirectory: cacheOf('at once') }));
    const opened = await Promise.all(engines.map((engine) => ask(engine, 'open', { path: file })));
    for (const [i, engine] of engines.entries()) {
      const index = await ask(engine, 'index', { trace: opened[i]!.trace });
      expect(index.complete).toBe(true);
    }
    expect(expansionsIn('at once')).toHaveLength(1);
    await Promise.all(engines.map((engine) => engine.close()));
  });
}

test('keeps the expansion of a file from before 1970 when the file is opened again', async () => {
  const file = place.file('early.gz', zlib.gzipSync(plain));
  fs.utimesSync(file, new Date('1969-12-31T23:00:00Z'), new Date('1969-12-31T23:00:00Z'));
  const engine = startEngine({ indexDirectory: cacheOf('early') });
  const { trace } = await ask(engine, 'open', { path: file });
  await ask(engine, 'index', { trace });
  await expandInto('early', file);
  const info = await ask(engine, 'info', { trace });
  const again = await ask(engine, 'open', { path: file });
  expect((await ask(engine, 'info', { trace: again.trace })).index.path).toBe(info.index.path);
  await engine.close();
});

test('reports a file that is replaced while it is expanded', async () => {
  const file = place.file('replaced.gz', zlib.gzipSync(plain));
  const replaced = await expand({
    file,
    folder: cacheOf('replaced'),
    check: () => {
      fs.writeFileSync(file, zlib.gzipSync(rest));
      return Promise.resolve(undefined);
    },
    task: createTask<ExpandProgress>(
      () => false,
      () => undefined,
    ),
  });
  expect(replaced).toEqual({
    ok: false,
    error: {
      code: 'changed',
      message: `${file}: the file was written to while it was being expanded; open it again`,
    },
  });
  expect(expansionsIn('replaced')).toEqual([]);
  expect(fs.readFileSync(pathOf(await expandInto('replaced', file))).equals(rest)).toBe(true);
});

test('expands again if an expansion is truncated', async () => {
  const file = place.file('shortened', zlib.gzipSync(plain));
  const first = pathOf(await expandInto('shortened', file));
  fs.truncateSync(first, 1000);
  const again = pathOf(await expandInto('shortened', file));
  expect(fs.readFileSync(again).equals(plain)).toBe(true);
});

test('removes expansions unused for a month when another one is created', async () => {
  const old = pathOf(await expandInto('old', place.file('old', zlib.gzipSync(plain))));
  const used = pathOf(await expandInto('old', place.file('used', zlib.gzipSync(half))));
  const monthAgo = Date.now() / 1000 - 31 * 86_400;
  for (const one of [old, used]) fs.utimesSync(one, monthAgo, fs.statSync(one).mtime);
  await expandInto('old', path.join(place.folder, 'used'));
  await expandInto('old', place.file('new', zlib.gzipSync(rest)));
  expect(fs.existsSync(old)).toBe(false);
  expect(fs.existsSync(used)).toBe(true);
});

test('a cancelled expansion leaves no file', async () => {
  const file = place.file('cancelled', zlib.gzipSync(plain));
  let requested = 0;
  const done = await expandInto('cancelled', file, () => ++requested > 2);
  expect(done.ok ? 'expanded' : done.error.code).toBe('cancelled');
  expect(expansionsIn('cancelled')).toEqual([]);
});

test('does not expand a file that cannot be opened, unless a format is given', async () => {
  const indexDirectory = cacheOf('unknown');
  const engine = startEngine({ indexDirectory });
  const cases = {
    'random bytes': createRandom(1).bytes(100_000),
    'a gzip file': zlib.gzipSync(plain),
    nothing: new Uint8Array(0),
  };
  const frames = await refusal(engine, 'open', { path: place.file('frames', joined(skippable, skippable)) });
  expect(frames.code).toBe('empty');
  const codes: Record<string, string> = {};
  for (const [name, content] of Object.entries(cases)) {
    const failed = await refusal(engine, 'open', { path: place.file('unknown', zlib.gzipSync(content)) });
    codes[name] = failed.code;
  }
  expect(codes).toEqual({ 'random bytes': 'unknown-format', 'a gzip file': 'compressed', nothing: 'empty' });
  expect(expansionsIn('unknown')).toEqual([]);
  const named = await ask(engine, 'open', {
    path: place.file('named', zlib.gzipSync(cases['random bytes'])),
    format: 'byu6',
  });
  expect(named.file.bytes).toBe(100_000);
  await engine.close();
});

if (NIGHTLY) {
  test('a killed process leaves no finished expansion, and the next process removes the rest', async () => {
    const file = place.file('killed', zlib.gzipSync(new Uint8Array(400_000_000)));
    const folder = cacheOf('killed index');
    const child = spawn(process.execPath, [FIXTURE, file, 'byu6', folder, '6000'], { stdio: 'ignore' });
    await unfinishedIn(folder);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    expect(fs.readdirSync(folder).filter((name) => name.endsWith('.expanded'))).toEqual([]);
    await expandInto('killed index', place.file('small', zlib.gzipSync(plain)));
    expect(fs.readdirSync(folder).filter((name) => name.endsWith('.unfinished'))).toEqual([]);
  });
}

if (process.platform === 'win32') console.log('not run: Windows has no limits on the size of files');
test.skipIf(process.platform === 'win32')('reports a full disk in one sentence and leaves no file', () => {
  const file = place.file('large', zlib.gzipSync(new Uint8Array(4_000_000)));
  const folder = path.join(place.folder, 'full');
  // Files of this process are limited to 256 KiB: more writing fails as on a full disk.
  const child = spawnSync('bash', [
    '-c',
    'ulimit -f 256; trap "" XFSZ; exec "$0" "$@"',
    process.execPath,
    FIXTURE,
    file,
    'byu6',
    folder,
    '6000',
  ]);
  const text = String(child.stdout) + String(child.stderr);
  expect(text).toContain('disk-full');
  expect(text).toContain(`${file}: there is no room to expand it`);
  expect(fs.readdirSync(folder)).toEqual([]);
});

if (process.platform !== 'linux') console.log('not run: only Linux has a folder that cannot contain new folders');
test.skipIf(process.platform !== 'linux')(
  'reports a folder that cannot be created instead of trying again forever',
  async () => {
    const engine = startEngine({ indexDirectory: '/proc/tracebench/index' });
    const failed = await refusal(engine, 'open', { path: place.file('for proc', zlib.gzipSync(plain)) });
    expect(failed.code).toBe('unwritable');
    expect(failed.message).toContain('it cannot be expanded into /proc/tracebench/index');
    await engine.close();
  },
);

describe('the decoder of compress files', () => {
  const random = createRandom(9);
  const contents: Readonly<Record<string, Uint8Array>> = {
    nothing: new Uint8Array(0),
    'one byte': Uint8Array.of(65),
    'one byte, often': new Uint8Array(100_000).fill(65),
    'random bytes': random.bytes(80_000),
    text: plain.subarray(0, 60_000),
  };
  const ways: Readonly<Record<string, CompressOptions>> = {
    '16 bits': {},
    '16 bits, cleared often': { clearEvery: 1000 },
    '16 bits, cleared at odd places': { clearEvery: 37 },
    '12 bits': { bits: 12 },
    '12 bits, cleared': { bits: 12, clearEvery: 5000 },
    '10 bits': { bits: 10 },
    '9 bits': { bits: 9 },
    '9 bits, cleared': { bits: 9, clearEvery: 3000 },
  };
  const gzip = spawnSync('gzip', ['--version']).status === 0;
  if (!gzip) console.log('not compared with gzip -d: it is not on this machine');

  const cases = pairs(Object.entries(ways), Object.entries(contents)).map(
    ([[wayName, way], [name, content]]) => [wayName, name, way, content] as const,
  );
  test.each(cases)('with %s restores %s in pieces of any size', (_, name, way, content) => {
    const packed = compress(content, way);
    if (gzip) {
      const byGzip = spawnSync('gzip', ['-dc'], { input: packed, maxBuffer: 1 << 26 });
      expect(byGzip.stdout.equals(content), `the test's own writer, ${name}`).toBe(true);
    }
    for (const step of [Math.max(1, packed.length), 7, 4099]) {
      expect(Buffer.compare(decoded(packed, step), content), `in steps of ${String(step)}`).toBe(0);
    }
  });

  test('reports a file that ends inside a code as truncated, wrong codes as damage, and ends on random bytes', async () => {
    const packed = compress(plain.subarray(0, 50_000));
    let noticed = 0;
    for (let less = 1; less <= 40; less++) {
      const file = place.file('cut.Z', packed.subarray(0, packed.length - less));
      const done = await unpack(file, 'compress', () => true);
      if (!done.ok) noticed++;
    }
    // The format has no end mark, so a cut after a whole code looks like the end.
    expect(noticed).toBeGreaterThan(20);
    const wrong = Uint8Array.from([0x1f, 0x9d, 0x90, 0xff, 0xff, 0xff]);
    const damaged = await unpack(place.file('wrong.Z', wrong), 'compress', () => true);
    expect(damaged.ok ? 'whole' : damaged.error.code).toBe('damaged');
    for (let round = 0; round < 50; round++) {
      const noise = joined(Uint8Array.from([0x1f, 0x9d, 128 + random.below(32)]), random.bytes(3000));
      const done = await unpack(place.file('noise.Z', noise), 'compress', () => true);
      if (!done.ok) expect(done.error.code).toMatch(/^(damaged|truncated)$/);
    }
  });
});

const FIXTURE = path.join(import.meta.dirname, 'fixtures', 'build-index.ts');

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

function decoded(packed: Uint8Array, step: number): Uint8Array {
  const decoder = createLzwDecoder();
  const parts: Uint8Array[] = [];
  for (let from = 0; from < packed.length; from += step) {
    const input = packed.subarray(from, from + step);
    for (let at = 0; at < input.length;) {
      const { output, next, broken } = decoder.push(input, at);
      if (broken) throw new Error(`broken at ${String(decoder.consumed)}`);
      if (output.length > 0) parts.push(output.slice());
      at = next;
    }
  }
  expect(decoder.mayEnd()).toBe(true);
  expect(decoder.consumed).toBe(packed.length);
  return new Uint8Array(Buffer.concat(parts));
}

function expandInto(
  folder: string,
  file: string,
  cancelled: () => boolean = () => false,
): Promise<Result<Expansion | undefined>> {
  return expand({
    file,
    folder: cacheOf(folder),
    check: () => Promise.resolve(undefined),
    task: createTask<ExpandProgress>(cancelled, () => undefined),
  });
}

function cacheOf(folder: string): string {
  return path.join(place.folder, `cache ${folder}`);
}

function pathOf(done: Result<Expansion | undefined>): string {
  if (!done.ok || done.value === undefined) throw new Error(done.ok ? 'not compressed' : done.error.message);
  return done.value.path;
}

function expansionsIn(folder: string): readonly string[] {
  return fs.readdirSync(cacheOf(folder)).filter((name) => !name.includes('.index'));
}

/** Resolves when the folder contains an unfinished file. */
async function unfinishedIn(folder: string): Promise<void> {
  fs.mkdirSync(folder, { recursive: true });
  const watcher = fs.promises.watch(folder);
  for await (const { filename } of watcher) if (filename?.endsWith('.unfinished') === true) return;
}
