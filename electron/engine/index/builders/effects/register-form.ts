/** The form of a register record's text: where the first name begins. Later records of the same set of registers mostly have the same form. */
import type { Batch } from '../../../../../shared/records/batch.ts';
import type { Decoder } from '../../../../../shared/format/format.ts';
import { LF } from '../../../../../shared/base/characters.ts';
import { namesSet } from '../../../../../shared/records/registers.ts';

export interface RegisterForm {
  /** Characters from the first name to the end of the line. */
  readonly length: number;
  /** The character before these and the first three of them, read as a little-endian word. */
  readonly lead: number;
}

/** Shortest and longest text from the first name on that has a form. */
const LEAST_TAIL = 8;
const MOST_TAIL = 1024;

/** Returns the form of a record; undefined if its text is not `NAME VALUE` or `NAME=VALUE` at the end of a line. */
export function registerForm(
  decoder: Decoder,
  record: Uint8Array,
  batch: Batch,
  row: number,
): RegisterForm | undefined {
  if (record.length !== batch.end[row]! - batch.start[row]! || record.at(-1) !== LF) return undefined;
  const text = Buffer.from(record.buffer, record.byteOffset, record.length)
    .toString('latin1')
    .replace(/\r?\n$/, '');
  const [name = ''] = namesSet(decoder.describe(record, batch, row))[0] ?? [];
  const place = Math.max(text.lastIndexOf(` ${name} `), text.lastIndexOf(` ${name}=`)) + 1;
  const length = text.length - place;
  if (name === '' || place === 0 || length < LEAST_TAIL || length > MOST_TAIL) return undefined;
  return { length, lead: new DataView(record.buffer, record.byteOffset, record.length).getInt32(place - 1, true) };
}
