/** How people name a place in a program: `main`, `main+0x10`, `table+16`. */

export interface SymbolPlace {
  /** As typed: all of a name or, where names are looked for, what is in it. */
  readonly text: string;
  /** Bytes starting at there. */
  readonly offset: bigint;
}

/** Undefined for what begins as a number does, and where nothing is typed: no name is ever taken for a number. */
export function parseSymbol(text: string): SymbolPlace | undefined {
  const plain = text.trim();
  if (/^[+-]?(\d|$)/.test(plain)) return undefined;
  const plus = plain.lastIndexOf('+');
  const offset = plus < 0 ? undefined : /^\s*(0x[0-9a-f]{1,16}|\d{1,18})$/i.exec(plain.slice(plus + 1))?.[1];
  const name = offset === undefined ? plain : plain.slice(0, plus).trimEnd();
  return name === '' ? undefined : { text: name, offset: BigInt(offset ?? 0) };
}
