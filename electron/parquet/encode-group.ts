/**
 * Encodes the columns of a row group as Parquet column chunks: one page each, compressed by the zstd of Node. Page headers and
 * differences are those of hyparquet-writer. Its own writer converts each integer to a BigInt; here, dictionaries are found while the columns
 * are filled, and only distinct values are converted.
 */
import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { assert } from '../../shared/base/result.ts';
import type { ChunkEncoding, ChunkFacts, RowGroup } from '../../shared/requests/tables/row-group.ts';
import {
  entriesOf,
  NULL_CODE,
  type Column,
  type DictionaryColumn,
  type DifferenceColumn,
  type Value,
} from './column.ts';
import { packDifferences } from './differences.ts';
import { packCodes, packPresence } from './pack-codes.ts';

const NONE = new Uint8Array(0);

/** Encodes the first `rows` rows of the columns. A column that is not nullable has a value in each of them. */
export function encodeGroup(columns: readonly Column[], rows: number): RowGroup {
  const writer = new ByteWriter(1 << 20);
  const chunks = columns.map((column) => encodeChunk(writer, column, rows));
  return { rows, bytes: writer.getBytes(), columns: columns.map(({ spec }) => spec), chunks };
}

function encodeChunk(writer: ByteWriter, column: Column, rows: number): ChunkFacts {
  const start = writer.offset;
  const { spec, count } = column;
  assert(count === rows || spec.nullable, `the column '${spec.name}' has a value in each row`);
  const nulls = rows - count;
  const levels = spec.nullable
    ? packPresence(column.way === 'differences' ? column.present : column.codes, rows, count)
    : NONE;
  const body = encodeBody(column, rows);
  let rawBytes = 0;
  let dictionaryPage: number | undefined;
  if (body.dictionary !== undefined) {
    dictionaryPage = writer.offset;
    rawBytes += writeDictionary(writer, body.dictionary, column.way === 'dictionary' ? entriesOf(column) : 0);
  }
  const dataPage = writer.offset;
  const packed = compress(body.bytes);
  writePageHeader(writer, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: levels.length + body.bytes.length,
    compressed_page_size: levels.length + packed.length,
    data_page_header_v2: {
      num_values: rows,
      num_nulls: nulls,
      num_rows: rows,
      encoding: body.encoding,
      definition_levels_byte_length: levels.length,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  });
  rawBytes += writer.offset - dataPage + levels.length + body.bytes.length;
  writer.appendBytes(levels);
  writer.appendBytes(packed);
  const [low, high] = extremes(column);
  const bytes = writer.offset - start;
  return {
    start,
    ...(dictionaryPage !== undefined && { dictionaryPage }),
    dataPage,
    bytes,
    rawBytes,
    encoding: body.encoding,
    nulls,
    ...(low !== undefined && { low }),
    ...(high !== undefined && { high }),
  };
}

interface Body {
  readonly encoding: ChunkEncoding;
  readonly bytes: Uint8Array;
  readonly dictionary?: Uint8Array;
}

function encodeBody(column: Column, rows: number): Body {
  if (column.way === 'differences') {
    const values = column.wide ?? column.values.subarray(0, column.count);
    return { encoding: 'DELTA_BINARY_PACKED', bytes: packDifferences(values) };
  }
  const { spec } = column;
  const size = entriesOf(column);
  const codes = valueCodes(column, rows);
  const bits = Math.max(1, Math.ceil(Math.log2(size)));
  const width = WIDTHS[spec.type];
  // Nearly distinct values take less room without a dictionary.
  const isPlain =
    spec.type === 'boolean' || (width > 0 && size * width + (codes.length * bits) / 8 > codes.length * width);
  if (isPlain) return { encoding: 'PLAIN', bytes: plain(column, codes) };
  const bytes = Buffer.concat([Uint8Array.of(bits), packCodes(codes, bits)]);
  return { encoding: 'RLE_DICTIONARY', bytes, dictionary: plain(column) };
}

/** Bytes of a value; 0 if it varies. */
const WIDTHS = { boolean: 1, int32: 4, int64: 8, uint64: 8, double: 8, text: 0, bytes: 0 } as const;

/** Returns the codes of the rows that have a value. */
function valueCodes({ codes, count }: DictionaryColumn, rows: number): Int32Array {
  if (count === rows) return codes.subarray(0, rows);
  const kept = new Int32Array(count);
  for (let row = 0, at = 0; at < count; row++) if (codes[row] !== NULL_CODE) kept[at++] = codes[row]!;
  return kept;
}

/** Returns the values of codes one after another; of all codes by default. */
function plain(column: DictionaryColumn, some?: Int32Array): Uint8Array {
  const { entries, spec, integers, texts } = column;
  if (integers > 0) return plainIntegers(column, some);
  // A column of texts always has a dictionary.
  if (spec.type === 'text') return texts.stored();
  const codes = some ?? Int32Array.from(entries, (_, code) => code);
  switch (spec.type) {
    case 'boolean': {
      const bits = new Uint8Array(Math.ceil(codes.length / 8));
      codes.forEach((code, i) => {
        if (entries[code] === true) bits[i >> 3]! |= 1 << (i & 7);
      });
      return bits;
    }
    case 'int32':
      return bytesOf(Int32Array.from(codes, (code) => Number(entries[code])));
    case 'double':
      return bytesOf(Float64Array.from(codes, (code) => Number(entries[code])));
    case 'int64':
    case 'uint64': {
      const each = BigInt64Array.from(entries as readonly bigint[]);
      const values = new BigInt64Array(codes.length);
      for (let i = 0; i < codes.length; i++) values[i] = each[codes[i]!]!;
      return bytesOf(values);
    }
    case 'bytes': {
      const writer = new ByteWriter(1 << 16);
      for (const code of codes) {
        const bytes = entries[code] as Uint8Array;
        writer.appendUint32(bytes.length);
        writer.appendBytes(bytes);
      }
      return writer.getBytes();
    }
  }
}

/** Integers of 64 bits are stored with the low half first, as the column has them. */
function plainIntegers({ halves, integers }: DictionaryColumn, codes?: Int32Array): Uint8Array {
  if (codes === undefined) return bytesOf(halves.subarray(0, 2 * integers));
  const values = new Uint32Array(2 * codes.length);
  for (let i = 0; i < codes.length; i++) {
    const at = 2 * codes[i]!;
    values[2 * i] = halves[at]!;
    values[2 * i + 1] = halves[at + 1]!;
  }
  return bytesOf(values);
}

function writeDictionary(writer: ByteWriter, bytes: Uint8Array, count: number): number {
  const start = writer.offset;
  const packed = compress(bytes);
  writePageHeader(writer, {
    type: 'DICTIONARY_PAGE',
    uncompressed_page_size: bytes.length,
    compressed_page_size: packed.length,
    dictionary_page_header: { num_values: count, encoding: 'PLAIN' },
  });
  const header = writer.offset - start;
  writer.appendBytes(packed);
  return header + bytes.length;
}

function extremes(column: Column): readonly [low: number | string | undefined, high: number | string | undefined] {
  if (column.way === 'dictionary' && column.integers > 0) return integerExtremes(column);
  if (column.way === 'differences' && column.wide === undefined) return numberExtremes(column);
  if (column.way === 'dictionary' && column.spec.type === 'text')
    return column.texts.extremes() ?? [undefined, undefined];
  const values: Iterable<Value> = column.way === 'dictionary' ? column.entries : column.wide!;
  const isWide = column.spec.type === 'int64' || column.spec.type === 'uint64';
  let low: Value | undefined;
  let high: Value | undefined;
  if (column.spec.type === 'bytes') return [undefined, undefined];
  for (const value of values) {
    if (Number.isNaN(value)) return [undefined, undefined];
    if (low === undefined || value < low) low = value;
    if (high === undefined || value > high) high = value;
  }
  if (low === undefined || high === undefined) return [undefined, undefined];
  return isWide ? [String(low), String(high)] : [Number(low), Number(high)];
}

function numberExtremes({
  values,
  count,
}: DifferenceColumn): readonly [low: string | undefined, high: string | undefined] {
  if (count === 0) return [undefined, undefined];
  let [low, high] = [values[0]!, values[0]!];
  for (let i = 1; i < count; i++) {
    const value = values[i]!;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [String(low), String(high)];
}

function integerExtremes({ spec, halves, integers }: DictionaryColumn): readonly [low: string, high: string] {
  const isSigned = spec.type === 'int64';
  // With the upper bit inverted, signed integers compare as unsigned ones.
  const flip = isSigned ? 0x80000000 : 0;
  let [low, high] = [0, 0];
  for (let at = 2; at < 2 * integers; at += 2) {
    const upper = (halves[at + 1]! ^ flip) >>> 0;
    const lower = halves[at]!;
    const lowUpper = (halves[low + 1]! ^ flip) >>> 0;
    const highUpper = (halves[high + 1]! ^ flip) >>> 0;
    if (upper < lowUpper || (upper === lowUpper && lower < halves[low]!)) low = at;
    if (upper > highUpper || (upper === highUpper && lower > halves[high]!)) high = at;
  }
  const shown = (at: number): string => {
    const value = (BigInt(halves[at + 1]!) << 32n) | BigInt(halves[at]!);
    return String(isSigned ? BigInt.asIntN(64, value) : value);
  };
  return [shown(low), shown(high)];
}

function bytesOf(values: Int32Array | Uint32Array | Float64Array | BigInt64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function compress(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}
