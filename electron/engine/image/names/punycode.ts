/** Decodes Punycode (RFC 3492) as Rust symbols use it, with `_` as the delimiter. Node's own module is deprecated. */

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_CODE = 128;

/** Undefined if the text is malformed. */
export function punycode(encoded: string): string | undefined {
  const delimiter = encoded.lastIndexOf('_');
  const output = delimiter < 0 ? [] : Array.from(encoded.slice(0, delimiter));
  let [code, bias, place] = [INITIAL_CODE, INITIAL_BIAS, 0];
  for (let at = delimiter + 1; at < encoded.length;) {
    const before = place;
    for (let weight = 1, k = BASE; ; k += BASE) {
      const digit = digitOf(encoded.charCodeAt(at++));
      if (digit === undefined) return undefined;
      place += digit * weight;
      if (place > 0x7fff_ffff) return undefined;
      const threshold = Math.min(T_MAX, Math.max(T_MIN, k - bias));
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = output.length + 1;
    bias = adapted(place - before, length, before === 0);
    code += Math.floor(place / length);
    place %= length;
    if (code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    output.splice(place++, 0, String.fromCodePoint(code));
  }
  return output.join('');
}

function digitOf(code: number): number | undefined {
  if (code >= 97 && code <= 122) return code - 97;
  return code >= 48 && code <= 57 ? code - 22 : undefined;
}

function adapted(delta: number, length: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / length);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}
