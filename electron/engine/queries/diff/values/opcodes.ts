/**
 * Reads the opcodes of executed instructions. Describing a record takes some microseconds, so the text of a record from its opcode to its end
 * is kept for each address: a later record that ends with the same text has the same opcode.
 */
import type { Decoder } from '../../../../../shared/format/format.ts';
import { areEqual, latin1 } from '../../../../../shared/base/bytes.ts';
import { cachePer } from '../../../collections/cache-per.ts';
import { ABSENT, createAddressMap } from '../../../collections/address-map.ts';
import { recordBytes, type Decoded } from '../../records/block-reader.ts';

export interface Opcodes {
  /** Returns the opcode of the instruction in a row; undefined if its record does not contain it. */
  of(decoded: Decoded, row: number): string | undefined;
  /**
   * Returns true if the records of two instructions end with the same text, which begins with the opcode or before it, or if the trace has
   * no opcodes. The other record may be of another trace of the same format.
   */
  haveSame(decoded: Decoded, row: number, other: Decoded, otherRow: number): boolean;
}

interface Known {
  readonly opcode: string;
  /** The end of a record, beginning with the first text that could be the opcode. */
  readonly tail: DataView;
}

/** Instructions without an opcode after which a trace is taken to have none. */
const MOST_WITHOUT = 64;

const opcodesOf = cachePer((): { opcodes?: Opcodes } => ({}));

export function opcodes(decoder: Decoder): Opcodes {
  const known = opcodesOf(decoder);
  return (known.opcodes ??= createOpcodes(decoder));
}

function createOpcodes(decoder: Decoder): Opcodes {
  /** By address: index in `known`. */
  const places = createAddressMap(1 << 12);
  const known: Known[] = [];
  let without = 0;
  const hasNone = (): boolean => known.length === 0 && without >= MOST_WITHOUT;
  const own: Opcodes = {
    of(decoded, row) {
      if (hasNone()) return undefined;
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
    haveSame(decoded, row, other, otherRow) {
      if (hasNone()) return true;
      const { addressLow, addressHigh } = decoded.batch;
      const [low, high] = [addressLow[row]!, addressHigh[row]!];
      let place = places.get(low, high);
      if (place === ABSENT || !endsWith(decoded, row, known[place]!.tail)) {
        own.of(decoded, row);
        place = places.get(low, high);
        if (place === ABSENT || !endsWith(decoded, row, known[place]!.tail)) return false;
      }
      return endsWith(other, otherRow, known[place]!.tail);
    },
  };
  return own;
}

/** Returns the end of a record from the first word with the digits of its opcode; undefined if these are written in another way. */
function tailFrom(bytes: Uint8Array, opcode: string): DataView | undefined {
  const text = latin1(bytes).toLowerCase();
  const digits = opcode.slice(2);
  for (let at = text.indexOf(digits); at >= 0; at = text.indexOf(digits, at + 1)) {
    let start = at;
    while (text[start - 1] === '0') start--;
    if (start >= 2 && text.startsWith('0x', start - 2)) start -= 2;
    if (!isInWord(text[start - 1]) && !isInWord(text[at + digits.length]))
      return new DataView(bytes.slice(start).buffer);
  }
  return undefined;
}

function isInWord(character = ' '): boolean {
  return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z');
}

/** Returns true if a record ends with this text. */
function endsWith({ batch, window: { bytes, base, length } }: Decoded, row: number, tail: DataView): boolean {
  const end = batch.end[row]! - base;
  const size = tail.byteLength;
  const start = end - size;
  if (end > length || start < batch.start[row]! - base) return false;
  return areEqual(viewOf(bytes), start, tail, 0, size);
}

/** Views of the bytes of windows that were used last: two traces are read at the same time. */
const views: DataView[] = [new DataView(new ArrayBuffer(0)), new DataView(new ArrayBuffer(0))];

function viewOf(bytes: Uint8Array): DataView {
  for (const view of views) if (isOf(view, bytes)) return view;
  views.shift();
  const made = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  views.push(made);
  return made;
}

function isOf(view: DataView, { buffer, byteOffset, byteLength }: Uint8Array): boolean {
  return view.buffer === buffer && view.byteOffset === byteOffset && view.byteLength === byteLength;
}
