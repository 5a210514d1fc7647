/** Numbers as digits of text, written straight into the bytes of a trace. */

const DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
const ZERO = 0x30;

/** A 32-bit number in hexadecimal with at least `least` digits; returns where it ends. */
export function putHex(out: Uint8Array, at: number, value: number, least = 1): number {
  const digits = Math.max(least, 8 - (Math.clz32(value) >>> 2));
  let rest = value;
  for (let to = at + digits - 1; to >= at; to--) {
    out[to] = DIGITS[rest & 15]!;
    rest >>>= 4;
  }
  return at + digits;
}

/** A whole number below 2^53 in decimal with at least `least` digits; returns where it ends. */
export function putDecimal(out: Uint8Array, at: number, value: number, least = 1): number {
  let digits = 1;
  for (let bound = 10; bound <= value; bound *= 10) digits++;
  digits = Math.max(digits, least);
  let rest = value;
  for (let to = at + digits - 1; to >= at; to--) {
    const tens = Math.floor(rest / 10);
    out[to] = ZERO + rest - 10 * tens;
    rest = tens;
  }
  return at + digits;
}

export function putText(out: Uint8Array, at: number, text: Uint8Array): number {
  for (let k = 0; k < text.length; k++) out[at + k] = text[k]!;
  return at + text.length;
}

export function ascii(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
