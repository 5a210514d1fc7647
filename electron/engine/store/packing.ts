/**
 * How rows lie in the index file: packed (zstd where that pays) and sealed with a checksum over content and place,
 * because SQLite does not notice a flipped bit in a blob and a wrong count would be a falsehood.
 */
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { IndexDamaged } from './varint.ts';

/** A row ready to be stored: its codec byte and the bytes. */
export type Packed = Uint8Array;

const RAW = 0;
const ZSTD = 1;
/** Shorter rows are kept raw: setting up the codec costs more time, when they are read, than they cost room. */
const WORTH_COMPRESSING = 4096;
const PARAMS = { [constants.ZSTD_c_compressionLevel]: 1 };

export function pack(payload: Uint8Array): Packed {
  if (payload.length >= WORTH_COMPRESSING) {
    // Room for all of the answer at once: many pieces that are joined take a fifth more time.
    const smaller = zstdCompressSync(payload, {
      params: PARAMS,
      chunkSize: payload.length,
      pledgedSrcSize: payload.length,
    });
    if (smaller.length < payload.length * 0.9) return prefixed(ZSTD, smaller);
  }
  return asPacked(payload);
}

/** Packed as it is: for content that holds packed parts already. */
export function asPacked(payload: Uint8Array): Packed {
  return prefixed(RAW, payload);
}

function prefixed(codec: number, payload: Uint8Array): Packed {
  const packed = new Uint8Array(payload.length + 1);
  packed[0] = codec;
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
  // Room for all of it at once, as above.
  return packed[0] === ZSTD ? zstdDecompressSync(payload, { chunkSize: contentSize(payload) }) : payload;
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
