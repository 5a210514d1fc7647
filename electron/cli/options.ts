/**
 * How the texts on a command line become values. Each reader takes what people type: record numbers with or without
 * grouping, addresses with their base, sizes with k, M or G.
 */
import type { ImagePlace } from '../../shared/api.ts';
import { parseImagePlace } from '../../shared/image-place.ts';
import { isKind, KINDS } from '../../shared/record.ts';
import type { Kind } from '../../shared/record.ts';
import { parseAddress, toHex } from '../../shared/units.ts';
import type { Hex } from '../../shared/units.ts';

export interface Option<T> {
  /** Its value in the help: `N`; empty for a switch. */
  readonly value: string;
  readonly text: string;
  readonly short?: string;
  /** Can be given several times: `read` then gets what the earlier ones gave. */
  readonly repeatable?: boolean;
  /** Undefined for a text that it does not take. */
  read(text: string, before: T | undefined): T | undefined;
  /** Completes `--name must be ...`. */
  readonly must: string;
}

export function flag(text: string): Option<boolean> {
  return { value: '', text, read: () => true, must: 'given without a value' };
}

export function recordNumber(text: string, value = 'N'): Option<number> {
  return { value, text, read: readWhole, must: 'a record number such as 1000 or 1,000,000' };
}

export function count(value: string, low: number, high: number, text: string): Option<number> {
  const read = (given: string) => {
    const number = readWhole(given);
    return number !== undefined && number >= low && number <= high ? number : undefined;
  };
  const limit = high === Number.MAX_SAFE_INTEGER ? `${low} or more` : `${low} to ${high}`;
  return { value, text, read, must: `a whole number, ${limit}` };
}

/** Bytes: `4096`, `4k`, `1M`, `1G`, in powers of two. */
export function size(value: string, text: string): Option<number> {
  return { value, text, read: readSize, must: 'a size such as 4096, 4k, 1M or 1G' };
}

export function address(value: string, text: string): Option<Hex> {
  return { value, text, read: readAddress, must: 'an address such as 0x8000 or 32768' };
}

/** A value of any width: registers of vector units hold up to 2048 bits. */
export function value(name: string, text: string): Option<Hex> {
  const read = (given: string) => {
    const plain = given.replaceAll('_', '');
    return /^(0x[0-9a-f]{1,512}|\d{1,617})$/i.test(plain) ? toHex(BigInt(plain)) : undefined;
  };
  return { value: name, text, read, must: 'a value such as 0x1f or 31' };
}

/** The end of a span of addresses, not part of it: may lie one past the highest address. */
export function addressEnd(value: string, text: string): Option<Hex> {
  const read = (given: string) => (/^0x1_?0{4}(_?0{4}){3}$/i.test(given) ? END_OF_ADDRESSES : readAddress(given));
  return { value, text, read, must: 'an address such as 0x8000 or 32768' };
}

/** `A` or `A-B`, both ends inclusive. */
export function addressSpan(value: string, text: string): Option<{ readonly low: Hex; readonly high: Hex }> {
  const read = (given: string) => {
    const [first = '', last = first, ...more] = given.split('-');
    const [low, high] = [readAddress(first), readAddress(last)];
    if (low === undefined || high === undefined || more.length > 0 || BigInt(low) > BigInt(high)) return undefined;
    return { low, high };
  };
  return { value, text, read, must: 'an address such as 0x8000, or a span such as 0x8000-0x8fff' };
}

export function kinds(text: string): Option<readonly Kind[]> {
  const read = (given: string) => {
    const names = given.split(',').map((name) => name.trim());
    return names.every(isKind) ? [...new Set(names)] : undefined;
  };
  return { value: 'K,K', text, read, must: `one or more of ${KINDS.join(', ')}` };
}

/** One or more of a list, with commas between. */
export function oneOfList<T extends string>(value: string, text: string, all: readonly T[]): Option<readonly T[]> {
  const read = (given: string) => {
    const names = given.split(',').map((name) => name.trim());
    const known = all.filter((one) => names.includes(one));
    return names.every((name) => known.some((one) => one === name)) ? known : undefined;
  };
  return { value, text, read, must: `one or more of ${all.join(', ')}` };
}

/** One of a list. */
export function oneOf<T extends string>(value: string, text: string, all: readonly T[]): Option<T> {
  return { value, text, read: (given) => all.find((one) => one === given), must: `one of ${all.join(', ')}` };
}

export function path(value: string, text: string, short?: string): Option<string> {
  return { value, text, ...(short && { short }), read: (given) => given || undefined, must: 'a path' };
}

export function regularExpression(value: string, text: string): Option<string> {
  return { value, text, read: (given) => (compiles(given) ? given : undefined), must: 'a regular expression' };
}

export function word(value: string, text: string, must: string): Option<string> {
  return { value, text, read: (given) => given || undefined, must };
}

/** `NAME=VALUE`, repeatable. */
export function assignments(text: string): Option<Readonly<Record<string, string>>> {
  const read = (given: string, before: Readonly<Record<string, string>> = {}) => {
    const equals = given.indexOf('=');
    return equals > 0 ? { ...before, [given.slice(0, equals)]: given.slice(equals + 1) } : undefined;
  };
  return { value: 'NAME=VALUE', text, repeatable: true, read, must: 'NAME=VALUE' };
}

/** `FILE`, `FILE@BASE` or `FILE@+SHIFT`, repeatable. */
export function images(text: string): Option<readonly ImagePlace[]> {
  const read = (given: string, before: readonly ImagePlace[] = []) => {
    const place = parseImagePlace(given);
    return place && [...before, place];
  };
  return { value: 'FILE[@BASE]', text, repeatable: true, read, must: 'a file such as program.elf or rom.bin@0x8000' };
}

const END_OF_ADDRESSES = toHex(1n << 64n);
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

function readWhole(text: string): number | undefined {
  if (!/^\d+([_,]?\d+)*$/.test(text)) return undefined;
  const number = Number(text.replaceAll(/[_,]/g, ''));
  return Number.isSafeInteger(number) ? number : undefined;
}

function readSize(text: string): number | undefined {
  const parts = /^([\d_,]+)([kmgt]?)(?:i?b)?$/i.exec(text);
  const number = readWhole(parts?.[1] ?? '');
  const bytes = number === undefined ? NaN : number * (UNITS[(parts?.[2] ?? '').toLowerCase()] ?? NaN);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

function readAddress(text: string): Hex | undefined {
  const value = parseAddress(text);
  return value === undefined ? undefined : toHex(value);
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
