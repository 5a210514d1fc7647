/** Everything that is in a notebook, as far as it can be read. */
import type Database from 'better-sqlite3';
import type { Note, View } from '../../../shared/notes.ts';
import { isSqliteProblem } from './problems.ts';
import { NOTE_COLUMNS, noteOf, viewOf } from './rows.ts';

export interface Content {
  readonly version: number;
  /** By order. */
  readonly notes: readonly Note[];
  /** By name. */
  readonly views: readonly View[];
  /** Rows that are no notes, nor views. */
  readonly unreadable: number;
}

/** One state of the file, whoever writes to it meanwhile. Throws where the file is damaged. */
export function readContent(database: Database.Database): Content {
  return database.transaction(() => {
    const version = Number(database.prepare('SELECT version FROM state').pluck().get());
    const notes = new Map<string, Note>();
    const views = new Map<string, View>();
    const bad =
      collect(database.prepare<[], Row>(`SELECT ${NOTE_COLUMNS} FROM note`), noteOf, notes) +
      collect(database.prepare<[], Row>(VIEWS), viewOf, views);
    return contentOf(version, notes, views, bad);
  })();
}

/** What can be read of a damaged file: from both ends of each table as far as it goes. */
export function salvage(database: Database.Database): Content {
  const notes = new Map<string, Note>();
  const views = new Map<string, View>();
  const attempt = (work: () => number): number => {
    try {
      return work();
    } catch (error) {
      if (!isSqliteProblem(error)) throw error;
      return 1;
    }
  };
  const bad = ['rowid', 'rowid DESC', 'id', 'id DESC'].map(
    (order) =>
      attempt(() => collect(database.prepare(`SELECT ${NOTE_COLUMNS} FROM note ORDER BY ${order}`), noteOf, notes)) +
      attempt(() => collect(database.prepare(`${VIEWS} ORDER BY ${order}`), viewOf, views)),
  );
  const version = attempt(() => Number(database.prepare('SELECT version FROM state').pluck().get()));
  return contentOf(version, notes, views, Math.max(...bad));
}

const VIEWS = 'SELECT id, name, content, changed, revision FROM view';

type Row = Readonly<Record<string, unknown>>;

/** Adds what the rows say and counts those that say nothing. */
function collect<T extends { readonly id: string }>(
  rows: Database.Statement<[], Row>,
  read: (row: Row) => T | undefined,
  into: Map<string, T>,
): number {
  let bad = 0;
  for (const row of rows.iterate()) {
    const item = read(row);
    if (item === undefined) bad++;
    else into.set(item.id, item);
  }
  return bad;
}

function contentOf(
  version: number,
  notes: ReadonlyMap<string, Note>,
  views: ReadonlyMap<string, View>,
  unreadable: number,
): Content {
  return {
    version,
    notes: [...notes.values()].sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1)),
    views: [...views.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
    unreadable,
  };
}
