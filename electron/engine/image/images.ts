/**
 * All images of a trace: symbols, lines, bytes and code at an address. Images are searched in the order in which the user gave them, and
 * the first answer wins. Addresses are addresses of the trace.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { ImageFacts } from '../../../shared/requests/requests.ts';
import { toHex } from '../../../shared/base/units.ts';
import type { CodeState } from './code-states.ts';
import type { Image, Segment } from './image.ts';
import type { SourceLine } from './line-table.ts';
import type { Machine } from './machine.ts';
import { mayContain, symbolsCalled } from './names/find-names.ts';
import { namesOf as shownNames } from './names/shown-name.ts';
import { SEARCHED_AT_ONCE, type ImageSymbol, type Search, type SymbolHit, type SymbolKind } from './symbols.ts';

export interface Images {
  readonly list: readonly Image[];
  readonly notices: readonly string[];
  facts(): readonly ImageFacts[];
  /** Returns a digest of contents, places and order. It does not depend on the paths of the files. */
  digest(): string;
  /** Returns the symbol that contains an address. The symbol's own address is a link-time address. */
  symbolAt(address: bigint): SymbolHit | undefined;
  /** Returns the source line of the code at an address. */
  lineAt(address: bigint): SourceLine | undefined;
  /** Returns the first address after this one at which `symbolAt` or `lineAt` may have another answer; 2^64 if there is none. */
  placeEnd(address: bigint): bigint;
  /** Returns the symbols that start at an address, the preferred one first, from the image that owns the address. */
  symbolsStartingAt(address: bigint): readonly ImageSymbol[];
  /**
   * Finds the symbols with this raw name in the first image that has one, by address, or else those with this demangled name, with or
   * without parameters. Addresses are addresses of the trace.
   */
  symbolsNamed(name: string): Search<ImageSymbol>;
  /**
   * Finds the symbols whose raw or shown names contain this text, ignoring case. `take` receives each with its shown name. Addresses are
   * addresses of the trace. Yields often.
   */
  symbolsLike(text: string, take: (symbol: ImageSymbol, shown: string) => void): Generator<undefined, void>;
  /** Returns a view of up to `most` bytes starting at an address, fewer at the end of a segment; undefined if no image covers it. */
  bytesAt(address: bigint, most: number): Uint8Array | undefined;
  /** Returns the segments and symbols in [low, high), by address. Of several symbols at one address, only the preferred one. */
  namesIn(low: bigint, high: bigint): readonly NamedStretch[];
  /** Returns the machine and state of the code at an address, from the first image with bytes there or another one with equal bytes. */
  codeAt(address: bigint): Code | undefined;
  /**
   * Returns a number of bytes, up to `most`, beginning at an address, for which `bytesAt` answers from one image, and `codeAt` with one
   * machine and state; at least 1.
   */
  codeLength(address: bigint, most: number): number;
}

export interface Code {
  readonly machine: Machine;
  /** From mapping symbols. */
  readonly state?: CodeState;
}

/** Addresses [low, high) with a name. */
export interface NamedStretch {
  readonly name: string;
  /** Raw name, if it differs. */
  readonly symbol?: string;
  readonly kind: SymbolKind | 'segment';
  readonly low: bigint;
  readonly high: bigint;
}

/** The images of a trace without any. */
export const NO_IMAGES: Images = createImages([]);

export function createImages(list: readonly Image[]): Images {
  return {
    list,
    notices: list.flatMap(({ notices }) => notices),
    facts: () => list.map(factsOf),
    digest: () => {
      const hash = createHash('sha256');
      for (const { digest, form, shift, segments, debug } of list) {
        hash.update(
          JSON.stringify([
            digest(),
            form,
            toHex(shift),
            form === 'raw' ? segments.map(({ address }) => toHex(address)) : [],
            ...(debug === undefined ? [] : [debug.digest()]),
          ]),
        );
      }
      return hash.digest('hex');
    },
    symbolAt: (address) => owner(list, address, ({ symbols }, at) => symbols.at(at)),
    lineAt: (address) => first(list, (image) => image.lines?.().at(linked(image, address))),
    placeEnd: (address) => {
      let end = END_OF_ADDRESSES;
      for (const image of list) {
        const at = linked(image, address);
        const take = (change: bigint | undefined): void => {
          if (change !== undefined && change > at && address + (change - at) < end) end = address + (change - at);
        };
        take(image.symbols.nextChange(at));
        take(image.lines?.().nextChange(at));
        // Which image answers depends on the parts of segments.
        for (const { address: start, bytes, memory } of image.segments) {
          take(start);
          take(start + BigInt(bytes.length));
          take(start + memory);
        }
      }
      return end;
    },
    symbolsStartingAt: (address) =>
      owner(list, address, ({ symbols }, at) => (symbols.at(at) === undefined ? undefined : symbols.startingAt(at))) ??
      [],
    *symbolsNamed(name) {
      for (const image of list) {
        const found = image.symbols.named(name);
        if (found.length > 0) return atPlaces(list, image, found);
      }
      for (const image of list) {
        const found = yield* symbolsCalled(image.symbols, name);
        if (found.length > 0) return atPlaces(list, image, found);
      }
      return [];
    },
    *symbolsLike(text, take) {
      const wanted = text.toLowerCase();
      const mayBe = mayContain(text);
      for (const { symbols, shift } of list) {
        for (let i = 0; i < symbols.count; i++) {
          if (i % SEARCHED_AT_ONCE === 0) yield;
          const symbol = symbols.symbol(i);
          const isLike = symbol.name.toLowerCase().includes(wanted);
          if (!isLike && !mayBe(symbol)) continue;
          const shown = symbols.shown(i);
          if (isLike || shown.toLowerCase().includes(wanted)) take(shifted(symbol, shift), shown);
        }
      }
    },
    bytesAt: (address, most) => first(list, (image) => bytesIn(image, linked(image, address), most)),
    namesIn: (low, high) =>
      list.flatMap((image) => namesOf(image, low, high)).sort((a, b) => (a.low < b.low ? -1 : a.low > b.low ? 1 : 0)),
    codeAt: (address) => {
      let bytes: Uint8Array | undefined;
      return first(list, (image) => {
        const at = linked(image, address);
        const own = bytesIn(image, at, INSTRUCTION_BYTES);
        if (own === undefined) return undefined;
        bytes ??= own;
        if (image.machine === undefined || own.some((byte, i) => byte !== bytes?.[i])) return undefined;
        const state = image.states.at(at);
        return { machine: image.machine, ...(state === undefined ? {} : { state }) };
      });
    },
    codeLength: (address, most) => {
      let length = most;
      for (const image of list) {
        const at = linked(image, address);
        const own = bytesIn(image, at, length);
        if (own !== undefined) {
          const change = image.states.nextChange(at);
          length = Math.min(own.length, change === undefined ? length : Number(change - at));
          // Another image may know the machine of these bytes.
          return image.machine === undefined ? 1 : length;
        }
        for (const { address: start } of image.segments)
          if (start > at && start - at < BigInt(length)) length = Number(start - at);
      }
      return 1;
    },
  };
}

/** Returns symbols of an image at each of its addresses in the trace: one program can be at several. */
function atPlaces(list: readonly Image[], image: Image, found: readonly ImageSymbol[]): readonly ImageSymbol[] {
  const places = list.filter(({ symbols }) => symbols === image.symbols);
  return places.flatMap(({ shift }) => found.map((symbol) => shifted(symbol, shift)));
}

/** Returns the named stretches of one image. If its shift wraps around the highest address, the part past it is left out. */
function namesOf(image: Image, low: bigint, high: bigint): NamedStretch[] {
  const shift = BigInt.asIntN(64, image.shift);
  const from = low > shift ? low - shift : 0n;
  const to = high > shift ? high - shift : 0n;
  const segments = image.segments
    .filter(({ address, memory }) => address < to && address + memory > from && memory > 0n)
    .map((segment) => ({
      name: `${basename(image.path)} ${contentOf(segment)}`,
      kind: 'segment' as const,
      low: segment.address + shift,
      high: segment.address + segment.memory + shift,
    }));
  const symbols = image.symbols.within(from, to).map(({ symbol, start, end }) => ({
    ...shownNames(symbol),
    kind: symbol.kind,
    low: start + shift,
    high: end + shift,
  }));
  return [...segments, ...symbols].filter(({ low: first, high: last }) => first >= 0n && last <= END_OF_ADDRESSES);
}

const END_OF_ADDRESSES = 1n << 64n;

function contentOf({ flags }: Segment): string {
  if (flags === undefined) return 'image';
  return flags.includes('x') ? 'code' : flags.includes('w') ? 'data' : 'read-only data';
}

/** Returns a symbol at its address in the trace. */
function shifted(symbol: ImageSymbol, shift: bigint): ImageSymbol {
  if (shift === 0n) return symbol;
  const address = BigInt.asUintN(64, symbol.address + shift);
  return { ...symbol, address, end: address + (symbol.end - symbol.address) };
}

/** Converts an address of the trace to a link-time address. */
function linked({ shift }: Image, address: bigint): bigint {
  return shift === 0n ? address : BigInt.asUintN(64, address - shift);
}

/** Returns bytes of one image at a link-time address. */
function bytesIn({ segments }: Image, at: bigint, most: number): Uint8Array | undefined {
  const segment = segments.find(({ address, bytes }) => at >= address && at - address < bytes.length);
  if (segment === undefined) return undefined;
  const start = Number(at - segment.address);
  return segment.bytes.subarray(start, start + most);
}

/** Bytes compared to decide that two images have the same code. */
const INSTRUCTION_BYTES = 4;

function first<T>(list: readonly Image[], query: (image: Image) => T | undefined): T | undefined {
  for (const image of list) {
    const found = query(image);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the answer of the first image that has one, with one exception: if the address is in memory that this image only reserves (.bss)
 * and a segment of a later image lies completely inside that memory, the later image was loaded there and wins.
 */
function owner<T>(
  list: readonly Image[],
  address: bigint,
  query: (image: Image, at: bigint) => T | undefined,
): T | undefined {
  let best: { readonly found: T; readonly reserved: Span | undefined } | undefined;
  for (const image of list) {
    if (best !== undefined && best.reserved === undefined) break;
    const found = query(image, linked(image, address));
    if (found === undefined) continue;
    const segment = segmentAt(image, address);
    if (best === undefined || (segment !== undefined && isWithin(segment.all, best.reserved)))
      best = { found, reserved: segment?.reserved };
  }
  return best?.found;
}

/** Addresses [low, high) of the trace. */
interface Span {
  readonly low: bigint;
  readonly high: bigint;
}

/**
 * Returns the segment that contains an address, and its reserved part (without bytes in the file) if the address is there. Debug files have
 * no bytes at all, so nothing in them counts as reserved.
 */
function segmentAt(
  image: Image,
  address: bigint,
): { readonly all: Span; readonly reserved: Span | undefined } | undefined {
  const at = linked(image, address);
  const segment = image.segments.find((each) => at >= each.address && at < each.address + each.memory);
  if (segment === undefined) return undefined;
  const low = address - (at - segment.address);
  const high = low + segment.memory;
  const filled = low + BigInt(segment.bytes.length);
  const isReserved = address >= filled && image.segments.some(({ bytes }) => bytes.length > 0);
  return { all: { low, high }, reserved: isReserved ? { low: filled, high } : undefined };
}

function isWithin({ low, high }: Span, outer: Span | undefined): boolean {
  return outer !== undefined && low >= outer.low && high <= outer.high;
}

function factsOf({ path, form, shift, mappedBy, machine, segments, symbols, lines, debug }: Image): ImageFacts {
  const table = lines?.();
  return {
    path,
    form,
    ...(machine === undefined
      ? {}
      : { machine: machine.name, bits: machine.bits, endian: machine.littleEndian ? 'little' : 'big' }),
    ...(shift === 0n ? {} : { shift: toHex(shift) }),
    ...(mappedBy === undefined ? {} : { mappedBy: { offset: mappedBy } }),
    segments: segments.map(({ address, bytes, memory, flags }) => ({
      address: toHex(BigInt.asUintN(64, address + shift)),
      bytes: bytes.length,
      memory: Number(memory),
      ...(flags === undefined ? {} : { flags }),
    })),
    symbols: symbols.count,
    functions: symbols.functions,
    ...(debug === undefined ? {} : { debug: debug.path }),
    ...(table === undefined
      ? {}
      : {
          lines: {
            rows: table.rows,
            files: table.files,
            ...(table.problems.length > 0 ? { problems: table.problems } : {}),
          },
        }),
  };
}
