/**
 * How rows lie in the index file: packed (zstd where that pays) and sealed with a checksum over content and place,
 * because SQLite does not notice a flipped bit in a blob and a wrong count would be a falsehood.
 */
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { hostZstd } from '../../../native/zstd.ts';
import { IndexDamaged } from '../../collections/varint.ts';

/** A row ready to be stored: its codec byte and the bytes. */
export type Packed = Uint8Array;

/** A row as it is in the file, with the number it is sealed with: any thread can unseal it. */
export interface SealedRow {
  readonly place: number;
  readonly bytes: Uint8Array;
}

const RAW = 0;
const ZSTD = 1;
/** Shorter rows are kept raw: setting up the codec costs more time, when they are read, than they cost room. */
const WORTH_COMPRESSING = 4096;
const LEVEL = 1;
const PARAMS = { [constants.ZSTD_c_compressionLevel]: LEVEL };
/** A row that does not shrink below this share of its size is stored raw. */
const WORTH_UNPACKING = 0.9;

let room = new Uint8Array(65_536);

export function pack(payload: Uint8Array): Packed {
  if (payload.length < WORTH_COMPRESSING) return asPacked(payload);
  const most = Math.ceil(payload.length * WORTH_UNPACKING) - 1;
  if (room.length < most + 1) room = new Uint8Array(2 * (most + 1));
  const length = compress(payload, room.subarray(1, most + 1));
  if (length < 0) return asPacked(payload);
  room[0] = ZSTD;
  return room.slice(0, length + 1);
}

/** Answers how long the frame is, or -1 if it does not fit. */
function compress(payload: Uint8Array, target: Uint8Array): number {
  const zstd = hostZstd();
  if (zstd !== undefined) return zstd.pack(payload, target, LEVEL);
  // Room for all of the answer at once: many pieces that are joined take a fifth more time.
  const frame = zstdCompressSync(payload, {
    params: PARAMS,
    chunkSize: payload.length,
    pledgedSrcSize: payload.length,
  });
  if (frame.length > target.length) return -1;
  target.set(frame);
  return frame.length;
}

/** Packed as it is: for content that holds packed parts already. */
export function asPacked(payload: Uint8Array): Packed {
  const packed = new Uint8Array(payload.length + 1);
  packed[0] = RAW;
  packed.set(payload, 1);
  return packed;
}

let scratch = Buffer.alloc(65_536);

/** `place` is the row's own id: a row that is read back from elsewhere does not match. The answer is good until the next call. */
export function seal(place: number, packed: Packed): Buffer {
  if (scratch.length < packed.length + 4) scratch = Buffer.alloc(2 * (packed.length + 4));
  const sealed = scratch.subarray(0, packed.length + 4);
  sealed.set(packed, 4);
  sealed.writeUInt32LE(checksum(place, packed), 0);
  return sealed;
}

/** The payload that was packed; throws IndexDamaged where anything differs. */
export function unseal(place: number, sealed: Uint8Array): Uint8Array {
  const buffer = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (buffer.length < 5) throw new IndexDamaged('a row is cut short');
  const packed = buffer.subarray(4);
  if (buffer.readUInt32LE(0) !== checksum(place, packed)) throw new IndexDamaged('a checksum does not match');
  return unpack(packed);
}

export function unpack(packed: Packed): Uint8Array {
  const payload = Buffer.from(packed.buffer, packed.byteOffset + 1, packed.byteLength - 1);
  return packed[0] === ZSTD ? decompressed(payload) : payload;
}

function decompressed(frame: Buffer): Uint8Array {
  const zstd = hostZstd();
  // Room for all of it at once, as above.
  if (zstd === undefined) return zstdDecompressSync(frame, { chunkSize: contentSize(frame) });
  const content = new Uint8Array(contentSize(frame));
  const length = zstd.unpack(frame, content);
  if (length < 0) throw new IndexDamaged('a row cannot be unpacked');
  return content.subarray(0, length);
}

/** How long the content of a zstd frame without a dictionary is, which the header of what `pack` made says (RFC 8878, section 3.1.1.1). */
function contentSize(frame: Buffer): number {
  const descriptor = frame.readUInt8(4);
  const isSingleSegment = (descriptor & 32) !== 0;
  const at = isSingleSegment ? 5 : 6;
  const flag = descriptor >> 6;
  const size = flag === 0 ? 0 : flag === 1 ? frame.readUInt16LE(at) + 256 : frame.readUInt32LE(at);
  return Math.max(SMALLEST_CHUNK, size);
}

/** Of zlib. Content that is longer takes several. */
const SMALLEST_CHUNK = 64;

export function checksum(place: number, bytes: Uint8Array | string): number {
  return crc32(bytes, place % 2 ** 32);
}
