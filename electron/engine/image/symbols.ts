/**
 * Maps addresses to symbols.
 *
 * A symbol with a size covers exactly that size, and the innermost symbol that covers an address wins. A symbol without a size covers the
 * addresses up to the next symbol or the end of its section, and yields to symbols with sizes. Other addresses have no symbol.
 */

import { createKnownNames } from './names/known-names.ts';
import { demangle } from './names/demangle.ts';
import { isDemangled, shownName } from './names/shown-name.ts';
import {
  indexesOf,
  sharedAddresses,
  sharedBytes,
  sharedNumbers,
  shareTexts,
  textAt,
  type SharedTexts,
} from './shared-memory.ts';

export interface ImageSymbol {
  /** As in the image; `shownName` demangles it. */
  readonly name: string;
  /** True if people asked for raw names. */
  readonly isRaw?: true;
  readonly address: bigint;
  /** First address after the symbol. For a symbol without a size: the largest possible extent. */
  readonly end: bigint;
  readonly sized: boolean;
  readonly kind: SymbolKind;
  readonly binding: 'global' | 'weak' | 'local';
}

export type SymbolKind = 'function' | 'object' | 'label';

export interface SymbolHit {
  readonly symbol: ImageSymbol;
  /** Distance from the symbol's address, in bytes. */
  readonly offset: bigint;
}

export interface SymbolTable {
  /** The content, for other threads. */
  readonly columns: SymbolColumns;
  readonly count: number;
  readonly functions: number;
  /** Returns a symbol by its number. Symbols are sorted by address; the preferred name of an address comes last. */
  symbol(i: number): ImageSymbol;
  /** Returns the name of a symbol as people see it, and remembers it for the next search. */
  shown(i: number): string;
  /** Finds the symbols that pass a test. */
  search(passes: (symbol: ImageSymbol) => boolean): Search<ImageSymbol>;
  at(address: bigint): SymbolHit | undefined;
  /** Returns the first address after this one at which `at` may find another symbol; undefined if it is the same to the last address. */
  nextChange(address: bigint): bigint | undefined;
  /** Returns the symbols that start at an address, the preferred one first. */
  startingAt(address: bigint): readonly ImageSymbol[];
  /** Returns the symbols that overlap [low, high), by address. A symbol that contains others appears once, from its first to its last part. */
  within(low: bigint, high: bigint): readonly SymbolStretch[];
  /** Returns the symbols with exactly this name, by address. */
  named(name: string): readonly ImageSymbol[];
}

export interface SymbolStretch {
  readonly symbol: ImageSymbol;
  readonly start: bigint;
  /** Exclusive. */
  readonly end: bigint;
}

/** A table in shared memory, with a row for each symbol. */
export interface SymbolColumns {
  readonly isRaw: boolean;
  readonly functions: number;
  readonly names: SharedTexts;
  readonly addresses: BigUint64Array;
  /** Inclusive ends, because an exclusive end can exceed the highest address. */
  readonly lasts: BigUint64Array;
  /** Index in KINDS, index in BINDINGS times 4, and 16 for a symbol with a size. */
  readonly traits: Uint8Array;
  readonly spans: Spans;
}

/** A search among up to millions of symbols, which yields often so that it can be interrupted. */
export type Search<T> = Generator<undefined, readonly T[], undefined>;

/** Number of symbols between two interruptions: demangling one can take a tenth of a millisecond. */
export const SEARCHED_AT_ONCE = 16;

/** Finds the items that pass a test. */
export function* search<T>(count: number, item: (i: number) => T, passes: (item: T) => boolean): Search<T> {
  const found: T[] = [];
  for (let i = 0; i < count; i++) {
    const each = item(i);
    if (passes(each)) found.push(each);
    if (i % SEARCHED_AT_ONCE === 0) yield;
  }
  return found;
}

/** In ascending order of preference. */
const KINDS: readonly SymbolKind[] = ['label', 'object', 'function'];
const BINDINGS: readonly ImageSymbol['binding'][] = ['local', 'weak', 'global'];
const SIZED = 16;

export function createSymbolTable(symbols: readonly ImageSymbol[], rawNames = false): SymbolTable {
  const all = withoutDuplicates(inOrder(symbols));
  const columns = {
    isRaw: rawNames,
    functions: all.reduce((count, { kind }) => count + Number(kind === 'function'), 0),
    names: shareTexts(all.map(({ name }) => name)),
    addresses: sharedAddresses(all.length),
    lasts: sharedAddresses(all.length),
    traits: sharedBytes(all.length),
    spans: spansOf(all),
  };
  all.forEach(({ address, end, sized, kind, binding }, i) => {
    columns.addresses[i] = address;
    columns.lasts[i] = end - 1n;
    columns.traits[i] = KINDS.indexOf(kind) + 4 * BINDINGS.indexOf(binding) + (sized ? SIZED : 0);
  });
  return symbolTableOf(columns);
}

/** Returns the table with these columns. Each symbol is made when it is needed. */
export function symbolTableOf(columns: SymbolColumns): SymbolTable {
  const { isRaw, functions, names, addresses, lasts, traits, spans } = columns;
  /** Symbols at addresses that were asked for. */
  const known = new Map<number, ImageSymbol>();
  const shownNames = createKnownNames(addresses.length);
  const symbolAt = (i: number): ImageSymbol => {
    const before = known.get(i);
    if (before !== undefined) return before;
    const made = symbol(i);
    known.set(i, made);
    return made;
  };
  return {
    columns,
    count: addresses.length,
    functions,
    symbol,
    shown(i) {
      const before = shownNames.get(i);
      if (before !== undefined) return before;
      const own = symbol(i);
      if (!isDemangled(own)) return own.name;
      const name = demangle(own.name) ?? own.name;
      shownNames.set(i, name);
      return name;
    },
    at(address) {
      const i = lastAtOrBefore(spans.starts, address);
      if (i < 0 || address > spans.lasts[i]!) return undefined;
      const found = symbolAt(spans.symbols[i]!);
      return { symbol: found, offset: address - found.address };
    },
    nextChange(address) {
      const i = lastAtOrBefore(spans.starts, address);
      const next = spans.starts[i + 1];
      const last = spans.lasts[i];
      return last === undefined || address > last ? next : last + 1n;
    },
    within(low, high) {
      const found = new Map<number, SymbolStretch>();
      const { starts } = spans;
      for (let i = Math.max(0, lastAtOrBefore(starts, low)); i < starts.length && starts[i]! < high; i++) {
        if (spans.lasts[i]! < low) continue;
        const number = spans.symbols[i]!;
        const start = found.get(number)?.start ?? starts[i]!;
        found.set(number, { symbol: symbolAt(number), start, end: spans.lasts[i]! + 1n });
      }
      return [...found.values()];
    },
    startingAt(address) {
      const found: ImageSymbol[] = [];
      for (let i = firstWith(addresses, address); addresses[i] === address; i++) found.push(symbolAt(i));
      return found.reverse();
    },
    search: (passes) => search(addresses.length, symbol, passes),
    named: (name) => indexesOf(names, name).map(symbol),
  };

  function symbol(i: number): ImageSymbol {
    const trait = traits[i]!;
    return {
      name: textAt(names, i),
      ...(isRaw && { isRaw }),
      address: addresses[i]!,
      end: lasts[i]! + 1n,
      sized: (trait & SIZED) !== 0,
      kind: KINDS[trait & 3]!,
      binding: BINDINGS[(trait >> 2) & 3]!,
    };
  }
}

/** Formats a hit as `name+0x12`, or as the bare name at the symbol's address, with the name as people see it. */
export function symbolText({ symbol, offset }: SymbolHit): string {
  const name = shownName(symbol);
  return offset === 0n ? name : `${name}+0x${offset.toString(16)}`;
}

/** Returns the index of the last of ascending values that is at most `wanted`; -1 if all are greater. */
export function lastAtOrBefore(values: BigUint64Array, wanted: bigint): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! <= wanted) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function firstWith(addresses: BigUint64Array, address: bigint): number {
  let [low, high] = [0, addresses.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (addresses[middle]! < address) low = middle + 1;
    else high = middle;
  }
  return low;
}

const MOST_UNDERSCORES = 15;

/** Sorts by address. At one address the preferred name comes last: sized, function, global, few leading underscores, short. */
function inOrder(symbols: readonly ImageSymbol[]): ImageSymbol[] {
  const ranked = symbols.map((symbol) => ({ symbol, rank: rankOf(symbol) }));
  ranked.sort(({ symbol: a, rank: rankA }, { symbol: b, rank: rankB }) => {
    if (a.address !== b.address) return a.address < b.address ? -1 : 1;
    const first = rankA - rankB || b.name.length - a.name.length;
    return first !== 0 || a.name === b.name ? first : a.name < b.name ? 1 : -1;
  });
  return ranked.map(({ symbol }) => symbol);
}

function rankOf({ name, sized, kind, binding }: ImageSymbol): number {
  let underscores = 0;
  while (underscores < MOST_UNDERSCORES && name[underscores] === '_') underscores++;
  const place = (Number(sized) * 3 + KINDS.indexOf(kind)) * 3 + BINDINGS.indexOf(binding);
  return place * (MOST_UNDERSCORES + 1) + MOST_UNDERSCORES - underscores;
}

/** Removes duplicates, since `.symtab` and `.dynsym` repeat each other. Of equal names at an address the preferred entry stays. */
function withoutDuplicates(sorted: readonly ImageSymbol[]): ImageSymbol[] {
  const kept: ImageSymbol[] = [];
  const names = new Set<string>();
  for (let i = sorted.length - 1; i >= 0; i--) {
    const symbol = sorted[i]!;
    if (symbol.address !== sorted[i + 1]?.address) names.clear();
    if (names.has(symbol.name)) continue;
    names.add(symbol.name);
    kept.push(symbol);
  }
  return kept.reverse();
}

/** Disjoint stretches of addresses in ascending order, each with the index of its symbol. */
interface Spans {
  readonly starts: BigUint64Array;
  /** Inclusive ends, because an exclusive end can exceed the highest address. */
  readonly lasts: BigUint64Array;
  readonly symbols: Uint32Array;
}

interface Span {
  readonly start: bigint;
  readonly end: bigint;
  readonly symbol: number;
}

function spansOf(all: readonly ImageSymbol[]): Spans {
  const sized = sizedSpans(all);
  const spans = [...sized, ...sizelessSpans(all, sized)].sort((a, b) => (a.start < b.start ? -1 : 1));
  const columns = {
    starts: sharedAddresses(spans.length),
    lasts: sharedAddresses(spans.length),
    symbols: sharedNumbers(spans.length),
  };
  spans.forEach(({ start, end, symbol }, i) => {
    columns.starts[i] = start;
    columns.lasts[i] = end - 1n;
    columns.symbols[i] = symbol;
  });
  return columns;
}

/** Splits symbols with sizes into stretches. A later symbol covers earlier ones for its whole size. */
function sizedSpans(all: readonly ImageSymbol[]): Span[] {
  const spans: Span[] = [];
  const open: number[] = [];
  let at = 0n;
  const close = (until: bigint): void => {
    for (let top = open.at(-1); top !== undefined && at < until; top = open.at(-1)) {
      const end = all[top]!.end < until ? all[top]!.end : until;
      if (end > at) {
        spans.push({ start: at, end, symbol: top });
        at = end;
      }
      if (all[top]!.end > until) break;
      open.pop();
    }
    at = until;
  };
  all.forEach((symbol, i) => {
    if (!symbol.sized) return;
    close(symbol.address);
    open.push(i);
  });
  close(END_OF_ADDRESSES);
  return spans;
}

const END_OF_ADDRESSES = 1n << 64n;

function sizelessSpans(all: readonly ImageSymbol[], sized: readonly Span[]): Span[] {
  const spans: Span[] = [];
  let next = END_OF_ADDRESSES;
  let cover = sized.length - 1;
  for (let i = all.length - 1; i >= 0; i--) {
    const { address, end, sized: hasSize } = all[i]!;
    const later = all[i + 1]?.address ?? END_OF_ADDRESSES;
    if (later !== address) next = later;
    while (cover >= 0 && sized[cover]!.start > address) cover--;
    const covered = cover >= 0 && address < sized[cover]!.end;
    // Of several symbols at one address, the last one is preferred.
    if (hasSize || covered || later === address) continue;
    spans.push({ start: address, end: end < next ? end : next, symbol: i });
  }
  return spans;
}
