/**
 * Tests that a file has the tables of a notebook and nothing else. A malicious notebook could contain a table that is really an endless
 * view, a column that is computed for each row, or a trigger.
 */
import Database from 'better-sqlite3';
import { TABLES } from './rows.ts';

/** Throws if the file is damaged. */
export function hasOwnTables(database: Database.Database): boolean {
  expected ??= schemaOfTables();
  return schemaOf(database) === expected;
}

/** The schema as SQLite stores it. */
let expected: string | undefined;

function schemaOfTables(): string {
  const database = new Database(':memory:');
  database.exec(TABLES);
  const schema = schemaOf(database);
  database.close();
  return schema;
}

function schemaOf(database: Database.Database): string {
  const rows = database
    .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name LIMIT 20')
    .raw();
  return JSON.stringify(rows.all());
}
