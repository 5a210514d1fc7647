/**
 * Addresses on the command line: numbers, or with `--image` symbols. What is typed is read before the trace is opened; names
 * become addresses once its images are there. What can be read as a number is one, whatever symbols are called.
 */
import type { NamedSymbol } from '../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../shared/base/result.ts';
import { parseSymbol, type SymbolPlace } from '../../shared/requests/symbol-place.ts';
import { parseAddress, toHex, type Hex } from '../../shared/base/units.ts';
import type { Context } from './command.ts';
import type { Option } from './options.ts';
import type { OpenTrace } from './trace.ts';

export type TypedAddress = Hex | SymbolPlace;

/** A way to read what stands for a span: one place, or both ends. */
interface SpanReading {
  readonly low: TypedAddress;
  readonly high?: TypedAddress;
}

/** All ways to read what was typed, the preferred one first: names may have a `-` in them. */
export interface TypedSpan {
  readonly readings: readonly SpanReading[];
}

export interface Span {
  readonly low: Hex;
  /** Inclusive. */
  readonly high: Hex;
}

const NOTE = `Addresses are hexadecimal with 0x, else decimal. With --image they can be symbols: main, main+0x10.`;
const MUST = 'an address such as 0x8000 or 32768, or with --image a symbol such as main or main+0x10';

export function address(value: string, text: string): Option<TypedAddress> {
  return { value, text, read: readAddress, must: MUST, note: NOTE };
}

/** The end of a span of addresses, not part of it: may lie one past the highest address. */
export function addressEnd(value: string, text: string): Option<TypedAddress> {
  const read = (given: string) => (/^0x1_?0{4}(_?0{4}){3}$/i.test(given) ? END_OF_ADDRESSES : readAddress(given));
  return { value, text, read, must: MUST, note: NOTE };
}

/** `A` or `A-B`, both ends inclusive. */
export function addressSpan(value: string, text: string): Option<TypedSpan> {
  const must =
    'an address such as 0x8000, a span such as 0x8000-0x8fff, or with --image a symbol such as main or main+0x10';
  const note = `${NOTE}\nA symbol of data stands for all its bytes, one of code for its first; first-last is a span of symbols.`;
  return { value, text, read: readSpan, must, note };
}

/** Fails with `usage` where no images are given; see `isAboutSymbols`. */
export async function addressOf(context: Context, trace: OpenTrace, typed: TypedAddress): Promise<Result<Hex>> {
  if (typeof typed === 'string') return ok(typed);
  const symbol = await lookUp(context, trace, typed);
  return symbol.ok ? placeIn(symbol.value, typed) : symbol;
}

/** The first reading all of whose names there are. */
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
  return fail('usage', `${context.command}: the span ends at ${last.value}, before it begins at ${first.value}`);
}

/** A byte, or all bytes of an object. */
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

const NO_SUCH_SYMBOL = 'no-such-symbol';
const AMBIGUOUS = 'ambiguous-symbol';

/** Whether a failure is about what was typed and the images, not about the trace. */
export function isAboutSymbols(code: string): boolean {
  return code === NO_SUCH_SYMBOL || code === AMBIGUOUS;
}

async function lookUp(context: Context, trace: OpenTrace, { text }: SymbolPlace): Promise<Result<NamedSymbol>> {
  if (context.common.image === undefined)
    return fail(
      'usage',
      `${context.command}: '${text}' is no number, hexadecimal ones begin with 0x; to use it as a symbol name the program with --image`,
    );
  const found = await trace.request('symbolsNamed', { trace: trace.id, name: text });
  if (!found.ok) return found;
  const [symbol, ...others] = found.value.symbols;
  if (symbol === undefined) return fail(NO_SUCH_SYMBOL, `no image has a symbol '${text}'${await alike(trace, text)}`);
  if (others.length === 0) return ok(symbol);
  const places = found.value.symbols.slice(0, MOST_TOLD).map(({ address }) => address);
  const more = others.length >= MOST_TOLD ? `, and ${others.length + 1 - MOST_TOLD} more` : '';
  return fail(AMBIGUOUS, `several symbols are called '${text}', at ${places.join(', ')}${more}; give the address`);
}

const MOST_TOLD = 4;

/** What else there is with that text in its name. */
async function alike(trace: OpenTrace, text: string): Promise<string> {
  const found = await trace.request('symbols', { trace: trace.id, text, most: MOST_TOLD });
  const names = found.ok ? [...new Set(found.value.symbols.map(({ name }) => name))] : [];
  return names.length === 0 ? '' : `; there is ${names.join(', ')}`;
}

function placeIn({ name, address }: NamedSymbol, { offset }: SymbolPlace): Result<Hex> {
  const place = BigInt(address) + offset;
  if (place < END) return ok(toHex(place));
  return fail('usage', `${name}+${toHex(offset)} lies beyond the highest address`);
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
  const ways = readings.filter(({ low, high }) => !isUpsideDown(low, high));
  return ways.length === 0 ? undefined : { readings: ways };
}

function isUpsideDown(low: TypedAddress, high: TypedAddress | undefined): boolean {
  return typeof low === 'string' && typeof high === 'string' && BigInt(low) > BigInt(high);
}
