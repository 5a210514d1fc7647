/**
 * The images of a trace together: what lies at an address, asked of each in the order in which they were given. Addresses are
 * those of the trace.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { BAD_IMAGE } from '../../../shared/requests/failures.ts';
import type { ImageFacts, ImagePlace } from '../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { toHex } from '../../../shared/base/units.ts';
import type { CodeState } from './code-states.ts';
import { openImage, type Image, type Segment } from './image.ts';
import type { SourceLine } from './line-table.ts';
import type { Machine } from './machine.ts';
import type { ImageSymbol, SymbolHit, SymbolKind } from './symbols.ts';

export interface Images {
  readonly list: readonly Image[];
  readonly notices: readonly string[];
  facts(): readonly ImageFacts[];
  /** Says what all of them hold and where: the same for the same files in the same places and order, wherever they lie on the disk. */
  digest(): string;
  /** The symbol that an address belongs to; its own address is that of the image. */
  symbolAt(address: bigint): SymbolHit | undefined;
  /** Where in the source the code at an address comes from. */
  lineAt(address: bigint): SourceLine | undefined;
  /** All that begin at an address, the preferred one first, in the image whose symbol the address belongs to. */
  symbolsStartingAt(address: bigint): readonly ImageSymbol[];
  /** The symbols of just this name in the first image that has any, by address: their addresses are those of the trace. */
  symbolsNamed(name: string): readonly ImageSymbol[];
  /** Symbols whose names have this text in them, whatever the case: their addresses are those of the trace. */
  symbolsLike(text: string): readonly ImageSymbol[];
  /** At most `most` bytes from an address on, fewer at the end of a segment; undefined where no image has any. Shared. */
  bytesAt(address: bigint, most: number): Uint8Array | undefined;
  /** What lies in the addresses [low, high), by address: segments, and of symbols at one address the preferred one. */
  namesIn(low: bigint, high: bigint): readonly NamedStretch[];
  /** What code at an address is, where the first image with bytes there tells, or else another one with the same bytes. */
  codeAt(address: bigint): Code | undefined;
}

export interface Code {
  readonly machine: Machine;
  /** As mapping symbols tell it. */
  readonly state?: CodeState;
}

/** Addresses [low, high) with a name. */
export interface NamedStretch {
  readonly name: string;
  readonly kind: SymbolKind | 'segment';
  readonly low: bigint;
  readonly high: bigint;
}

/** Of a trace about whose program nothing is known. */
export const NO_IMAGES: Images = createImages([]);

export function openImages(places: readonly ImagePlace[] = []): Result<Images> {
  const list: Image[] = [];
  for (const place of places) {
    const image = openImage(place);
    if (!image.ok) return fail(BAD_IMAGE, image.error.message);
    list.push(image.value);
  }
  return ok(createImages(list));
}

export function createImages(list: readonly Image[]): Images {
  return {
    list,
    notices: list.flatMap(({ notices }) => notices),
    facts: () => list.map(factsOf),
    digest: () => {
      const hash = createHash('sha256');
      for (const { digest, form, shift, segments } of list) {
        hash.update(
          JSON.stringify([
            digest(),
            form,
            toHex(shift),
            form === 'raw' ? segments.map(({ address }) => toHex(address)) : [],
          ]),
        );
      }
      return hash.digest('hex');
    },
    symbolAt: (address) => owner(list, address, ({ symbols }, at) => symbols.at(at)),
    lineAt: (address) => first(list, (image) => image.lines?.().at(linked(image, address))),
    symbolsStartingAt: (address) =>
      owner(list, address, ({ symbols }, at) => (symbols.at(at) === undefined ? undefined : symbols.startingAt(at))) ??
      [],
    symbolsNamed: (name) =>
      first(list, ({ symbols, shift }) => {
        const named = symbols.named(name);
        return named.length === 0 ? undefined : named.map((symbol) => moved(symbol, shift));
      }) ?? [],
    symbolsLike: (text) => {
      const wanted = text.toLowerCase();
      return list.flatMap(({ symbols, shift }) =>
        symbols.all.filter(({ name }) => name.toLowerCase().includes(wanted)).map((symbol) => moved(symbol, shift)),
      );
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
  };
}

/** Where an image is shifted around the highest address, what lies beyond that is left out. */
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
    name: symbol.name,
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

/** A symbol where the trace has it. */
function moved(symbol: ImageSymbol, shift: bigint): ImageSymbol {
  if (shift === 0n) return symbol;
  const address = BigInt.asUintN(64, symbol.address + shift);
  return { ...symbol, address, end: address + (symbol.end - symbol.address) };
}

/** The address that the image was linked for. */
function linked({ shift }: Image, address: bigint): bigint {
  return shift === 0n ? address : BigInt.asUintN(64, address - shift);
}

/** Of an image alone, at an address that it was linked for. */
function bytesIn({ segments }: Image, at: bigint, most: number): Uint8Array | undefined {
  const segment = segments.find(({ address, bytes }) => at >= address && at - address < bytes.length);
  if (segment === undefined) return undefined;
  const start = Number(at - segment.address);
  return segment.bytes.subarray(start, start + most);
}

/** Of most instructions: images that have the same in so many have the same code. */
const INSTRUCTION_BYTES = 4;

function first<T>(list: readonly Image[], ask: (image: Image) => T | undefined): T | undefined {
  for (const image of list) {
    const found = ask(image);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * What the first image that knows it says of an address. But into memory that an image only sets aside (.bss) another may have been
 * loaded: one whose segment lies in there as a whole knows better.
 */
function owner<T>(
  list: readonly Image[],
  address: bigint,
  ask: (image: Image, at: bigint) => T | undefined,
): T | undefined {
  let best: { readonly found: T; readonly room: Span | undefined } | undefined;
  for (const image of list) {
    if (best !== undefined && best.room === undefined) break;
    const found = ask(image, linked(image, address));
    if (found === undefined) continue;
    const segment = segmentAt(image, address);
    if (best === undefined || (segment !== undefined && isWithin(segment.all, best.room)))
      best = { found, room: segment?.room };
  }
  return best?.found;
}

/** Addresses [low, high) of the trace. */
interface Span {
  readonly low: bigint;
  readonly high: bigint;
}

/** The segment that an address lies in, and the memory around it that it only sets aside; files for debuggers have no content at all. */
function segmentAt(image: Image, address: bigint): { readonly all: Span; readonly room: Span | undefined } | undefined {
  const at = linked(image, address);
  const segment = image.segments.find((each) => at >= each.address && at < each.address + each.memory);
  if (segment === undefined) return undefined;
  const low = address - (at - segment.address);
  const high = low + segment.memory;
  const filled = low + BigInt(segment.bytes.length);
  const setsAside = address >= filled && image.segments.some(({ bytes }) => bytes.length > 0);
  return { all: { low, high }, room: setsAside ? { low: filled, high } : undefined };
}

function isWithin({ low, high }: Span, outer: Span | undefined): boolean {
  return outer !== undefined && low >= outer.low && high <= outer.high;
}

function factsOf({ path, form, shift, machine, segments, symbols, lines }: Image): ImageFacts {
  const table = lines?.();
  return {
    path,
    form,
    ...(machine === undefined
      ? {}
      : { machine: machine.name, bits: machine.bits, endian: machine.littleEndian ? 'little' : 'big' }),
    ...(shift === 0n ? {} : { shift: toHex(shift) }),
    segments: segments.map(({ address, bytes, memory, flags }) => ({
      address: toHex(BigInt.asUintN(64, address + shift)),
      bytes: bytes.length,
      memory: Number(memory),
      ...(flags === undefined ? {} : { flags }),
    })),
    symbols: symbols.all.length,
    functions: symbols.functions,
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
