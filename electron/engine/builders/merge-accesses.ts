/** Accesses of consecutive blocks as those of one stretch of the trace. */
import type { AccessColumns, AddressHalves } from './accesses.ts';

/** The accesses of one part; its records are counted from `firstRecord` of the whole. */
export interface AccessPart {
  readonly columns: AccessColumns;
  readonly firstRecord: number;
}

/** `first` and `last` of the result count from the start of the whole, which has fewer than 2^32 records. */
export type AccessMerger = (parts: readonly AccessPart[]) => AccessColumns;

/** A merger keeps its columns from one merge to the next. */
export function createAccessMerger(): AccessMerger {
  let columns = emptyColumns(4096);
  return (parts) => {
    const most = parts.reduce((sum, part) => sum + part.columns.length, 0);
    if (columns.page.length < most) columns = emptyColumns(most);
    return merge(parts, columns);
  };
}

type Columns = Omit<AccessColumns, 'length' | 'lowest' | 'highest'>;

function emptyColumns(capacity: number): Columns {
  return {
    page: new Float64Array(capacity),
    kind: new Uint8Array(capacity),
    lineLow: new Uint32Array(capacity),
    lineHigh: new Uint32Array(capacity),
    counts: new Uint32Array(capacity),
    first: new Uint32Array(capacity),
    last: new Uint32Array(capacity),
  };
}

function merge(parts: readonly AccessPart[], into: Columns): AccessColumns {
  const { page, kind, lineLow, lineHigh, counts, first, last } = into;
  // The entry that each part has next, side by side.
  const at = new Int32Array(parts.length);
  const pages = Float64Array.from(parts, ({ columns }) => columns.page[0] ?? Number.POSITIVE_INFINITY);
  const kinds = Int32Array.from(parts, ({ columns }) => columns.kind[0] ?? 0);
  let length = 0;
  for (;;) {
    let leastPage = Number.POSITIVE_INFINITY;
    let leastKind = 0;
    for (let part = 0; part < pages.length; part++) {
      const its = pages[part]!;
      if (its > leastPage || (its === leastPage && kinds[part]! >= leastKind)) continue;
      leastPage = its;
      leastKind = kinds[part]!;
    }
    if (leastPage === Number.POSITIVE_INFINITY) break;
    page[length] = leastPage;
    kind[length] = leastKind;
    lineLow[length] = lineHigh[length] = counts[length] = last[length] = 0;
    first[length] = 0xffffffff;
    for (let part = 0; part < pages.length; part++) {
      if (pages[part] !== leastPage || kinds[part] !== leastKind) continue;
      const { columns, firstRecord } = parts[part]!;
      const index = at[part]!;
      lineLow[length] = lineLow[length]! | columns.lineLow[index]!;
      lineHigh[length] = lineHigh[length]! | columns.lineHigh[index]!;
      if (columns.counts[index]! > 0) {
        // Parts come in order: the first one that starts an access has the first record, the last one the last.
        if (counts[length] === 0) first[length] = firstRecord + columns.first[index]!;
        last[length] = firstRecord + columns.last[index]!;
        counts[length] = counts[length]! + columns.counts[index]!;
      }
      const next = index + 1;
      at[part] = next;
      pages[part] = next < columns.length ? columns.page[next]! : Number.POSITIVE_INFINITY;
      kinds[part] = next < columns.length ? columns.kind[next]! : 0;
    }
    length++;
  }
  const touching = parts.filter(({ columns }) => columns.length > 0).map(({ columns }) => columns);
  return {
    length,
    page: page.slice(0, length),
    kind: kind.slice(0, length),
    lineLow: lineLow.slice(0, length),
    lineHigh: lineHigh.slice(0, length),
    counts: counts.slice(0, length),
    first: first.slice(0, length),
    last: last.slice(0, length),
    lowest: touching.map(({ lowest }) => lowest).reduce(lower, { low: 0xffffffff, high: 0xffffffff }),
    highest: touching.map(({ highest }) => highest).reduce(higher, { low: 0, high: 0 }),
  };
}

function lower(a: AddressHalves, b: AddressHalves): AddressHalves {
  return a.high < b.high || (a.high === b.high && a.low <= b.low) ? a : b;
}

function higher(a: AddressHalves, b: AddressHalves): AddressHalves {
  return a.high > b.high || (a.high === b.high && a.low >= b.low) ? a : b;
}
