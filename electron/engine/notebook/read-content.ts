/** Reads the complete content of a notebook, as far as it is readable. */
import type Database from 'better-sqlite3';
import type { Note, View } from '../../../shared/requests/notes.ts';
import { NOTES_MOST } from '../../../shared/requests/notes.ts';
import { isEarlier } from './conflicts.ts';
import { hasOwnTables } from './own-tables.ts';
import { isSqliteProblem } from './problems.ts';
import { isWhole, NOTE_COLUMNS, noteOf, VIEW_COLUMNS, viewOf } from './rows.ts';

export interface Content {
  readonly version: number;
  /** Sorted by order. */
  readonly notes: readonly Note[];
  /** Sorted by name. */
  readonly views: readonly View[];
  /** Number of rows that are not valid notes or views. */
  readonly unreadable: number;
  /** Number of notes and views whose checksum does not match. */
  readonly altered: number;
}

/** Reads a consistent state of a file with a notebook's tables, independent of concurrent writers. Throws if the file is damaged. */
export function readContent(database: Database.Database): Content {
  return database.transaction(() => {
    const found = nothing();
    found.version = Number(database.prepare('SELECT version FROM state').pluck().get());
    collect(database.prepare<[], Row>(NOTES), noteOf, found, found.notes);
    collect(database.prepare<[], Row>(VIEWS), viewOf, found, found.views);
    return contentOf(found);
  })();
}

/** Reads as much as possible of a damaged file, from both ends of each table and of its index. */
export function salvage(database: Database.Database): Content {
  const found = nothing();
  const tables = { own: false };
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (!isSqliteProblem(error)) throw error;
      found.unreadable.add('page');
    }
  };
  attempt(() => {
    tables.own = hasOwnTables(database);
  });
  if (!tables.own) return contentOf({ ...found, unreadable: new Set(['tables']) });
  attempt(() => {
    found.version = Number(database.prepare('SELECT version FROM state').pluck().get());
  });
  for (const order of ['rowid', 'rowid DESC', 'id', 'id DESC']) {
    attempt(() => collect(database.prepare<[], Row>(`${NOTES} ORDER BY ${order}`), noteOf, found, found.notes));
    attempt(() => collect(database.prepare<[], Row>(`${VIEWS} ORDER BY ${order}`), viewOf, found, found.views));
  }
  return contentOf(found);
}

const NOTES = `SELECT ${NOTE_COLUMNS} FROM note`;
const VIEWS = `SELECT ${VIEW_COLUMNS} FROM view`;
/** Maximum number of rows read: all rows of a genuine notebook, but a limited number of a forged one. */
const ROWS_MOST = 2 * NOTES_MOST;

type Row = Readonly<Record<string, unknown>>;

interface Found {
  version: number;
  readonly notes: Map<string, Note>;
  readonly views: Map<string, View>;
  /** Ids of the affected rows. */
  readonly unreadable: Set<unknown>;
  readonly altered: Set<unknown>;
}

function nothing(): Found {
  return { version: 0, notes: new Map(), views: new Map(), unreadable: new Set(), altered: new Set() };
}

function collect<T extends { readonly id: string }>(
  rows: Database.Statement<[], Row>,
  read: (row: Row) => T | undefined,
  found: Found,
  into: Map<string, T>,
): void {
  let looked = 0;
  for (const row of rows.iterate()) {
    if (looked++ >= ROWS_MOST) break;
    const item = read(row);
    if (item === undefined) found.unreadable.add(row['id']);
    else into.set(item.id, item);
    if (item !== undefined && !isWhole(row)) found.altered.add(item.id);
  }
}

function contentOf({ version, notes, views, unreadable, altered }: Found): Content {
  return {
    version: Number.isSafeInteger(version) ? version : 0,
    ...inOrder(notes.values(), views.values()),
    unreadable: unreadable.size,
    altered: altered.size,
  };
}

/** Returns notes sorted by order, earlier versions after their notes, and views sorted by name. */
export function inOrder(notes: Iterable<Note>, views: Iterable<View>): Pick<Content, 'notes' | 'views'> {
  return {
    notes: [...notes].sort(
      (a, b) => a.order - b.order || Number(isEarlier(a)) - Number(isEarlier(b)) || (a.id < b.id ? -1 : 1),
    ),
    views: [...views].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
  };
}
