/** The accesses of two stretches of the trace, one after the other, as those of both. */
import type { AccessColumns, AddressHalves } from './accesses.ts';

/**
 * `offset`: records from where `a` counts to where `b` counts; both together have fewer than 2^32. The result's arrays may be
 * longer than its length; it is valid until the merge after the next.
 */
export type AccessMerger = (a: AccessColumns, b: AccessColumns, offset: number) => AccessColumns;

/** A merger writes into one of two sets of columns in turn, so that adding stretch after stretch leaves no garbage. */
export function createAccessMerger(): AccessMerger {
  let next = createColumns(0);
  let other = createColumns(0);
  return (a, b, offset) => {
    if (next.page.length < a.length + b.length) next = createColumns(Math.ceil((a.length + b.length) * 1.2));
    const merged = merge(a, b, offset, next);
    [next, other] = [other, next];
    return merged;
  };
}

type Columns = Omit<AccessColumns, 'length' | 'lowest' | 'highest'>;

function createColumns(capacity: number): Columns {
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

function merge(a: AccessColumns, b: AccessColumns, offset: number, into: Columns): AccessColumns {
  const { page, kind, lineLow, lineHigh, counts, first, last } = into;
  let length = 0;
  let i = 0;
  let j = 0;
  let pageA = a.length > 0 ? a.page[0]! : Number.POSITIVE_INFINITY;
  let pageB = b.length > 0 ? b.page[0]! : Number.POSITIVE_INFINITY;
  let kindA = a.length > 0 ? a.kind[0]! : 0;
  let kindB = b.length > 0 ? b.kind[0]! : 0;
  for (; pageA < Number.POSITIVE_INFINITY || pageB < Number.POSITIVE_INFINITY; length++) {
    const takeA = pageA < pageB || (pageA === pageB && kindA <= kindB);
    const takeB = pageB < pageA || (pageA === pageB && kindB <= kindA);
    let low = 0;
    let high = 0;
    let count = 0;
    let itsFirst = 0;
    let itsLast = 0;
    if (takeA) {
      page[length] = pageA;
      kind[length] = kindA;
      low = a.lineLow[i]!;
      high = a.lineHigh[i]!;
      count = a.counts[i]!;
      itsFirst = a.first[i]!;
      itsLast = a.last[i]!;
      i++;
      pageA = i < a.length ? a.page[i]! : Number.POSITIVE_INFINITY;
      kindA = i < a.length ? a.kind[i]! : 0;
    }
    if (takeB) {
      page[length] = pageB;
      kind[length] = kindB;
      low |= b.lineLow[j]!;
      high |= b.lineHigh[j]!;
      if (b.counts[j]! > 0) {
        // Of a pair that only `b` starts an access in, `b` has the first record as well.
        if (count === 0) itsFirst = offset + b.first[j]!;
        count += b.counts[j]!;
        itsLast = offset + b.last[j]!;
      }
      j++;
      pageB = j < b.length ? b.page[j]! : Number.POSITIVE_INFINITY;
      kindB = j < b.length ? b.kind[j]! : 0;
    }
    lineLow[length] = low;
    lineHigh[length] = high;
    counts[length] = count;
    first[length] = itsFirst;
    last[length] = itsLast;
  }
  const lowest = b.length === 0 || (a.length > 0 && isBelow(a.lowest, b.lowest)) ? a.lowest : b.lowest;
  const highest = a.length === 0 || (b.length > 0 && isBelow(a.highest, b.highest)) ? b.highest : a.highest;
  return { ...into, length, lowest, highest };
}

function isBelow(a: AddressHalves, b: AddressHalves): boolean {
  return a.high < b.high || (a.high === b.high && a.low < b.low);
}
