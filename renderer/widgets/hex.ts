/** Layout of a file's bytes in rows, with the record and field of each byte. */
import type { FieldSpan } from '../../shared/records/record.ts';

export interface HexRecord {
  readonly n: number;
  readonly offset: number;
  readonly bytes: number;
  readonly native: string;
  readonly fields: readonly FieldSpan[];
}

export interface HexByte {
  readonly offset: number;
  readonly value: number;
  readonly record: HexRecord | undefined;
  /** Index of the field in its record; -1 if the byte belongs to none. */
  readonly field: number;
}

export interface HexRow {
  readonly offset: number;
  readonly bytes: readonly HexByte[];
}

/**
 * Returns the number of bytes per row, at most `most`: a power of two, or a multiple of the record size if all records are equally
 * short, so that fields line up.
 */
export function rowWidth(records: readonly HexRecord[], most: number): number {
  const length = records[0]?.bytes ?? 0;
  const isEven =
    length > 0 && length <= most && records.length > 1 && records.every((record) => record.bytes === length);
  if (isEven) return length * Math.floor(most / length);
  return most >= 32 ? 32 : most >= 16 ? 16 : 8;
}

/** Returns the offset of the row that contains a byte: a multiple of the width. */
export function rowStart(offset: number, width: number): number {
  return Math.floor(offset / width) * width;
}

export function layOut(
  base: number,
  bytes: Uint8Array,
  records: readonly HexRecord[],
  width: number,
): readonly HexRow[] {
  const rows: HexRow[] = [];
  let at = 0;
  for (let start = 0; start < bytes.length; start += width) {
    const row: HexByte[] = [];
    for (let index = start; index < Math.min(bytes.length, start + width); index += 1) {
      const offset = base + index;
      while (at < records.length && offset >= endOf(records[at])) at += 1;
      const candidate = records[at];
      const record = candidate && offset >= candidate.offset ? candidate : undefined;
      row.push({
        offset,
        value: bytes[index] ?? 0,
        record,
        field: record ? fieldAt(record, offset - record.offset) : -1,
      });
    }
    rows.push({ offset: base + start, bytes: row });
  }
  return rows;
}

/** Returns the character of a byte for the text column. */
export function character(value: number): string {
  return value >= 0x20 && value < 0x7f ? String.fromCharCode(value) : '·';
}

export function byteText(value: number): string {
  return value.toString(16).padStart(2, '0');
}

function fieldAt(record: HexRecord, at: number): number {
  return record.fields.findIndex((field) => at >= field.start && at < field.end);
}

function endOf(record: HexRecord | undefined): number {
  return record ? record.offset + record.bytes : Infinity;
}
