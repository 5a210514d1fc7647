/** A source returns the file's own bytes, through either reader and at any offset, and refuses plainly. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  alignedBuffer,
  loadReader,
  openSource,
  type Reader,
  type Source,
} from '../../electron/engine/platform/source.ts';
import { noMap } from './no-map.ts';
import { NIGHTLY } from '../short-form.ts';

const readers: readonly Reader[] = ['mapped', 'reads'];
const posix = process.platform !== 'win32';
let folder = '';

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tracebench-source-'));
  if (noMap === undefined) expect(loadReader()).toEqual({ ok: true, value: 'mapped' });
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

describe.each(readers)('%s', (reader) => {
  beforeEach(({ skip }) => skip(reader === 'mapped' && noMap !== undefined, noMap));

  it('copies exactly the requested bytes to the requested place', () => {
    const random = generator(1);
    const content = Buffer.from(Array.from({ length: 300_007 }, () => random(256)));
    const source = open(write(`random-${reader}`, content), reader);
    const targets = [new Uint8Array(70_000), alignedBuffer(70_000), Buffer.alloc(90_000).subarray(11, 70_011)];
    for (let round = 0; round < 600; round++) {
      const target = targets[round % targets.length]!;
      const offset = random(content.length + 20);
      const start = random(target.length);
      const length = random(target.length - start + 1);
      target.fill(0xa5);
      const wanted = content.subarray(offset, offset + length);
      expect(source.read(offset, target, start, length)).toEqual({ ok: true, value: wanted.length });
      const expected = Buffer.alloc(target.length, 0xa5);
      wanted.copy(expected, start);
      expect(Buffer.compare(expected, target)).toBe(0);
    }
    expect(source.size).toBe(300_007);
    expect(source.changed()).toBe('no');
    source.close();
  });

  it('reads at offsets beyond 2^31 and 2^32', () => {
    const file = path.join(folder, `sparse-${reader}`);
    const marks = [2 ** 31 - 3, 2 ** 31 + 5, 2 ** 32 - 3, 2 ** 32 + 4_097, 5 * 2 ** 30 - 7];
    const descriptor = fs.openSync(file, 'w');
    fs.ftruncateSync(descriptor, 5 * 2 ** 30);
    for (const mark of marks) fs.writeSync(descriptor, Buffer.from(`@${mark}`.slice(-7)), 0, 7, mark);
    fs.closeSync(descriptor);
    const source = open(file, reader);
    const target = alignedBuffer(16);
    for (const mark of marks) {
      target.fill(1);
      const left = Math.min(9, source.size - mark + 1);
      expect(source.read(mark - 1, target, 2, 9)).toEqual({ ok: true, value: left });
      expect(Buffer.from(target.subarray(0, 2 + left)).toString('latin1')).toBe(
        `\x01\x01\0${`@${mark}`.slice(-7)}${left === 9 ? '\0' : ''}`,
      );
    }
    expect(source.size).toBe(5_368_709_120);
    source.close();
    fs.rmSync(file);
  });

  it('notices that the file grew, shrank or was overwritten', () => {
    const file = write(`changing-${reader}`, 'abcdef');
    const source = open(file, reader);
    const opened = fs.statSync(file);
    fs.appendFileSync(file, 'gh');
    expect(source.changed()).toBe('grown');
    expect(source.size).toBe(6);
    expect(text(source)).toBe('abcdef');
    fs.truncateSync(file, 6);
    fs.utimesSync(file, opened.atime, new Date(opened.mtimeMs + 1000));
    expect(source.changed()).toBe('rewritten');
    fs.truncateSync(file, 5);
    expect(source.changed()).toBe('shrunk');
    source.close();
    expect(source.changed()).toBe('no');
  });

  it('reports the place at which a file became shorter, also within a page', () => {
    const file = write(`cut-${reader}`, Buffer.alloc(100_000, 'x'));
    const source = open(file, reader);
    const target = alignedBuffer(100_000);
    expect(source.read(0, target, 0, 100_000)).toEqual({ ok: true, value: 100_000 });
    for (const size of [99_999, 50_001, 4096, 10, 0]) {
      fs.truncateSync(file, size);
      expect(source.read(size, target, 0, 100)).toEqual({
        ok: false,
        error: {
          code: 'shrunk',
          message: `${file}: the file became shorter while it was open, at byte ${size}; open it again`,
        },
      });
      expect(source.read(0, target, 0, size)).toEqual({ ok: true, value: size });
    }
    source.close();
  });

  it('claims nothing about a file if the system reports nothing', ({ skip }) => {
    skip(!posix, 'this system gives out descriptors in another order');
    const file = write(`untold-${reader}`, 'abc');
    // The lowest free file descriptor is assigned, which is the source's.
    const descriptor = fs.openSync(file, 'r');
    fs.closeSync(descriptor);
    const source = open(file, reader);
    fs.closeSync(descriptor);
    expect(source.changed()).toBe('unknown');
    expect(fs.openSync(file, 'r')).toBe(descriptor);
    expect(source.changed()).toBe('no');
    source.close();
  });

  it('opens an empty file', () => {
    const source = open(write(`empty-${reader}`, ''), reader);
    expect(source.size).toBe(0);
    expect(source.reader).toBe(reader);
    expect(source.read(0, new Uint8Array(4), 0, 4)).toEqual({ ok: true, value: 0 });
    source.close();
  });

  it('refuses to read after close', () => {
    const file = write(`closed-${reader}`, 'abc');
    const source = open(file, reader);
    source.close();
    source.close();
    expect(source.read(0, new Uint8Array(4), 0, 3)).toEqual({
      ok: false,
      error: { code: 'closed', message: `${file}: the file has been closed` },
    });
  });

  it('explains in one sentence why a path is no trace', () => {
    const missing = path.join(folder, 'no such file');
    expect(refusal(missing, reader)).toBe('missing: FILE: there is no such file; check the path');
    expect(refusal(path.join(write('plain', 'x'), 'below'), reader)).toBe(
      'missing: FILE: there is no such file; check the path',
    );
    expect(refusal(folder, reader)).toBe('directory: FILE: this is a folder; choose a trace file in it');
    expect(refusal('bad\0name', reader)).toMatch(/^io: FILE: the file cannot be read \(.*\)$/);
  });

  it('explains why a name cannot be a file name', ({ skip }) => {
    skip(!posix, 'this system has other rules for names');
    const loop = path.join(folder, `loop-${reader}`);
    fs.symlinkSync(loop, loop);
    expect(refusal(loop, reader)).toBe('missing: FILE: this is a link that leads back to itself; name the file itself');
    const long = path.join(folder, 'x'.repeat(300));
    expect(refusal(long, reader)).toBe(
      'missing: FILE: the system takes no path this long; move the file or shorten it',
    );
    // A file name that is no UTF-8, as Node decodes it.
    const foreign = Buffer.from('/tmp/caf\xe9.txt', 'latin1').toString();
    expect(refusal(foreign, reader)).toBe(
      'missing: FILE: there is no such file; its name may not be UTF-8: rename it or open it through a link',
    );
  });

  it('refuses pipes and devices without waiting for them', ({ skip }) => {
    skip(!posix, 'this system has no named pipes in folders');
    const pipe = path.join(folder, `pipe-${reader}`);
    execFileSync('mkfifo', [pipe]);
    const advice = 'a trace must be an ordinary file, so save it to one first';
    expect(refusal(pipe, reader)).toBe(`not-a-file: FILE: this is a pipe; ${advice}`);
    expect(refusal('/dev/null', reader)).toBe(`not-a-file: FILE: this is a device; ${advice}`);
  });

  it('reports that a file may not be read', ({ skip }) => {
    skip(!posix, 'this system has no permission bits');
    const file = write(`secret-${reader}`, 'secret');
    fs.chmodSync(file, 0);
    fs.chmodSync(folder, 0o755);
    const nobody = 65534;
    const root = process.geteuid?.() === 0;
    if (root) process.seteuid?.(nobody); // permission bits do not stop root
    try {
      expect(refusal(file, reader)).toBe('unreadable: FILE: you may not read this file; ask its owner for permission');
    } finally {
      if (root) process.seteuid?.(0);
    }
  });
});

describe('the choice of reader', () => {
  it('uses positioned reads if the environment says so', ({ skip }) => {
    skip(noMap !== undefined, noMap);
    const file = write('chosen', 'abc');
    const before = process.env['TRACEBENCH_READER'];
    try {
      process.env['TRACEBENCH_READER'] = 'reads';
      const source = expectOk(openSource(file));
      expect([source.reader, source.note]).toEqual(['reads', 'positioned reads were requested']);
      source.close();
      delete process.env['TRACEBENCH_READER'];
      const mapped = expectOk(openSource(file));
      expect([mapped.reader, mapped.note]).toEqual(['mapped', undefined]);
      mapped.close();
    } finally {
      if (before !== undefined) process.env['TRACEBENCH_READER'] = before;
    }
  });

  it.each([
    ['no addon', undefined, 'reads: the file is read without a memory map, which is slower: it has not been built'],
    ['a broken addon', 'not a library', /^reads: the file is read without a memory map, which is slower: .+[^.]$/],
  ])('falls back and gives the reason with %s', (_, addon, expected) => {
    const copy = copyOfReader(`fallback ${addon === undefined}`, 'app');
    if (addon !== undefined) placeAddon(copy, Buffer.from(addon));
    expect(readerOf(copy)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  });

  it('finds the addon next to an archive', ({ skip }) => {
    skip(noMap !== undefined, noMap);
    const copy = copyOfReader('packed', 'app.asar');
    const built = path.join(import.meta.dirname, '../../electron/native/build/Release/tracebench_map.node');
    placeAddon(copy.replace('app.asar', 'app.asar.unpacked'), fs.readFileSync(built));
    expect(readerOf(copy)).toBe('mapped: undefined');
  });
});

it('allocates zeroed, shareable memory of any size', () => {
  for (const bytes of [0, 1, 65_536, 65_537, 1_572_864]) {
    const buffer = alignedBuffer(bytes);
    expect(buffer).toHaveLength(bytes);
    expect(buffer.byteOffset).toBe(0);
    expect(buffer.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(buffer.every((byte) => byte === 0)).toBe(true);
  }
});

if (NIGHTLY) {
  it('keeps only a small part of a large map in the process', ({ skip }) => {
    skip(noMap !== undefined, noMap);
    skip(process.platform !== 'linux', 'only Linux reports how much of a process is file pages');
    const file = write('large', '');
    fs.truncateSync(file, 2 ** 29);
    const source = open(file, 'mapped');
    // Longer reads do not use the map.
    const target = alignedBuffer(262_144);
    const before = residentFileBytes();
    let most = 0;
    for (let offset = 0; offset < source.size; offset += target.length) {
      expectOk(source.read(offset, target, 0, target.length));
      most = Math.max(most, residentFileBytes() - before);
    }
    source.close();
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(64 * 2 ** 20);
  });
}

function open(file: string, reader: Reader): Source {
  const source = expectOk(openSource(file, reader));
  expect(source.reader).toBe(reader);
  return source;
}

function expectOk<T>(result: { ok: true; value: T } | { ok: false; error: unknown }): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

function write(name: string, content: string | Buffer): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, content);
  return file;
}

function text(source: Source): string {
  const target = new Uint8Array(source.size);
  expectOk(source.read(0, target, 0, source.size));
  return Buffer.from(target).toString('latin1');
}

function refusal(file: string, reader: Reader): string {
  const result = openSource(file, reader);
  if (result.ok) return 'opened';
  return `${result.error.code}: ${result.error.message.replace(file, 'FILE')}`;
}

/** Copies only the reader's own files into a tree of their own. */
function copyOfReader(name: string, app: string): string {
  const root = path.join(folder, name, app);
  for (const file of [
    'electron/engine/platform/handles.ts',
    'electron/engine/platform/ordinary-file.ts',
    'electron/engine/platform/source.ts',
    'electron/native/map.ts',
    'shared/base/result.ts',
    'shared/base/units.ts',
  ]) {
    fs.cpSync(path.join(import.meta.dirname, '../..', file), path.join(root, file));
  }
  fs.writeFileSync(path.join(folder, name, 'package.json'), '{"type":"module"}');
  return root;
}

function placeAddon(root: string, content: Buffer): void {
  const file = path.join(root, 'electron/native/build/Release/tracebench_map.node');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}

function readerOf(root: string): string {
  const file = path.join(root, 'electron/engine/platform/source.ts');
  const program = `import { openSource } from ${JSON.stringify(`file://${file}`)};
    const { value } = openSource(${JSON.stringify(file)});
    console.log(value.reader + ': ' + value.note);`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }).trim();
}

function residentFileBytes(): number {
  const match = /RssFile:\s+(\d+) kB/.exec(fs.readFileSync('/proc/self/status', 'utf8'));
  return Number(match?.[1]) * 1024;
}

/** Numerical Recipes' linear congruential generator: whole numbers below a limit, the same in every run. */
function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

describe.runIf(process.platform === 'linux' && noMap === undefined)('small reads all over a large file', () => {
  it('keep little of it in the process, however much the system reads at once', () => {
    const bytes = 512 * 2 ** 20;
    const stride = 2 * 2 ** 20;
    const file = path.join(folder, 'large');
    fs.writeFileSync(file, '');
    fs.truncateSync(file, bytes);
    // After reads in large pieces, the system caches it in large folios.
    const piece = alignedBuffer(stride);
    const source = open(file, 'mapped');
    for (let at = 0; at < bytes; at += stride) source.read(at, piece, 0, stride);
    const before = mappedFileBytes();
    for (let at = 0; at < bytes; at += stride) source.read(at, piece, 0, 4096);
    expect(mappedFileBytes() - before).toBeLessThan(100 * 2 ** 20);
    source.close();
  });

  function mappedFileBytes(): number {
    return 1024 * Number(/^RssFile:\s*(\d+) kB$/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))?.[1]);
  }
});
