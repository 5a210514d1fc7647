/**
 * Maps addresses to symbols.
 *
 * A symbol with a size covers exactly that size, and the innermost symbol that covers an address wins. A symbol without a size covers the
 * addresses up to the next symbol or the end of its section, and yields to symbols with sizes. Other addresses have no symbol.
 */

import { shownName } from './names/shown-name.ts';

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
  /** Sorted by address; the preferred name of an address comes last. */
  readonly all: readonly ImageSymbol[];
  readonly functions: number;
  at(address: bigint): SymbolHit | undefined;
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

export function createSymbolTable(symbols: readonly ImageSymbol[], rawNames = false): SymbolTable {
  const sorted = withoutDuplicates(inOrder(symbols));
  const all = rawNames ? sorted.map((symbol) => ({ ...symbol, isRaw: true as const })) : sorted;
  const spans = spansOf(all);
  let names: ReadonlyMap<string, readonly ImageSymbol[]> | undefined;
  return {
    all,
    functions: all.reduce((count, { kind }) => count + Number(kind === 'function'), 0),
    at(address) {
      const i = lastAtOrBefore(spans.starts, address);
      if (i < 0 || address > spans.lasts[i]!) return undefined;
      const symbol = all[spans.symbols[i]!]!;
      return { symbol, offset: address - symbol.address };
    },
    within(low, high) {
      const found = new Map<number, SymbolStretch>();
      const { starts, lasts } = spans;
      for (let i = Math.max(0, lastAtOrBefore(starts, low)); i < starts.length && starts[i]! < high; i++) {
        if (lasts[i]! < low) continue;
        const number = spans.symbols[i]!;
        const start = found.get(number)?.start ?? starts[i]!;
        found.set(number, { symbol: all[number]!, start, end: lasts[i]! + 1n });
      }
      return [...found.values()];
    },
    startingAt(address) {
      const found: ImageSymbol[] = [];
      for (let i = firstWith(all, address); all[i]?.address === address; i++) found.push(all[i]!);
      return found.reverse();
    },
    named(name) {
      names ??= Map.groupBy(all, (symbol) => symbol.name);
      return names.get(name) ?? [];
    },
  };
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

function firstWith(all: readonly ImageSymbol[], address: bigint): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (all[middle]!.address < address) low = middle + 1;
    else high = middle;
  }
  return low;
}

const KIND_RANK: Readonly<Record<SymbolKind, number>> = { label: 0, object: 1, function: 2 };
const BINDING_RANK: Readonly<Record<ImageSymbol['binding'], number>> = { local: 0, weak: 1, global: 2 };
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
  const place = (Number(sized) * 3 + KIND_RANK[kind]) * 3 + BINDING_RANK[binding];
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
  return {
    starts: BigUint64Array.from(spans, ({ start }) => start),
    lasts: BigUint64Array.from(spans, ({ end }) => end - 1n),
    symbols: Uint32Array.from(spans, ({ symbol }) => symbol),
  };
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
