/**
 * How the texts on a command line become values. Each reader takes what people type: record numbers with or without
 * grouping, sizes with k, M or G. Addresses are in addresses.ts.
 */
import type { ImagePlace } from '../../shared/requests/requests.ts';
import { parseImagePlace } from '../../shared/requests/image-place.ts';
import { isKind, KINDS } from '../../shared/records/record.ts';
import type { Kind } from '../../shared/records/record.ts';
import { toHex } from '../../shared/base/units.ts';
import type { Hex } from '../../shared/base/units.ts';

export interface Option<T> {
  /** Its value in the help: `N`; empty for a switch. */
  readonly value: string;
  readonly text: string;
  readonly short?: string;
  /** Can be given several times: `read` then gets what the earlier ones gave. */
  readonly repeatable?: boolean;
  /** What the help of a command says once for all options that have it. */
  readonly note?: string;
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

/** Bytes: `4096`, `0x1000`, `4k`, `1M`, `1G`, in powers of two. */
export function size(value: string, text: string): Option<number> {
  return { value, text, read: readSize, must: 'a size such as 4096, 0x1000, 4k, 1M or 1G' };
}

/** A value of any width: registers of vector units hold up to 2048 bits. */
export function value(name: string, text: string): Option<Hex> {
  const read = (given: string) => {
    const plain = given.replaceAll('_', '');
    return /^(0x[0-9a-f]{1,512}|\d{1,617})$/i.test(plain) ? toHex(BigInt(plain)) : undefined;
  };
  return { value: name, text, read, must: 'a value such as 0x1f or 31' };
}

export function kinds(text: string): Option<readonly Kind[]> {
  const read = (given: string) => {
    const names = given.split(',').map((name) => name.trim());
    return names.every(isKind) ? [...new Set(names)] : undefined;
  };
  return { value: 'K,K', text, read, must: `one or more of ${KINDS.join(', ')}`, note: KINDS_NOTE };
}

/** In two lines, as they are many. */
const KINDS_NOTE = `Kinds of records: ${KINDS.slice(0, 9).join(', ')},\n${KINDS.slice(9).join(', ')}.`;

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
  return {
    value,
    text,
    read: (given) => (compiles(given) ? given : undefined),
    must: 'a regular expression of JavaScript, in which (?i:..) ignores case',
  };
}

export function word(value: string, text: string, must: string): Option<string> {
  return { value, text, read: (given) => given || undefined, must };
}

/** `NAME=VALUE`, repeatable. */
export function assignments(text: string): Option<Readonly<Record<string, string>>> {
  const read = (given: string, before: Readonly<Record<string, string>> = {}) => {
    const equals = given.indexOf('=');
    const [name, value] = [given.slice(0, Math.max(0, equals)), given.slice(equals + 1)];
    return name === '' || (before[name] ?? value) !== value ? undefined : { ...before, [name]: value };
  };
  return { value: 'NAME=VALUE', text, repeatable: true, read, must: 'NAME=VALUE with one value for each name' };
}

/** `FILE`, `FILE@BASE` or `FILE@+SHIFT`, repeatable. */
export function images(text: string): Option<readonly ImagePlace[]> {
  const read = (given: string, before: readonly ImagePlace[] = []) => {
    const place = parseImagePlace(given);
    return place && [...before, place];
  };
  return { value: 'FILE[@BASE]', text, repeatable: true, read, must: 'a file such as program.elf or rom.bin@0x8000' };
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

function readWhole(text: string): number | undefined {
  if (!/^\d+([_,]\d+)*$/.test(text)) return undefined;
  const number = Number(text.replaceAll(/[_,]/g, ''));
  return Number.isSafeInteger(number) ? number : undefined;
}

function readSize(text: string): number | undefined {
  if (/^0x[0-9a-f]{1,13}$/i.test(text)) return Number(text);
  const parts = /^([\d_,]+)([kmgt]?)(?:i?b)?$/i.exec(text);
  const number = readWhole(parts?.[1] ?? '');
  const bytes = number === undefined ? NaN : number * (UNITS[(parts?.[2] ?? '').toLowerCase()] ?? NaN);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
