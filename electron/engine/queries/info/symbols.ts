/** Finds symbols of the images by name or by part of a name. */
import type { Answer, Arguments, NamedSymbol } from '../../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { namesOf, shownName } from '../../image/names/shown-name.ts';
import type { ImageSymbol } from '../../image/symbols.ts';
import type { Trace } from '../../trace.ts';

export function symbols(
  { images }: Trace,
  { text, most }: Omit<Arguments<'symbols'>, 'trace'>,
): Result<Answer<'symbols'>> {
  const found = images
    .symbolsLike(text)
    .map((symbol) => ({ symbol, name: shownName(symbol), rank: rankOf(symbol, text) }))
    .sort((a, b) => a.rank - b.rank || compareTexts(a.name, b.name) || compare(a.symbol, b.symbol))
    .map(({ symbol }) => symbol);
  const others = withoutDoubles(found);
  return ok({ symbols: others.slice(0, most).map(namedSymbol), left: Math.max(0, others.length - most) });
}

export function symbolsNamed(
  { images }: Trace,
  { name }: Omit<Arguments<'symbolsNamed'>, 'trace'>,
): Result<Answer<'symbolsNamed'>> {
  return ok({ symbols: images.symbolsNamed(name).map(namedSymbol) });
}

/** Ranks how closely the raw or the shown name matches the typed text. Lower is closer. */
function rankOf(symbol: ImageSymbol, text: string): number {
  const names = [symbol.name, shownName(symbol)];
  if (names.includes(text)) return 0;
  const [whole, wanted] = [names.map((name) => name.toLowerCase()), text.toLowerCase()];
  if (whole.includes(wanted)) return 1;
  return whole.some((name) => name.startsWith(wanted)) ? 2 : 3;
}

function compare(a: ImageSymbol, b: ImageSymbol): number {
  return compareTexts(a.name, b.name) || (a.address < b.address ? -1 : a.address > b.address ? 1 : 0);
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Removes duplicates, which occur if several images contain the same symbols. The first symbol of a name at an address stays. */
function withoutDoubles(sorted: readonly ImageSymbol[]): readonly ImageSymbol[] {
  return sorted.filter(({ name, address }, i) => name !== sorted[i - 1]?.name || address !== sorted[i - 1]?.address);
}

function namedSymbol(symbol: ImageSymbol): NamedSymbol {
  const { kind, address, end, sized } = symbol;
  return { ...namesOf(symbol), kind, address: toHex(address), ...(sized && { bytes: Number(end - address) }) };
}
