/**
 * Expands compressed traces. A compressed trace is expanded once, into the folder of the indexes, and then opened like any other.
 *
 * The name of an expansion is a digest of the compressed file (size, modification time, sampled bytes), followed by the size of the
 * expansion. It is written under a temporary name and renamed when complete, so an expansion under its own name is complete.
 * Opening an expansion marks it as used. Expansions that were not used for a month are removed when another file is
 * expanded, or earlier if the disk is full.
 */
import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import { link, open, readdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { ExpandProgress } from '../../../../shared/requests/requests.ts';
import { fail, ok, type Failure, type Result } from '../../../../shared/base/result.ts';
import { packingOf, type Packing } from './packing.ts';
import { unpack } from './unpack.ts';
import { handlesProblem } from '../../platform/handles.ts';
import { makeFolder, PRIVATE } from '../../platform/private-files.ts';
import { KEPT_DAYS } from '../../index/store/identity.ts';
import { identify } from '../../platform/file-identity.ts';
import { openSource, type Source } from '../../platform/source.ts';
import type { Task } from '../../threads/task.ts';

export interface Expansion {
  /** Path of the expanded trace. */
  readonly path: string;
  /** Format of the compressed file: `gzip`, `zstd` or `compress`. */
  readonly as: string;
  /** Size of the compressed file. */
  readonly bytes: number;
}

export interface ExpandSettings {
  readonly file: string;
  readonly folder: string;
  /** Called before the file is expanded; returns the reason if it should not be. */
  readonly check: () => Promise<Failure | undefined>;
  readonly task: Task<ExpandProgress>;
}

/** Returns undefined if the file has no compression that is known here. If it fails, no file is left. */
export async function expand(settings: ExpandSettings): Promise<Result<Expansion | undefined>> {
  const packed = lookAtFile(settings.file);
  if (!packed.ok) return packed;
  if (packed.value === undefined) return ok(undefined);
  try {
    return await expandOnce(settings, packed.value);
  } catch (error) {
    return unwritable(settings, error);
  }
}

/** Must be raised whenever a compressed file expands to different content: older expansions are then ignored. */
const FORMAT_VERSION = 3;
const ENDING = '.expanded';
const UNFINISHED = '.unfinished';
const DAY = 24 * 60 * 60;
/** Minimum free space that is left on the disk. */
const LEAST_FREE = 64 * 1024 * 1024;
/** Number of written bytes between checks of the free space. */
const ROOM_STRIDE = 64 * 1024 * 1024;
const PROGRESS_MS = 100;

interface Packed {
  readonly packing: Packing;
  readonly key: string;
  readonly bytes: number;
  /** In whole seconds, which every file system stores exactly. */
  readonly modified: number;
  /** Minimum size of the content. */
  readonly least: number;
}

/** Returns undefined also if the file cannot be opened: opening the trace reports the reason. */
function lookAtFile(file: string): Result<Packed | undefined> {
  const source = openSource(file);
  if (!source.ok) return ok(undefined);
  try {
    return lookAt(source.value);
  } finally {
    source.value.close();
  }
}

function lookAt(source: Source): Result<Packed | undefined> {
  const head = new Uint8Array(Math.min(512, source.size));
  const read = source.read(0, head, 0, head.length);
  if (!read.ok) return read;
  const packing = packingOf(head);
  if (packing?.expandable === undefined) return ok(undefined);
  const content = identify(source, source.size);
  if (!content.ok) return content;
  const key = createHash('sha256')
    .update(JSON.stringify([FORMAT_VERSION, source.size, source.modified, content.value.probe]))
    .digest('hex')
    .slice(0, 32);
  const least = leastContent(source, packing);
  if (!least.ok) return least;
  const modified = Number(BigInt(source.modified) / 1_000_000_000n);
  return ok({ packing, key, bytes: source.size, modified, least: least.value });
}

/** A gzip file ends with the size of its last member modulo 2^32 (RFC 1952, section 2.3.1), a lower bound of the content's size. */
function leastContent(source: Source, { expandable }: Packing): Result<number> {
  if (expandable !== 'gzip' || source.size < 18) return ok(source.size);
  const trailer = new Uint8Array(4);
  const read = source.read(source.size - 4, trailer, 0, 4);
  return read.ok ? ok(new DataView(trailer.buffer).getUint32(0, true)) : read;
}

async function expandOnce(settings: ExpandSettings, packed: Packed): Promise<Result<Expansion>> {
  const { folder } = settings;
  makeFolder(folder);
  const { packing, bytes } = packed;
  const as = packing.expandable ?? '';
  const found = await findExpansion(folder, packed.key);
  if (found !== undefined) {
    await markUsed(found, packed);
    return ok({ path: found, as, bytes });
  }
  const problem = await settings.check();
  if (problem !== undefined) return { ok: false, error: problem };
  await removeStale(folder, KEPT_DAYS * DAY);
  const room = await makeRoom(settings, packed.least);
  if (!room.ok) return room;
  const unfinished = path.join(folder, `${packed.key}.${String(process.pid)}.${randomUUID()}${UNFINISHED}`);
  try {
    const written = await write(settings, packed, unfinished);
    if (!written.ok) return written;
    // If the file was changed meanwhile, the expansion would be stored under the digest of other content.
    const still = lookAtFile(settings.file);
    if (!still.ok) return still;
    if (still.value?.key !== packed.key) return writtenTo(settings);
    const place = path.join(folder, `${packed.key}-${String(written.value)}${ENDING}`);
    await utimes(unfinished, now(), timeOf(packed));
    await putInPlace(unfinished, place);
    return ok({ path: place, as, bytes });
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Does not replace an expansion that another program has made meanwhile and may have open: its content is the same. */
async function putInPlace(unfinished: string, place: string): Promise<void> {
  try {
    await link(unfinished, place);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    // The file system may not support links.
    await rename(unfinished, place);
  }
}

/** Sets the access time only: the modification time is part of the index key. Does nothing without permission. */
async function markUsed(found: string, packed: Packed): Promise<void> {
  try {
    await utimes(found, now(), timeOf(packed));
  } catch (error) {
    if (!MAY_NOT.has(codeOf(error))) throw error;
  }
}

/** A Date, because Node takes a negative number (a time before 1970) for the current time. */
function timeOf({ modified }: Packed): Date {
  return new Date(1000 * modified);
}

/** Error codes of files that may only be read. */
const MAY_NOT: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Finds the expansion of a key. Removes expansions whose size differs from the one in their name. */
async function findExpansion(folder: string, key: string): Promise<string | undefined> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${key}-`) || !name.endsWith(ENDING)) continue;
    const place = path.join(folder, name);
    const { size } = await stat(place);
    if (name === `${key}-${String(size)}${ENDING}`) return place;
    await rm(place, { force: true });
  }
  return undefined;
}

/** Writes the expanded content and returns its size. */
async function write(settings: ExpandSettings, packed: Packed, unfinished: string): Promise<Result<number>> {
  const { file, folder, task } = settings;
  const output = await open(unfinished, 'wx', PRIVATE);
  const started = performance.now();
  let reported = started;
  let written = 0;
  let looked = 0;
  const room = { full: false };
  try {
    const done = await unpack(file, packed.packing.expandable ?? 'gzip', async (piece, read) => {
      for (let at = 0; at < piece.length;) at += (await output.write(piece, at)).bytesWritten;
      written += piece.length;
      const time = performance.now();
      if (time - reported >= PROGRESS_MS) {
        reported = time;
        task.report(progress(packed.bytes, read, written, (time - started) / 1000));
      }
      if (written - looked >= ROOM_STRIDE) {
        looked = written;
        room.full = (await freeBytes(folder)) < LEAST_FREE;
      }
      return !task.cancelled() && !room.full;
    });
    if (!done.ok) return done;
    if (room.full) return noRoom(settings, `${String(written)} bytes were expanded`);
    return task.cancelled() ? task.cancel() : ok(written);
  } finally {
    await output.close();
  }
}

function progress(totalBytes: number, bytes: number, expandedBytes: number, seconds: number): ExpandProgress {
  const bytesPerSecond = seconds > 0 ? bytes / seconds : 0;
  return {
    bytes,
    totalBytes,
    expandedBytes,
    bytesPerSecond,
    secondsLeft: bytesPerSecond > 0 ? (totalBytes - bytes) / bytesPerSecond : null,
  };
}

/** Makes room for `bytes`, if necessary by removing expansions that were not used for a day. */
async function makeRoom(settings: ExpandSettings, bytes: number): Promise<Result<undefined>> {
  const { folder } = settings;
  if ((await freeBytes(folder)) >= bytes + LEAST_FREE) return ok(undefined);
  await removeStale(folder, DAY);
  const free = await freeBytes(folder);
  if (free >= bytes + LEAST_FREE) return ok(undefined);
  return noRoom(
    settings,
    `the trace has at least ${String(bytes)} bytes, ${String(free)} are free, and ${String(LEAST_FREE)} must stay free`,
  );
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Removes expansions that were not used for this many seconds, and unfinished files of programs that have ended. */
async function removeStale(folder: string, seconds: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const place = path.join(folder, name);
    const status =
      name.endsWith(ENDING) || name.endsWith(UNFINISHED) ? fs.statSync(place, { throwIfNoEntry: false }) : undefined;
    if (status === undefined) continue;
    const owner = Number(/\.(\d+)\.[\w-]+\.unfinished$/.exec(name)?.[1] ?? Number.NaN);
    const stale = name.endsWith(ENDING) ? now() - status.atimeMs / 1000 > seconds : !isRunning(owner);
    if (stale) await rm(place, { force: true });
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}

function writtenTo({ file }: ExpandSettings): Result<never> {
  return fail('changed', `${file}: the file was written to while it was being expanded; open it again`);
}

function noRoom({ file, folder }: ExpandSettings, what: string): Result<never> {
  return fail(
    DISK_SHORT,
    `${file}: there is no room to expand it in ${folder} (${what}); free some, or choose another folder with --index-dir`,
  );
}

/** Failure code of an expansion for which the disk has no room. */
const DISK_SHORT = 'disk-full';

function unwritable(settings: ExpandSettings, error: unknown): Result<never> {
  const handles = handlesProblem(error);
  if (handles !== undefined) return fail('unwritable', `${settings.file}: ${handles}`);
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return noRoom(settings, 'the disk is full');
  if (code === 'EFBIG') return noRoom(settings, 'a file may not become so large');
  if (code === undefined || !(error instanceof Error)) throw error;
  return fail(
    'unwritable',
    `${settings.file}: it cannot be expanded into ${settings.folder} (${error.message}); choose another folder with --index-dir`,
  );
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
