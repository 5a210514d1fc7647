/**
 * Read access to the bytes of a file, through a memory map or, if the addon is missing or refused, through positioned reads. Both
 * have the same interface. The file is never written. If it is truncated or removed while it is open, reads fail; the
 * program does not crash.
 */
import fs from 'node:fs';
import path from 'node:path';
import { FAULT, HINT, loadMap, SHRUNK, type MapAddon, type MapHandle } from '../../native/map.ts';
import { assert, fail, ok, type Failure, type Result } from '../../../shared/base/result.ts';
import type { ByteOffset } from '../../../shared/base/units.ts';
import { handlesProblem } from './handles.ts';
import { kindOf } from './ordinary-file.ts';

export interface Source {
  readonly path: string;
  /** Size in bytes when opened. Does not follow later changes of the file. */
  readonly size: number;
  /** Device and inode of the open file. Does not follow its name. */
  readonly identity: string;
  /** Modification time when opened, in nanoseconds. */
  readonly modified: string;
  readonly reader: Reader;
  /** A sentence that explains why the file is not mapped; undefined if it is. */
  readonly note?: string;
  /**
   * Copies [offset, offset + length) to target[targetStart...] and returns the number of bytes, less than `length` only at the
   * end of the file as opened. Fails with `shrunk` if the file is now shorter than the range, else with `io`; the content of the
   * target is then undefined. Copies fastest into page-aligned memory (`alignedBuffer`).
   */
  read(offset: ByteOffset, target: Uint8Array, targetStart: number, length: number): Result<number>;
  /**
   * Compares the open file's size and modification time with those when it was opened. `unknown` if the system cannot say, for
   * example because a file server is gone. Appended bytes do not disturb reads of the first `size` bytes.
   */
  changed(): 'no' | 'grown' | 'shrunk' | 'rewritten' | 'unknown';
  /** Closing twice has no effect. Later reads fail with `closed`. */
  close(): void;
}

export type Reader = 'mapped' | 'reads';

/**
 * Opens a file for reading on the calling thread. Accepts an empty file. Fails with `missing`, `directory`, `not-a-file`,
 * `unreadable` or `io`. `wanted` defaults to the environment variable TRACEBENCH_READER.
 */
export function openSource(file: string, wanted: Reader = environmentReader()): Result<Source> {
  let descriptor: number | undefined;
  try {
    const kind = refuse(file, fs.statSync(file)); // before opening: opening a device can do things
    if (kind) return kind;
    descriptor = fs.openSync(
      file,
      fs.constants.O_RDONLY | (process.platform === 'win32' ? 0 : fs.constants.O_NONBLOCK),
    );
    const status = fs.fstatSync(descriptor, { bigint: true });
    const still = refuse(file, status);
    if (still) {
      fs.closeSync(descriptor);
      return still;
    }
    return ok(assemble(file, descriptor, status, wanted));
  } catch (error) {
    if (descriptor !== undefined) fs.closeSync(descriptor);
    return { ok: false, error: explain(file, error) };
  }
}

/** Loads the addon on this thread. Hosts call it before they start workers. Fails with the reason why files are not mapped. */
export function loadReader(): Result<Reader> {
  const addon = loadMap();
  return addon.ok ? ok('mapped') : fail('reader', because(addon.error.message));
}

/**
 * Allocates zeroed, page-aligned memory that workers can share. Positioned reads into it run twice as fast as into an ordinary
 * Uint8Array. Each buffer costs at least 64 KiB of memory and gigabytes of address space, so allocate few and reuse them.
 */
export function alignedBuffer(bytes: number): Uint8Array<SharedArrayBuffer> {
  const pages = Math.max(1, Math.ceil(bytes / WASM_PAGE));
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  return new Uint8Array(memory.buffer, 0, bytes);
}

/** Node has WebAssembly, but only the DOM's type library declares it. */
declare const WebAssembly: {
  readonly Memory: new (limits: { initial: number; maximum: number; shared: true }) => {
    readonly buffer: SharedArrayBuffer;
  };
};

const WASM_PAGE = 65536;
/** Bytes copied from the map before its pages are dropped from the process. They stay in the system's page cache. */
const RESIDENT_BYTES = 32 * 1024 * 1024;
/** Bytes that the system may map around a small read: the largest folio of its page cache. */
const AROUND_BYTES = 2 * 1024 * 1024;

/** Length of a read for which mapping its pages costs more than a positioned read: 4 KiB at random take 17 and 3 µs. */
const LONG_READ = 2048;

/** Copies a range inside the file as opened. Returns its length, SHRUNK or FAULT, or throws the system's error. */
interface ByteReader {
  copy(offset: ByteOffset, target: Uint8Array, start: number, length: number): number;
  close(): void;
}

function assemble(file: string, descriptor: number, status: fs.BigIntStats, wanted: Reader): Source {
  const size = Number(status.size);
  const mapped =
    wanted === 'mapped' ? mappedReader(file, size, status) : fail('reader', 'positioned reads were requested');
  const reads = positionedReader(descriptor);
  const bytes = mapped.ok ? mapped.value : reads;
  let open = true;
  return {
    path: file,
    size,
    identity: `${status.dev}:${status.ino}`,
    modified: String(status.mtimeNs),
    reader: mapped.ok ? 'mapped' : 'reads',
    ...(mapped.ok ? {} : { note: mapped.error.message }),
    read(offset, target, targetStart, length) {
      assert(offset >= 0 && targetStart >= 0 && targetStart + length <= target.length, 'a read outside its target');
      if (!open) return fail('closed', `${file}: the file has been closed`);
      const count = Math.max(0, Math.min(length, size - offset));
      if (count === 0) return ok(0);
      try {
        const by = count < LONG_READ ? bytes : reads;
        const copied = by.copy(offset, target, targetStart, count);
        if (copied === SHRUNK) return shrunk(file, descriptor);
        if (copied === FAULT)
          return fail('io', `${file}: the bytes starting at ${offset} cannot be read; check the drive`);
        return ok(copied);
      } catch (error) {
        return { ok: false, error: explain(file, error) };
      }
    },
    changed: () => (open ? compare(descriptor, status) : 'no'),
    close() {
      if (!open) return;
      open = false;
      bytes.close();
      fs.closeSync(descriptor);
    },
  };
}

function mappedReader(file: string, size: number, status: fs.BigIntStats): Result<ByteReader> {
  const loaded = loadMap();
  if (!loaded.ok) return fail('reader', because(loaded.error.message));
  const addon = loaded.value;
  try {
    const map = addon.open(path.toNamespacedPath(path.resolve(file)));
    const named = fs.statSync(file, { bigint: true });
    if (addon.size(map) === size && named.ino === status.ino && named.dev === status.dev)
      return ok(overMap(addon, map, size));
    addon.close(map);
    return fail('reader', because('the file was replaced while it was being opened'));
  } catch (error) {
    return fail('reader', because(describe(error)));
  }
}

function overMap(addon: MapAddon, map: MapHandle, size: number): ByteReader {
  let passed = 0;
  return {
    copy(offset, target, start, length) {
      const copied = addon.copy(map, offset, target, start, length);
      passed += Math.max(length, AROUND_BYTES);
      if (passed > RESIDENT_BYTES) {
        passed = 0;
        addon.advise(map, 0, size, HINT.dontNeed);
      }
      return copied;
    },
    close: () => addon.close(map),
  };
}

function positionedReader(descriptor: number): ByteReader {
  return {
    copy(offset, target, start, length) {
      let done = 0;
      while (done < length) {
        const count = fs.readSync(descriptor, target, start + done, length - done, offset + done);
        if (count === 0) return SHRUNK;
        done += count;
      }
      return done;
    },
    close: () => undefined,
  };
}

function compare(descriptor: number, opened: fs.BigIntStats): ReturnType<Source['changed']> {
  try {
    const now = fs.fstatSync(descriptor, { bigint: true });
    if (now.size > opened.size) return 'grown';
    if (now.size < opened.size) return 'shrunk';
    return now.mtimeNs === opened.mtimeNs ? 'no' : 'rewritten';
  } catch {
    return 'unknown';
  }
}

function environmentReader(): Reader {
  return process.env['TRACEBENCH_READER'] === 'reads' ? 'reads' : 'mapped';
}

function because(reason: string): string {
  return `the file is read without a memory map, which is slower: ${reason}`;
}

function shrunk(file: string, descriptor: number): Result<number> {
  const size = fs.fstatSync(descriptor).size;
  return fail('shrunk', `${file}: the file became shorter while it was open, at byte ${size}; open it again`);
}

function refuse(file: string, status: fs.Stats | fs.BigIntStats): { ok: false; error: Failure } | undefined {
  const kind = kindOf(status);
  if (kind === undefined) return undefined;
  if (status.isDirectory()) return fail('directory', `${file}: this is a folder; choose a trace file in it`);
  return fail('not-a-file', `${file}: this is ${kind}; a trace must be an ordinary file, so save it to one first`);
}

function explain(file: string, error: unknown): Failure {
  const handles = handlesProblem(error);
  if (handles !== undefined) return { code: 'io', message: `${file}: ${handles}` };
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR': {
      // Node replaces bytes that are not UTF-8 by this character, so such a file cannot be opened by its name.
      const check = file.includes('\ufffd')
        ? 'its name may not be UTF-8: rename it or open it through a link'
        : 'check the path';
      return { code: 'missing', message: `${file}: there is no such file; ${check}` };
    }
    case 'ELOOP':
      return { code: 'missing', message: `${file}: this is a link that leads back to itself; name the file itself` };
    case 'ENAMETOOLONG':
      return { code: 'missing', message: `${file}: the system takes no path this long; move the file or shorten it` };
    case 'EISDIR':
      return { code: 'directory', message: `${file}: this is a folder; choose a trace file in it` };
    case 'EACCES':
    case 'EPERM':
      return { code: 'unreadable', message: `${file}: you may not read this file; ask its owner for permission` };
    default:
      return { code: 'io', message: `${file}: the file cannot be read (${describe(error)})` };
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
