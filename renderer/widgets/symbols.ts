/** Splits a symbol into its name, which may be shortened, and its offset, which may not: `fib`, `+0x6`. */
export function splitSymbol(text: string): readonly [name: string, offset: string] {
  const at = text.lastIndexOf('+0x');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)];
}
