/**
 * Reads the value of an access and the registers of a record without describing it, in the forms that an earlier description of a like
 * record confirmed. Describing a record takes some microseconds, and long stretches have millions of them.
 */
import type { Decoder } from '../../../../../shared/format/format.ts';
import { FLAG } from '../../../../../shared/records/batch.ts';
import { CR, EQUALS, HEX, LF, NO_DIGIT, SPACE } from '../../../../../shared/base/characters.ts';
import { namesSet } from '../../../../../shared/records/registers.ts';
import { toHex, type ByteOffset, type Hex } from '../../../../../shared/base/units.ts';
import type { RecordFields } from '../../../../../shared/records/record.ts';
import { cachePer } from '../../../collections/cache-per.ts';
import { recordBytes, type Decoded } from '../../records/block-reader.ts';
import { registerForm, type RegisterForm } from '../../../index/builders/effects/register-form.ts';

export interface EffectFields {
  /** Value of an access; undefined if the record does not contain it. */
  value(decoded: Decoded, row: number): Hex | undefined;
  /** Registers that a record sets, with their values. */
  settings(decoded: Decoded, row: number): readonly (readonly [name: string, value: Hex | undefined])[];
  /**
   * Returns true if two register records set the same registers to the same values, as their texts show from the first name to the end.
   * False if they do not, or if their texts are not of a known form. The other record may be of another trace of the same format.
   */
  haveSameSettings(decoded: Decoded, row: number, other: Decoded, otherRow: number): boolean;
  /** Returns all fields of a record. */
  describe(decoded: Decoded, row: number): RecordFields;
}

/** Longest value that is read from its bytes. */
const MOST_BYTES = 8;

const fieldsOf = cachePer((): { fields?: EffectFields } => ({}));

export function effectFields(decoder: Decoder): EffectFields {
  const known = fieldsOf(decoder);
  return (known.fields ??= createEffectFields(decoder));
}

function createEffectFields(decoder: Decoder): EffectFields {
  /** By native code: true if values of its records are numbers with the lowest byte first. */
  const littles = new Map<number, boolean>();
  /** By number of a set of registers: the name of its only register. */
  const names = new Map<number, string>();
  /** By number of a set of registers: the form of its latest record that was described. */
  const forms = new Map<number, RegisterForm | undefined>();

  function describe(decoded: Decoded, row: number): RecordFields {
    return decoder.describe(recordBytes(decoded, row), decoded.batch, row);
  }

  return {
    describe,
    value(decoded, row) {
      const { batch } = decoded;
      if ((batch.flags[row]! & FLAG.value) === 0) return undefined;
      const [at, size] = [batch.valueAt[row]!, batch.size[row]!];
      if (size === 0 || size > MOST_BYTES) return describe(decoded, row).value;
      const bytes = batch.values.bytes;
      const native = batch.native[row]!;
      const little = littles.get(native);
      if (little !== undefined) return hexOf(bytes, at, size, little);
      const { value } = describe(decoded, row);
      const [asLittle, asBig] = [hexOf(bytes, at, size, true), hexOf(bytes, at, size, false)];
      const number = value === undefined ? undefined : toHex(BigInt(value));
      if (asLittle !== asBig && (number === asLittle || number === asBig)) littles.set(native, number === asLittle);
      return value;
    },
    haveSameSettings(decoded, row, other, otherRow) {
      const length = tailOf(decoded, row);
      if (length === undefined) return false;
      const { bytes } = decoded.window;
      const { bytes: others, length: reach } = other.window;
      let at = endOf(decoded.window, decoded.batch.end[row]!);
      let its = endOf(other.window, other.batch.end[otherRow]!);
      if (its > reach || its - length - 1 < other.batch.start[otherRow]! - other.window.base) return false;
      for (let left = length + 1; left > 0; left--) if (bytes[--at] !== others[--its]) return false;
      return true;
    },
    settings(decoded, row) {
      const set = decoded.batch.registers[row]!;
      const name = set === 0 ? undefined : names.get(set);
      const digits = name === undefined ? undefined : digitsAfter(recordBytes(decoded, row), name);
      if (name !== undefined && digits !== undefined) return [[name, digits]];
      const all = namesSet(describe(decoded, row));
      const [only] = all;
      if (set !== 0 && all.length === 1 && only !== undefined && isConfirmed(decoded, row, only))
        names.set(set, only[0]);
      return all;
    },
  };

  /** Returns the number of characters from the first name of a record to the end of its line; undefined if they are not known. */
  function tailOf(decoded: Decoded, row: number): number | undefined {
    const { batch, window } = decoded;
    const set = batch.registers[row]!;
    if (set === 0) return undefined;
    const form = forms.get(set);
    if (form !== undefined && leadAt(window, endOf(window, batch.end[row]!) - form.length - 1) === form.lead)
      return form.length;
    const found = registerForm(decoder, recordBytes(decoded, row), batch, row);
    forms.set(set, found);
    return found?.length;
  }

  function isConfirmed(decoded: Decoded, row: number, [name, value]: readonly [string, Hex | undefined]): boolean {
    const digits = digitsAfter(recordBytes(decoded, row), name);
    return digits !== undefined && value !== undefined && BigInt(digits) === BigInt(value);
  }
}

type Bytes = Decoded['window'];

/** Returns the place in a window where a line ends, without its line end. */
function endOf({ bytes, base }: Bytes, end: ByteOffset): number {
  const at = end - base;
  if (bytes[at - 1] !== LF) return at;
  return bytes[at - 2] === CR ? at - 2 : at - 1;
}

/** Returns four bytes as a little-endian word; 0 before the start of a window. */
function leadAt({ bytes }: Bytes, at: number): number {
  return at < 0 ? 0 : bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

/** Returns a value of at most MOST_BYTES bytes. */
function hexOf(bytes: Uint8Array, at: number, size: number, little: boolean): Hex {
  let [low, high] = [0, 0];
  for (let k = 0; k < size; k++) {
    const byte = bytes[little ? at + size - 1 - k : at + k]!;
    high = ((high << 8) | (low >>> 24)) >>> 0;
    low = ((low << 8) | byte) >>> 0;
  }
  return high === 0 ? `0x${low.toString(16)}` : `0x${high.toString(16)}${low.toString(16).padStart(8, '0')}`;
}

/** Most digits that are read. */
const MOST_DIGITS = 16;

/** Returns the number at the end of a line that ends with ` NAME NUMBER` or ` NAME=NUMBER`; undefined for other lines. */
function digitsAfter(line: Uint8Array, name: string): Hex | undefined {
  let end = line.length;
  if (line[end - 1] === LF) end--;
  if (line[end - 1] === CR) end--;
  let at = end;
  let [low, high] = [0, 0];
  for (let shift = 0; at > 0; at--, shift += 4) {
    const digit = HEX[line[at - 1]!]!;
    if (digit === NO_DIGIT) break;
    if (shift < 32) low |= digit << shift;
    else high |= digit << (shift - 32);
  }
  if (at === end || end - at > MOST_DIGITS || (line[at - 1] !== SPACE && line[at - 1] !== EQUALS)) return undefined;
  const start = at - 1 - name.length;
  if (line[start - 1] !== SPACE) return undefined;
  for (let k = 0; k < name.length; k++) if (line[start + k] !== name.charCodeAt(k)) return undefined;
  const top = high >>> 0;
  return top === 0
    ? `0x${(low >>> 0).toString(16)}`
    : `0x${top.toString(16)}${(low >>> 0).toString(16).padStart(8, '0')}`;
}
