/** Exported tables as Parquet files, read back by DuckDB, which shares no code with the writer. */
import fs from 'node:fs';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import type { Engine } from '../../electron/engine/engine.ts';
import { footer, MAGIC, type PlacedGroup } from '../../electron/parquet/footer.ts';
import type { ExportTable } from '../../shared/requests/tables/export.ts';
import type { ColumnSpec } from '../../shared/requests/tables/row-group.ts';
import { ask } from './ask.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Opens a database in memory. Its close gives back the memory of the library. */
export async function openDuckdb(): Promise<{ rows(sql: string): Promise<readonly Row[]>; close(): void }> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection: DuckDBConnection = await instance.connect();
  return {
    async rows(sql) {
      return (await connection.runAndReadAll(sql)).getRowObjectsJS();
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Writes a table as the files of its plan, and returns their number. */
export async function writeTable(
  engine: Engine,
  trace: string,
  table: ExportTable,
  folder: string,
  settings: {
    readonly fileRecords?: number;
    readonly signed?: boolean;
    readonly part?: number;
    readonly parts?: number;
  },
): Promise<number> {
  const { signed = false, ...cut } = settings;
  fs.mkdirSync(folder, { recursive: true });
  const { files } = await ask(engine, 'exportPlan', { trace, table, ...cut });
  const all = { from: files[0]?.from ?? 0, to: files.at(-1)?.to ?? 0 };
  for (const { from, to, groups } of files) {
    const pieces: Uint8Array[] = [MAGIC];
    const placed: PlacedGroup[] = [];
    let columns: readonly ColumnSpec[] = [];
    let offset = MAGIC.length;
    for (const range of groups.length > 0 ? groups : [{ from, to }]) {
      const group = await ask(engine, 'exportGroup', { trace, table, ...range, signed, all });
      ({ columns } = group);
      if (group.rows === 0) continue;
      pieces.push(group.bytes);
      placed.push({ offset, rows: group.rows, chunks: group.chunks });
      offset += group.bytes.length;
    }
    pieces.push(footer({ columns, groups: placed, about: { 'tracebench.from': String(from) }, createdBy: 'test' }));
    fs.writeFileSync(`${folder}/${table}-${String(from).padStart(12, '0')}.parquet`, Buffer.concat(pieces));
  }
  return files.length;
}
