/** The accesses of two stretches of the trace, one after the other, as those of both. */
import type { AccessColumns, AddressHalves } from './accesses.ts';

/** `offset`: records from where `a` counts to where `b` counts; both together have fewer than 2^32. */
export function mergeAccesses(a: AccessColumns, b: AccessColumns, offset: number): AccessColumns {
  const most = a.length + b.length;
  const page = new Float64Array(most);
  const kind = new Uint8Array(most);
  const lineLow = new Uint32Array(most);
  const lineHigh = new Uint32Array(most);
  const counts = new Uint32Array(most);
  const first = new Uint32Array(most);
  const last = new Uint32Array(most);
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
    }
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
  if (a.length === 0)
    return { length, page, kind, lineLow, lineHigh, counts, first, last, lowest: b.lowest, highest: b.highest };
  if (b.length === 0)
    return { length, page, kind, lineLow, lineHigh, counts, first, last, lowest: a.lowest, highest: a.highest };
  const lowest = isBelow(a.lowest, b.lowest) ? a.lowest : b.lowest;
  const highest = isBelow(a.highest, b.highest) ? b.highest : a.highest;
  return { length, page, kind, lineLow, lineHigh, counts, first, last, lowest, highest };
}

function isBelow(a: AddressHalves, b: AddressHalves): boolean {
  return a.high < b.high || (a.high === b.high && a.low < b.low);
}
