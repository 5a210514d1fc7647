/**
 * The index file: nodes of the pyramids, segments of block rows and one watermark, in SQLite.
 *
 * Every node is one row of `node` under an id computed from what it is; long ones are a directory whose rows lie in
 * `body`. All content is sealed. A commit moves the watermark together with everything below it, so a file that was
 * interrupted is whole up to its watermark; `complete` is part of the last watermark. Seals are made with the file's name,
 * which is the trace's key: rows of another trace's index are not taken for this one's.
 *
 * While it is built the file has a write-ahead log, so that others can read meanwhile. A complete one has none: it can be
 * read where nothing may be written.
 */
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { decodeFindRow, type FindColumns, type FindStream } from '../builders/find.ts';
import { createLru } from '../../../../shared/base/lru.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import type { PageNumber } from '../../../../shared/base/units.ts';
import { makeFolder } from '../../platform/make-folder.ts';
import { asPacked, checksum, pack, seal, unpack, unseal, type Packed, type SealedRow } from './packing.ts';
import { ByteReader, ByteWriter, IndexDamaged } from '../../collections/varint.ts';

/** Contents of a node. */
export const NODE = { find: 0, heat: 1, pages: 2, segment: 3, touches: 4, masks: 5, registers: 6, flow: 7 } as const;
export type NodeKind = (typeof NODE)[keyof typeof NODE];

export interface IndexFile {
  readonly path: string;
  /** Size on disk with its write-ahead log. */
  bytes(): number;
  /** Bytes per kind of node, with their rows. The remainder is partly filled pages and the log. */
  parts(): ReadonlyMap<NodeKind, number>;
  /** The value last committed under `watermark`; undefined in a new file. */
  watermark(): unknown;

  /** Takes the writer's lock; false while another program builds this index. */
  begin(): boolean;
  /** Commits all that was put since `begin`, with the new watermark, and goes on holding the lock where it can. */
  commit(watermark: unknown): void;
  /** Gives up the lock and keeps what was put since the last commit: no watermark speaks of it, and anyone who builds puts it again. */
  commitRows(): void;
  /** Gives up what was put since the last commit, and the lock. */
  rollback(): void;
  /**
   * For a complete index: merges the write-ahead log into the file and ends it. If this is impossible now, because another program
   * has the file open or the disk is full, a later opening does it.
   */
  settle(): void;

  putBlob(kind: NodeKind, level: number, node: number, packed: Packed): void;
  blob(kind: NodeKind, level: number, node: number): Uint8Array;
  /** The same as it lies in the file, for another thread to unseal. */
  sealed(kind: NodeKind, level: number, node: number): SealedRow;
  rowWriter(kind: RowKind, level: number, node: number): RowWriter;
  /** For a node whose rows, or whose content, are left out: anything may be there. */
  putUnknown(kind: RowKind | typeof NODE.flow, level: number, node: number): void;
  /** The rows of a node that may hold pages of [low, high]; undefined if they were left out. */
  rows(kind: RowKind, level: number, node: number, low: PageNumber, high: PageNumber): RowStream | undefined;
  /** How many rows a node has; undefined if they were left out. */
  rowCount(kind: RowKind, level: number, node: number): number | undefined;
  /** The rows of a find node, decoded. */
  findRows(level: number, node: number, low: PageNumber, high: PageNumber): FindStream | undefined;
  /** Returns a copy of the bytes stored under a name; undefined if there are none. */
  kept(name: string): Uint8Array | undefined;
  /**
   * Keeps what was found out about the whole of a complete index. It can be found out again: false, and nothing happens, where
   * the file cannot be written now. Of many names the latest stay.
   */
  keep(name: string, payload: Uint8Array): boolean;
  /** Whether another file has taken its place, or it was taken away: another program builds the index again. */
  isReplaced(): boolean;
  close(): void;
}

/** Nodes that are rows by page. */
export type RowKind = typeof NODE.find | typeof NODE.touches | typeof NODE.masks;

export interface StoredRow {
  /** Its first page. */
  readonly low: PageNumber;
  readonly bytes: Uint8Array;
}

export type RowStream = Iterator<StoredRow, undefined>;

export interface RowWriter {
  /** Rows come in order of their pages. */
  row(low: PageNumber, high: PageNumber, packed: Packed): void;
  finish(): void;
}

/** One row of at most this many bytes lies in the node itself. */
const INLINE_BYTES = 2048;
/** Unpacked rows that are remembered: those of some questions about one place. */
const REMEMBERED_BYTES = 16 * 2 ** 20;
/** Findings that are kept: those about some sets of images. */
const MOST_KEPT = 12;

/** How long is waited for programs that keep what they found in a complete index, or that open a new one. */
const LOCK_MS = 2000;

/** Opens the index at `file`, creating it where there is none. Fails where SQLite cannot; a damaged one throws IndexDamaged. */
export function openIndexFile(file: string): Result<IndexFile> {
  try {
    makeFolder(path.dirname(file));
    return ok(openWhenFree(file));
  } catch (error) {
    if (isDamage(error)) throw new IndexDamaged(error instanceof Error ? error.message : 'unreadable');
    const reason = error instanceof Error ? error.message : String(error);
    return fail(
      isBusy(error) ? INDEX_BUSY : 'index-unusable',
      `${file}: the index cannot be kept there (${reason}); choose another folder with --index-dir`,
    );
  }
}

/**
 * Of programs that make the same index at once SQLite turns all but one away without a wait, where waiting for one another would
 * never end: they try again.
 */
function openWhenFree(file: string): IndexFile {
  const until = performance.now() + LOCK_MS;
  for (;;) {
    const database = new Database(file, { timeout: LOCK_MS });
    try {
      const isWhole = isComplete(database);
      if (!isWhole) prepareToBuild(database);
      // Pages are counted when this is said: before their size is known, they would be sixteen times as many.
      database.pragma('cache_size = -16384');
      return indexFile(file, database, isWhole);
    } catch (error) {
      database.close();
      if (!isBusy(error) || performance.now() > until) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS);
  }
}

const AGAIN_MS = 20;

/** Failure code of an index that other programs keep locked: what is there is theirs. */
export const INDEX_BUSY = 'index-busy';

/** Whether this is a complete index without a log: only those have tables and none. */
function isComplete(database: Database.Database): boolean {
  const tables = database.prepare<[], number>('SELECT count(*) FROM sqlite_schema').pluck().get();
  return tables !== 0 && database.pragma('journal_mode', { simple: true }) !== 'wal';
}

function prepareToBuild(database: Database.Database): void {
  // Rows are some ten kilobytes: the largest pages hold several, and take fewer calls to write, to fold and to read.
  database.pragma('page_size = 65536');
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  // A build writes much at once: fold its log into the file in strides of 12 MB, not of four, and not all of it at the end,
  // when nothing else is left to do meanwhile.
  database.pragma('wal_autocheckpoint = 192');
  database.exec(`
    CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS node (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS body (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, body BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS kept (id INTEGER PRIMARY KEY, name TEXT NOT NULL, body BLOB NOT NULL);`);
  // From here on a lock that is taken is an answer, not something to wait for: readers of a log need none.
  database.pragma('busy_timeout = 0');
}

/** Loads SQLite on this thread. */
export function loadDatabase(): void {
  new Database(':memory:').close();
}

/** Removes an index with its companions; a trace is never touched. Fails where that may not be done. */
export function removeIndexFile(file: string): Result<undefined> {
  try {
    for (const end of ['', '-wal', '-shm', '-journal']) fs.rmSync(file + end, { force: true });
    return ok(undefined);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return fail(
      'index-unusable',
      `${file}: this index cannot be replaced, because its folder may not be written to; choose another one with --index-dir`,
    );
  }
}

/** Whether SQLite says that the file itself is not sound. */
export function isDamage(error: unknown): boolean {
  if (error instanceof IndexDamaged) return true;
  const code = sqliteCode(error);
  return code !== undefined && /^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(code);
}

export function isFull(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && /^SQLITE_(FULL|IOERR)/.test(code);
}

/** True if the error means that the index file is unreadable: it was removed, or the drive failed. */
export function isUnreadable(error: unknown): boolean {
  return isDamage(error) || sqliteCode(error)?.startsWith('SQLITE_IOERR') === true;
}

/** Whether SQLite says that nothing may be written, or no longer. */
export function isReadOnly(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && /^SQLITE_(READONLY|CANTOPEN|PERM)/.test(code);
}

function isBusy(error: unknown): boolean {
  return sqliteCode(error)?.startsWith('SQLITE_BUSY') === true;
}

function sqliteCode(error: unknown): string | undefined {
  return error instanceof Database.SqliteError ? error.code : undefined;
}

const NODES_OF_KIND = 32 * 2 ** 40;

function nodeId(kind: NodeKind, level: number, node: number): number {
  return kind * NODES_OF_KIND + level * 2 ** 40 + node;
}

/** `isWhole`: it was complete when it was opened. */
function indexFile(file: string, database: Database.Database, isWhole: boolean): IndexFile {
  // In a damaged file any type may stand anywhere: what is read is `unknown` until it was looked at.
  const readMeta = database.prepare<[string], { value: unknown; checksum: unknown }>(
    'SELECT value, checksum FROM meta WHERE key = ?',
  );
  const writeMeta = database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?, ?)');
  const readNode = database.prepare<[number]>('SELECT body FROM node WHERE id = ?').pluck();
  const writeNode = database.prepare('INSERT OR REPLACE INTO node VALUES (?, ?)');
  const readBody = database.prepare<[number]>('SELECT body FROM body WHERE id = ?').pluck();
  const writeBody = database.prepare('INSERT INTO body VALUES (?, ?, ?)');
  const lastBody = database.prepare<[], number | null>('SELECT max(id) FROM body').pluck();
  // A blob's length is in front of it. Grouped by SQL, all contents would be sorted.
  const nodeLengths = database.prepare<[], { id: number; bytes: number }>('SELECT id, length(body) AS bytes FROM node');
  const bodyLengths = database.prepare<[], { kind: number; bytes: number }>(
    'SELECT kind, length(body) AS bytes FROM body',
  );
  const readKept = database.prepare<[string]>('SELECT body FROM kept WHERE name = ?').pluck();
  const keptLength = database.prepare<[], number | null>('SELECT sum(length(body)) FROM kept').pluck();
  const removeKept = database.prepare('DELETE FROM kept WHERE name = ?');
  const writeKept = database.prepare('INSERT INTO kept (name, body) VALUES (?, ?)');
  const dropKept = database.prepare('DELETE FROM kept WHERE id NOT IN (SELECT id FROM kept ORDER BY id DESC LIMIT ?)');
  const keepOne = database.transaction((name: string, sealed: Buffer) => {
    removeKept.run(name);
    writeKept.run(name, sealed);
    dropKept.run(MOST_KEPT);
  });
  let nextBody = 1;
  const inode = inodeOf(file);
  /** Distinguishes rows with the same id in indexes of different traces. */
  const salt = checksum(0, path.basename(file));
  /** Nodes and their rows, by id and by the negative id of a body. */
  const remembered = createLru<number, Uint8Array>(REMEMBERED_BYTES, (bytes) => bytes.buffer.byteLength);

  return {
    path: file,
    bytes: () => sizeOf(file) + sizeOf(`${file}-wal`),
    parts,
    watermark,
    begin(): boolean {
      try {
        database.exec('BEGIN IMMEDIATE');
      } catch (error) {
        if (isBusy(error)) return false;
        throw error;
      }
      nextBody = (lastBody.get() ?? 0) + 1;
      return true;
    },
    commit(value): void {
      const text = JSON.stringify(value);
      writeMeta.run('watermark', text, checksum(salt, text));
      database.exec('COMMIT');
    },
    commitRows(): void {
      if (database.inTransaction) database.exec('COMMIT');
    },
    rollback(): void {
      if (database.inTransaction) database.exec('ROLLBACK');
    },
    settle,
    putBlob(kind, level, node, packed): void {
      putNode(nodeId(kind, level, node), packed);
    },
    blob,
    sealed,
    rowWriter,
    putUnknown(kind, level, node): void {
      putNode(nodeId(kind, level, node), asPacked(new Uint8Array(0)));
    },
    rows,
    rowCount,
    findRows(level, node, low, high): FindStream | undefined {
      const stored = rows(NODE.find, level, node, low, high);
      return stored === undefined ? undefined : decoded(stored);
    },
    kept(name) {
      const sealed = readKept.get(name);
      return sealed === undefined ? undefined : unseal(checksum(salt, name), blobOf(sealed, name));
    },
    keep(name, payload) {
      // The journal lies beside the name: with a file that was taken away it would belong to the one that came in its place.
      if (database.inTransaction || isReplaced()) return false;
      try {
        keepOne.immediate(name, seal(checksum(salt, name), pack(payload)));
        return true;
      } catch (error) {
        if (isDamage(error) || sqliteCode(error) === undefined) throw error;
        return false;
      }
    },
    isReplaced,
    close(): void {
      database.close();
    },
  };

  function isReplaced(): boolean {
    return inodeOf(file) !== inode;
  }

  function settle(): void {
    try {
      database.pragma('wal_checkpoint(TRUNCATE)');
      if (database.pragma('journal_mode', { simple: true }) !== 'wal') return;
      database.pragma('journal_mode = DELETE');
      database.pragma(`busy_timeout = ${String(LOCK_MS)}`);
    } catch (error) {
      // Committed rows are safe in the log.
      if (isDamage(error) || sqliteCode(error) === undefined) throw error;
    }
  }

  function parts(): ReadonlyMap<NodeKind, number> {
    const sums = new Map<number, number>();
    const add = (kind: number, bytes: number): void => {
      sums.set(kind, (sums.get(kind) ?? 0) + bytes);
    };
    for (const { id, bytes } of nodeLengths.iterate()) add(Math.floor(id / NODES_OF_KIND), bytes);
    for (const { kind, bytes } of bodyLengths.iterate()) add(kind, bytes);
    add(NODE.flow, keptLength.get() ?? 0);
    return new Map(Object.values(NODE).map((kind) => [kind, sums.get(kind) ?? 0]));
  }

  function watermark(): unknown {
    const row = readMeta.get('watermark');
    if (row === undefined) {
      if (isWhole) throw new IndexDamaged('its watermark is missing');
      return undefined;
    }
    if (typeof row.value !== 'string' || checksum(salt, row.value) !== row.checksum)
      throw new IndexDamaged('its watermark does not match');
    return JSON.parse(row.value);
  }

  function sealed(kind: NodeKind, level: number, node: number): SealedRow {
    const id = nodeId(kind, level, node);
    const bytes = blobOf(readNode.get(id), `node ${String(kind)}/${String(level)}/${String(node)}`);
    return { place: placeOf(id), bytes };
  }

  function blob(kind: NodeKind, level: number, node: number): Uint8Array {
    const { place, bytes } = sealed(kind, level, node);
    return unseal(place, bytes);
  }

  function rowWriter(kind: RowKind, level: number, node: number): RowWriter {
    const rows: { low: PageNumber; high: PageNumber; body: number }[] = [];
    let only: { low: PageNumber; high: PageNumber; packed: Packed } | undefined;
    return {
      row(low, high, packed): void {
        if (rows.length === 0 && only === undefined && packed.length <= INLINE_BYTES) {
          only = { low, high, packed };
          return;
        }
        if (only !== undefined) {
          rows.push({ low: only.low, high: only.high, body: putBody(kind, only.packed) });
          only = undefined;
        }
        rows.push({ low, high, body: putBody(kind, packed) });
      },
      finish(): void {
        const out = new ByteWriter(1024);
        out.varint(only === undefined ? rows.length + 1 : 0);
        let previous = 0;
        for (const { low, high, body } of only === undefined ? rows : [{ ...only, body: 0 }]) {
          out.varint(low - previous);
          out.varint(high - low);
          out.varint(body);
          previous = low;
        }
        if (only !== undefined) for (const byte of only.packed) out.byte(byte);
        putNode(nodeId(kind, level, node), only === undefined ? pack(out.take()) : asPacked(out.take()));
      },
    };
  }

  function putBody(kind: RowKind, packed: Packed): number {
    const id = nextBody++;
    writeBody.run(id, kind, seal(placeOf(id), packed));
    return id;
  }

  function putNode(id: number, packed: Packed): void {
    writeNode.run(id, seal(placeOf(id), packed));
  }

  /** Seal of a row. */
  function placeOf(id: number): number {
    return id + salt;
  }

  function rows(kind: RowKind, level: number, node: number, low: PageNumber, high: PageNumber): RowStream | undefined {
    const bytes = unsealed(nodeId(kind, level, node), () => blob(kind, level, node));
    return bytes.length === 0 ? undefined : rowsBetween(bytes, low, high);
  }

  /**
   * Content that questions ask for, remembered. Not while this program builds the index: what is not committed may be taken back, and
   * joining nodes reads each row once.
   */
  function unsealed(key: number, read: () => Uint8Array): Uint8Array {
    if (database.inTransaction) return read();
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const bytes = read();
    remembered.set(key, bytes);
    return bytes;
  }

  function rowCount(kind: RowKind, level: number, node: number): number | undefined {
    const bytes = blob(kind, level, node);
    return bytes.length === 0 ? undefined : Math.max(1, new ByteReader(bytes).varint() - 1);
  }

  function bodyOf(id: number): Uint8Array {
    return unseal(placeOf(id), blobOf(readBody.get(id), `row ${String(id)}`));
  }

  function* rowsBetween(bytes: Uint8Array, low: PageNumber, high: PageNumber): Generator<StoredRow, undefined> {
    const reader = new ByteReader(bytes);
    const count = reader.varint();
    if (count === 0) {
      const first = reader.varint();
      const last = first + reader.varint();
      reader.varint();
      if (first <= high && last >= low) yield { low: first, bytes: unpack(bytes.subarray(reader.position)) };
      return undefined;
    }
    let first = 0;
    for (let i = 1; i < count; i++) {
      first += reader.varint();
      const last = first + reader.varint();
      const body = reader.varint();
      if (first > high) return undefined;
      if (last < low) continue;
      yield { low: first, bytes: unsealed(-body, () => bodyOf(body)) };
    }
    return undefined;
  }
}

function blobOf(value: unknown, what: string): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new IndexDamaged(`${what} is missing`);
  return value;
}

function* decoded(rows: RowStream): Generator<FindColumns, undefined> {
  for (let next = rows.next(); next.done !== true; next = rows.next())
    yield decodeFindRow(next.value.bytes, next.value.low);
  return undefined;
}

function inodeOf(file: string): bigint | undefined {
  return fs.statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
