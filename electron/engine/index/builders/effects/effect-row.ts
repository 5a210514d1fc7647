/** The row of the index with the fingerprints of effects in a block: about eleven bytes a cut. */
import { ByteReader, ByteWriter } from '../../../collections/varint.ts';
import type { Fingerprint } from './fingerprint.ts';

/** Effects of one CPU in a block. */
export interface BlockEffects {
  readonly cpu: number;
  /** Fingerprint of all records of the block. */
  readonly all: Fingerprint;
  /** Instructions of the block. */
  readonly allInstructions: number;
  /** Records before which fingerprints are cut, ascending, counted from the block's start. */
  readonly record: Float64Array;
  /** Instructions from the start of the block to the cut. */
  readonly instructions: Uint32Array;
  /** Fingerprints of the records from the start of the block to the cut. */
  readonly first: Uint32Array;
  readonly second: Uint32Array;
  readonly tokens: Uint32Array;
}

const out = new ByteWriter();

export function encodeEffects(cpus: readonly BlockEffects[]): Uint8Array<ArrayBuffer> {
  out.varint(cpus.length);
  for (const { cpu, all, allInstructions, record, instructions, first, second, tokens } of cpus) {
    out.signed(cpu);
    out.varint(all.tokens);
    out.varint(allInstructions);
    putWord(all.first);
    putWord(all.second);
    out.varint(record.length);
    putAscending(record);
    putAscending(instructions);
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
    const allInstructions = reader.varint();
    const all = { first: word(reader), second: word(reader), tokens };
    const count = reader.varint();
    return {
      cpu,
      all,
      allInstructions,
      record: ascending(reader, new Float64Array(count)),
      instructions: ascending(reader, new Uint32Array(count)),
      tokens: ascending(reader, new Uint32Array(count)),
      first: words(reader, count),
      second: words(reader, count),
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

function ascending<Numbers extends Float64Array | Uint32Array>(reader: ByteReader, numbers: Numbers): Numbers {
  let latest = 0;
  for (let k = 0; k < numbers.length; k++) numbers[k] = latest += reader.varint();
  return numbers;
}

function putWord(value: number): void {
  for (let shift = 0; shift < 32; shift += 8) out.byte((value >>> shift) & 255);
}

function words(reader: ByteReader, count: number): Uint32Array {
  const found = new Uint32Array(count);
  for (let k = 0; k < count; k++) found[k] = word(reader);
  return found;
}

function word(reader: ByteReader): number {
  let value = 0;
  for (let shift = 0; shift < 32; shift += 8) value |= reader.byte() << shift;
  return value >>> 0;
}
