/** Writes the beginning and the end of a Parquet file around encoded row groups. */
import { ByteWriter } from 'hyparquet-writer';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import type { ChunkFacts, ColumnSpec, ColumnType, RowGroup } from '../../shared/requests/tables/row-group.ts';

/** The first bytes of a file. */
export const MAGIC: Uint8Array = Uint8Array.from([0x50, 0x41, 0x52, 0x31]);

/** A row group at its place in a file. */
export interface PlacedGroup extends Pick<RowGroup, 'rows' | 'chunks'> {
  /** Offset of its first byte in the file. */
  readonly offset: number;
}

export interface FileFacts {
  readonly columns: readonly ColumnSpec[];
  readonly groups: readonly PlacedGroup[];
  /** Texts by their keys, for people and tools that open the file. */
  readonly about: Readonly<Record<string, string>>;
  readonly createdBy: string;
}

/** Returns the bytes that follow the last row group. */
export function footer({ columns, groups, about, createdBy }: FileFacts): Uint8Array {
  const writer = new ByteWriter(1 << 14);
  const metadata = {
    version: 2,
    created_by: createdBy,
    schema: [{ name: 'schema', num_children: columns.length }, ...columns.map(schemaElement)],
    num_rows: BigInt(groups.reduce((sum, { rows }) => sum + rows, 0)),
    row_groups: groups.map(({ rows, chunks, offset }) => {
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
      return {
        columns: chunks.map((chunk, i) => columnChunk(columns[i]!, chunk, { offset, rows })),
        total_byte_size: BigInt(chunks.reduce((sum, chunk) => sum + chunk.rawBytes, 0)),
        total_compressed_size: BigInt(bytes),
        num_rows: BigInt(rows),
        file_offset: BigInt(offset),
      };
    }),
    key_value_metadata: Object.entries(about).map(([key, value]) => ({ key, value })),
  };
  writeMetadata(writer, metadata as unknown as Parameters<typeof writeMetadata>[1]);
  writer.appendBytes(MAGIC);
  return writer.getBytes();
}

const PHYSICAL = {
  boolean: 'BOOLEAN',
  int32: 'INT32',
  int64: 'INT64',
  uint64: 'INT64',
  double: 'DOUBLE',
  text: 'BYTE_ARRAY',
  bytes: 'BYTE_ARRAY',
} as const satisfies Record<ColumnType, string>;

function schemaElement({ name, type, nullable }: ColumnSpec): object {
  return {
    name,
    type: PHYSICAL[type],
    repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED',
    ...(type === 'text' && { converted_type: 'UTF8', logical_type: { type: 'STRING' } }),
    // Without the newer logical type: hyparquet-writer stores its width in a form that DuckDB refuses.
    ...(type === 'uint64' && { converted_type: 'UINT_64' }),
  };
}

function columnChunk(
  { name, type }: ColumnSpec,
  chunk: ChunkFacts,
  group: Pick<PlacedGroup, 'offset' | 'rows'>,
): object {
  const { offset, rows } = group;
  const { start, dictionaryPage, dataPage, bytes, rawBytes, encoding, nulls, low, high } = chunk;
  return {
    file_offset: BigInt(offset + start),
    meta_data: {
      type: PHYSICAL[type],
      encodings: dictionaryPage === undefined ? ['RLE', encoding] : ['PLAIN', 'RLE', encoding],
      path_in_schema: [name],
      codec: 'ZSTD',
      num_values: BigInt(rows),
      total_compressed_size: BigInt(bytes),
      total_uncompressed_size: BigInt(rawBytes),
      data_page_offset: BigInt(offset + dataPage),
      ...(dictionaryPage !== undefined && { dictionary_page_offset: BigInt(offset + dictionaryPage) }),
      statistics: {
        null_count: BigInt(nulls),
        ...(low !== undefined && { min_value: bound(type, low) }),
        ...(high !== undefined && { max_value: bound(type, high) }),
      },
    },
  };
}

function bound(type: ColumnType, value: number | string): number | bigint | string | boolean {
  if (type === 'boolean') return value !== 0;
  return type === 'int64' || type === 'uint64' ? BigInt(value) : value;
}
