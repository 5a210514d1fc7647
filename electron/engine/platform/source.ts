/**
 * Where do the bytes of a trace come from? From a read-only memory map, or from positioned reads where the addon is
 * missing or refused; both behind one face, so nothing else can tell them apart.
 *
 * The file is never written. One that is cut short or pulled away while it is open gives a failure, never a dead program.
 */
import fs from 'node:fs';
import path from 'node:path';
import { FAULT, HINT, loadMap, SHRUNK, type MapAddon, type MapHandle } from '../../native/map.ts';
import { assert, fail, ok, type Failure, type Result } from '../../../shared/base/result.ts';
import type { ByteOffset } from '../../../shared/base/units.ts';

export interface Source {
  readonly path: string;
  /** Bytes when opened; stays as it is when the file changes. */
  readonly size: number;
  /** Which file this is, whatever its name leads to later. */
  readonly identity: string;
  /** Its modification time when opened, in nanoseconds. */
  readonly modified: string;
  readonly reader: Reader;
  /** Why the reader is not the mapped one, as a sentence. */
  readonly note?: string;
  /**
   * Copies [offset, offset + length) into target at targetStart; value = bytes copied, short only at the end of the
   * file as opened. Fails with `shrunk` when the file is now shorter than that range, `io` else; the target's content
   * then means nothing. Fastest into page-aligned memory (`alignedBuffer`).
   */
  read(offset: ByteOffset, target: Uint8Array, targetStart: number, length: number): Result<number>;
  /**
   * Whether the open file still has the size and modification time it was opened with; unknown where the system can no
   * longer be asked, as when a file server is gone. Bytes appended do not disturb reads of the first `size` ones.
   */
  changed(): 'no' | 'grown' | 'shrunk' | 'rewritten' | 'unknown';
  /** Closing twice does nothing; reading afterwards fails with `closed`. */
  close(): void;
}

export type Reader = 'mapped' | 'reads';

/**
 * Opens a trace for reading. Belongs to the calling thread. Fails with `missing`, `directory`, `not-a-file`,
 * `unreadable` or `io`; an empty file is fine. `wanted` is the environment's TRACEBENCH_READER by default.
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

/** Loads the addon on this thread; hosts call it before they start workers. Fails with the reason why reads are used. */
export function loadReader(): Result<Reader> {
  const addon = loadMap();
  return addon.ok ? ok('mapped') : fail('reader', because(addon.error.message));
}

/**
 * Zeroed memory that starts on a page boundary and can be shared with workers: positioned reads into it run at twice
 * the speed of an ordinary Uint8Array. Costs at least one 64 KiB page of memory and, on top, gigabytes of address
 * space: make few and keep them.
 */
export function alignedBuffer(bytes: number): Uint8Array<SharedArrayBuffer> {
  const pages = Math.max(1, Math.ceil(bytes / WASM_PAGE));
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  return new Uint8Array(memory.buffer, 0, bytes);
}

/** The little of WebAssembly that is used here; Node has it, its types leave it to the DOM's. */
declare const WebAssembly: {
  readonly Memory: new (limits: { initial: number; maximum: number; shared: true }) => {
    readonly buffer: SharedArrayBuffer;
  };
};

const WASM_PAGE = 65536;
/** After this many bytes through the map its pages leave the process again (they stay in the system's cache). */
const RESIDENT_BYTES = 32 * 1024 * 1024;
/** What the system may bring in around a small read: a folio of its cache, which large files have in up to this size. */
const AROUND_BYTES = 2 * 1024 * 1024;

/** From here on bringing pages into the map costs more than asking the system for the bytes. */
const WHOLE_BLOCK = 512 * 1024;

/** Copies a range that lies inside the file as opened; gives its length, SHRUNK or FAULT, or throws what the system said. */
interface ByteReader {
  copy(offset: ByteOffset, target: Uint8Array, start: number, length: number): number;
  close(): void;
}

function assemble(file: string, descriptor: number, status: fs.BigIntStats, wanted: Reader): Source {
  const size = Number(status.size);
  const mapped =
    wanted === 'mapped' ? mappedReader(file, size, status) : fail('reader', 'positioned reads were asked for');
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
        const by = count < WHOLE_BLOCK ? bytes : reads;
        const copied = by.copy(offset, target, targetStart, count);
        if (copied === SHRUNK) return shrunk(file, descriptor);
        if (copied === FAULT) return fail('io', `${file}: the bytes from ${offset} on cannot be read; check the drive`);
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
  if (status.isFile()) return undefined;
  if (status.isDirectory()) return fail('directory', `${file}: this is a folder; choose a trace file in it`);
  const kind = status.isFIFO() ? 'a pipe' : status.isSocket() ? 'a socket' : 'a device';
  return fail('not-a-file', `${file}: this is ${kind}; a trace must be an ordinary file, so save it to one first`);
}

function explain(file: string, error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR': {
      // What is no UTF-8 in a name comes in as this character, and the file cannot be named so.
      const check = file.includes('\ufffd')
        ? 'its name may not be UTF-8: rename it or open it by a link'
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
