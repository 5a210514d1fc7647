/** Finds symbols of the images by name or by part of a name. */
import type { Answer, Arguments, NamedSymbol } from '../../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import type { ImageSymbol } from '../../image/symbols.ts';
import type { Trace } from '../../trace.ts';

export function symbols(
  { images }: Trace,
  { text, most }: Omit<Arguments<'symbols'>, 'trace'>,
): Result<Answer<'symbols'>> {
  const found = images
    .symbolsLike(text)
    .map((symbol) => ({ symbol, rank: rankOf(symbol.name, text) }))
    .sort((a, b) => a.rank - b.rank || compare(a.symbol, b.symbol))
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

/** Ranks how closely a name matches the typed text. Lower is closer. */
function rankOf(name: string, text: string): number {
  if (name === text) return 0;
  const [whole, wanted] = [name.toLowerCase(), text.toLowerCase()];
  if (whole === wanted) return 1;
  return whole.startsWith(wanted) ? 2 : 3;
}

function compare(a: ImageSymbol, b: ImageSymbol): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.address < b.address ? -1 : a.address > b.address ? 1 : 0;
}

/** Removes duplicates, which occur if several images contain the same symbols. The first symbol of a name at an address stays. */
function withoutDoubles(sorted: readonly ImageSymbol[]): readonly ImageSymbol[] {
  return sorted.filter(({ name, address }, i) => name !== sorted[i - 1]?.name || address !== sorted[i - 1]?.address);
}

function namedSymbol({ name, kind, address, end, sized }: ImageSymbol): NamedSymbol {
  return { name, kind, address: toHex(address), ...(sized && { bytes: Number(end - address) }) };
}
