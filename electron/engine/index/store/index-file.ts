/**
 * The content of an index file: nodes of the pyramids, segments of block rows and one watermark, in SQLite.
 *
 * Every node is one row of the table `node`, under an id computed from its kind, level and number. A node of several rows is a
 * directory of rows in the table `body`. All content is sealed (packing.ts). A commit stores the watermark together with
 * everything before it, so an interrupted file is complete up to its watermark. Seals include the file's name, which is the
 * trace's key: rows of another trace's index do not match.
 *
 * While it is built, the file has a write-ahead log, so that other programs can read it. A complete index has none and can be read from
 * folders that may not be written.
 */
import fs from 'node:fs';
import path from 'node:path';
import type Database from 'better-sqlite3';
import { createLru, type Lru } from '../../../../shared/base/lru.ts';
import type { PageNumber } from '../../../../shared/base/units.ts';
import { isBusy, isTemporary } from './errors.ts';
import { countRows, createRowWriter, rowsBetween, type RowStream, type RowWriter } from './node-rows.ts';
import { asPacked, checksum, pack, seal, unseal, type Packed, type SealedRow } from './packing.ts';
import { IndexDamaged } from '../../collections/varint.ts';

/** Contents of a node. */
export const NODE = {
  find: 0,
  heat: 1,
  pages: 2,
  segment: 3,
  touches: 4,
  masks: 5,
  registers: 6,
  flow: 7,
  effects: 8,
  parts: 9,
  code: 10,
} as const;
export type NodeKind = (typeof NODE)[keyof typeof NODE];

export interface IndexFile {
  readonly path: string;
  /** Size on disk with its write-ahead log. */
  bytes(): number;
  /** Bytes per kind of node, with their rows. The remainder is partly filled pages and the log. */
  parts(): ReadonlyMap<NodeKind, number>;
  /** The value last committed under `watermark`; undefined in a new file. */
  watermark(): unknown;

  /** Takes the writer's lock. Returns false if another program builds this index. */
  begin(): boolean;
  /** With the lock: records this process as the one that builds the index. Returns false if another program took the lock meanwhile. */
  claim(): boolean;
  /** Process that builds the index, or that did so last; undefined if it is unknown. */
  builder(): number | undefined;
  /** Shows programs that wait for this one that it is still running. */
  beat(): void;
  /** Text that changes with every commit and beat of the program that builds the index. */
  signOfLife(): string;
  /** Writes the committed content to a new file. Other work goes on meanwhile. */
  copyTo(file: string): Promise<void>;
  /** Commits everything since `begin` with a new watermark, and releases the lock. `isLast`: the index is complete. */
  commit(watermark: unknown, isLast: boolean): void;
  /** Commits everything since `begin` without a new watermark, and releases the lock. The next build writes the same rows again. */
  commitRows(): void;
  /** Discards everything since the last commit, and releases the lock. */
  rollback(): void;
  /**
   * For a complete index: merges the write-ahead log into the file and ends it. If this is impossible now, because another program
   * has the file open or the disk is full, a later opening does it.
   */
  endLog(): void;

  putBlob(kind: NodeKind, level: number, node: number, packed: Packed): void;
  blob(kind: NodeKind, level: number, node: number): Uint8Array;
  /** Returns a node as it is stored, for another thread to unseal. */
  sealed(kind: NodeKind, level: number, node: number): SealedRow;
  rowWriter(kind: RowKind, level: number, node: number): RowWriter;
  /** Stores that a node's rows or content are left out, so that readers must read its blocks or children instead. */
  putUnknown(kind: RowKind | typeof NODE.flow, level: number, node: number): void;
  /** Returns the rows of a node that overlap the pages [low, high]; undefined if the rows are left out. */
  rows(kind: RowKind, level: number, node: number, low: PageNumber, high: PageNumber): RowStream | undefined;
  /** Returns the number of rows of a node; undefined if they are left out. */
  rowCount(kind: RowKind, level: number, node: number): number | undefined;
  /** Returns a copy of the bytes stored under a name; undefined if there are none. */
  kept(name: string): Uint8Array | undefined;
  /**
   * Stores a result about the whole trace under a name. Returns false, and stores nothing, if the file cannot be written now. Keeps
   * only the most recent results.
   */
  keep(name: string, payload: Uint8Array): boolean;
  /** True if the file was removed or replaced: another program rebuilds the index. */
  isReplaced(): boolean;
  close(): void;
}

/** Kinds of nodes that consist of rows by page. */
export type RowKind = typeof NODE.find | typeof NODE.touches | typeof NODE.masks;

/** Size of the cache of unpacked rows, enough for several queries about one place. */
const CACHE_BYTES = 16 * 2 ** 20;
/** Size of the cache of stored rows. */
const SEALED_BYTES = 8 * 2 ** 20;
/** Maximum number of kept results: those for a few sets of images. */
const MOST_KEPT = 24;

/** Time to wait for other programs that create the index, or that keep results in a complete index. */
export const LOCK_MS = 2000;

const NODES_OF_KIND = 32 * 2 ** 40;

function nodeId(kind: NodeKind, level: number, node: number): number {
  return kind * NODES_OF_KIND + level * 2 ** 40 + node;
}

/** `isWhole`: the index was complete when it was opened. */
export function createIndexFile(file: string, database: Database.Database, isWhole: boolean): IndexFile {
  // A damaged file may contain any type in any place, so values are `unknown` until they are checked.
  const readMeta = database.prepare<[string], { value: unknown; checksum: unknown }>(
    'SELECT value, checksum FROM meta WHERE key = ?',
  );
  const writeMeta = database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?, ?)');
  const readNode = database.prepare<[number]>('SELECT body FROM node WHERE id = ?').pluck();
  const writeNode = database.prepare('INSERT OR REPLACE INTO node VALUES (?, ?)');
  const readBody = database.prepare<[number]>('SELECT body FROM body WHERE id = ?').pluck();
  const writeBody = database.prepare('INSERT INTO body VALUES (?, ?, ?)');
  const lastBody = database.prepare<[], number | null>('SELECT max(id) FROM body').pluck();
  // SQLite reads the length of a blob without its content. With GROUP BY it would sort all contents.
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
  const removeMeta = database.prepare('DELETE FROM meta WHERE key = ?');
  let nextBody = 1;
  const inode = inodeOf(file);
  /** Distinguishes rows with the same id in indexes of different traces. */
  const salt = checksum(0, path.basename(file));
  /** Nodes and their rows, by id and by the negative id of a body. */
  const cache = createLru<number, Uint8Array>(CACHE_BYTES, (bytes) => bytes.buffer.byteLength);
  /** Contents as they are stored, by the node's id: walks over the whole trace read the same ones again. */
  const sealedRows = createLru<number, Uint8Array>(SEALED_BYTES, (bytes) => bytes.buffer.byteLength);

  return {
    path: file,
    bytes: () => sizeOf(file) + sizeOf(`${file}-wal`),
    parts,
    watermark,
    begin,
    claim(): boolean {
      const text = String(process.pid);
      writeMeta.run('builder', text, checksum(salt, text));
      database.exec('COMMIT');
      return begin();
    },
    builder(): number | undefined {
      const row = readMeta.get('builder');
      if (typeof row?.value !== 'string' || checksum(salt, row.value) !== row.checksum) return undefined;
      return Number(row.value);
    },
    beat(): void {
      try {
        fs.utimesSync(file, new Date(), new Date());
      } catch (error) {
        // Only the owner of a file may set its times. Other programs then see the commits alone.
        if (!(error instanceof Error && 'code' in error)) throw error;
      }
    },
    signOfLife(): string {
      const times = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
      return `${String(times?.mtimeNs)} ${JSON.stringify(watermark() ?? null)}`;
    },
    async copyTo(copy): Promise<void> {
      await database.backup(copy);
    },
    commit(value, isLast): void {
      const text = JSON.stringify(value);
      writeMeta.run('watermark', text, checksum(salt, text));
      if (isLast) removeMeta.run('builder');
      database.exec('COMMIT');
    },
    commitRows(): void {
      if (database.inTransaction) database.exec('COMMIT');
    },
    rollback(): void {
      if (database.inTransaction) database.exec('ROLLBACK');
    },
    endLog,
    putBlob(kind, level, node, packed): void {
      putNode(nodeId(kind, level, node), packed);
    },
    blob,
    sealed,
    rowWriter: (kind, level, node) =>
      createRowWriter(
        (packed) => putBody(kind, packed),
        (packed) => {
          putNode(nodeId(kind, level, node), packed);
        },
      ),
    putUnknown(kind, level, node): void {
      putNode(nodeId(kind, level, node), asPacked(new Uint8Array(0)));
    },
    rows,
    rowCount(kind, level, node) {
      const directory = blob(kind, level, node);
      return directory.length === 0 ? undefined : countRows(directory);
    },
    kept(name) {
      const sealed = readKept.get(name);
      return sealed === undefined ? undefined : unseal(checksum(salt, name), blobOf(sealed, name));
    },
    keep(name, payload) {
      // SQLite names its journal after the file: the journal of a removed file would be taken for that of its replacement.
      if (database.inTransaction || isReplaced()) return false;
      try {
        keepOne.immediate(name, seal(checksum(salt, name), pack(payload)));
        return true;
      } catch (error) {
        if (!isTemporary(error)) throw error;
        return false;
      }
    },
    isReplaced,
    close(): void {
      database.close();
    },
  };

  function begin(): boolean {
    try {
      database.exec('BEGIN IMMEDIATE');
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
    nextBody = (lastBody.get() ?? 0) + 1;
    return true;
  }

  function isReplaced(): boolean {
    return inodeOf(file) !== inode;
  }

  function endLog(): void {
    try {
      database.pragma('wal_checkpoint(TRUNCATE)');
      if (database.pragma('journal_mode', { simple: true }) !== 'wal') return;
      database.pragma('journal_mode = DELETE');
      database.pragma(`busy_timeout = ${String(LOCK_MS)}`);
    } catch (error) {
      // Committed rows are safe in the log.
      if (!isTemporary(error)) throw error;
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
    // The places in a block belong to its row.
    add(NODE.segment, sums.get(NODE.parts) ?? 0);
    sums.delete(NODE.parts);
    // How often code ran is a fact about the flow.
    add(NODE.flow, sums.get(NODE.code) ?? 0);
    sums.delete(NODE.code);
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
    return { place: placeOf(id), bytes: through(sealedRows, id, () => readSealed(kind, level, node)) };
  }

  function readSealed(kind: NodeKind, level: number, node: number): Uint8Array {
    return blobOf(readNode.get(nodeId(kind, level, node)), `node ${String(kind)}/${String(level)}/${String(node)}`);
  }

  function blob(kind: NodeKind, level: number, node: number): Uint8Array {
    return unseal(placeOf(nodeId(kind, level, node)), readSealed(kind, level, node));
  }

  function putBody(kind: RowKind, packed: Packed): number {
    const id = nextBody++;
    writeBody.run(id, kind, seal(placeOf(id), packed));
    return id;
  }

  function putNode(id: number, packed: Packed): void {
    writeNode.run(id, seal(placeOf(id), packed));
  }

  /** Returns the number that a row is sealed with. */
  function placeOf(id: number): number {
    return id + salt;
  }

  function rows(kind: RowKind, level: number, node: number, low: PageNumber, high: PageNumber): RowStream | undefined {
    const bytes = unsealed(nodeId(kind, level, node), () => blob(kind, level, node));
    return bytes.length === 0
      ? undefined
      : rowsBetween(bytes, low, high, (body) => unsealed(-body, () => bodyOf(body)));
  }

  function unsealed(key: number, read: () => Uint8Array): Uint8Array {
    return through(cache, key, read);
  }

  /**
   * Reads content through a cache. Does not use the cache while this program builds the index: uncommitted rows may be rolled back,
   * and merges read each row once.
   */
  function through(cached: Lru<number, Uint8Array>, key: number, read: () => Uint8Array): Uint8Array {
    if (database.inTransaction) return read();
    const known = cached.get(key);
    if (known !== undefined) return known;
    const bytes = read();
    cached.set(key, bytes);
    return bytes;
  }

  function bodyOf(id: number): Uint8Array {
    return unseal(placeOf(id), blobOf(readBody.get(id), `row ${String(id)}`));
  }
}

function blobOf(value: unknown, what: string): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new IndexDamaged(`${what} is missing`);
  return value;
}

function inodeOf(file: string): bigint | undefined {
  return fs.statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
}

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
