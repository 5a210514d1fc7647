/**
 * Addresses on the command line: numbers, or symbols if images are given with `--image`. Texts are parsed before the trace is opened;
 * symbols are resolved once its images are loaded. A text that is a number is never taken for a symbol.
 */
import type { NamedSymbol } from '../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { parseSymbol, type SymbolPlace } from '../../../shared/requests/places/symbol-place.ts';
import { parseAddress, toHex, type Hex } from '../../../shared/base/units.ts';
import type { Context } from '../command.ts';
import { AMBIGUOUS_SYMBOL, NO_SUCH_SYMBOL } from '../failures.ts';
import type { Option } from './options.ts';
import type { OpenTrace } from '../trace.ts';

export type TypedAddress = Hex | SymbolPlace;

/** One interpretation of a span: a single address or symbol, or both ends. */
interface SpanReading {
  readonly low: TypedAddress;
  readonly high?: TypedAddress;
}

/** All interpretations of a span, the preferred one first: names may contain a `-`. */
export interface TypedSpan {
  readonly readings: readonly SpanReading[];
}

export interface Span {
  readonly low: Hex;
  /** Inclusive. */
  readonly high: Hex;
}

const NOTE = `Addresses are hexadecimal with 0x, otherwise decimal. With --image they can be symbols: main, main+0x10.`;
const MUST = 'an address such as 0x8000 or 32768, or with --image a symbol such as main or main+0x10';

export function address(value: string, text: string): Option<TypedAddress> {
  return { value, text, read: readAddress, must: MUST, note: NOTE };
}

/** An exclusive upper end, which may be one past the highest address. */
export function addressEnd(value: string, text: string): Option<TypedAddress> {
  const read = (given: string) => (/^0x1_?0{4}(_?0{4}){3}$/i.test(given) ? END_OF_ADDRESSES : readAddress(given));
  return { value, text, read, must: MUST, note: NOTE };
}

/** `A` or `A-B`, both ends inclusive. */
export function addressSpan(value: string, text: string): Option<TypedSpan> {
  const must =
    'an address such as 0x8000, a span such as 0x8000-0x8fff, or with --image a symbol such as main or main+0x10';
  const note = `${NOTE}\nA data symbol means all its bytes, a code symbol its first byte; first-last is a span of symbols.`;
  return { value, text, read: readSpan, must, note };
}

/** Resolves an address. Fails with `usage` if a symbol is given without images. */
export async function addressOf(context: Context, trace: OpenTrace, typed: TypedAddress): Promise<Result<Hex>> {
  if (typeof typed === 'string') return ok(typed);
  const symbol = await lookUp(context, trace, typed);
  return symbol.ok ? placeIn(symbol.value, typed) : symbol;
}

/** Resolves a span: the first interpretation whose symbols all exist. */
export async function spanOf(context: Context, trace: OpenTrace, { readings }: TypedSpan): Promise<Result<Span>> {
  let failure: Result<Span> = fail('usage', 'name an address');
  for (const reading of readings) {
    const span = await spanAs(context, trace, reading);
    if (span.ok || span.error.code !== NO_SUCH_SYMBOL) return span;
    failure = span;
  }
  return failure;
}

async function spanAs(context: Context, trace: OpenTrace, { low, high }: SpanReading): Promise<Result<Span>> {
  if (high === undefined) return wholeOf(context, trace, low);
  const [first, last] = [await addressOf(context, trace, low), await addressOf(context, trace, high)];
  if (!first.ok) return first;
  if (!last.ok) return last;
  if (BigInt(first.value) <= BigInt(last.value)) return ok({ low: first.value, high: last.value });
  return fail('usage', `${context.command}: the span ends at ${last.value}, before its start at ${first.value}`);
}

/** Returns one byte, or all bytes of a data symbol. */
async function wholeOf(context: Context, trace: OpenTrace, typed: TypedAddress): Promise<Result<Span>> {
  if (typeof typed === 'string') return ok({ low: typed, high: typed });
  const symbol = await lookUp(context, trace, typed);
  if (!symbol.ok) return symbol;
  const low = placeIn(symbol.value, typed);
  if (!low.ok) return low;
  const { kind, bytes = 1 } = symbol.value;
  const more = kind === 'object' && typed.offset === 0n ? BigInt(Math.max(1, bytes)) - 1n : 0n;
  return ok({ low: low.value, high: toHex(BigInt(low.value) + more) });
}

async function lookUp(context: Context, trace: OpenTrace, { text }: SymbolPlace): Promise<Result<NamedSymbol>> {
  if (context.common.image === undefined)
    return fail(
      'usage',
      `${context.command}: '${text}' is not a number (hexadecimal numbers begin with 0x); to use it as a symbol, give the program with --image`,
    );
  const found = await trace.request('symbolsNamed', { trace: trace.id, name: text });
  if (!found.ok) return found;
  const [symbol, ...others] = found.value.symbols;
  if (symbol === undefined) return fail(NO_SUCH_SYMBOL, `no image has a symbol '${text}'${await similar(trace, text)}`);
  if (others.length === 0) return ok(symbol);
  const isOneName = found.value.symbols.every(({ name }) => name === symbol.name);
  const places = found.value.symbols
    .slice(0, LISTED)
    .map(({ name, address: place }) => (isOneName ? place : `${name} at ${place}`));
  const more = others.length >= LISTED ? `, and ${others.length + 1 - LISTED} more` : '';
  return fail(
    AMBIGUOUS_SYMBOL,
    `several symbols are called '${text}'${isOneName ? ', at' : ':'} ${places.join(', ')}${more}; give ${isOneName ? '' : 'the whole name or '}the address`,
  );
}

const LISTED = 4;

/** Returns `; similar symbols are ...`, or an empty text if there are none. */
async function similar(trace: OpenTrace, text: string): Promise<string> {
  const last = text.slice(text.lastIndexOf(':') + 1);
  let names: readonly string[] = [];
  for (const part of new Set([text, last])) {
    if (names.length > 0 || part === '') continue;
    const found = await trace.request('symbols', { trace: trace.id, text: part, most: LISTED });
    names = found.ok ? [...new Set(found.value.symbols.map(({ name }) => name))] : [];
  }
  return names.length === 0 ? '' : `; similar: ${names.join(', ')}`;
}

function placeIn({ name, address }: NamedSymbol, { offset }: SymbolPlace): Result<Hex> {
  const place = BigInt(address) + offset;
  if (place < END) return ok(toHex(place));
  return fail('usage', `${name}+${toHex(offset)} is beyond the highest address`);
}

const END = 1n << 64n;
const END_OF_ADDRESSES = toHex(END);

function readAddress(text: string): TypedAddress | undefined {
  const value = parseAddress(text);
  return value === undefined ? parseSymbol(text) : toHex(value);
}

function readSpan(text: string): TypedSpan | undefined {
  const readings = [...text.matchAll(/-/g)].flatMap(({ index }): SpanReading[] => {
    const [low, high] = [readAddress(text.slice(0, index)), readAddress(text.slice(index + 1))];
    return low === undefined || high === undefined ? [] : [{ low, high }];
  });
  const whole = readAddress(text);
  if (whole !== undefined) readings.unshift({ low: whole });
  const ways = readings.filter(({ low, high }) => !isReversed(low, high));
  return ways.length === 0 ? undefined : { readings: ways };
}

function isReversed(low: TypedAddress, high: TypedAddress | undefined): boolean {
  return typeof low === 'string' && typeof high === 'string' && BigInt(low) > BigInt(high);
}
