/**
 * Whether a file has the tables of a notebook and nothing else. Somebody may hand on a trace with a notebook made to do
 * harm: a table that is a view without an end, a column that is computed anew for each row, a trigger.
 */
import Database from 'better-sqlite3';
import { TABLES } from './rows.ts';

/** Throws where the file is damaged. */
export function hasOwnTables(database: Database.Database): boolean {
  expected ??= schemaOfTables();
  return schemaOf(database) === expected;
}

/** As SQLite keeps it. */
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
