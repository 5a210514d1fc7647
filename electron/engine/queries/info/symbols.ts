/** Finds symbols of the images by name, by part of a name, or by address. */
import type { Answer, Arguments, NamedSymbol } from '../../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { namesOf } from '../../image/names/shown-name.ts';
import type { Images } from '../../image/images.ts';
import { symbolText, type ImageSymbol } from '../../image/symbols.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';

export function symbols(
  { images }: Trace,
  args: Omit<Arguments<'symbols'>, 'trace'>,
  task: Task,
): Promise<Result<Answer<'symbols'>>> {
  return answerInSlices(closest(images, args), task);
}

export function symbolsNamed(
  { images }: Trace,
  { name }: Omit<Arguments<'symbolsNamed'>, 'trace'>,
  task: Task,
): Promise<Result<Answer<'symbolsNamed'>>> {
  return answerInSlices(named(images, name), task);
}

export function symbolsAt(
  { images }: Trace,
  { addresses }: Omit<Arguments<'symbolsAt'>, 'trace'>,
): Result<Answer<'symbolsAt'>> {
  const hits = addresses.map((address) => images.symbolAt(BigInt(address)));
  return ok({ symbols: hits.map((hit) => (hit ? symbolText(hit) : null)) });
}

type Steps<T> = Generator<undefined, Result<T>, undefined>;

function* named(images: Images, name: string): Steps<Answer<'symbolsNamed'>> {
  return ok({ symbols: (yield* images.symbolsNamed(name)).map(namedSymbol) });
}

interface Ranked {
  readonly symbol: ImageSymbol;
  readonly name: string;
  readonly rank: number;
}

/** Keeps the `most` closest symbols, so that millions of them need not be sorted. */
function* closest(
  images: Images,
  { text, most }: Pick<Arguments<'symbols'>, 'text' | 'most'>,
): Steps<Answer<'symbols'>> {
  const kept: Ranked[] = [];
  // Several images may contain the same symbols. The first symbol of a name at an address stays.
  const seen = images.list.length > 1 ? new Set<string>() : undefined;
  let count = 0;
  yield* images.symbolsLike(text, (symbol, name) => {
    if (seen !== undefined) {
      const key = `${symbol.name} ${toHex(symbol.address)}`;
      if (seen.has(key)) return;
      seen.add(key);
    }
    count++;
    keep(kept, { symbol, name, rank: rankOf(symbol, name, text) }, most);
  });
  return ok({ symbols: kept.map(({ symbol }) => namedSymbol(symbol)), left: count - kept.length });
}

/** Inserts an item into an ascending list of at most `most` items. */
function keep(kept: Ranked[], item: Ranked, most: number): void {
  let [low, high] = [0, kept.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(kept[middle]!, item) <= 0) low = middle + 1;
    else high = middle;
  }
  kept.splice(low, 0, item);
  if (kept.length > most) kept.pop();
}

/** Ranks how closely the raw or the shown name matches the typed text. Lower is closer. */
function rankOf(symbol: ImageSymbol, shown: string, text: string): number {
  const names = [symbol.name, shown];
  if (names.includes(text)) return 0;
  const [whole, wanted] = [names.map((name) => name.toLowerCase()), text.toLowerCase()];
  if (whole.includes(wanted)) return 1;
  return whole.some((name) => name.startsWith(wanted)) ? 2 : 3;
}

function compare(a: Ranked, b: Ranked): number {
  return (
    a.rank - b.rank ||
    compareValues(a.name, b.name) ||
    compareValues(a.symbol.name, b.symbol.name) ||
    compareValues(a.symbol.address, b.symbol.address)
  );
}

function compareValues<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function namedSymbol(symbol: ImageSymbol): NamedSymbol {
  const { kind, address, end, sized } = symbol;
  return { ...namesOf(symbol), kind, address: toHex(address), ...(sized && { bytes: Number(end - address) }) };
}
