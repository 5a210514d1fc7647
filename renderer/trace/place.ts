import { parseSymbol, type SymbolPlace } from '../../shared/requests/places/symbol-place.ts';

/**
 * A place as a person types it: `1,234` is a record, `t:500` a time, `0x8000` an address (`0x8000+16` with a length). Anything else is
 * the name of a symbol or a part of it (`main+0x10` with an offset).
 */
export type Place =
  | { readonly kind: 'record'; readonly n: number }
  | { readonly kind: 'time'; readonly time: number }
  | { readonly kind: 'address'; readonly low: bigint; readonly bytes: number }
  | ({ readonly kind: 'symbol' } & SymbolPlace)
  | { readonly kind: 'unclear'; readonly why: string };

export function parsePlace(text: string): Place {
  const plain = text.trim().replaceAll(/[,_\s]/g, '');
  const time = /^t[:=]?(-?\d+(?:\.\d+)?)$/i.exec(plain);
  if (time) return { kind: 'time', time: Number(time[1]) };
  const address = /^(0x[0-9a-f]{1,16})(?:\+(0x[0-9a-f]+|\d+))?$/i.exec(plain);
  if (address) {
    const bytes = address[2] === undefined ? 1 : Number(address[2]);
    if (!(bytes >= 1 && bytes <= MOST_BYTES))
      return { kind: 'unclear', why: `The length must be between 1 and ${MOST_BYTES} bytes.` };
    const low = BigInt(address[1] ?? 0);
    return low + BigInt(bytes) <= SPACE
      ? { kind: 'address', low, bytes }
      : { kind: 'unclear', why: 'The span ends after the last address, 0xffffffffffffffff.' };
  }
  if (/^#?\d+$/.test(plain)) {
    const n = Number(plain.replace('#', ''));
    return Number.isSafeInteger(n)
      ? { kind: 'record', n }
      : { kind: 'unclear', why: 'This record number is too large.' };
  }
  if (/^t:(?!:)/i.test(plain)) return { kind: 'unclear', why: 'Type a time as a number, such as t:500.' };
  const symbol = parseSymbol(text);
  if (symbol && !isName(symbol.text)) return { kind: 'unclear', why: 'This is not a valid symbol name.' };
  return symbol
    ? { kind: 'symbol', ...symbol }
    : { kind: 'unclear', why: 'Type a record number, a time such as t:500, an address such as 0x8000, or a symbol.' };
}

/** Rejects very long names and names with control characters, which come from pasting by mistake. */
function isName(text: string): boolean {
  return text.length <= LONGEST_NAME && !/\p{Cc}/u.test(text);
}

/** Parses an address in a field for addresses only, where a prefix is optional: `8000`, `0x8000`, `8000_0000h`. */
export function parseHexAddress(text: string): bigint | undefined {
  const digits = /^(?:0x)?([0-9a-f]{1,16})h?$/i.exec(text.trim().replaceAll(/[_\s]/g, ''))?.[1];
  return digits === undefined ? undefined : BigInt(`0x${digits}`);
}

const MOST_BYTES = 2 ** 32;
const SPACE = 1n << 64n;
const LONGEST_NAME = 1000;
