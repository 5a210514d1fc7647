/** The row of the index with the fingerprints of effects in a block: about nine bytes a cut. */
import { ByteReader, ByteWriter } from '../../../collections/varint.ts';
import type { Fingerprint } from './fingerprint.ts';

/** Effects of one CPU in a block. */
export interface BlockEffects {
  readonly cpu: number;
  /** Fingerprint of all records of the block. */
  readonly all: Fingerprint;
  /** Records before which fingerprints are cut, ascending, counted from the block's start. */
  readonly record: Float64Array;
  /** Fingerprints of the records from the start of the block to the cut. */
  readonly first: Uint32Array;
  readonly second: Uint32Array;
  readonly tokens: Uint32Array;
}

const out = new ByteWriter();

export function encodeEffects(cpus: readonly BlockEffects[]): Uint8Array<ArrayBuffer> {
  out.varint(cpus.length);
  for (const { cpu, all, record, first, second, tokens } of cpus) {
    out.signed(cpu);
    out.varint(all.tokens);
    putWord(all.first);
    putWord(all.second);
    out.varint(record.length);
    putAscending(record);
    putAscending(tokens);
    first.forEach(putWord);
    second.forEach(putWord);
  }
  return out.take();
}

export function decodeEffects(bytes: Uint8Array): readonly BlockEffects[] {
  const reader = new ByteReader(bytes);
  return Array.from({ length: reader.varint() }, () => {
    const cpu = reader.signed();
    const tokens = reader.varint();
    const all = { first: word(reader), second: word(reader), tokens };
    const count = reader.varint();
    return {
      cpu,
      all,
      record: Float64Array.from(ascending(reader, count)),
      tokens: Uint32Array.from(ascending(reader, count)),
      first: Uint32Array.from({ length: count }, () => word(reader)),
      second: Uint32Array.from({ length: count }, () => word(reader)),
    };
  });
}

function putAscending(numbers: Float64Array | Uint32Array): void {
  let before = 0;
  for (const number of numbers) {
    out.varint(number - before);
    before = number;
  }
}

function ascending(reader: ByteReader, count: number): readonly number[] {
  let latest = 0;
  return Array.from({ length: count }, () => (latest += reader.varint()));
}

function putWord(value: number): void {
  for (let shift = 0; shift < 32; shift += 8) out.byte((value >>> shift) & 255);
}

function word(reader: ByteReader): number {
  let value = 0;
  for (let shift = 0; shift < 32; shift += 8) value |= reader.byte() << shift;
  return value >>> 0;
}
