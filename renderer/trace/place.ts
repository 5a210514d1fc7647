import { parseSymbol, type SymbolPlace } from '../../shared/requests/symbol-place.ts';

/**
 * What a person types to go somewhere: `1,234` a record, `t:500` a time, `0x8000` an address (`0x8000+16` with a length), anything
 * else the name of a symbol or a part of it (`main+0x10` a place behind it).
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
      return { kind: 'unclear', why: `The length must lie between 1 and ${MOST_BYTES} bytes.` };
    const low = BigInt(address[1] ?? 0);
    return low + BigInt(bytes) <= SPACE
      ? { kind: 'address', low, bytes }
      : { kind: 'unclear', why: 'The last address is 0xffffffffffffffff: the length goes beyond it.' };
  }
  if (/^#?\d+$/.test(plain)) {
    const n = Number(plain.replace('#', ''));
    return Number.isSafeInteger(n)
      ? { kind: 'record', n }
      : { kind: 'unclear', why: 'No trace has that many records.' };
  }
  if (/^t:(?!:)/i.test(plain)) return { kind: 'unclear', why: 'A time is written as a number: t:500.' };
  const symbol = parseSymbol(text);
  if (symbol && !isName(symbol.text)) return { kind: 'unclear', why: 'No symbol has a name like that.' };
  return symbol
    ? { kind: 'symbol', ...symbol }
    : { kind: 'unclear', why: 'Type a record number, a time as t:500, an address as 0x8000, or a symbol.' };
}

/** Longer ones, and such with control characters, are slips of a clipboard. */
function isName(text: string): boolean {
  return text.length <= LONGEST_NAME && !/\p{Cc}/u.test(text);
}

/** `8000`, `0x8000`, `8000_0000h`: where only addresses can be meant they are hexadecimal without saying so. */
export function parseHexAddress(text: string): bigint | undefined {
  const digits = /^(?:0x)?([0-9a-f]{1,16})h?$/i.exec(text.trim().replaceAll(/[_\s]/g, ''))?.[1];
  return digits === undefined ? undefined : BigInt(`0x${digits}`);
}

const MOST_BYTES = 2 ** 32;
const SPACE = 1n << 64n;
const LONGEST_NAME = 1000;
