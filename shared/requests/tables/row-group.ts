/** A row group of a Parquet file as bytes, with what the end of the file says of it. */

/** `uint64` is stored as INT64 with the mark of unsigned integers. */
export type ColumnType = 'boolean' | 'int32' | 'int64' | 'uint64' | 'double' | 'text' | 'bytes';

export interface ColumnSpec {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
}

export interface RowGroup {
  readonly rows: number;
  readonly bytes: Uint8Array;
  readonly columns: readonly ColumnSpec[];
  /** In the order of the columns. */
  readonly chunks: readonly ChunkFacts[];
}

/** The chunk of a column. Offsets count from the first byte of the row group. */
export interface ChunkFacts {
  readonly start: number;
  /** Offset of the dictionary page, if there is one, and of the data page. */
  readonly dictionaryPage?: number;
  readonly dataPage: number;
  readonly bytes: number;
  /** Bytes before compression. */
  readonly rawBytes: number;
  readonly encoding: ChunkEncoding;
  readonly nulls: number;
  /** Lowest and highest value; absent if all are null. Integers of 64 bits are decimal digits. */
  readonly low?: number | string;
  readonly high?: number | string;
}

export type ChunkEncoding = 'PLAIN' | 'RLE_DICTIONARY' | 'DELTA_BINARY_PACKED';
