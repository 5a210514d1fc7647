/** Statements that give SQL engines a view of the exported files, with the same names and values in each. */
import type { ExportTable } from '../../../shared/requests/tables/export.ts';
import type { ColumnSpec, ColumnType } from '../../../shared/requests/tables/row-group.ts';

export const ENGINES = ['duckdb', 'spark', 'trino'] as const;
export type Engine = (typeof ENGINES)[number];

export interface ViewOf {
  /** Absolute path. */
  readonly folder: string;
  readonly table: ExportTable;
  readonly columns: readonly ColumnSpec[];
  /** Unsigned integers of 64 bits are stored as signed ones. */
  readonly signed: boolean;
}

/** Columns that are unsigned in the trace, also if they are stored as signed ones. */
const UNSIGNED: ReadonlySet<string> = new Set([
  'address',
  'value',
  'target',
  'source',
  'caller_address',
  'callee_address',
]);

export function viewsFor(engine: Engine, view: ViewOf): string {
  switch (engine) {
    case 'duckdb':
      return duckdb(view);
    case 'spark':
      return spark(view);
    case 'trino':
      return trino(view);
  }
}

function duckdb({ folder, table, columns, signed }: ViewOf): string {
  const replaced = columns
    .filter(({ name }) => signed && UNSIGNED.has(name))
    .map(
      ({ name }) =>
        `CAST(CASE WHEN ${name} < 0 THEN ${name}::HUGEINT + ${TWO_64} ELSE ${name} END AS UBIGINT) AS ${name}`,
    );
  return `-- DuckDB: duckdb -init ${table}.duckdb.sql
CREATE OR REPLACE VIEW ${table} AS
SELECT *${replaced.length > 0 ? ` REPLACE (\n  ${replaced.join(',\n  ')}\n)` : ''}
FROM read_parquet(${quoted(`${folder}/${table}/*/*.parquet`)}, hive_partitioning = true, hive_types_autocast = false);
`;
}

function spark({ folder, table, columns, signed }: ViewOf): string {
  return `-- Spark SQL 3.3 or later: spark-sql -i ${table}.spark.sql
-- Unsigned integers of 64 bits are DECIMAL(20, 0).
CREATE OR REPLACE TEMPORARY VIEW ${table}_files
USING parquet
OPTIONS (path ${quoted(`${folder}/${table}`)});
CREATE OR REPLACE TEMPORARY VIEW ${table} AS
SELECT
  ${[...columns.map(({ name }) => (signed && UNSIGNED.has(name) ? asDecimal(name) : tick(name))), 'CAST(trace AS STRING) AS trace'].join(',\n  ')}
FROM ${table}_files;
`;
}

function trino({ folder, table, columns, signed }: ViewOf): string {
  const wide = columns.some(({ type }) => type === 'uint64');
  if (wide && !signed) {
    return `-- Trino has no unsigned integers. Export the table again with --signed to get its statements.
`;
  }
  const types = columns.map(({ name, type }) => `  "${name}" ${TRINO[type]}`);
  return `-- Trino with a Hive catalogue that is called hive; the schema default must exist.
-- Unsigned integers of 64 bits are DECIMAL(20, 0).
CREATE TABLE IF NOT EXISTS hive.default.${table}_files (
${[...types, '  trace VARCHAR'].join(',\n')}
) WITH (
  format = 'PARQUET',
  external_location = ${quoted(`file://${folder}/${table}`)},
  partitioned_by = ARRAY['trace']
);
CALL hive.system.sync_partition_metadata('default', '${table}_files', 'FULL');
CREATE OR REPLACE VIEW hive.default.${table} AS
SELECT
  ${[...columns.map(({ name }) => (UNSIGNED.has(name) ? asDecimal(name, '"') : `"${name}"`)), 'trace'].join(',\n  ')}
FROM hive.default.${table}_files;
`;
}

const TWO_64 = '18446744073709551616';

function asDecimal(name: string, quote: '"' | '`' = '`'): string {
  const column = `${quote}${name}${quote}`;
  const wide = `CAST(${column} AS DECIMAL(20, 0))`;
  const most = quote === '"' ? `DECIMAL '${TWO_64}'` : `${TWO_64}BD`;
  return `CAST(CASE WHEN ${column} < 0 THEN ${wide} + ${most} ELSE ${wide} END AS DECIMAL(20, 0)) AS ${column}`;
}

const TRINO = {
  boolean: 'BOOLEAN',
  int32: 'INTEGER',
  int64: 'BIGINT',
  uint64: 'BIGINT',
  double: 'DOUBLE',
  text: 'VARCHAR',
  bytes: 'VARBINARY',
} as const satisfies Record<ColumnType, string>;

function tick(name: string): string {
  return `\`${name}\``;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
