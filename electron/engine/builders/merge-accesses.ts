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
  while (i < a.length || j < b.length) {
    const order = i === a.length ? 1 : j === b.length ? -1 : a.page[i]! - b.page[j]! || a.kind[i]! - b.kind[j]!;
    if (order <= 0) {
      page[length] = a.page[i]!;
      kind[length] = a.kind[i]!;
      lineLow[length] = a.lineLow[i]!;
      lineHigh[length] = a.lineHigh[i]!;
      counts[length] = a.counts[i]!;
      first[length] = a.first[i]!;
      last[length] = a.last[i]!;
      i++;
    } else lineLow[length] = lineHigh[length] = counts[length] = first[length] = last[length] = 0;
    if (order >= 0) {
      page[length] = b.page[j]!;
      kind[length] = b.kind[j]!;
      lineLow[length] = lineLow[length]! | b.lineLow[j]!;
      lineHigh[length] = lineHigh[length]! | b.lineHigh[j]!;
      if (b.counts[j]! > 0) {
        // Of a pair that only `b` starts an access in, `b` has the first record as well.
        if (counts[length] === 0) first[length] = offset + b.first[j]!;
        counts[length] = counts[length]! + b.counts[j]!;
        last[length] = offset + b.last[j]!;
      }
      j++;
    }
    length++;
  }
  const lowest = b.length === 0 || (a.length > 0 && isBelow(a.lowest, b.lowest)) ? a.lowest : b.lowest;
  const highest = a.length === 0 || (b.length > 0 && isBelow(a.highest, b.highest)) ? b.highest : a.highest;
  return { ...into, length, lowest, highest };
}

function isBelow(a: AddressHalves, b: AddressHalves): boolean {
  return a.high < b.high || (a.high === b.high && a.low < b.low);
}
