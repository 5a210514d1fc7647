/**
 * Reads Motorola S-record files.
 *
 * A record is `S`, a type digit, the number of bytes that follow, an address of 2 to 4 bytes, the data and a checksum; the sum of all bytes
 * is 0xff modulo 256. Source: srec(5) of Unix systems; Motorola, M68000 Family Programmer's Reference Manual, appendix C.
 */
import { BAD_IMAGE } from '../../../../shared/requests/failures.ts';
import type { ImagePlace } from '../../../../shared/requests/requests.ts';
import { fail, type Result } from '../../../../shared/base/result.ts';
import type { ImageContent, ImageReader } from '../image.ts';
import { createDataRecords } from './data-records.ts';
import { placedImage } from './placed-image.ts';
import { beginsWithRecords, bigEndian, bytesOfDigits, hexByte, sumOf, textLines } from './text-lines.ts';

export const sRecords: ImageReader = { recognises, read };

/** Bytes of the address, by type: header; data; reserved; numbers of data records; entry points, which end the file. */
const ADDRESS_BYTES: readonly number[] = [2, 2, 3, 4, 0, 2, 3, 4, 3, 2];
const RESERVED = 4;
const isData = (type: number): boolean => type >= 1 && type <= 3;
const isCount = (type: number): boolean => type === 5 || type === 6;
const isEnd = (type: number): boolean => type >= 7;

const SPACE = 2 ** 32;

const COMMENT = /^[;#]/;

function recognises(bytes: Uint8Array): boolean {
  return beginsWithRecords(bytes, /^(?:S\d|\$\$)/i, /^S\d(?:[0-9a-f]{2}){4,256}$/i, COMMENT);
}

function read(bytes: Uint8Array, place: ImagePlace): Result<ImageContent> {
  const refuse = (line: number, problem: string) =>
    fail(BAD_IMAGE, `${place.path}: line ${line} of this S-record file ${problem}; export the image again`);
  const records = createDataRecords(bytes.length >>> 1);
  const problems: string[] = [];
  let count = 0;
  let isEnded = false;
  /** Between two lines with `$$`, where objcopy -O symbolsrec lists symbols. */
  let isInSymbols = false;
  for (const { number, text } of textLines(bytes)) {
    if (isEnded) {
      if (!/^S\d/i.test(text)) continue;
      problems.push(`the records after its end record, starting in line ${number}, are ignored`);
      break;
    }
    if (text.startsWith('$$')) isInSymbols = text !== '$$';
    if (isInSymbols || text.startsWith('$$') || COMMENT.test(text)) continue;
    const record = recordOf(text);
    if (typeof record === 'string') return refuse(number, record);
    const { type, address, data } = record;
    if (isData(type)) {
      if (address + data.length > SPACE) return refuse(number, 'extends past the highest address');
      records.add(address, data);
      count++;
    } else if (isCount(type) && address !== count) {
      problems.push(`line ${number} counts ${address} data records, but ${count} precede it`);
    }
    if (type === RESERVED) problems.push(`line ${number} has the reserved record type S4 and is ignored`);
    isEnded = isEnd(type);
  }
  if (!isEnded) problems.push('its end record is missing, so its last records may be missing too');
  const joined = records.finish();
  return placedImage('s-record', place, joined.segments, [...problems, ...joined.problems]);
}

interface SRecord {
  readonly type: number;
  readonly address: number;
  readonly data: Uint8Array;
}

/** Returns a record, or a phrase about its first fault. Text after white space is a comment. */
function recordOf(text: string): SRecord | string {
  const type = /^S\d/i.test(text) ? Number(text[1]) : -1;
  const addressBytes = ADDRESS_BYTES[type];
  if (addressBytes === undefined) return 'is not a record, which starts with S and a digit';
  const bytes = bytesOfDigits(text.slice(2).split(/\s/, 1)[0]!);
  if (bytes === undefined) return 'contains something other than pairs of hexadecimal digits';
  const [count] = bytes;
  if (count === undefined || bytes.length < addressBytes + 2) return 'is truncated';
  if (bytes.length !== count + 1) return `should have ${count} bytes after its count, but has ${bytes.length - 1}`;
  if (sumOf(bytes) !== 0xff) {
    const right = ~sumOf(bytes.subarray(0, -1)) & 0xff;
    return `has the checksum ${hexByte(bytes.at(-1)!)}, but its bytes have ${hexByte(right)}`;
  }
  return { type, address: bigEndian(bytes.subarray(1, 1 + addressBytes)), data: bytes.subarray(1 + addressBytes, -1) };
}
