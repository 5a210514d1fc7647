/** Reads the contents of a watch as a number or a text. Unknown bytes make the number unknown. */
import type { BaseForm, DataType, Member } from '../variables.ts';
import type { Contents, Endian, WatchForm } from '../watches.ts';

/** How the contents of a watch are read. */
export interface Reading {
  readonly form: WatchForm;
  readonly endian: Endian;
  /** Bytes of the number; a longer register is cut to its lowest bytes. */
  readonly width: number;
  /** Bit-field: its lowest bit in the number, and its number of bits. */
  readonly shift?: number;
  readonly bits?: number;
}

const FORMS: Readonly<Record<BaseForm, WatchForm>> = {
  signed: 'signed',
  unsigned: 'unsigned',
  float: 'float',
  boolean: 'unsigned',
  'signed-character': 'signed',
  'unsigned-character': 'unsigned',
};

/** Returns how values of a type are read unless a person chooses otherwise. */
export function formOf(type: DataType | undefined): WatchForm {
  if (type?.kind === 'base') return FORMS[type.form];
  return type?.kind === 'enumeration' ? (type.signed ? 'signed' : 'unsigned') : 'hex';
}

/** Returns the bits of a bit-field as two hexadecimal digits per byte, in the order of addresses. */
export function maskOf({ bytes, shift, bits }: NonNullable<Member['field']>, endian: 'little' | 'big'): string {
  const mask = ((1n << BigInt(bits)) - 1n) << BigInt(shift);
  const inOrder = BigInt.asUintN(8 * bytes, mask)
    .toString(16)
    .padStart(2 * bytes, '0')
    .match(/../g);
  return (endian === 'little' ? inOrder?.reverse() : inOrder)?.join('') ?? '';
}

/** `known`: every byte. `partly`: some bytes or some parts of a register. */
export function knowledgeOf(contents: Contents): 'known' | 'partly' | 'unknown' {
  if (/^(?:\?\?)*$/.test(contents)) return 'unknown';
  return contents.includes('?') || contents.includes('=') ? 'partly' : 'known';
}

/** Returns the contents as an unsigned whole number, or undefined if a byte is unknown. */
function wholeOf(contents: Contents, endian: Endian): bigint | undefined {
  if (knowledgeOf(contents) !== 'known') return undefined;
  if (contents.startsWith('0x')) return BigInt(contents);
  const bytes = contents.match(/../g) ?? [];
  return BigInt(`0x${(endian === 'little' ? bytes.reverse() : bytes).join('')}`);
}

/** Returns the bits of the number as they are read, or undefined if a byte is unknown. */
export function bitsOf(contents: Contents, { endian, width, shift = 0, bits }: Reading): bigint | undefined {
  const whole = wholeOf(contents, endian);
  if (whole === undefined) return undefined;
  const count = bits ?? (contents.startsWith('0x') ? 8 * width : 4 * contents.length);
  return BigInt.asUintN(count, whole >> BigInt(shift));
}

/** Returns an exact number, or a double for floating point; undefined if a byte is unknown or the width has no such form. */
export function numberOf(contents: Contents, reading: Reading): bigint | number | undefined {
  const raw = bitsOf(contents, reading);
  if (raw === undefined) return undefined;
  const { form, width, bits } = reading;
  if (form === 'float') return bits === undefined ? floatOf(raw, width) : undefined;
  return form === 'signed' ? BigInt.asIntN(bits ?? 8 * width, raw) : raw;
}

function floatOf(raw: bigint, width: number): number | undefined {
  const view = new DataView(new ArrayBuffer(8));
  if (width === 8) {
    view.setBigUint64(0, raw);
    return view.getFloat64(0);
  }
  if (width !== 4) return undefined;
  view.setUint32(0, Number(raw));
  return view.getFloat32(0);
}

/** Returns the value as people read it: `0x0000001f`, `31`, `-1`, `'A'`, `0.5`. Unknown bytes are `??`, an unknown register is `?`. */
export function valueText(contents: Contents, reading: Reading): string {
  const { form, endian, width, bits } = reading;
  const isRegister = contents === '' || contents.startsWith('0x') || contents.includes('=');
  if (contents === '') return '?';
  if (contents.includes('=')) return contents;
  if (form === 'ascii') return asciiOf(contents, reading);
  const value = numberOf(contents, reading);
  if (form !== 'hex' && value !== undefined)
    return typeof value === 'bigint' ? value.toLocaleString('en-US') : floatText(value, width);
  if (bits !== undefined) return value === undefined ? '?' : `0x${value.toString(16)}`;
  if (isRegister) return `0x${contents.slice(2).padStart(2 * width, '0')}`;
  const bytes = contents.match(/../g) ?? [];
  if (bytes.length > LONGEST_NUMBER) return bytes.join(' ');
  return `0x${(endian === 'little' ? bytes.reverse() : bytes).join('')}`;
}

/** Longer memory is shown as bytes in the order of addresses. */
const LONGEST_NUMBER = 8;

/** The shortest digits that give the same number again, in the width of the number. */
function floatText(value: number, width: number): string {
  if (width === 8 || !Number.isFinite(value)) return Object.is(value, -0) ? '-0' : String(value);
  for (let digits = 1; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return Object.is(value, -0) ? '-0' : String(short);
  }
  return String(value);
}

/** Returns characters in the order of addresses, those of a register from its lowest byte; `·` for a byte that is no printable ASCII. */
function asciiOf(contents: Contents, { endian, width }: Reading): string {
  const bytes = contents.startsWith('0x')
    ? (
        contents
          .slice(2)
          .padStart(2 * width, '0')
          .slice(-2 * width)
          .match(/../g) ?? []
      ).reverse()
    : (contents.match(/../g) ?? []);
  const inOrder = contents.startsWith('0x') && endian === 'big' ? bytes.reverse() : bytes;
  return `'${inOrder.map((byte) => (byte === '??' ? '?' : characterOf(Number.parseInt(byte, 16)))).join('')}'`;
}

function characterOf(code: number): string {
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '·';
}
