/** Requests about time and address: pages, bands, names, heatmaps, the overview. */
import type { Kind } from '../records/record.ts';
import { request, type, type ArgumentsOf } from './request.ts';
import {
  cells,
  check,
  where,
  hex,
  hexEnd,
  kinds,
  list,
  object,
  oneOf,
  optional,
  ordered,
  record,
  rule,
  span,
  text,
  whole,
} from './schema.ts';
import { ofTrace, type Reach } from './trace.ts';
import { toHex, type Hex, type RecordNumber } from '../base/units.ts';

const stretch = { ...ofTrace, from: optional(record), to: optional(record), kinds: optional(kinds) } as const;

/** Upper limit of columns times rows of one heatmap: 64 MB of counts. */
export const HEAT_CELLS_MOST = 8_000_000;

export const ADDRESS_REQUESTS = {
  /** Accesses per page of `size` bytes, sorted by address. */
  pages: request({
    arguments: object({
      ...ofTrace,
      size: rule<number>(
        (value) => typeof value === 'number' && value >= 4096 && value <= 2 ** 52 && Number.isInteger(Math.log2(value)),
        'must be a power of two, at least 4096',
      ),
    }),
    answer: type<PageColumns>(),
  }),
  /** The address spans that the trace touches at all: the axis of a chart without empty address space. At most `most`. */
  bands: request({
    arguments: where(object({ ...stretch, most: optional(whole(1, 10_000)) }), ordered),
    answer: type<{ readonly bands: readonly Band[]; readonly reach: Reach }>(),
  }),
  /** Functions, objects and segments of the images in [low, high), by address. If there are more than `most`, the largest. */
  names: request({
    arguments: where(object({ ...ofTrace, low: hex, high: hexEnd, most: whole(1, 10_000) }), span),
    answer: type<{ readonly names: readonly NamedSpan[]; readonly left: number }>(),
  }),
  /** Symbols whose raw or demangled names contain `text` in any case: exact matches first, then prefixes. `left` counts those beyond `most`. */
  symbols: request({
    arguments: object({ ...ofTrace, text: text(1000), most: whole(1, 1000) }),
    answer: type<{ readonly symbols: readonly NamedSymbol[]; readonly left: number }>(),
  }),
  /**
   * Symbols of exactly this name, by address, from the first image that has any. If no raw name matches, demangled names are compared, also
   * without parameters or template arguments, and last the ends of their paths.
   */
  symbolsNamed: request({
    arguments: object({ ...ofTrace, name: text(10_000) }),
    answer: type<{ readonly symbols: readonly NamedSymbol[] }>(),
  }),
  /** For each address the symbol there as `name` or `name+0x12`, or null if no image has one. */
  symbolsAt: request({
    arguments: object({ ...ofTrace, addresses: list(hex, 1000) }),
    answer: type<{ readonly symbols: readonly (string | null)[] }>(),
  }),
  /** Accesses per cell of time and address. */
  heat: request({
    arguments: where(
      object({
        ...stretch,
        /** Requested columns of time. */
        columns: cells,
        /** Requested rows of addresses if there are no `bands`. */
        rows: optional(cells),
        /** The address axis, lowest first: spans and the rows requested in each. By default one band of everything touched. */
        bands: optional(list(where(object({ low: hex, high: hexEnd, rows: cells }), span), 10_000)),
        /**
         * `even`: columns and rows of equal width, exactly as requested, however long it takes.
         * `quick`: columns end at block ends of the index and rows are powers of two if that is faster. The answer may have other
         * columns, rows and slightly wider spans than requested; its counts are exact for the spans that it reports.
         * `fine`: rows as in `even`. No column is wider than one of `even`, and columns end at block ends of the index where that is fine
         * enough, so that few blocks of a long range are decoded. There may be up to twice as many columns as requested.
         */
        precision: oneOf(['even', 'quick', 'fine']),
      }),
      ordered,
      check(
        'columns',
        ({ columns, rows = 1, bands }) =>
          columns * (bands?.reduce((sum, band) => sum + band.rows, 0) ?? rows) <= HEAT_CELLS_MOST,
        `times rows must be at most ${HEAT_CELLS_MOST}`,
      ),
    ),
    answer: type<HeatGrid>(),
    event: type<CountProgress>(),
  }),
  /** Accesses per kind in one rectangle of time and address, exact. */
  tally: request({
    arguments: where(object({ ...stretch, low: optional(hex), high: optional(hexEnd) }), ordered, span),
    answer: type<{ readonly kinds: Partial<Record<Kind, number>>; readonly reach: Reach }>(),
    event: type<CountProgress>(),
  }),
  /**
   * Accesses per page or per symbol in one rectangle of time and address, exact: the `most` spots with most accesses. `left` counts further
   * spots with accesses, and `total` all accesses in the rectangle. Spots end where the rectangle does.
   */
  hottest: request({
    arguments: where(
      object({
        ...stretch,
        low: optional(hex),
        high: optional(hexEnd),
        by: oneOf(['page', 'symbol']),
        most: whole(1, 10_000),
      }),
      ordered,
      span,
    ),
    answer: type<{
      readonly spots: readonly Spot[];
      readonly left: number;
      readonly total: number;
      readonly reach: Reach;
    }>(),
    event: type<CountProgress>(),
  }),
  /** Records per kind over time. */
  overview: request({
    arguments: where(object({ ...ofTrace, from: optional(record), to: optional(record), columns: cells }), ordered),
    answer: type<Overview>(),
  }),
} as const;

export type HeatArguments = ArgumentsOf<typeof ADDRESS_REQUESTS.heat>;
/** A rectangle of time and address; `to` and `high` are exclusive. Everything by default. */
export type Rectangle = Omit<ArgumentsOf<typeof ADDRESS_REQUESTS.tally>, 'trace'>;

/** Blocks that have been decoded for an answer, of all that must be. */
export interface CountProgress {
  readonly at: number;
  readonly to: number;
}

/** Accesses per page as columns, because there may be a million pages. */
export interface PageColumns {
  /** Size of a page in bytes. */
  readonly size: number;
  /** Addresses of the pages, divided by `size`, ascending. */
  readonly numbers: Float64Array;
  /** Kinds of all accesses, in the order of KINDS. */
  readonly kinds: readonly Kind[];
  /** counts[page * kinds.length + kind]: accesses that start in a page, by its place in `numbers`. */
  readonly counts: Float64Array;
  /** First and last record that starts an access in the page. */
  readonly first: Float64Array;
  readonly last: Float64Array;
  readonly reach: Reach;
}

/** Returns the address of the page at a place of the columns. */
export function addressOfPage({ size, numbers }: PageColumns, place: number): Hex {
  const address = numbers[place]! * size;
  return toHex(address <= Number.MAX_SAFE_INTEGER ? address : BigInt(numbers[place]!) * BigInt(size));
}

/** Returns the page at a place of the columns. */
export function pageAt(pages: PageColumns, place: number): PageRow {
  const kinds: Partial<Record<Kind, number>> = {};
  for (const [k, kind] of pages.kinds.entries()) {
    const count = pages.counts[place * pages.kinds.length + k]!;
    if (count > 0) kinds[kind] = count;
  }
  return { page: addressOfPage(pages, place), kinds, first: pages.first[place]!, last: pages.last[place]! };
}

export function pageRows(pages: PageColumns): PageRow[] {
  return Array.from(pages.numbers, (_, place) => pageAt(pages, place));
}

export interface PageRow {
  readonly page: Hex;
  readonly kinds: Partial<Record<Kind, number>>;
  /** First and last record that starts an access in the page. */
  readonly first: RecordNumber;
  readonly last: RecordNumber;
}

/** A span of addresses; `high` is exclusive, and 0x10000000000000000 at the top of the address space. */
export interface Band {
  readonly low: Hex;
  readonly high: Hex;
}

/** Addresses with the number of accesses that start there. */
export interface Spot extends Band {
  readonly count: number;
  /** Name of the symbol. */
  readonly name?: string;
}

/** A band with its name in an image. */
export interface NamedSpan extends Band {
  readonly name: string;
  /** Raw name of the symbol, if it differs. */
  readonly symbol?: string;
  readonly kind: 'function' | 'object' | 'label' | 'segment';
}

export interface NamedSymbol {
  readonly name: string;
  /** Raw name, if it differs. */
  readonly symbol?: string;
  readonly kind: 'function' | 'object' | 'label';
  readonly address: Hex;
  /** Size, if the image records it. */
  readonly bytes?: number;
}

export interface HeatGrid {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  readonly columns: number;
  /** columns + 1 record numbers: column c holds the records edges[c] <= n < edges[c + 1]. */
  readonly edges: Float64Array;
  readonly bands: readonly HeatBand[];
  /** Rows of all bands together, lowest addresses first. */
  readonly rows: number;
  /** counts[column * rows + row]. */
  readonly counts: Float64Array;
  readonly most: number;
  /** True if a request for finer columns or rows of the same rectangle could show more. */
  readonly coarse: boolean;
  readonly reach: Reach;
}

export interface HeatBand extends Band {
  readonly rows: number;
  /** Bytes of address per row; `high` may cut the last row of a band. Not always a whole number if `precision` is `even`. */
  readonly rowBytes: number;
}

export interface Overview {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  readonly columns: number;
  /** As in HeatGrid. In a range of many blocks columns end at block ends, so there may be fewer than requested. */
  readonly edges: Float64Array;
  readonly kinds: readonly Kind[];
  /** counts[column * kinds.length + kind]. */
  readonly counts: Float64Array;
  /** Diagnostics per column, each in the column of a record at most a few hundred records earlier. */
  readonly bad: Float64Array;
  readonly reach: Reach;
}
