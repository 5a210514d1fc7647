/**
 * Integers as differences (DELTA_BINARY_PACKED). hyparquet-writer packs 32-bit integers in plain arithmetic and all others as BigInts,
 * which takes ten times as long. Only the first value of a page is stored as it is, so values within 31 bits of the first one are packed
 * as 32-bit integers, and the first one is put in its place afterwards.
 */
import { ByteWriter } from 'hyparquet-writer';
import { deltaBinaryPack } from 'hyparquet-writer/src/delta.js';

const REACH = 2 ** 30;

export function packDifferences(values: Float64Array | readonly bigint[]): Uint8Array {
  const near = values instanceof Float64Array ? nearFirst(values) : undefined;
  const writer = new ByteWriter(1 << 12);
  if (near === undefined) {
    deltaBinaryPack(writer, BigInt64Array.from(values as Iterable<number | bigint>, BigInt), 'INT64');
    return writer.getBytes();
  }
  deltaBinaryPack(writer, near, 'INT64');
  const packed = writer.getBytes();
  const head = new ByteWriter(32);
  for (const value of [BLOCK, MINIBLOCKS, near.length]) head.appendVarInt(value);
  // The first value that was packed is 0, which takes one byte.
  const rest = packed.subarray(head.offset + 1);
  head.appendZigZag(BigInt(values[0]!));
  return Buffer.concat([head.getBytes(), rest]);
}

/** Values in a block, and parts of a block with a width of their own, as hyparquet-writer has them. */
const BLOCK = 128;
const MINIBLOCKS = 4;

/** Returns the values less the first one; undefined if there are none or if one is too far from the first. */
function nearFirst(values: Float64Array): Int32Array | undefined {
  const [first] = values;
  if (first === undefined) return undefined;
  const near = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const distance = values[i]! - first;
    if (distance > REACH || distance < -REACH) return undefined;
    near[i] = distance;
  }
  return near;
}
