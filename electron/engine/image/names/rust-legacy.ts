/**
 * Reads Rust symbols of the legacy mangling: `_ZN`, the path as an Itanium nested name, and last a hash, `17h` with 16 hexadecimal digits.
 * Characters that linkers do not accept are escaped (rustc, compiler/rustc_symbol_mangling/src/legacy.rs).
 */

const ESCAPES: Readonly<Record<string, string>> = {
  SP: '@',
  BP: '*',
  RF: '&',
  LT: '<',
  GT: '>',
  LP: '(',
  RP: ')',
  C: ',',
};

/** Distinct digits that a hash has: a C++ name such as `h0000000000000000` has fewer. */
const DISTINCT_DIGITS = 5;

export interface RustName {
  readonly text: string;
  /** First character after the mangled name. */
  readonly end: number;
}

/** Reads the symbol; undefined if it is not of this mangling. */
export function readRustLegacy(symbol: string): RustName | undefined {
  const parts: string[] = [];
  let at = 3;
  while (symbol[at] !== 'E') {
    const length = /^[1-9]\d{0,3}/.exec(symbol.slice(at, at + 4))?.[0];
    if (length === undefined) return undefined;
    at += length.length;
    const part = symbol.slice(at, at + Number(length));
    at += Number(length);
    if (at >= symbol.length) return undefined;
    parts.push(part);
  }
  const hash = parts.pop();
  if (parts.length === 0 || hash === undefined || !isHash(hash)) return undefined;
  const texts = parts.map(unescaped);
  return texts.includes(undefined) ? undefined : { text: texts.join('::'), end: at + 1 };
}

function isHash(part: string): boolean {
  return /^h[0-9a-f]{16}$/.test(part) && new Set(part.slice(1)).size >= DISTINCT_DIGITS;
}

/** Undefined if the text contains an unknown escape. An unknown escape keeps its `$`. */
function unescaped(part: string): string | undefined {
  const text = part
    .replace(/^_\$/, '$')
    .replace(/\.\.|\$([^$]*)\$/g, (match, escape: string | undefined) =>
      escape === undefined ? '::' : (ESCAPES[escape] ?? unicode(escape) ?? match),
    );
  return text.includes('$') ? undefined : text;
}

function unicode(escape: string): string | undefined {
  const code = /^u([0-9a-f]{1,6})$/.exec(escape)?.[1];
  const value = code === undefined ? Infinity : parseInt(code, 16);
  return value < 0x11_0000 && (value < 0xd800 || value > 0xdfff) ? String.fromCodePoint(value) : undefined;
}
