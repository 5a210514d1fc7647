/**
 * Encoding of rows in the index file: compressed with Zstandard if that saves space, and sealed with a checksum over content and
 * place. SQLite does not notice a flipped bit in a blob, and a wrong count would be a false answer.
 */
import { constants, crc32 } from 'node:zlib';
import { ZlibError, ZstdCompress, ZstdDecompress } from 'minizlib';
import { assert } from '../../../../shared/base/result.ts';
import { IndexDamaged } from '../../collections/varint.ts';

/** A row before it is sealed: a frame of Zstandard, or the byte RAW and the payload. */
export type Packed = Uint8Array;

/** A row as it is in the file, with the number it is sealed with: any thread can unseal it. */
export interface SealedRow {
  readonly place: number;
  readonly bytes: Uint8Array;
}

/** First byte of rows without compression. That of a frame is 0x28 (RFC 8878, section 3.1.1). */
const RAW = 0;
/** Minimum length of a payload that is compressed: shorter ones save too little space to be worth the time. */
const WORTH_COMPRESSING = 4096;
const COMPRESSION = {
  params: { [constants.ZSTD_c_compressionLevel]: 1 },
  flush: constants.ZSTD_e_end,
  // Most frames fit into one buffer.
  chunkSize: 65_536,
};
/**
 * One compressor and one decompressor for all rows of a thread; each write is a frame of its own. `zstdCompressSync` would create a
 * codec for each row, which takes half as long as compressing the row.
 */
let compressor: ZstdCompress | undefined;
let decompressor: ZstdDecompress | undefined;
/** Maximum share of the payload's length that a compressed row may have; longer ones are stored raw. */
const WORTH_UNPACKING = 0.9;

export function pack(payload: Uint8Array): Packed {
  if (payload.length < WORTH_COMPRESSING) return asPacked(payload);
  compressor ??= new ZstdCompress(COMPRESSION);
  compressor.write(asBuffer(payload));
  const frame = compressor.read();
  assert(frame !== null, 'a frame ends with the write that begins it');
  return frame.length < payload.length * WORTH_UNPACKING ? frame : asPacked(payload);
}

/** Packs a payload without compression, for content that has compressed parts or does not shrink. */
export function asPacked(payload: Uint8Array): Packed {
  const packed = new Uint8Array(payload.length + 1);
  packed[0] = RAW;
  packed.set(payload, 1);
  return packed;
}

let scratch = Buffer.alloc(65_536);

/**
 * Prefixes a row with a checksum over `place` (the row's own id) and content: a row that is read from another place does not match. The
 * result is valid until the next call.
 */
export function seal(place: number, packed: Packed): Buffer {
  if (scratch.length < packed.length + 4) scratch = Buffer.alloc(2 * (packed.length + 4));
  const sealed = scratch.subarray(0, packed.length + 4);
  sealed.set(packed, 4);
  sealed.writeUInt32LE(checksum(place, packed), 0);
  return sealed;
}

/** Returns the payload of a sealed row. Throws IndexDamaged if content or place differ from what was sealed. */
export function unseal(place: number, sealed: Uint8Array): Uint8Array {
  const buffer = asBuffer(sealed);
  if (buffer.length < 5) throw new IndexDamaged('a row is cut short');
  const packed = buffer.subarray(4);
  if (buffer.readUInt32LE(0) !== checksum(place, packed)) throw new IndexDamaged('a checksum does not match');
  return unpack(packed);
}

/** Throws IndexDamaged if the payload is no frame that `pack` made. */
export function unpack(packed: Packed): Uint8Array {
  const bytes = asBuffer(packed);
  return bytes[0] === RAW ? bytes.subarray(1) : decompress(bytes);
}

function decompress(frame: Buffer): Uint8Array {
  decompressor ??= new ZstdDecompress({});
  try {
    decompressor.write(frame);
    const content = decompressor.read();
    if (content?.length === contentSize(frame)) return content;
  } catch (error) {
    if (!(error instanceof ZlibError)) throw error;
  }
  // The next row would be read as the rest of this frame.
  decompressor = undefined;
  throw new IndexDamaged('a row cannot be decompressed');
}

/** Returns the length of the content of a frame that `pack` made, as the frame header gives it (RFC 8878, section 3.1.1.1). */
function contentSize(frame: Buffer): number {
  const descriptor = frame.readUInt8(4);
  const isSingleSegment = (descriptor & 32) !== 0;
  const at = isSingleSegment ? 5 : 6;
  const flag = descriptor >> 6;
  return flag === 0 ? frame.readUInt8(at) : flag === 1 ? frame.readUInt16LE(at) + 256 : frame.readUInt32LE(at);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function checksum(place: number, bytes: Uint8Array | string): number {
  return crc32(bytes, place % 2 ** 32);
}
