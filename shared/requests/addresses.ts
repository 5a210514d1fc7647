/** What the calls about time and address are asked and answer (see Requests in requests.ts): pages, bands, names, heatmaps, the overview. */
import type { Kind } from '../records/record.ts';
import type { OfTrace, Reach } from './trace.ts';
import type { Hex, RecordNumber } from '../base/units.ts';

export interface PageRow {
  readonly page: Hex;
  readonly kinds: Partial<Record<Kind, number>>;
  /** First and last record that starts an access in the page. */
  readonly first: RecordNumber;
  readonly last: RecordNumber;
}

/** A span of addresses, `high` exclusive; a band that reaches the top of the address space has high 0x10000000000000000. */
export interface Band {
  readonly low: Hex;
  readonly high: Hex;
}

/** A band with the name that an image gives it. */
export interface NamedSpan extends Band {
  readonly name: string;
  readonly kind: 'function' | 'object' | 'label' | 'segment';
}

export interface NamedSymbol {
  readonly name: string;
  readonly kind: 'function' | 'object' | 'label';
  readonly address: Hex;
  /** Where its image tells it. */
  readonly bytes?: number;
}

/** A rectangle of time and address; `to` and `high` are exclusive, the whole by default. */
export interface Rectangle {
  readonly from?: RecordNumber;
  readonly to?: RecordNumber;
  readonly low?: Hex;
  readonly high?: Hex;
  /** All kinds that have an address by default. */
  readonly kinds?: readonly Kind[];
}

export interface HeatArguments extends OfTrace {
  readonly from?: RecordNumber;
  readonly to?: RecordNumber;
  readonly kinds?: readonly Kind[];
  /** Wanted columns of time. */
  readonly columns: number;
  /** The address axis, lowest first: spans and the rows wanted in each. One band of everything touched by default. */
  readonly bands?: readonly (Band & { readonly rows: number })[];
  /** Wanted rows where no bands are given. */
  readonly rows?: number;
  /**
   * `even`: columns and rows of equal width, exactly as asked, however long it takes.
   * `quick`: columns end where blocks of the index end and rows are powers of two where that makes it fast: the answer may
   * have other columns, rows and slightly wider spans than asked for; its counts are exact for what it says they span.
   */
  readonly precision: 'even' | 'quick';
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
  /** True when asking for finer columns or rows of the same rectangle could show more. */
  readonly coarse: boolean;
  readonly reach: Reach;
}

export interface HeatBand extends Band {
  readonly rows: number;
  /** Bytes of address per row; the last row of a band may be cut by `high`. Not always a whole number when precision is `even`. */
  readonly rowBytes: number;
}

export interface Overview {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  readonly columns: number;
  /** As in HeatGrid. Where the range has many blocks, columns end where blocks end: there may be fewer than asked for. */
  readonly edges: Float64Array;
  readonly kinds: readonly Kind[];
  /** counts[column * kinds.length + kind]. */
  readonly counts: Float64Array;
  /** Diagnostics counted per column, each in the column of a record at most some hundred records before. */
  readonly bad: Float64Array;
  readonly reach: Reach;
}
