/**
 * Reads Intel HEX files.
 *
 * A record is `:`, the number of data bytes, a 16-bit offset, a type, the data and a checksum, all as pairs of digits; the sum of all bytes
 * is 0 modulo 256. Source: Intel, Hexadecimal Object File Format Specification, revision A (1988).
 */
import { BAD_IMAGE } from '../../../../shared/requests/failures.ts';
import type { ImagePlace } from '../../../../shared/requests/requests.ts';
import { fail, type Result } from '../../../../shared/base/result.ts';
import type { ImageContent, ImageReader } from '../image.ts';
import { createDataRecords } from './data-records.ts';
import { placedImage } from './placed-image.ts';
import { beginsWithRecords, bigEndian, bytesOfDigits, hexByte, sumOf, textLines } from './text-lines.ts';

export const intelHex: ImageReader = { recognises, read };

const TYPE = { data: 0, end: 1, segment: 2, startSegment: 3, linear: 4, startLinear: 5 } as const;
/** Number of data bytes of each type; undefined if any number is valid. */
const DATA_BYTES: readonly (number | undefined)[] = [undefined, 0, 2, 4, 2, 4];
/** Bytes before and after the data: count, offset, type; checksum. */
const HEAD = 4;
const OTHER_BYTES = HEAD + 1;

const SEGMENT_SPACE = 2 ** 16;
const LINEAR_SPACE = 2 ** 32;

const COMMENT = /^[;#]/;

function recognises(bytes: Uint8Array): boolean {
  return beginsWithRecords(bytes, /^:/, /^:(?:[0-9a-f]{2}){5,260}$/i, COMMENT);
}

function read(bytes: Uint8Array, place: ImagePlace): Result<ImageContent> {
  const refuse = (line: number, problem: string) =>
    fail(BAD_IMAGE, `${place.path}: line ${line} of this Intel HEX file ${problem}; export the image again`);
  const records = createDataRecords(bytes.length >>> 1);
  const problems: string[] = [];
  /** Address of the current segment, or the upper half of the current linear addresses. */
  let base = 0;
  let isSegmented = false;
  let isEnded = false;
  for (const { number, text } of textLines(bytes)) {
    if (isEnded) {
      if (!text.startsWith(':')) continue;
      problems.push(`the records after its end record, starting in line ${number}, are ignored`);
      break;
    }
    if (COMMENT.test(text)) continue;
    const record = recordOf(text);
    if (typeof record === 'string') return refuse(number, record);
    const { type, offset, data } = record;
    switch (type) {
      case TYPE.data: {
        const [origin, space] = isSegmented ? [base, SEGMENT_SPACE] : [0, LINEAR_SPACE];
        const start = isSegmented ? offset : base + offset;
        // Offsets wrap around within their segment, and linear addresses at 4 GiB.
        records.add(origin + start, data.subarray(0, space - start));
        records.add(origin, data.subarray(space - start));
        break;
      }
      case TYPE.segment:
      case TYPE.linear:
        isSegmented = type === TYPE.segment;
        base = bigEndian(data) * (isSegmented ? 16 : SEGMENT_SPACE);
        break;
      case TYPE.end:
        isEnded = true;
        break;
      default:
      // The entry points of types 3 and 5 are no part of memory.
    }
  }
  if (!isEnded) problems.push('its end record is missing, so its last records may be missing too');
  const joined = records.finish();
  return placedImage('intel-hex', place, joined.segments, [...problems, ...joined.problems]);
}

interface HexRecord {
  readonly type: number;
  readonly offset: number;
  readonly data: Uint8Array;
}

/** Returns a record, or a phrase about its first fault. Text after white space is a comment. */
function recordOf(text: string): HexRecord | string {
  if (!text.startsWith(':')) return 'is not a record, which starts with a colon';
  const bytes = bytesOfDigits(text.slice(1).split(/\s/, 1)[0]!);
  if (bytes === undefined) return 'contains something other than pairs of hexadecimal digits';
  const [count, , , type] = bytes;
  if (count === undefined || type === undefined || bytes.length < OTHER_BYTES) return 'is truncated';
  if (bytes.length !== count + OTHER_BYTES)
    return `should have ${count} data bytes, but has ${bytes.length - OTHER_BYTES}`;
  if (sumOf(bytes) !== 0) {
    const right = -sumOf(bytes.subarray(0, -1)) & 0xff;
    return `has the checksum ${hexByte(bytes.at(-1)!)}, but its bytes have ${hexByte(right)}`;
  }
  if (type >= DATA_BYTES.length) return `has the unknown record type ${hexByte(type)}`;
  const expected = DATA_BYTES[type] ?? count;
  if (count !== expected) return `is a record of type ${hexByte(type)} with ${count} data bytes instead of ${expected}`;
  return { type, offset: bigEndian(bytes.subarray(1, 3)), data: bytes.subarray(HEAD, -1) };
}
