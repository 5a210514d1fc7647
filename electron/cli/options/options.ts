/**
 * Option types: each reads one text of the command line. People may group digits (1,000,000) and write sizes with k, M or G. Limits
 * come from the schemas of the requests. Addresses are in addresses.ts.
 */
import type { ImagePlace } from '../../../shared/requests/trace.ts';
import { parseImagePlace } from '../../../shared/requests/places/image-place.ts';
import { regularExpression as expressionSchema } from '../../../shared/requests/records.ts';
import { problemOf, wideHex, type WordedSchema } from '../../../shared/requests/schema.ts';
import { isKind, KINDS } from '../../../shared/records/record.ts';
import type { Kind } from '../../../shared/records/record.ts';
import { toHex } from '../../../shared/base/units.ts';
import type { Hex } from '../../../shared/base/units.ts';

export interface Option<T> {
  /** Name of its value in the help: `N`; empty for a switch. */
  readonly value: string;
  readonly text: string;
  readonly short?: string;
  /** True if it may be given several times: `read` then gets the value so far. */
  readonly repeatable?: boolean;
  /** Lines that the help of a command prints once for all options that have them. */
  readonly note?: string;
  /** Returns undefined for an invalid text. */
  read(text: string, before: T | undefined): T | undefined;
  /** Completes `--name must be ...`. */
  readonly must: string;
}

export type Options = Readonly<Record<string, Option<unknown>>>;
/** The value of each option; absent if the option was not given. */
export type Values<O extends Options> = { readonly [K in keyof O]?: O[K] extends Option<infer T> ? T : never };

export function flag(text: string): Option<boolean> {
  return { value: '', text, read: () => true, must: 'given without a value' };
}

export function recordNumber(text: string, value = 'N'): Option<number> {
  return { value, text, read: readWhole, must: 'a record number such as 1000 or 1,000,000' };
}

/** A whole number that the schema accepts. */
export function number(value: string, schema: WordedSchema<number>, text: string): Option<number> {
  const read = (given: string) => {
    const whole = readWhole(given);
    return whole !== undefined && problemOf(schema, whole) === undefined ? whole : undefined;
  };
  const must = schema.message.replace('must be ', '').replace(/ from (\d+) to 9007199254740991$/, ', $1 or more');
  return { value, text, read, must };
}

/** Bytes: `4096`, `0x1000`, `4k`, `1M`, `1G`, in powers of two. */
export function size(value: string, text: string): Option<number> {
  return { value, text, read: readSize, must: 'a size such as 4096, 0x1000, 4k, 1M or 1G' };
}

/** A value of any width up to that of a vector register. */
export function value(name: string, text: string): Option<Hex> {
  const read = (given: string) => {
    const plain = given.replaceAll('_', '');
    if (!/^(0x[0-9a-f]{1,512}|\d{1,617})$/i.test(plain)) return undefined;
    const hex = toHex(BigInt(plain));
    return problemOf(wideHex, hex) === undefined ? hex : undefined;
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

/** The list is long, so it has two lines. */
const KINDS_NOTE = `Kinds of records: ${KINDS.slice(0, 9).join(', ')},\n${KINDS.slice(9).join(', ')}.`;

/** One or more items of a list, separated by commas. */
export function oneOfList<T extends string>(value: string, text: string, all: readonly T[]): Option<readonly T[]> {
  const read = (given: string) => {
    const names = given.split(',').map((name) => name.trim());
    const known = all.filter((one) => names.includes(one));
    return names.every((name) => known.some((one) => one === name)) ? known : undefined;
  };
  return { value, text, read, must: `one or more of ${all.join(', ')}` };
}

/** One item of a list. */
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
    read: (given) => (problemOf(expressionSchema, given) === undefined ? given : undefined),
    must: 'a JavaScript regular expression of at most 1000 characters; (?i:..) ignores case',
  };
}

export function word(value: string, text: string, must: string): Option<string> {
  return { value, text, read: (given) => given || undefined, must };
}

/** The option given any number of times. */
export function several<T>(single: Option<T>): Option<readonly T[]> {
  const read = (text: string, before: readonly T[] = []): readonly T[] | undefined => {
    const value = single.read(text, undefined);
    return value === undefined ? undefined : [...before, value];
  };
  return { ...single, repeatable: true, read };
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
  const whole = Number(text.replaceAll(/[_,]/g, ''));
  return Number.isSafeInteger(whole) ? whole : undefined;
}

function readSize(text: string): number | undefined {
  if (/^0x[0-9a-f]{1,13}$/i.test(text)) return Number(text);
  const parts = /^([\d_,]+)([kmgt]?)(?:i?b)?$/i.exec(text);
  const count = readWhole(parts?.[1] ?? '');
  const bytes = count === undefined ? NaN : count * (UNITS[(parts?.[2] ?? '').toLowerCase()] ?? NaN);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
