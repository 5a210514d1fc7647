/**
 * Reads the opcodes of executed instructions. Describing a record takes some microseconds, so the text of a record from its opcode to its end
 * is kept for each address: a later record that ends with the same text has the same opcode.
 */
import { cachePer } from '../../../collections/cache-per.ts';
import { ABSENT, createAddressMap } from '../../../collections/address-map.ts';
import { recordBytes, type Decoded } from '../../records/block-reader.ts';
import type { Trace } from '../../../trace.ts';

export interface Opcodes {
  /** Returns the opcode of the instruction in a row; undefined if its record does not contain it. */
  of(decoded: Decoded, row: number): string | undefined;
}

interface Known {
  readonly opcode: string;
  /** The end of a record, beginning with the first text that could be the opcode. */
  readonly tail: Uint8Array;
}

/** Instructions without an opcode after which a trace is taken to have none. */
const MOST_WITHOUT = 64;

const opcodesOf = cachePer((): { opcodes?: Opcodes } => ({}));

export function opcodes(trace: Trace): Opcodes {
  const known = opcodesOf(trace);
  return (known.opcodes ??= createOpcodes(trace));
}

function createOpcodes({ reader: { decoder } }: Trace): Opcodes {
  /** By address: index in `known`. */
  const places = createAddressMap(1 << 12);
  const known: Known[] = [];
  let without = 0;
  return {
    of(decoded, row) {
      if (known.length === 0 && without >= MOST_WITHOUT) return undefined;
      const { addressLow, addressHigh } = decoded.batch;
      const [low, high] = [addressLow[row]!, addressHigh[row]!];
      const place = places.get(low, high);
      if (place !== ABSENT && endsWith(decoded, row, known[place]!.tail)) return known[place]!.opcode;
      const bytes = recordBytes(decoded, row);
      const { opcode } = decoder.describe(bytes, decoded.batch, row);
      if (opcode === undefined) {
        without++;
        return undefined;
      }
      const tail = tailFrom(bytes, opcode);
      if (tail === undefined) return opcode;
      if (place !== ABSENT) known[place] = { opcode, tail };
      else {
        places.set(low, high, known.length);
        known.push({ opcode, tail });
      }
      return opcode;
    },
  };
}

/** Returns the end of a record from the first word with the digits of its opcode; undefined if these are written in another way. */
function tailFrom(bytes: Uint8Array, opcode: string): Uint8Array | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1').toLowerCase();
  const { index } = new RegExp(`(?<![0-9a-z])(?:0x)?0*${opcode.slice(2)}(?![0-9a-z])`).exec(text) ?? {};
  return index === undefined ? undefined : bytes.slice(index);
}

/** Returns true if a record ends with these bytes. */
function endsWith({ batch, window: { bytes, base, length } }: Decoded, row: number, tail: Uint8Array): boolean {
  const end = batch.end[row]! - base;
  const start = end - tail.length;
  if (end > length || start < batch.start[row]! - base) return false;
  for (let k = 0; k < tail.length; k++) if (bytes[start + k] !== tail[k]) return false;
  return true;
}
